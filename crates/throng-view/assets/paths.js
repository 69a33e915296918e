// Path mode: one search on the map as it is, shown expansion by expansion.
import { get, make, count } from "./dom.js";
import { palette, css, heatColor } from "./palette.js";

/** Path mode. */
export class PathMode {
  /** @param {import("./model.js").Model} model @param {import("./socket.js").Connection} connection */
  constructor(model, connection) {
    this.model = model;
    this.connection = connection;
    this.active = false;
    /** @type {number[] | null} */
    this.from = null;
    /** @type {number[] | null} */
    this.to = null;
    /** @type {any} */
    this.result = null;
    this.shown = 0;
    this.playing = false;
    /** Expanded cells as a picture, and how many it has. */
    this.picture = document.createElement("canvas");
    this.pictured = 0;
    get("search", HTMLSelectElement).addEventListener("change", () => this.run());
    get("path-steps", HTMLInputElement).addEventListener("input", (event) => {
      this.playing = false;
      this.shown = Number(/** @type {HTMLInputElement} */ (event.target).value);
      this.describe();
    });
    get("path-play", HTMLButtonElement).addEventListener("click", () => this.play());
    get("path-next", HTMLButtonElement).addEventListener("click", () => this.step(1));
    get("path-back", HTMLButtonElement).addEventListener("click", () => this.step(-1));
  }

  prepare() {
    get("search", HTMLSelectElement).replaceChildren(...this.model.catalog.searches.map((/** @type {any} */ entry) =>
      make("option", { value: entry.name, title: entry.summary }, entry.name)));
  }

  /** Takes a place as start, or as goal. @param {{x: number, y: number}} place */
  pick(place) {
    const cell = [Math.floor(place.x), Math.floor(place.y)];
    if (!this.from || this.to) [this.from, this.to, this.result] = [cell, null, null];
    else this.to = cell;
    this.run();
    this.describe();
  }

  run() {
    if (this.from && this.to) {
      this.connection.ask("path", { search: get("search", HTMLSelectElement).value, from: this.from, to: this.to });
    }
  }

  /** Takes the answer of the server. @param {any} result */
  take(result) {
    this.result = result;
    this.shown = 0;
    this.clear();
    const steps = get("path-steps", HTMLInputElement);
    steps.max = String(result.expanded.length);
    this.playing = result.expanded.length > 0;
    if (!this.playing) this.shown = result.expanded.length;
    this.describe();
  }

  clear() {
    Object.assign(this.picture, { width: this.model.width, height: this.model.height });
    this.pictured = 0;
  }

  play() {
    if (!this.result) return;
    if (this.shown >= this.result.expanded.length) this.shown = 0;
    this.playing = !this.playing;
    this.describe();
  }

  /** @param {number} change */
  step(change) {
    if (!this.result) return;
    this.playing = false;
    this.shown = Math.min(Math.max(this.shown + change, 0), this.result.expanded.length);
    this.describe();
  }

  /** Goes on while it plays: about four seconds for any search. */
  advance() {
    if (!this.active || !this.playing || !this.result) return;
    const all = this.result.expanded.length;
    this.shown = Math.min(this.shown + Math.max(Math.ceil(all / 240), 1), all);
    if (this.shown === all) this.playing = false;
    this.describe();
  }

  describe() {
    const result = this.result, text = get("path-result", HTMLElement);
    get("path-play", HTMLButtonElement).textContent = this.playing ? "Pause" : "Play";
    for (const id of ["path-play", "path-next", "path-back"]) get(id, HTMLButtonElement).disabled = !result || result.expanded.length === 0;
    get("path-steps", HTMLInputElement).disabled = !result || result.expanded.length === 0;
    get("path-steps", HTMLInputElement).value = String(this.shown);
    if (!result) {
      text.replaceChildren(make("p", { class: "empty" }, this.from ? "Now click the goal on the map." : "Click a start on the map, then a goal."));
      return;
    }
    const number = (/** @type {number | null} */ value) => (value === null ? "no path" : value.toFixed(2));
    const cells = result.expanded.length;
    const rows = [["Path length", number(result.length)], ["Lower bound", number(result.bound)],
      ["Expansions", count(result.expansions)], ["Time", `${count(result.microseconds)} µs`],
      ["Shown", cells ? `${count(this.shown)} of ${count(cells)}` : "the path only: nodes of this search are not cells"]];
    if (result.caveat) rows.push(["Note", result.caveat]);
    text.replaceChildren(make("dl", {}, ...rows.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)])));
  }

  /** @param {CanvasRenderingContext2D} context @param {import("./camera.js").Camera} camera @param {import("./model.js").Model} model */
  draw(context, camera, model) {
    const colors = palette(), result = this.result;
    if (result) {
      this.paint(model);
      const origin = camera.toStage(0, 0, 0);
      context.imageSmoothingEnabled = false;
      context.drawImage(this.picture, origin.x, origin.y, model.width * camera.scale, model.height * camera.scale);
      if (this.shown >= result.expanded.length) this.line(context, camera, model, result.path);
    }
    const mark = (/** @type {number[] | null} */ cell, /** @type {string} */ color, /** @type {string} */ letter) => {
      if (!cell) return;
      const at = camera.toStage(0, cell[0] + 0.5, cell[1] + 0.5);
      context.beginPath();
      context.arc(at.x, at.y, 9, 0, 7);
      context.fillStyle = color;
      context.fill();
      context.lineWidth = 2;
      context.strokeStyle = "#ffffff";
      context.stroke();
      context.fillStyle = "#ffffff";
      context.font = "bold 11px system-ui, sans-serif";
      context.textAlign = "center";
      context.fillText(letter, at.x, at.y + 4);
      context.textAlign = "start";
    };
    mark(this.from, "#0a64ad", "S");
    mark(this.to, "#b8216f", "G");
  }

  /** @param {CanvasRenderingContext2D} context @param {import("./camera.js").Camera} camera @param {import("./model.js").Model} model @param {number[]} path */
  line(context, camera, model, path) {
    context.beginPath();
    path.forEach((cell, i) => {
      const [x, y] = model.place(cell), at = camera.toStage(0, x + 0.5, y + 0.5);
      if (i) context.lineTo(at.x, at.y);
      else context.moveTo(at.x, at.y);
    });
    context.lineJoin = context.lineCap = "round";
    context.lineWidth = 6;
    context.strokeStyle = palette().halo;
    context.stroke();
    context.lineWidth = 3;
    context.strokeStyle = css(palette().states[1]);
    context.stroke();
  }

  /** Brings the picture of expanded cells up to the step that is shown. @param {import("./model.js").Model} model */
  paint(model) {
    if (this.pictured > this.shown || this.picture.width !== model.width) this.clear();
    const context = this.picture.getContext("2d"), expanded = this.result.expanded;
    if (!context) return;
    for (let i = this.pictured; i < this.shown; i++) {
      const [x, y] = model.place(expanded[i]);
      context.fillStyle = css(heatColor(palette(), 1 - i / expanded.length), 0.8);
      context.fillRect(x, y, 1, 1);
    }
    this.pictured = this.shown;
  }
}
