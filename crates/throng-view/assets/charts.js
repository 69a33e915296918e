// Charts of the last ticks: one series per side, drawn on a canvas.
import { palette, css } from "./palette.js";

const KEPT = 300;

/** The measurements of one side. */
export class Series {
  constructor() {
    /** @type {number[]} */
    this.arrived = [];
    /** @type {number[]} */
    this.waiting = [];
    /** @type {number[]} */
    this.tickUs = [];
  }

  /** @param {import("./model.js").Stats} stats */
  push(stats) {
    const agents = Math.max(stats.agents, 1);
    this.arrived.push(stats.arrived / agents);
    this.waiting.push((stats.waiting + stats.stuck) / agents);
    this.tickUs.push(stats.tickUs);
    for (const list of [this.arrived, this.waiting, this.tickUs]) if (list.length > KEPT) list.shift();
  }

  /** Returns the time that 99 of 100 ticks did not exceed. */
  p99() {
    const sorted = [...this.tickUs].sort((a, b) => a - b);
    return sorted[Math.min(Math.ceil(sorted.length * 0.99), sorted.length) - 1] ?? 0;
  }
}

/** @param {HTMLCanvasElement} canvas */
function begin(canvas) {
  const ratio = window.devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const context = canvas.getContext("2d");
  context?.setTransform(ratio, 0, 0, ratio, 0, 0);
  context?.clearRect(0, 0, width, height);
  return { context, width, height };
}

/**
 * Draws the shares of agents that have arrived and that wait.
 * @param {HTMLCanvasElement} canvas
 * @param {Series[]} all
 */
export function drawShares(canvas, all) {
  const { context, width, height } = begin(canvas);
  if (!context) return;
  const colors = palette();
  grid(context, width, height, ["100 %", "50 %"], [1, 0.5]);
  all.forEach((series, side) => {
    const dash = side ? [4, 3] : [];
    if (!side) area(context, series.arrived, width, height, css(colors.states[3], 0.16));
    line(context, series.arrived, width, height, css(colors.states[3]), dash);
    line(context, series.waiting, width, height, css(colors.states[2]), dash);
  });
}

/**
 * Draws the time of each tick, with the budget.
 * @param {HTMLCanvasElement} canvas
 * @param {Series[]} all
 * @param {number} budget microseconds, 0 for none
 */
export function drawTimes(canvas, all, budget) {
  const { context, width, height } = begin(canvas);
  if (!context) return;
  const colors = palette();
  const most = Math.max(budget * 1.25, ...all.map((series) => Math.max(...series.tickUs, 1) * 1.1));
  const label = (/** @type {number} */ us) => `${us >= 10000 ? Math.round(us / 1000) : (us / 1000).toFixed(1)} ms`;
  // Labels that would cover each other are left out, that of the budget last.
  const marks = budget > 0 ? [...(budget < 0.75 * most ? [most] : []), budget] : [most, most / 2];
  grid(context, width, height, marks.map(label), marks.map((us) => us / most));
  all.forEach((series, side) => {
    const scaled = series.tickUs.map((us) => us / most);
    if (!side) area(context, scaled, width, height, css(colors.states[1], 0.16));
    line(context, scaled, width, height, css(colors.states[1]), side ? [4, 3] : []);
  });
  if (budget > 0) {
    const y = level(budget / most, height);
    context.setLineDash([6, 4]);
    context.strokeStyle = css(colors.states[4]);
    context.beginPath();
    context.moveTo(GUTTER, y);
    context.lineTo(width, y);
    context.stroke();
    context.setLineDash([]);
  }
}

/**
 * Draws the bounds of a search: the lower one, the cost of the best known path, and how far the expansions are shown.
 * @param {HTMLCanvasElement} canvas
 * @param {number[]} lower costs, by expansion
 * @param {(number | null)[]} upper
 * @param {number} unit the cost of a step of length one
 * @param {number | null} length the length of the path that was found
 * @param {number} shown number of expansions that are shown
 */
export function drawBounds(canvas, lower, upper, unit, length, shown) {
  const { context, width, height } = begin(canvas);
  if (!context) return;
  const colors = palette(), known = upper.filter((value) => value !== null).map((value) => Number(value) / unit);
  const ends = [lower[0] / unit, lower[lower.length - 1] / unit, ...(length === null ? [] : [length]), ...known.slice(0, 1), ...known.slice(-1)];
  const low = Math.min(...ends), high = Math.max(...ends), range = Math.max(high - low, 1e-9);
  const x = (/** @type {number} */ i) => (i / Math.max(lower.length - 1, 1)) * (width - 2) + 1;
  const y = (/** @type {number} */ value) => height - 4 - ((value - low) / range) * (height - 20);
  const stride = Math.max(Math.floor(lower.length / width), 1);
  const series = (/** @type {(number | null)[]} */ values, /** @type {string} */ color) => {
    context.beginPath();
    let drawn = false;
    for (let i = 0; i < values.length; i += stride) {
      const value = values[i];
      if (value === null) continue;
      if (drawn) context.lineTo(x(i), y(value / unit));
      else context.moveTo(x(i), y(value / unit));
      drawn = true;
    }
    context.strokeStyle = color;
    context.lineWidth = 1.75;
    context.stroke();
  };
  context.font = "11px system-ui, sans-serif";
  context.strokeStyle = colors.line;
  context.strokeRect(0.5, 0.5, width - 1, height - 1);
  series(lower, css(colors.states[1]));
  series(upper, css(colors.states[2]));
  context.strokeStyle = colors.ink;
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(x(Math.max(shown - 1, 0)), 0);
  context.lineTo(x(Math.max(shown - 1, 0)), height);
  context.stroke();
  // No line runs through the labels.
  context.fillStyle = colors.text;
  for (const [text, left, bottom] of /** @type {[string, boolean, number][]} */ ([[high.toFixed(2), true, 13], [low.toFixed(2), false, height - 4]])) {
    const wide = context.measureText(text).width, from = left ? 4 : width - 4 - wide;
    context.clearRect(from - 2, bottom - 11, wide + 4, 14);
    context.fillText(text, from, bottom);
  }
}

/** The part of a chart that the labels have, in pixels. */
const GUTTER = 48;

/** Returns where a share is drawn. @param {number} share @param {number} height */
function level(share, height) {
  return height - share * (height - 4) - 2;
}

/** Draws lines across, and their labels beside the chart, where no line strikes them through. @param {CanvasRenderingContext2D} context @param {number} width @param {number} height @param {string[]} labels @param {number[]} at */
function grid(context, width, height, labels, at) {
  const colors = palette();
  context.font = "11px system-ui, sans-serif";
  context.lineWidth = 1;
  context.textAlign = "end";
  at.forEach((share, i) => {
    const y = Math.round(level(share, height)) + 0.5;
    context.strokeStyle = colors.line;
    context.beginPath();
    context.moveTo(GUTTER, y);
    context.lineTo(width, y);
    context.stroke();
    context.fillStyle = colors.text;
    context.fillText(labels[i], GUTTER - 5, Math.min(Math.max(y + 4, 10), height - 2));
  });
  context.textAlign = "start";
}

/** @param {CanvasRenderingContext2D} context @param {number[]} values @param {number} width @param {number} height */
function trace(context, values, width, height) {
  const step = (width - GUTTER) / (KEPT - 1), start = width - (values.length - 1) * step;
  context.beginPath();
  values.forEach((value, i) => {
    const x = start + i * step, y = level(Math.min(value, 1), height);
    if (i) context.lineTo(x, y);
    else context.moveTo(x, y);
  });
  return start;
}

/** @param {CanvasRenderingContext2D} context @param {number[]} values @param {number} width @param {number} height @param {string} color @param {number[]} dash */
function line(context, values, width, height, color, dash) {
  context.setLineDash(dash);
  context.strokeStyle = color;
  context.lineWidth = 1.75;
  trace(context, values, width, height);
  context.stroke();
  context.setLineDash([]);
}

/** @param {CanvasRenderingContext2D} context @param {number[]} values @param {number} width @param {number} height @param {string} color */
function area(context, values, width, height, color) {
  const start = trace(context, values, width, height);
  context.lineTo(width, height);
  context.lineTo(start, height);
  context.fillStyle = color;
  context.fill();
}
