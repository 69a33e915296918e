// The panel beside the map: counts, charts, the chosen agent, events, and the line that compares two planners.
import { get, make, count, ms } from "./dom.js";
import { Series, drawShares, drawTimes } from "./charts.js";
import { STATES } from "./palette.js";

/** The panel that shows what happens. */
export class Panels {
  /**
   * @param {import("./model.js").Model} model
   * @param {(side: number, agent: number) => void} choose
   * @param {(from: number[], to: number[]) => void} search shows a search between two cells
   */
  constructor(model, choose, search) {
    this.model = model;
    this.choose = choose;
    this.search = search;
    /** @type {Series[]} */
    this.series = [];
    this.epoch = -1;
    /** Agents with an event, so that a crowd of equal ones does not hide the others. */
    this.events = get("events", HTMLElement);
    this.stale = true;
    this.drawnAt = 0;
  }

  /** Takes a frame. @param {import("./decode.js").Note[]} notes @param {boolean} whole */
  take(notes, whole) {
    const { model } = this;
    if (this.epoch !== model.epoch || this.series.length !== model.sides.length) {
      this.epoch = model.epoch;
      this.series = model.sides.map(() => new Series());
      this.events.replaceChildren(make("li", { class: "quiet" }, "Nothing has happened yet."));
    }
    if (!whole) model.sides.forEach((side, i) => this.series[i].push(side.stats));
    this.list(notes);
    this.stale = true;
  }

  /** @param {import("./decode.js").Note[]} notes */
  list(notes) {
    // Arrivals are counted above; of other events of one kind, one line tells all.
    /** @type {Map<string, import("./decode.js").Note[]>} */
    const kinds = new Map();
    for (const note of notes.filter(({ kind }) => kind > 1)) {
      const key = `${note.side} ${note.kind}`;
      kinds.set(key, [...(kinds.get(key) ?? []), note]);
    }
    for (const group of kinds.values()) {
      const first = group[0], others = group.length - 1;
      const text = others ? `Agent ${first.agent} and ${others} more: ${first.text}` : `Agent ${first.agent} ${first.text}`;
      this.event(first.tick, text, () => this.choose(first.side, first.agent));
    }
  }

  /** Adds a line to the events. @param {number} tick @param {string} text @param {(() => void) | null} act */
  event(tick, text, act) {
    this.events.querySelector(".quiet")?.remove();
    const content = act ? make("button", { type: "button", class: "link", onclick: act }, text) : text;
    this.events.prepend(make("li", {}, make("span", { class: "when" }, `${tick}`), make("span", {}, content)));
    while (this.events.children.length > 40) this.events.lastElementChild?.remove();
  }

  /** Draws, at most five times a second. @param {number} now */
  draw(now) {
    if (!this.stale || now - this.drawnAt < 200) return;
    [this.stale, this.drawnAt] = [false, now];
    const { model } = this;
    get("tick", HTMLElement).textContent = count(model.tick);
    const budget = model.status?.setup?.budget ?? 0;
    model.sides.forEach((side, i) => this.counts(side, i));
    get("counts-1", HTMLElement).hidden = model.sides.length < 2;
    get("score", HTMLElement).hidden = model.sides.length < 2;
    if (model.sides.length > 1) get("score", HTMLElement).textContent = this.score();
    if (get("watch", HTMLElement).offsetParent === null) return;
    drawShares(get("chart-shares", HTMLCanvasElement), this.series);
    drawTimes(get("chart-times", HTMLCanvasElement), this.series, model.status?.replay ? 0 : budget);
  }

  /** @param {import("./model.js").Side} side @param {number} i */
  counts(side, i) {
    const { stats } = side, series = this.series[i];
    const tile = (/** @type {string} */ label, /** @type {string} */ value, /** @type {string} */ kind = "") =>
      make("div", { class: `tile ${kind}` }, make("span", { class: "value" }, value), make("span", { class: "label" }, label));
    const box = get(`counts-${i}`, HTMLElement), planner = this.model.status?.planners?.[i] ?? "";
    const tiles = make("div", { class: "tiles" },
      tile(`of ${count(stats.agents)} arrived`, count(stats.arrived), "arrived"),
      tile("waiting", count(stats.waiting), "waiting"),
      tile("stuck", count(stats.stuck), "stuck"),
      tile("p99 of tick", series && series.tickUs.length && !this.model.status?.replay ? ms(series.p99()) : "–"));
    box.replaceChildren(...(this.model.sides.length > 1 ? [make("h3", {}, planner)] : []), tiles);
  }

  /** Compares the two sides in one line. */
  score() {
    const [one, two] = this.model.sides, [a, b] = this.model.status?.planners ?? ["left", "right"];
    const ahead = one.stats.arrived - two.stats.arrived;
    const arrived = ahead === 0 ? "Level" : `${ahead > 0 ? a : b} leads by ${count(Math.abs(ahead))}`;
    const share = Math.round((100 * (two.stats.waits - one.stats.waits)) / Math.max(one.stats.waits, two.stats.waits, 1));
    const waits = share === 0 ? "as many waits" : `${share > 0 ? a : b} waits ${Math.abs(share)} % less`;
    return `${arrived} · ${waits} · p99 ${ms(this.series[0].p99())} / ${ms(this.series[1].p99())}`;
  }

  /** Says how the parts of the path are drawn. @param {number[][]} path */
  legend(path) {
    const kinds = ["planned", "along the guide", "not known yet"].map((text, kind) => ({ text, kind }));
    return make("p", { class: "path-legend" }, ...kinds.filter(({ kind }) => path.some((cell) => cell[2] === kind))
      .map(({ text, kind }) => make("span", {}, make("i", { class: `dash kind-${kind}` }), text)));
  }

  /** Describes the chosen agent. */
  agent() {
    const { chosen, report, sides } = this.model, card = get("agent", HTMLElement);
    card.hidden = !chosen;
    if (!chosen) return;
    const side = sides[chosen.side], index = side?.index.get(chosen.agent);
    if (index === undefined) {
      card.hidden = true;
      return;
    }
    const rows = [["State", STATES[side.states[index]] ?? ""]];
    const isKnown = report && report.agent === chosen.agent && !this.model.isPast();
    if (this.model.isPast()) rows.push(["Note", "an earlier tick is shown: go on for goal and path"]);
    if (isKnown) {
      const at = (/** @type {number[] | null} */ place) => (place ? `${place[0]}, ${place[1]}` : "–");
      rows.push(["Position", at(report.position)], ["Goal", at(report.goal)]);
      if (report.target && report.goal && at(report.target) !== at(report.goal)) rows.push(["Target", at(report.target)]);
      if (report.queue.length) rows.push(["Then", report.queue.map(at).join(" → ")]);
      if (report.stuck) rows.push(["Why stuck", report.stuck]);
    }
    const chain = isKnown ? report.chain : [];
    const target = isKnown ? report.target ?? report.goal : null;
    const parts = [
      make("h3", {}, `Agent ${chosen.agent}`),
      make("dl", {}, ...rows.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)])),
      chain.length ? make("p", { class: "chain-title" }, report.cycle ? "Waits in a cycle:" : "Waits for:") : null,
      chain.length ? make("ol", { class: "chain" }, ...chain.map((/** @type {any} */ link) =>
        make("li", {}, link.agent === null ? "a foreign unit" : make("button", { type: "button", class: "link", onclick: () => this.choose(chosen.side, link.agent) }, `agent ${link.agent}`), `, ${link.state}`))) : null,
      isKnown && report.path.length ? this.legend(report.path) : null,
      target ? make("button", { type: "button", id: "show-search", title: "Open path mode from here to its goal", onclick: () => this.search(report.position, target) }, "Show a search") : null,
    ];
    card.replaceChildren(...parts.filter((part) => part !== null));
  }
}
