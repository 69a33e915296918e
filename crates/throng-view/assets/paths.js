// Path mode: one search on the map as it is, shown expansion by expansion; a real-time search turn by turn: it searches, learns,
// and moves.
import { get, make, count } from "./dom.js";
import { palette, css, heatColor } from "./palette.js";
import { drawBounds } from "./charts.js";

/** The parameters of searches are remembered apart from those of planners. */
const SIDE = 9;

/**
 * @typedef {object} Progress what is shown at a step
 * @property {number} expanded number of expanded cells
 * @property {number} raised number of raised estimates
 * @property {number} visited number of cells that the agent has visited
 * @property {number} turn number of the turn, from 0
 */

/** Path mode. */
export class PathMode {
  /** @param {import("./model.js").Model} model @param {import("./socket.js").Connection} connection @param {import("./setup.js").SetupForm} form */
  constructor(model, connection, form) {
    this.model = model;
    this.connection = connection;
    this.form = form;
    this.active = false;
    /** @type {number[] | null} */
    this.from = null;
    /** @type {number[] | null} */
    this.to = null;
    /** @type {any} */
    this.result = null;
    /** The step at which each turn begins. @type {number[]} */
    this.starts = [];
    this.steps = 0;
    this.shown = 0;
    this.playing = false;
    /** Expanded cells as a picture, and the step that it shows. */
    this.picture = document.createElement("canvas");
    this.pictured = 0;
    get("search", HTMLSelectElement).addEventListener("change", () => {
      this.parameters();
      this.run();
    });
    get("search-parameters", HTMLElement).addEventListener("change", () => this.run());
    get("path-steps", HTMLInputElement).addEventListener("input", (event) => this.seek(Number(/** @type {HTMLInputElement} */ (event.target).value)));
    get("path-play", HTMLButtonElement).addEventListener("click", () => this.play());
    get("path-next", HTMLButtonElement).addEventListener("click", () => this.seek(this.shown + 1));
    get("path-back", HTMLButtonElement).addEventListener("click", () => this.seek(this.shown - 1));
    get("path-turn", HTMLButtonElement).addEventListener("click", () => this.nextTurn());
  }

  prepare() {
    const { searches } = this.model.catalog;
    get("search", HTMLSelectElement).replaceChildren(...searches.map((/** @type {any} */ entry) => make("option", { value: entry.name, title: entry.summary }, entry.name)));
    this.parameters();
  }

  /** Shows the summary and the parameters of the search. */
  parameters() {
    const name = get("search", HTMLSelectElement).value;
    const entry = this.model.catalog.searches.find((/** @type {any} */ search) => search.name === name);
    get("search-summary", HTMLElement).textContent = entry?.summary ?? "";
    this.form.fields(get("search-parameters", HTMLElement), entry, SIDE);
  }

  /** Takes a place as start, or as goal. @param {{x: number, y: number}} place */
  pick(place) {
    const cell = [Math.floor(place.x), Math.floor(place.y)];
    if (!this.from || this.to) [this.from, this.to, this.result] = [cell, null, null];
    else this.to = cell;
    this.run();
    this.describe();
  }

  /** Shows a search between two cells. @param {number[]} from @param {number[]} to */
  open(from, to) {
    [this.from, this.to, this.result] = [from, to, null];
    this.run();
    this.describe();
  }

  run() {
    if (!this.from || !this.to) return;
    const search = this.form.spec(get("search", HTMLSelectElement).value, SIDE);
    this.connection.ask("path", { search, from: this.from, to: this.to });
  }

  /** Forgets start, goal and result. */
  reset() {
    this.from = this.to = this.result = null;
    this.clear();
    this.describe();
  }

  /** Takes the answer of the server. @param {any} result */
  take(result) {
    this.result = result;
    this.shown = 0;
    this.clear();
    this.layOut();
    get("path-steps", HTMLInputElement).max = String(this.steps);
    this.playing = this.steps > 0;
    this.describe();
  }

  /** Computes the steps: expansions, and with a real-time search also learning and moves. */
  layOut() {
    const { walk, expanded } = this.result;
    this.starts = [];
    this.steps = expanded.length;
    if (!walk) return;
    this.steps = 0;
    let before = [0, 0, 1];
    for (const turn of walk.turns) {
      this.starts.push(this.steps);
      this.steps += turn[0] - before[0] + (turn[1] > before[1] ? 1 : 0) + turn[2] - before[2];
      before = turn;
    }
  }

  /** Returns what is shown at a step. @param {number} step @returns {Progress} */
  progress(step) {
    const walk = this.result.walk;
    if (!walk) return { expanded: step, raised: 0, visited: 0, turn: 0 };
    if (walk.turns.length === 0) return { expanded: 0, raised: 0, visited: walk.visited.length, turn: 0 };
    let low = 0, high = this.starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.starts[middle] <= step) low = middle;
      else high = middle - 1;
    }
    const before = low > 0 ? walk.turns[low - 1] : [0, 0, 1], after = walk.turns[low];
    let left = step - this.starts[low];
    const expanded = Math.min(left, after[0] - before[0]);
    left -= expanded;
    const learned = left > 0 && after[1] > before[1];
    if (learned) left--;
    return { turn: low, expanded: before[0] + expanded, raised: learned ? after[1] : before[1], visited: before[2] + left };
  }

  clear() {
    Object.assign(this.picture, { width: this.model.width, height: this.model.height });
    this.pictured = 0;
  }

  play() {
    if (!this.result) return;
    if (this.shown >= this.steps) this.shown = 0;
    this.playing = !this.playing;
    this.describe();
  }

  /** @param {number} step */
  seek(step) {
    if (!this.result) return;
    this.playing = false;
    this.shown = Math.min(Math.max(step, 0), this.steps);
    this.describe();
  }

  nextTurn() {
    this.seek(this.starts.find((start) => start > this.shown) ?? this.steps);
  }

  /** Goes on while it plays: about four seconds for any search, eight for a real-time one. */
  advance() {
    if (!this.active || !this.playing || !this.result) return;
    const frames = this.result.walk ? 480 : 240;
    this.shown = Math.min(this.shown + Math.max(Math.ceil(this.steps / frames), 1), this.steps);
    if (this.shown === this.steps) this.playing = false;
    this.describe();
  }

  describe() {
    const result = this.result, hasSteps = Boolean(result) && this.steps > 0;
    get("path-play", HTMLButtonElement).textContent = this.playing ? "Pause" : "Play";
    for (const id of ["path-play", "path-next", "path-back"]) get(id, HTMLButtonElement).disabled = !hasSteps;
    get("path-turn", HTMLButtonElement).hidden = this.starts.length === 0 || !result;
    get("path-steps", HTMLInputElement).disabled = !hasSteps;
    get("path-steps", HTMLInputElement).value = String(this.shown);
    get("path-bounds-box", HTMLElement).hidden = !result || result.lower.length < 2;
    const text = get("path-result", HTMLElement);
    if (!result) {
      text.replaceChildren(make("p", { class: "empty" }, this.from ? "Now click the goal on the map." : "Click a start on the map, then a goal."));
      return;
    }
    const rows = this.facts(result);
    if (result.caveat) rows.push(["Note", result.caveat]);
    if (result.walk?.cut) rows.push(["Note", "the walk is too long to be shown to its end"]);
    if (result.database !== null) rows.push(["Database", result.database ? "of the map before your strokes" : "of this very map: its paths need no search. Draw a wall across the path"]);
    text.replaceChildren(make("dl", {}, ...rows.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)])));
    if (!get("path-bounds-box", HTMLElement).hidden) {
      const known = result.cost === null ? null : result.cost / result.step;
      drawBounds(get("path-bounds", HTMLCanvasElement), result.lower, result.upper, result.step, known, this.shown);
    }
  }

  /** Returns the names and values that describe the step that is shown. @param {any} result @returns {string[][]} */
  facts(result) {
    const length = (/** @type {number | null | undefined} */ cost) => (cost === null || cost === undefined ? "none" : (cost / result.step).toFixed(2));
    const at = this.progress(this.shown);
    const rows = [["Path length", result.cost === null ? "no path" : length(result.cost)], ["Lower bound", length(result.bound)],
      ["Expansions", count(result.expansions)], ["Time", `${count(result.microseconds)} µs`]];
    if (result.walk) {
      const turns = result.walk.turns.length, before = at.turn > 0 ? result.walk.turns[at.turn - 1] : [0, 0, 1];
      rows.push(["Turn", `${count(Math.min(at.turn + 1, turns))} of ${count(turns)}`], ["Searched", `${count(at.expanded - before[0])} cells in this turn, ${count(at.expanded)} in all`],
        ["Learned", `${count(at.raised)} estimates raised`], ["Walked", `${count(at.visited - 1)} of ${count(result.walk.visited.length - 1)} steps`]);
    } else if (result.expanded.length) {
      rows.push(["Shown", `${count(this.shown)} of ${count(result.expanded.length)}`]);
      if (this.shown > 0 && result.lower.length) rows.push(["Known then", `at least ${length(result.lower[this.shown - 1])}${result.upper[this.shown - 1] === null ? "" : `, at most ${length(result.upper[this.shown - 1])}`}`]);
    } else rows.push(["Shown", result.expansions ? "the path only: nodes of this search are not cells" : "the path: nothing was expanded"]);
    return rows;
  }

  /** @param {CanvasRenderingContext2D} context @param {import("./camera.js").Camera} camera @param {import("./model.js").Model} model */
  draw(context, camera, model) {
    const result = this.result;
    if (result) {
      this.paint(model);
      const origin = camera.toStage(0, 0, 0);
      context.imageSmoothingEnabled = false;
      context.drawImage(this.picture, origin.x, origin.y, model.width * camera.scale, model.height * camera.scale);
      if (result.walk) {
        const visited = this.progress(this.shown).visited;
        this.line(context, camera, model, result.walk.visited, visited);
        this.agent(context, camera, model.place(result.walk.visited[visited - 1]));
      } else if (this.shown >= this.steps) this.line(context, camera, model, result.path, result.path.length);
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

  /** @param {CanvasRenderingContext2D} context @param {import("./camera.js").Camera} camera @param {number[]} place */
  agent(context, camera, [x, y]) {
    const at = camera.toStage(0, x + 0.5, y + 0.5);
    context.beginPath();
    context.arc(at.x, at.y, Math.max(camera.scale * 0.6, 5), 0, 7);
    context.fillStyle = css(palette().states[3]);
    context.fill();
    context.lineWidth = 2;
    context.strokeStyle = palette().ink;
    context.stroke();
  }

  /** Draws the first cells of a path. @param {CanvasRenderingContext2D} context @param {import("./camera.js").Camera} camera @param {import("./model.js").Model} model @param {number[]} path @param {number} end */
  line(context, camera, model, path, end) {
    context.beginPath();
    for (let i = 0; i < end; i++) {
      const [x, y] = model.place(path[i]), at = camera.toStage(0, x + 0.5, y + 0.5);
      if (i) context.lineTo(at.x, at.y);
      else context.moveTo(at.x, at.y);
    }
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
    if (this.pictured === this.shown) return;
    const context = this.picture.getContext("2d");
    if (!context) return;
    const fill = (/** @type {number} */ cell, /** @type {string} */ color) => {
      const [x, y] = model.place(cell);
      context.clearRect(x, y, 1, 1);
      context.fillStyle = color;
      context.fillRect(x, y, 1, 1);
    };
    if (this.result.walk) this.paintTurns(fill);
    else {
      const expanded = this.result.expanded;
      for (let i = this.pictured; i < this.shown; i++) fill(expanded[i], css(heatColor(palette(), 1 - i / expanded.length), 0.8));
    }
    this.pictured = this.shown;
  }

  /** Paints the steps of a real-time search. @param {(cell: number, color: string) => void} fill */
  paintTurns(fill) {
    const { walk, expanded } = this.result, colors = palette();
    const most = walk.raised.reduce((/** @type {number} */ most, /** @type {number[]} */ [, increment]) => Math.max(most, increment), 1);
    const [from, to] = [this.progress(this.pictured), this.progress(this.shown)];
    for (let turn = from.turn; turn <= to.turn; turn++) {
      const before = turn > 0 ? walk.turns[turn - 1] : [0, 0, 1], after = walk.turns[turn];
      // What the turn before has searched and not learned from fades.
      if (turn > from.turn) for (let i = turn > 1 ? walk.turns[turn - 2][0] : 0; i < before[0]; i++) if (!walk.raised.length) fill(expanded[i], css(colors.states[0], 0.45));
      const first = turn === from.turn ? from.expanded : before[0], last = turn === to.turn ? to.expanded : after[0];
      for (let i = first; i < last; i++) fill(expanded[i], css(colors.states[1], 0.7));
      const learns = turn === to.turn ? to.raised : after[1];
      if (turn === from.turn && from.raised >= learns) continue;
      for (let i = before[0]; i < after[0] && learns > before[1]; i++) fill(expanded[i], css(colors.states[0], 0.45));
      for (let i = before[1]; i < learns; i++) fill(walk.raised[i][0], css(heatColor(colors, Math.sqrt(walk.raised[i][1] / most)), 0.85));
    }
  }
}
