// The camera: the middle of the view in cells, and the pixels per cell. All sides share it.

/** @typedef {{x: number, y: number, width: number, height: number}} Rect */

/** The camera. */
export class Camera {
  constructor() {
    this.x = 0;
    this.y = 0;
    this.scale = 4;
    /** @type {Rect[]} the part of the stage that each side has, in CSS pixels */
    this.ports = [{ x: 0, y: 0, width: 1, height: 1 }];
    this.version = 0;
  }

  /** Divides the stage. @param {number} width @param {number} height @param {number} sides */
  layout(width, height, sides) {
    const gap = sides > 1 ? 4 : 0;
    const part = (width - gap * (sides - 1)) / sides;
    this.ports = Array.from({ length: sides }, (_, i) => ({ x: i * (part + gap), y: 0, width: part, height }));
    this.version++;
  }

  /** Shows a whole map. @param {number} width @param {number} height */
  fit(width, height) {
    const port = this.ports[0];
    this.x = width / 2;
    this.y = height / 2;
    this.scale = Math.max(Math.min(port.width / (width + 2), port.height / (height + 2)), 0.1);
    this.version++;
  }

  /** Returns the side at a point of the stage. @param {number} x */
  sideAt(x) {
    const found = this.ports.findIndex((port) => x < port.x + port.width + 2);
    return found < 0 ? this.ports.length - 1 : found;
  }

  /** Returns the place in cells of a point of the stage. @param {number} side @param {number} px @param {number} py */
  toMap(side, px, py) {
    const port = this.ports[side];
    return {
      x: this.x + (px - port.x - port.width / 2) / this.scale,
      y: this.y + (py - port.y - port.height / 2) / this.scale,
    };
  }

  /** Returns the point of the stage of a place in cells. @param {number} side @param {number} x @param {number} y */
  toStage(side, x, y) {
    const port = this.ports[side];
    return {
      x: port.x + port.width / 2 + (x - this.x) * this.scale,
      y: port.y + port.height / 2 + (y - this.y) * this.scale,
    };
  }

  /** @param {number} dx pixels @param {number} dy */
  pan(dx, dy) {
    this.x -= dx / this.scale;
    this.y -= dy / this.scale;
    this.version++;
  }

  /** Zooms about a point of the stage. @param {number} factor @param {number} px @param {number} py */
  zoom(factor, px, py) {
    const side = this.sideAt(px);
    const fixed = this.toMap(side, px, py);
    this.scale = Math.min(Math.max(this.scale * factor, 0.2), 64);
    const moved = this.toMap(side, px, py);
    this.x += fixed.x - moved.x;
    this.y += fixed.y - moved.y;
    this.version++;
  }
}
