// The form of the crowd, made from what the server has. Its fields are those of `Setup` in src/setup.rs.
import { get, make } from "./dom.js";

/** @typedef {{name: string, summary: string, parameters?: Parameter[], size?: [number, number]}} Choice */
/** @typedef {{name: string, summary: string, default: string, kind: string, min?: number, max?: number, options?: string[]}} Parameter */

/** The form. */
export class SetupForm {
  /** @param {import("./model.js").Model} model @param {(setup: any) => void} start */
  constructor(model, start) {
    this.model = model;
    this.start = start;
    this.form = get("setup", HTMLFormElement);
    /** Values of parameters by planner or generator and name. @type {Map<string, string>} */
    this.values = new Map();
    /** True if the form differs from the crowd that is shown. */
    this.touched = false;
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (this.form.reportValidity()) this.start(this.read());
    });
    this.form.addEventListener("input", () => this.touch());
    get("map", HTMLSelectElement).addEventListener("change", () => this.update());
    for (const id of ["planner-0", "planner-1"]) get(id, HTMLSelectElement).addEventListener("change", () => this.update());
    get("compare", HTMLInputElement).addEventListener("change", () => this.update());
  }

  touch() {
    this.touched = true;
    get("restart", HTMLButtonElement).classList.add("primary");
  }

  /** Fills the choices. */
  prepare() {
    const { maps, generators, problems, planners } = this.model.catalog;
    const option = (/** @type {Choice} */ entry, /** @type {string} */ value, /** @type {string} */ text) =>
      make("option", { value, title: entry.summary }, text);
    const size = (/** @type {Choice} */ { size }) => (size ? ` · ${size[0]}×${size[1]}` : "");
    const map = get("map", HTMLSelectElement);
    map.replaceChildren(
      make("optgroup", { label: "Built in" }, ...maps.map((/** @type {Choice} */ entry) => option(entry, `builtin:${entry.name}`, entry.name + size(entry)))),
      make("optgroup", { label: "Generated from a seed" }, ...generators.map((/** @type {Choice} */ entry) => option(entry, `generate:${entry.name}`, entry.name))),
      make("optgroup", { label: "From a file" }, make("option", { value: "own", id: "own-map", disabled: true }, "none opened yet")),
    );
    get("problem", HTMLSelectElement).replaceChildren(...problems.map((/** @type {Choice} */ entry) => option(entry, entry.name, `${entry.name}: ${entry.summary}`)));
    for (const id of ["planner-0", "planner-1"]) {
      get(id, HTMLSelectElement).replaceChildren(...planners.map((/** @type {Choice} */ entry) => option(entry, entry.name, entry.name)));
    }
    get("planner-1", HTMLSelectElement).value = "whca";
  }

  /** Shows a setup of the server. @param {any} setup @param {string | null} own */
  show(setup, own) {
    const map = get("map", HTMLSelectElement), ownOption = get("own-map", HTMLOptionElement);
    ownOption.disabled = !own;
    ownOption.textContent = own ?? "none opened yet";
    const [name, ...rest] = setup.map.startsWith("generate:") ? setup.map.slice(9).split(":") : [setup.map];
    if (setup.map.startsWith("generate:")) {
      this.remember(name, rest.join(":"));
      map.value = `generate:${name}`;
    } else map.value = setup.map;
    for (const [id, key] of [["width", "width"], ["height", "height"], ["map-seed", "map-seed"], ["agents", "agents"], ["seed", "seed"]]) {
      get(id, HTMLInputElement).value = String(setup[key]);
    }
    get("budget", HTMLInputElement).value = String(setup.budget / 1000);
    for (const id of ["problem", "corners", "crossings", "terrain"]) get(id, HTMLSelectElement).value = setup[id];
    get("four-way", HTMLInputElement).checked = setup["four-way"];
    get("compare", HTMLInputElement).checked = setup.planners.length > 1;
    setup.planners.forEach((/** @type {string} */ text, /** @type {number} */ i) => {
      const [planner, ...given] = this.expand(text).split(":");
      this.remember(planner, given.join(":"), i);
      get(`planner-${i}`, HTMLSelectElement).value = planner;
    });
    this.update();
    this.touched = false;
    get("restart", HTMLButtonElement).classList.remove("primary");
  }

  /** Returns a specification with the planner of an alias in its place. @param {string} text */
  expand(text) {
    const [name, ...given] = text.split(":");
    const alias = this.model.catalog.aliases.find((/** @type {[string, string]} */ [short]) => short === name)?.[1];
    if (!alias) return text;
    return given.length ? `${alias},${given.join(":")}` : alias;
  }

  /** @param {string} owner @param {string} text @param {number} [side] */
  remember(owner, text, side = 0) {
    const prefix = `${owner}/${side}/`;
    for (const key of [...this.values.keys()]) if (key.startsWith(prefix)) this.values.delete(key);
    for (const entry of text.split(",").filter(Boolean)) {
      const [key, value] = entry.split("=");
      this.values.set(prefix + key, value ?? "");
    }
  }

  /** Shows the fields that the present choices have. */
  update() {
    const map = get("map", HTMLSelectElement).value, generated = map.startsWith("generate:");
    const compare = get("compare", HTMLInputElement).checked;
    get("generated", HTMLElement).hidden = !generated;
    get("second", HTMLElement).hidden = !compare;
    if (generated) {
      const entry = this.model.catalog.generators.find((/** @type {Choice} */ { name }) => name === map.slice(9));
      this.fields(get("map-parameters", HTMLElement), entry, 0);
    }
    [0, 1].forEach((i) => {
      const name = get(`planner-${i}`, HTMLSelectElement).value;
      const entry = this.model.catalog.planners.find((/** @type {Choice} */ choice) => choice.name === name);
      get(`summary-${i}`, HTMLElement).textContent = entry?.summary ?? "";
      this.fields(get(`parameters-${i}`, HTMLElement), entry, i);
    });
  }

  /** Makes the fields of parameters. @param {HTMLElement} box @param {Choice | undefined} entry @param {number} side */
  fields(box, entry, side) {
    const parameters = entry?.parameters ?? [];
    const details = box.closest("details");
    if (details) details.hidden = parameters.length === 0;
    box.replaceChildren(...parameters.map((parameter) => {
      const key = `${entry?.name}/${side}/${parameter.name}`, value = this.values.get(key) ?? parameter.default;
      const keep = (/** @type {Event} */ event) => {
        const input = /** @type {HTMLInputElement | HTMLSelectElement} */ (event.target);
        if (input.value === parameter.default) this.values.delete(key);
        else this.values.set(key, input.value);
      };
      const input = parameter.kind === "choice"
        ? make("select", { oninput: keep }, ...(parameter.options ?? []).map((text) => make("option", { value: text, selected: text === value }, text)))
        : make("input", { type: "number", value, min: String(parameter.min), max: String(parameter.max), step: parameter.kind === "decimal" ? "any" : "1", oninput: keep });
      return make("label", { class: "field", title: parameter.summary }, make("span", {}, parameter.name), input);
    }));
  }

  /** Returns a name with the parameters that differ from their defaults. @param {string} name @param {number} side */
  spec(name, side) {
    const prefix = `${name}/${side}/`;
    const given = [...this.values].filter(([key]) => key.startsWith(prefix)).map(([key, value]) => `${key.slice(prefix.length)}=${value}`);
    return given.length ? `${name}:${given.join(",")}` : name;
  }

  /** Returns the setup of the form. */
  read() {
    const number = (/** @type {string} */ id) => Number(get(id, HTMLInputElement).value);
    const word = (/** @type {string} */ id) => get(id, HTMLSelectElement).value;
    const map = word("map"), sides = get("compare", HTMLInputElement).checked ? [0, 1] : [0];
    return {
      map: map.startsWith("generate:") ? `generate:${this.spec(map.slice(9), 0)}` : map,
      width: number("width"), height: number("height"), "map-seed": number("map-seed"),
      problem: word("problem"), agents: number("agents"), seed: number("seed"),
      planners: sides.map((i) => this.spec(word(`planner-${i}`), i)),
      budget: Math.round(number("budget") * 1000),
      corners: word("corners"), crossings: word("crossings"), terrain: word("terrain"),
      "four-way": get("four-way", HTMLInputElement).checked,
    };
  }
}
