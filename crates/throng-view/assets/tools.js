// The tools: what pointer, wheel and touch do on the stage.
import { toast, count } from "./dom.js";

/** @typedef {"select" | "pan" | "wall" | "clear" | "terrain" | "agents" | "unit"} Tool */

/** Turns pointer events into orders. */
export class Tools {
  /**
   * @param {HTMLElement} stage
   * @param {import("./model.js").Model} model
   * @param {import("./camera.js").Camera} camera
   * @param {import("./overlay.js").Overlay} overlay
   * @param {import("./socket.js").Connection} connection
   * @param {import("./paths.js").PathMode} paths
   * @param {() => void} changed called when the selection or the chosen agent has changed
   */
  constructor(stage, model, camera, overlay, connection, paths, changed) {
    this.stage = stage; this.model = model; this.camera = camera; this.overlay = overlay;
    this.connection = connection; this.paths = paths; this.changed = changed;
    /** @type {Tool} */
    this.tool = "select";
    this.radius = 1;
    this.terrain = "swamp";
    /** Whether the next click sends the selection, or queues a goal, for screens without a right button. @type {"" | "send" | "then"} */
    this.sending = "";
    /** @type {Map<number, {x: number, y: number}>} */
    this.pointers = new Map();
    /** @type {{mode: string, side: number, x: number, y: number, startX: number, startY: number, moved: boolean} | null} */
    this.drag = null;
    /** @type {{from: number[], to: number[]} | null} the part of a stroke that has not been sent */
    this.stroke = null;
    /** Whether a part of the present stroke has been sent. */
    this.goesOn = false;
    stage.addEventListener("pointerdown", (event) => this.down(event));
    stage.addEventListener("pointermove", (event) => this.move(event));
    stage.addEventListener("pointerup", (event) => this.up(event));
    stage.addEventListener("pointercancel", (event) => this.up(event));
    stage.addEventListener("pointerleave", () => { this.overlay.brush = null; });
    stage.addEventListener("contextmenu", (event) => event.preventDefault());
    stage.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
  }

  /** @param {PointerEvent | WheelEvent} event */
  point(event) {
    const box = this.stage.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  isBrush() {
    return ["wall", "clear", "terrain", "agents", "unit"].includes(this.tool);
  }

  /** @param {WheelEvent} event */
  wheel(event) {
    event.preventDefault();
    const { x, y } = this.point(event);
    this.camera.zoom(Math.exp(-Math.sign(event.deltaY) * Math.min(Math.abs(event.deltaY), 120) / 400), x, y);
  }

  /** @param {PointerEvent} event */
  down(event) {
    // Buttons that float over the map are not the map.
    if (event.target instanceof Element && event.target.closest(".float")) return;
    const { x, y } = this.point(event);
    this.stage.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, { x, y });
    const side = this.camera.sideAt(x);
    let mode = this.tool === "pan" || event.button === 1 || this.pointers.size > 1 ? "pan" : this.isBrush() ? "brush" : "box";
    if (this.paths.active && mode === "box") mode = "path";
    if (event.button === 2) mode = "send";
    if (this.sending && mode === "box") mode = "send";
    this.drag = { mode, side, x, y, startX: x, startY: y, moved: false };
    this.overlay.box = null;
    if (mode === "brush") {
      this.flush();
      this.goesOn = false;
      this.paint(x, y, x, y, side);
    }
  }

  /** @param {PointerEvent} event */
  move(event) {
    const { x, y } = this.point(event), side = this.camera.sideAt(x);
    const place = this.camera.toMap(this.drag ? this.drag.side : side, x, y);
    this.overlay.brush = this.isBrush() ? { side, ...place, radius: this.tool === "unit" ? 0 : this.radius } : null;
    const known = this.pointers.get(event.pointerId);
    if (!this.drag || !known) return;
    if (this.pointers.size === 2) {
      this.pinch(event.pointerId, known, { x, y });
      return;
    }
    this.pointers.set(event.pointerId, { x, y });
    const drag = this.drag;
    if (Math.hypot(x - drag.startX, y - drag.startY) > 4) drag.moved = true;
    if (drag.mode === "pan") this.camera.pan(x - drag.x, y - drag.y);
    else if (drag.mode === "brush" && this.tool !== "unit") this.paint(drag.x, drag.y, x, y, drag.side);
    else if (drag.mode === "box" && drag.moved) {
      const start = this.camera.toMap(drag.side, drag.startX, drag.startY);
      this.overlay.box = { side: drag.side, x0: start.x, y0: start.y, x1: place.x, y1: place.y };
    }
    Object.assign(drag, { x, y });
  }

  /** Zooms with two fingers. @param {number} id @param {{x: number, y: number}} from @param {{x: number, y: number}} to */
  pinch(id, from, to) {
    const other = [...this.pointers].find(([pointer]) => pointer !== id)?.[1];
    if (!other) return;
    const factor = Math.hypot(to.x - other.x, to.y - other.y) / Math.max(Math.hypot(from.x - other.x, from.y - other.y), 1);
    this.camera.zoom(factor, (to.x + other.x) / 2, (to.y + other.y) / 2);
    this.camera.pan((to.x - from.x) / 2, (to.y - from.y) / 2);
    this.pointers.set(id, to);
  }

  /** @param {PointerEvent} event */
  up(event) {
    const { x, y } = this.point(event), drag = this.drag;
    this.pointers.delete(event.pointerId);
    if (!drag || this.pointers.size > 0) return;
    this.drag = null;
    const place = this.camera.toMap(drag.side, x, y);
    if (drag.mode === "send") this.send(drag.side, place, event.shiftKey || this.sending === "then");
    else if (drag.mode === "path") this.paths.pick(place);
    else if (drag.mode === "box" && drag.moved) this.selectBox(event.shiftKey);
    else if (drag.mode === "box") this.choose(drag.side, place, event.shiftKey);
    this.overlay.box = null;
    this.flush();
    if (drag.mode === "brush" && this.paths.active) setTimeout(() => this.paths.run(), 150);
  }

  /** @param {boolean} add */
  selectBox(add) {
    const box = this.overlay.box;
    if (!box) return;
    const [left, right] = [Math.min(box.x0, box.x1), Math.max(box.x0, box.x1)];
    const [top, bottom] = [Math.min(box.y0, box.y1), Math.max(box.y0, box.y1)];
    const crowd = this.model.sides[box.side];
    if (!add) this.model.selected.clear();
    for (let i = 0; i < crowd.count; i++) {
      const [x, y] = this.model.place(crowd.cells[i]);
      if (x + 0.5 >= left && x + 0.5 <= right && y + 0.5 >= top && y + 0.5 <= bottom) this.model.selected.add(crowd.rows[i]);
    }
    this.model.version++;
    this.changed();
  }

  /** @param {number} side @param {{x: number, y: number}} place @param {boolean} add */
  choose(side, place, add) {
    const index = this.model.agentAt(side, place.x, place.y, Math.max(0.9, 9 / this.camera.scale));
    if (!add) this.model.selected.clear();
    if (index < 0) this.model.chosen = null;
    else {
      const agent = this.model.sides[side].rows[index];
      this.model.chosen = { side, agent };
      this.model.selected.add(agent);
    }
    this.model.report = null;
    this.model.version++;
    this.changed();
  }

  /** @param {number} side @param {{x: number, y: number}} place @param {boolean} queue */
  send(side, place, queue) {
    const x = Math.floor(place.x), y = Math.floor(place.y);
    this.sending = "";
    if (x < 0 || y < 0 || x >= this.model.width || y >= this.model.height) return this.changed();
    if (this.model.selected.size === 0) {
      toast("Select agents first: drag a box around them");
      return;
    }
    this.connection.ask("send", { agents: [...this.model.selected], to: [x, y], queue });
    this.overlay.pings.push({ side, x, y, until: performance.now() + 900 });
    toast(`${count(this.model.selected.size)} ${queue ? "will go there next" : "on their way"}`);
    this.changed();
  }

  /** @param {number} x0 @param {number} y0 @param {number} x1 @param {number} y1 @param {number} side */
  paint(x0, y0, x1, y1, side) {
    const cell = (/** @type {number} */ x, /** @type {number} */ y) => {
      const place = this.camera.toMap(side, x, y);
      return [Math.floor(place.x), Math.floor(place.y)];
    };
    const to = cell(x1, y1);
    if (this.tool === "unit") return this.connection.ask("unit", { at: to });
    if (this.tool === "agents") return this.connection.ask("spawn", { at: to, radius: this.radius });
    // Strokes are sent once per frame of the screen.
    if (this.stroke) this.flush();
    this.stroke = { from: cell(x0, y0), to };
  }

  /** Sends the stroke that has not been sent. */
  flush() {
    if (!this.stroke) return;
    const brush = this.tool === "terrain" ? this.terrain : this.tool;
    this.connection.ask("paint", { with: brush, ...this.stroke, radius: this.radius, more: this.goesOn });
    this.stroke = null;
    this.goesOn = true;
  }
}
