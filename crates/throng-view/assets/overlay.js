// What is drawn over the map: the selection, the chosen agent with its path and the chain of agents in its way, the brush,
// vectors, the path of path mode. And the colours per cell of a layer.
import { palette, css, heatColor } from "./palette.js";
import { DX, DY } from "./model.js";

/** The names of layers and their numbers in messages; heat is computed by the page. */
export const LAYERS = ["searched", "sectors", "directions", "distances", "paths", "targets", "streets"];

/** The layers that are drawn as arrows. */
export const ARROWS = ["directions", "streets"];

/** How the parts of a path are drawn, by their certainty: planned, guide, unknown. */
const DASHES = [[], [7, 6], [1, 7]];

/** Draws over the map. */
export class Overlay {
  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    const context = canvas.getContext("2d");
    if (!context) throw new Error("no canvas");
    this.context = context;
    this.empty = true;
    /** @type {{side: number, x0: number, y0: number, x1: number, y1: number} | null} a box in cells */
    this.box = null;
    /** @type {{side: number, x: number, y: number, radius: number} | null} */
    this.brush = null;
    /** @type {{side: number, x: number, y: number, until: number}[]} places that agents were sent to */
    this.pings = [];
  }

  /**
   * @param {import("./model.js").Model} model
   * @param {import("./camera.js").Camera} camera
   * @param {number} progress
   * @param {number} now
   * @param {import("./paths.js").PathMode} paths
   */
  draw(model, camera, progress, now, paths) {
    this.pings = this.pings.filter((ping) => ping.until > now);
    const vectors = ARROWS.includes(model.layer) && model.layers.some(Boolean) && !model.isPast();
    const busy = this.box || this.brush || this.pings.length || model.chosen || model.selected.size || vectors || paths.active || model.sides.length > 1;
    if (!busy && this.empty) return;
    this.empty = !busy;
    // Hidden, not cleared: Chromium was seen to show what a canvas had before it was cleared while the report covered it.
    this.canvas.classList.toggle("idle", !busy);
    if (!busy) return;
    const context = this.context, ratio = this.canvas.width / Math.max(this.canvas.clientWidth, 1);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, this.canvas.clientWidth, this.canvas.clientHeight);
    camera.ports.forEach((port, side) => {
      context.save();
      context.beginPath();
      context.rect(port.x, port.y, port.width, port.height);
      context.clip();
      if (vectors) this.vectors(model, camera, side);
      if (paths.active && side === 0) paths.draw(context, camera, model);
      this.goals(model, camera, side, progress);
      this.chosen(model, camera, side, progress);
      this.marks(camera, side, now);
      context.restore();
    });
  }

  /** @param {import("./camera.js").Camera} camera @param {number} side @param {number} now */
  marks(camera, side, now) {
    const context = this.context, colors = palette();
    for (const ping of this.pings) {
      const at = camera.toStage(side, ping.x + 0.5, ping.y + 0.5), left = (ping.until - now) / 900;
      context.strokeStyle = css(colors.selected, left);
      context.lineWidth = 2;
      circle(context, at.x, at.y, 6 + 16 * (1 - left));
      context.stroke();
    }
    if (this.box) {
      const a = camera.toStage(side, this.box.x0, this.box.y0), b = camera.toStage(side, this.box.x1, this.box.y1);
      context.fillStyle = css(colors.states[1], 0.15);
      context.strokeStyle = css(colors.states[1]);
      context.lineWidth = 1.5;
      context.fillRect(a.x, a.y, b.x - a.x, b.y - a.y);
      context.strokeRect(a.x, a.y, b.x - a.x, b.y - a.y);
    }
    if (this.brush) {
      const at = camera.toStage(side, Math.floor(this.brush.x) + 0.5, Math.floor(this.brush.y) + 0.5);
      context.strokeStyle = colors.ink;
      context.lineWidth = 1.5;
      circle(context, at.x, at.y, (this.brush.radius + 0.5) * camera.scale);
      context.stroke();
    }
  }

  /** @param {import("./model.js").Model} model @param {import("./camera.js").Camera} camera @param {number} side @param {number} progress */
  chosen(model, camera, side, progress) {
    const chosen = model.chosen, report = model.report;
    if (!chosen || chosen.side !== side) return;
    const isPast = model.isPast();
    const crowd = model.sides[side], index = crowd.index.get(chosen.agent);
    if (index === undefined) return;
    const context = this.context, colors = palette();
    const [x0, y0] = model.place(crowd.before[index]), [x1, y1] = model.place(crowd.cells[index]);
    const at = camera.toStage(side, x0 + (x1 - x0) * progress + 0.5, y0 + (y1 - y0) * progress + 0.5);
    if (report && !isPast && report.agent === chosen.agent && report.side === side) {
      const center = (/** @type {number[]} */ [x, y]) => camera.toStage(side, x + 0.5, y + 0.5);
      this.path(at, report.path.map((/** @type {number[]} */ cell) => ({ ...center(cell), certainty: cell[2] })));
      if (report.target) this.flag(center(report.target), css(colors.states[3]));
      report.queue.reduce((/** @type {{x: number, y: number}} */ from, /** @type {number[]} */ goal) => {
        const to = center(goal);
        this.line([from, to], css(colors.states[3], 0.8), 1.5, [3, 4]);
        this.flag(to, css(colors.states[3]));
        return to;
      }, report.target ? center(report.target) : at);
      const chain = report.chain.map((/** @type {{at: number[]}} */ link) => center(link.at));
      this.line([at, ...chain], css(colors.states[2]), 3, []);
      for (const point of chain) {
        context.strokeStyle = css(colors.states[2]);
        context.lineWidth = 2;
        circle(context, point.x, point.y, Math.max(camera.scale * 0.7, 5));
        context.stroke();
      }
    }
    context.lineWidth = 4;
    context.strokeStyle = colors.halo;
    circle(context, at.x, at.y, Math.max(camera.scale * 0.95, 8));
    context.stroke();
    context.lineWidth = 2;
    context.strokeStyle = colors.ink;
    context.stroke();
  }

  /**
   * Draws a remaining path: solid as far as it is planned, dashed along the guide, dotted where nothing is known.
   * @param {{x: number, y: number}} from @param {{x: number, y: number, certainty: number}[]} path
   */
  path(from, path) {
    const color = css(palette().states[1]);
    for (let i = 0; i < path.length;) {
      const certainty = path[i].certainty, points = [from];
      for (; i < path.length && path[i].certainty === certainty; i++) points.push(path[i]);
      this.line(points, color, 3, DASHES[certainty]);
      from = points[points.length - 1];
    }
  }

  /**
   * Draws a thin line from every selected agent to its goal, and a flag at each goal.
   * @param {import("./model.js").Model} model @param {import("./camera.js").Camera} camera @param {number} side @param {number} progress
   */
  goals(model, camera, side, progress) {
    const known = model.goals[side];
    if (!known || model.isPast()) return;
    const context = this.context, colors = palette(), crowd = model.sides[side];
    /** @type {Map<string, {x: number, y: number}>} */
    const flags = new Map();
    context.beginPath();
    for (const [row, x, y] of known) {
      const index = crowd.index.get(row);
      if (index === undefined || !model.selected.has(row) || row === model.chosen?.agent) continue;
      const [x0, y0] = model.place(crowd.before[index]), [x1, y1] = model.place(crowd.cells[index]);
      const at = camera.toStage(side, x0 + (x1 - x0) * progress + 0.5, y0 + (y1 - y0) * progress + 0.5);
      const goal = camera.toStage(side, x + 0.5, y + 0.5);
      context.moveTo(at.x, at.y);
      context.lineTo(goal.x, goal.y);
      flags.set(`${x} ${y}`, goal);
    }
    context.strokeStyle = css(colors.states[3], Math.max(0.18, Math.min(0.6, 12 / Math.max(known.length, 1))));
    context.lineWidth = 1;
    context.stroke();
    const isSmall = flags.size > 12;
    for (const goal of flags.values()) {
      if (!isSmall) this.flag(goal, css(colors.states[3]));
      else {
        context.fillStyle = css(colors.states[3]);
        context.fillRect(goal.x - 1.5, goal.y - 1.5, 3, 3);
      }
    }
  }

  /** @param {{x: number, y: number}[]} points @param {string} color @param {number} width @param {number[]} dash */
  line(points, color, width, dash) {
    if (points.length < 2) return;
    const context = this.context;
    context.setLineDash(dash);
    context.lineJoin = context.lineCap = "round";
    context.beginPath();
    points.forEach(({ x, y }, i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
    context.lineWidth = width + 2.5;
    context.strokeStyle = palette().halo;
    context.stroke();
    context.lineWidth = width;
    context.strokeStyle = color;
    context.stroke();
    context.setLineDash([]);
  }

  /** @param {{x: number, y: number}} at @param {string} color */
  flag({ x, y }, color) {
    const context = this.context;
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(x, y - 16);
    context.lineTo(x + 10, y - 12);
    context.lineTo(x, y - 8);
    context.lineWidth = 4;
    context.strokeStyle = palette().halo;
    context.stroke();
    context.lineWidth = 1.5;
    context.strokeStyle = palette().ink;
    context.fillStyle = color;
    context.fill();
    context.stroke();
  }

  /**
   * Draws an arrow per vector of a direction map, or per direction of a one-way street.
   * @param {import("./model.js").Model} model @param {import("./camera.js").Camera} camera @param {number} side
   */
  vectors(model, camera, side) {
    const layer = model.layers[side], context = this.context, port = camera.ports[side];
    if (!layer || LAYERS[layer.layer] !== model.layer) return;
    // From afar every third, fifth … cell is drawn: an odd number, because the streets of neighbours run against each other.
    let step = 1;
    while (step * camera.scale < 11) step += 2;
    const length = camera.scale * 0.45 * step, scale = model.layer === "streets" ? 0 : 1 / 16384;
    context.beginPath();
    for (let i = 0; i < layer.marks.length; i += 2) {
      const [cx, cy] = model.place(layer.marks[i]), packed = layer.marks[i + 1];
      if (cx % step || cy % step) continue;
      const at = camera.toStage(side, cx + 0.5, cy + 0.5);
      if (at.x < port.x || at.x > port.x + port.width || at.y < 0 || at.y > port.height) continue;
      if (scale) arrow(context, at, ((packed << 16) >> 16) * scale * length, (packed >> 16) * scale * length, 1);
      else for (let d = 0; d < 8; d++) if ((packed >> d) & 1) arrow(context, at, DX[d] * length, DY[d] * length, 0);
    }
    context.lineJoin = context.lineCap = "round";
    for (const [color, width] of /** @type {[string, number][]} */ ([[palette().halo, 3], [css(palette().states[1]), 1.3]])) {
      context.strokeStyle = color;
      context.lineWidth = width * Math.min(Math.max(length / 8, 0.8), 2);
      context.stroke();
    }
  }
}

/**
 * Adds an arrow to the path.
 * @param {CanvasRenderingContext2D} context @param {{x: number, y: number}} at
 * @param {number} x @param {number} y @param {number} tail how far the arrow reaches back from its middle
 */
function arrow(context, at, x, y, tail) {
  context.moveTo(at.x - x * tail, at.y - y * tail);
  context.lineTo(at.x + x, at.y + y);
  context.moveTo(at.x + x - (x - y) * 0.4, at.y + y - (y + x) * 0.4);
  context.lineTo(at.x + x, at.y + y);
  context.lineTo(at.x + x - (x + y) * 0.4, at.y + y - (y - x) * 0.4);
}

/** @param {CanvasRenderingContext2D} context @param {number} x @param {number} y @param {number} radius */
function circle(context, x, y, radius) {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
}

/**
 * Returns the colour of every cell under a layer, `null` for none.
 * @param {import("./model.js").Model} model
 * @param {number} number the side
 * @returns {Uint8Array | null}
 */
export function layerColors(model, number) {
  if (model.layer === "none" || ARROWS.includes(model.layer)) return null;
  const pixels = new Uint8Array(4 * model.map.length), colors = palette();
  const set = (/** @type {number} */ cell, /** @type {number[]} */ rgb, /** @type {number} */ alpha) => {
    pixels[4 * cell] = rgb[0];
    pixels[4 * cell + 1] = rgb[1];
    pixels[4 * cell + 2] = rgb[2];
    pixels[4 * cell + 3] = alpha;
  };
  if (model.layer === "heat") {
    const heat = model.sides[number].heat;
    const peak = heat.reduce((most, value) => Math.max(most, value), 1);
    heat.forEach((value, cell) => {
      if (value > 0) set(cell, heatColor(colors, Math.sqrt(value / peak)), 215);
    });
    return pixels;
  }
  const layer = model.layers[number];
  if (!layer || LAYERS[layer.layer] !== model.layer) return null;
  const marks = layer.marks;
  let most = 1;
  if (model.layer === "distances") for (let i = 1; i < marks.length; i += 2) if (marks[i] < 0xffffffff) most = Math.max(most, marks[i]);
  for (let i = 0; i < marks.length; i += 2) {
    const [cell, value] = [marks[i], marks[i + 1]];
    if (model.layer === "distances") set(cell, heatColor(colors, 1 - value / most), 200);
    else if (model.layer === "sectors") set(cell, sectorColor(value), 120);
    else if (model.layer === "targets") set(cell, colors.states[3], 220);
    else if (model.layer === "paths") set(cell, colors.states[1], 150);
    else set(cell, colors.heat[1], 190);
  }
  return pixels;
}

/** @param {number} sector */
function sectorColor(sector) {
  const hue = (sector * 0.618033988749895) % 1;
  const part = (/** @type {number} */ shift) => Math.round(128 + 100 * Math.cos(2 * Math.PI * (hue + shift)));
  return [part(0), part(1 / 3), part(2 / 3)];
}
