// Results mode: the report of an experiment over the map, the list of its runs beside it, and a run again as a recording.
import { get, make, count } from "./dom.js";

/** @typedef {{run: number, planner: string, map: string, settings: string, completion: number | null, ticks: number | null, seconds: number | null, moves: boolean}} Run */

/** Results mode. */
export class ResultsMode {
  /** @param {import("./model.js").Model} model @param {import("./socket.js").Connection} connection @param {() => void} uncovered called when the map is shown again */
  constructor(model, connection, uncovered) {
    this.model = model;
    this.connection = connection;
    this.uncovered = uncovered;
    this.active = false;
    /** Whether the report is shown in place of the map. */
    this.wantsReport = true;
    /** The version of the results that the report and the list show. */
    this.version = 0;
    this.epoch = -1;
    this.report = get("report", HTMLIFrameElement);
    this.filter = get("run-filter", HTMLInputElement);
    /** @type {number | undefined} */
    this.timer = undefined;
    this.filter.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = window.setTimeout(() => this.ask(0), 200);
    });
    this.report.addEventListener("load", () => this.prepareReport());
    get("show-report", HTMLElement).addEventListener("click", () => {
      this.wantsReport = !this.wantsReport;
      this.show();
    });
    get("read-results", HTMLElement).addEventListener("click", () => connection.ask("read-results"));
    get("stop-repeat", HTMLElement).addEventListener("click", () => connection.ask("stop-repeat"));
    get("more-runs", HTMLElement).addEventListener("click", () => this.ask(get("runs", HTMLElement).children.length));
  }

  /** Shows the tab or leaves it. @param {boolean} active */
  setActive(active) {
    this.active = active;
    this.show();
  }

  /** Takes the status of the server. @param {any} status */
  take(status) {
    const { results, repeating, epoch, replay } = status;
    const box = (/** @type {string} */ id) => get(id, HTMLElement);
    box("results-empty").hidden = results.state !== "none";
    box("results-reading").hidden = results.state !== "reading";
    box("results-error").hidden = results.state !== "failed";
    box("results-error-text").textContent = results.error ?? "";
    box("results-ready").hidden = results.state !== "ready";
    box("repeating").hidden = repeating === null;
    box("repeating-text").textContent = `Repeating ${repeating} …`;
    box("results-names").textContent = `${results.names.join(", ")}: ${count(results.runs)} ${results.runs === 1 ? "run" : "runs"}`;
    if (results.state === "ready" && this.version !== results.version) {
      this.version = results.version;
      const token = new URLSearchParams(location.search).get("token");
      this.report.src = `results.html?v=${this.version}${token ? `&token=${encodeURIComponent(token)}` : ""}`;
      this.ask(0);
    }
    if (results.state !== "ready") this.version = 0;
    // A run that was repeated is shown; anything else that begins hides nothing.
    if (epoch !== this.epoch && replay?.run) this.wantsReport = false;
    if (!replay?.run) this.wantsReport = true;
    this.epoch = epoch;
    this.facts(replay?.run ?? null);
    this.show();
  }

  show() {
    const status = this.model.status, isReady = status?.results.state === "ready";
    const wasHidden = this.report.hidden;
    this.report.hidden = !(this.active && isReady && this.wantsReport);
    if (this.report.hidden && !wasHidden) this.uncovered();
    const toggle = get("show-report", HTMLButtonElement);
    toggle.hidden = !status?.replay?.run;
    toggle.textContent = this.wantsReport ? "Show the run" : "Show the report";
  }

  /** Asks for a page of the list. @param {number} from */
  ask(from) {
    this.connection.ask("runs", { filter: this.filter.value, from });
  }

  /** Takes a page of the list. @param {{version: number, total: number, from: number, runs: Run[]}} list */
  list({ version, total, from, runs }) {
    if (version !== this.version) return;
    const items = runs.map((run) => this.item(run)), list = get("runs", HTMLElement);
    if (from === 0) list.replaceChildren(...items);
    else if (from === list.children.length) list.append(...items);
    get("run-count", HTMLElement).textContent = total === 0
      ? "No run matches. Words are parts of planner, map or type; agents=400 is exact."
      : `${count(total)} ${total === 1 ? "run" : "runs"}. Click one to watch it again.`;
    get("more-runs", HTMLElement).hidden = list.children.length >= total;
    this.mark();
  }

  /** @param {Run} run */
  item(run) {
    const share = run.completion === null ? "" : `${(100 * run.completion).toFixed(1)} %`;
    const took = run.seconds === null || run.seconds < 0.005 ? "" : ` · ${run.seconds < 10 ? run.seconds.toFixed(2) : Math.round(run.seconds)} s`;
    const button = make("button", {
      type: "button", class: "run", disabled: !run.moves, "data-run": String(run.run),
      title: run.moves ? "Repeat this run and watch it" : "No agents move in this run",
      onclick: () => this.connection.ask("repeat", { run: run.run, version: this.version }),
    }, make("b", {}, run.planner), make("span", { class: "share" }, share), make("span", { class: "about" }, `${run.map} · ${run.settings}${took}`));
    return make("li", {}, button);
  }

  /** Marks the run that is shown. */
  mark() {
    const shown = this.model.status?.replay?.run;
    for (const button of document.querySelectorAll("#runs button")) {
      if (!(button instanceof HTMLElement)) continue;
      button.setAttribute("aria-current", String(Boolean(shown) && shown.version === this.version && button.dataset.run === String(shown.run)));
    }
  }

  /** Describes the run that is shown. @param {any} run */
  facts(run) {
    const card = get("run-facts", HTMLElement);
    card.hidden = !run;
    this.mark();
    if (!run) return;
    const verdict = run["is-same"] ? "The repetition ended in the stored state, to the last agent." : `The repetition ended in another state than is stored: ${run.note}.`;
    /** @type {string[][]} */
    const rows = run.measures.map((/** @type {[string, string, string | null]} */ [name, before, now]) => [name, now === null ? before : `${before} stored, ${now} now`]);
    card.replaceChildren(
      make("h3", {}, `${run.planner} on ${run.map}`),
      make("p", { class: "about" }, run.settings),
      make("dl", {}, ...rows.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)])),
      make("p", { class: run["is-same"] ? "verdict same" : "verdict" }, verdict),
    );
  }

  /** Gives the report the theme of the page, and lists the runs behind a number that is clicked. */
  prepareReport() {
    const inside = this.report.contentDocument;
    this.setTheme();
    inside?.addEventListener("click", (event) => {
      const target = /** @type {Element | null} */ (event.target), cell = /** @type {HTMLTableCellElement | null | undefined} */ (target?.closest?.("table.results tbody td"));
      const table = /** @type {HTMLTableElement | null | undefined} */ (cell?.closest("table"));
      if (!cell || !table) return;
      const keys = [["rows", cell.parentElement?.querySelector("th")], ["columns", table.tHead?.rows[0].cells[cell.cellIndex]]];
      const words = keys.map(([which, heading]) => {
        const setting = table.dataset[/** @type {string} */ (which)], key = /** @type {HTMLElement | undefined} */ (heading)?.title;
        return setting && key && !GROUPS.includes(key) ? `${setting}=${key}` : "";
      });
      const experiment = table.closest("article")?.dataset.experiment;
      this.filter.value = [...words, experiment ? `experiment=${experiment}` : ""].filter(Boolean).join(" ");
      this.ask(0);
    });
  }

  setTheme() {
    const root = this.report.contentDocument?.documentElement;
    if (root) root.dataset.theme = document.documentElement.dataset.theme;
  }
}

/** Rows and columns of tables that are no value of a setting. */
const GROUPS = ["overall", "oracle", "worst"];
