// Draws map, layer and agents on a 2D canvas, where WebGL2 is absent.
import { palette, css, cellColor } from "./palette.js";
import { DX, DY } from "./model.js";

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
    const w = model.width, size = Math.max(0.4, 1 / camera.scale);
    for (let i = 0; i < side.count; i++) {
      const from = side.before[i], to = side.cells[i], state = side.states[i];
      const x = (from % w) + ((to % w) - (from % w)) * progress + 0.5;
      const y = Math.floor(from / w) + (Math.floor(to / w) - Math.floor(from / w)) * progress + 0.5;
      context.fillStyle = css(colors.states[state]);
      context.beginPath();
      if (state === 1 || state === 2 || state === 0) context.arc(x, y, size, 0, 7);
      else if (state === 3) context.rect(x - size, y - size, 2 * size, 2 * size);
      else { context.moveTo(x - size * 1.3, y); context.lineTo(x, y - size * 1.3); context.lineTo(x + size * 1.3, y); context.lineTo(x, y + size * 1.3); }
      context.fill();
      if (state === 1 && camera.scale > 5) {
        const heading = side.headings[i];
        context.fillRect(x + DX[heading] * 0.38 - 0.1, y + DY[heading] * 0.38 - 0.1, 0.2, 0.2);
      }
      if (model.selected.has(side.rows[i])) {
        context.strokeStyle = css(colors.selected);
        context.lineWidth = 0.15;
        context.stroke();
      }
    }
    context.fillStyle = css(colors.unit);
    for (const cell of side.units) context.fillRect((cell % w) + 0.1, Math.floor(cell / w) + 0.1, 0.8, 0.8);
    context.restore();
  }
}

/** @param {HTMLCanvasElement} canvas @param {import("./model.js").Model} model @param {Uint8ClampedArray} pixels */
function paint(canvas, model, pixels) {
  Object.assign(canvas, { width: model.width, height: model.height });
  canvas.getContext("2d")?.putImageData(new ImageData(new Uint8ClampedArray(pixels), model.width, model.height), 0, 0);
  return canvas;
}
