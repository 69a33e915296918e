// Draws map, layer and agents on a 2D canvas, where WebGL2 is absent.
import { palette, css, cellColor } from "./palette.js";
import { DX, DY } from "./model.js";
import { bodyOf } from "./glview.js";

/** Draws with Canvas 2D. */
export class CanvasView {
  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    const context = canvas.getContext("2d", { alpha: false });
    if (!context) throw new Error("this browser can draw neither with WebGL2 nor on a canvas");
    this.context = context;
    this.map = document.createElement("canvas");
    this.mapVersion = -1;
    this.theme = "";
    /** @type {(HTMLCanvasElement | null)[]} */
    this.layers = [];
  }

  /**
   * @param {import("./model.js").Model} model
   * @param {import("./camera.js").Camera} camera
   * @param {number} progress
   * @param {(Uint8Array | null)[]} layers
   * @param {boolean} layersChanged
   */
  draw(model, camera, progress, layers, layersChanged) {
    const theme = document.documentElement.dataset.theme ?? "";
    if (this.mapVersion !== model.mapVersion || theme !== this.theme || model.dirty.length) {
      const colors = palette(), pixels = new Uint8ClampedArray(4 * model.map.length);
      for (let i = 0; i < model.map.length; i++) pixels.set([...cellColor(colors, model.map[i]), 255], 4 * i);
      paint(this.map, model, pixels);
      [this.mapVersion, this.theme] = [model.mapVersion, theme];
      model.dirty.length = 0;
    }
    if (layersChanged) {
      this.layers = layers.map((pixels) => pixels && paint(document.createElement("canvas"), model, new Uint8ClampedArray(pixels)));
    }
    const context = this.context, ratio = this.canvas.width / Math.max(this.canvas.clientWidth, 1);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = css(palette().outside);
    context.fillRect(0, 0, this.canvas.clientWidth, this.canvas.clientHeight);
    model.sides.forEach((_, side) => this.drawSide(model, camera, side, progress));
  }

  /** @param {import("./model.js").Model} model @param {import("./camera.js").Camera} camera @param {number} number @param {number} progress */
  drawSide(model, camera, number, progress) {
    const context = this.context, port = camera.ports[number], side = model.sides[number], colors = palette();
    if (!port) return;
    context.save();
    context.beginPath();
    context.rect(port.x, port.y, port.width, port.height);
    context.clip();
    context.translate(port.x + port.width / 2 - camera.x * camera.scale, port.y + port.height / 2 - camera.y * camera.scale);
    context.scale(camera.scale, camera.scale);
    context.imageSmoothingEnabled = false;
    context.drawImage(this.map, 0, 0);
    const layer = this.layers[number];
    if (layer) context.drawImage(layer, 0, 0);
    const w = model.width, size = bodyOf(camera.scale);
    // One path per state.
    for (let state = 0; state < colors.states.length; state++) {
      context.fillStyle = css(colors.states[state]);
      context.beginPath();
      for (let i = 0; i < side.count; i++) {
        if (side.states[i] !== state) continue;
        const [x, y] = place(side.before[i], side.cells[i], w, progress);
        shape(context, state, x, y, size, side.headings[i]);
      }
      context.fill("evenodd");
    }
    if (model.selected.size > 0) {
      context.beginPath();
      for (let i = 0; i < side.count; i++) {
        if (!model.selected.has(side.rows[i])) continue;
        const [x, y] = place(side.before[i], side.cells[i], w, progress);
        context.moveTo(x + size * 1.75, y);
        context.arc(x, y, size * 1.75, 0, 7);
      }
      context.strokeStyle = css(colors.selected);
      context.lineWidth = 1.5 / camera.scale;
      context.stroke();
    }
    context.fillStyle = css(colors.unit);
    for (const cell of side.units) context.fillRect((cell % w) + 0.1, Math.floor(cell / w) + 0.1, 0.8, 0.8);
    context.restore();
  }
}

/** Returns the middle of an agent between two cells. @param {number} from @param {number} to @param {number} w @param {number} progress @returns {[number, number]} */
function place(from, to, w, progress) {
  const x = from % w, y = (from / w) | 0;
  return [x + ((to % w) - x) * progress + 0.5, y + (((to / w) | 0) - y) * progress + 0.5];
}

/** Adds the shape of a state to the path. @param {CanvasRenderingContext2D} context @param {number} state @param {number} x @param {number} y @param {number} size @param {number} heading */
function shape(context, state, x, y, size, heading) {
  if (state === 1) {
    const norm = heading % 2 ? Math.SQRT1_2 * size : size, dx = DX[heading] * norm, dy = DY[heading] * norm;
    context.moveTo(x + 1.4 * dx, y + 1.4 * dy);
    context.lineTo(x - dx - 0.95 * dy, y - dy + 0.95 * dx);
    context.lineTo(x - 0.55 * dx, y - 0.55 * dy);
    context.lineTo(x - dx + 0.95 * dy, y - dy - 0.95 * dx);
    context.closePath();
  } else if (state === 3) context.rect(x - 0.84 * size, y - 0.84 * size, 1.68 * size, 1.68 * size);
  else if (state < 3) {
    for (const radius of state === 2 ? [1.04, 0.44] : [0.6]) {
      context.moveTo(x + radius * size, y);
      context.arc(x, y, radius * size, 0, 2 * Math.PI);
    }
  } else {
    context.moveTo(x - size * 1.4, y);
    context.lineTo(x, y - size * 1.4);
    context.lineTo(x + size * 1.4, y);
    context.lineTo(x, y + size * 1.4);
    context.closePath();
  }
}

/** @param {HTMLCanvasElement} canvas @param {import("./model.js").Model} model @param {Uint8ClampedArray} pixels */
function paint(canvas, model, pixels) {
  Object.assign(canvas, { width: model.width, height: model.height });
  canvas.getContext("2d")?.putImageData(new ImageData(new Uint8ClampedArray(pixels), model.width, model.height), 0, 0);
  return canvas;
}
