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
  grid(context, width, height, [label(most), label(most / 2)], [1, 0.5]);
  all.forEach((series, side) => {
    const scaled = series.tickUs.map((us) => us / most);
    if (!side) area(context, scaled, width, height, css(colors.states[1], 0.16));
    line(context, scaled, width, height, css(colors.states[1]), side ? [4, 3] : []);
  });
  if (budget > 0) {
    const y = height - (budget / most) * (height - 4) - 2;
    context.setLineDash([6, 4]);
    context.strokeStyle = css(colors.states[4]);
    context.beginPath();
    context.moveTo(0, y);
    context.lineTo(width, y);
    context.stroke();
    context.setLineDash([]);
  }
}

/** @param {CanvasRenderingContext2D} context @param {number} width @param {number} height @param {string[]} labels @param {number[]} at */
function grid(context, width, height, labels, at) {
  const colors = palette();
  context.font = "11px system-ui, sans-serif";
  context.lineWidth = 1;
  at.forEach((share, i) => {
    const y = Math.round(height - share * (height - 4) - 2) + 0.5;
    context.strokeStyle = colors.line;
    context.beginPath();
    context.moveTo(0, y);
    context.lineTo(width, y);
    context.stroke();
    context.fillStyle = colors.text;
    context.fillText(labels[i], 2, y + 12);
  });
}

/** @param {CanvasRenderingContext2D} context @param {number[]} values @param {number} width @param {number} height */
function trace(context, values, width, height) {
  const step = width / (KEPT - 1), start = width - (values.length - 1) * step;
  context.beginPath();
  values.forEach((value, i) => {
    const x = start + i * step, y = height - Math.min(value, 1) * (height - 4) - 2;
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
