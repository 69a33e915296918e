// The page: connects the parts and draws.
import { get, make, toast, download, count } from "./dom.js";
import { Connection } from "./socket.js";
import { Model } from "./model.js";
import { read } from "./decode.js";
import { Camera } from "./camera.js";
import { GlView } from "./glview.js";
import { CanvasView } from "./canvasview.js";
import { Overlay, LAYERS, layerColors } from "./overlay.js";
import { Tools } from "./tools.js";
import { SetupForm } from "./setup.js";
import { Panels } from "./panels.js";
import { PathMode } from "./paths.js";
import { ResultsMode } from "./results.js";
import { KEYS, listen } from "./keys.js";
import { Video, copyLink, savePicture, setupOfLink } from "./share.js";

const model = new Model(), camera = new Camera();
const canvas = get("view", HTMLCanvasElement), stage = get("stage", HTMLElement);
const wantsCanvas = new URLSearchParams(location.search).has("canvas");
const view = (wantsCanvas ? null : GlView.create(canvas)) ?? new CanvasView(canvas);
const overlay = new Overlay(get("overlay", HTMLCanvasElement));
const connection = new Connection({ text: takeText, binary: takeBinary, online: setOnline });
const results = new ResultsMode(model, connection, repaint);
const form = new SetupForm(model, restart);
const paths = new PathMode(model, connection, form);
const panels = new Panels(model, choose, showSearch);
const tools = new Tools(stage, model, camera, overlay, connection, paths, selectionChanged);
const video = new Video();
/** Script time of the last frames, in milliseconds, and how many were drawn: read by the tests. */
const measured = { frames: 0, script: /** @type {number[]} */ ([]), renderer: view instanceof GlView ? "webgl2" : "canvas" };
Object.assign(window, { throngPage: { model, camera, measured, connection, view, paths, overlay } });

let fitted = -1, started = false, linkTried = false, wasPast = false;
let layersKey = "", drawn = "";
/** @type {(Uint8Array | null)[]} */
let layers = [];

/** @param {boolean} online */
function setOnline(online) {
  get("offline", HTMLElement).hidden = online || !started;
  document.body.classList.toggle("online", online);
}

/** @param {any} message */
function takeText(message) {
  if (message.is === "catalog") {
    if (model.catalog) return;
    model.catalog = message;
    form.prepare();
    paths.prepare();
  } else if (message.is === "status") takeStatus(message);
  else if (message.is === "agent") {
    model.report = message;
    panels.agent();
  } else if (message.is === "goals") model.goals[message.side] = message.goals;
  else if (message.is === "path") paths.take(message);
  else if (message.is === "runs") results.list(message);
  else if (message.is === "notice") panels.event(model.tick, message.text, null);
  else if (message.is === "error") takeError(message);
}

/** @param {any} message */
function takeError({ about, text }) {
  busy(false);
  if (about === "agent") {
    model.chosen = model.report = null;
    return panels.agent();
  }
  if (about === "setup") {
    const box = get("setup-error", HTMLElement);
    box.textContent = text;
    box.hidden = false;
    show("crowd");
  }
  toast(text, "error");
}

/** @param {any} status */
function takeStatus(status) {
  const isNew = status.epoch !== model.status?.epoch;
  model.status = status;
  model.period = 1000 / status.speed;
  started = true;
  if (isNew) {
    busy(false);
    get("setup-error", HTMLElement).hidden = true;
    get("watch", HTMLElement).scrollTop = 0;
    form.show(status.setup, status["own-map"]);
    tools.sending = "";
    selectionChanged();
    if (!linkTried) {
      linkTried = true;
      openLink(status);
    }
  }
  describe(status);
  results.take(status);
}

/** Starts the crowd of the link; asks before if others watch the present one. @param {any} status */
function openLink(status) {
  const linked = setupOfLink(status.setup);
  if (!linked || JSON.stringify(linked) === JSON.stringify(status.setup)) return;
  if (status.watchers < 2) return restart(linked);
  const others = status.watchers - 1;
  get("linked-text", HTMLElement).textContent = `The link starts another crowd. ${others === 1 ? "One other browser watches" : `${others} other browsers watch`} the present one.`;
  get("linked", HTMLElement).hidden = false;
  get("linked-start", HTMLButtonElement).onclick = () => { get("linked", HTMLElement).hidden = true; restart(linked); };
}

/** Shows the status. @param {any} status */
function describe(status) {
  const replay = status.replay, play = get("play", HTMLButtonElement);
  play.textContent = status.playing ? "Pause" : "Play";
  play.setAttribute("aria-pressed", String(status.playing));
  const map = status.setup.map === "own" ? status["own-map"] ?? "own map" : status.setup.map.replace(/^builtin:/, "").replace(/^generate:/, "");
  get("summary", HTMLElement).textContent = replay
    ? replay.run ? `Run again: ${replay.name}` : `Recording ${replay.name} · ${status.planners.join(" and ")}`
    : `${map} ${status.size.join("×")} · ${status.setup.problem} · ${status.planners.join(" against ")}`;
  get("scrub", HTMLElement).hidden = !replay;
  get("times", HTMLElement).hidden = Boolean(replay);
  for (const option of get("layer", HTMLSelectElement).options) option.disabled = Boolean(replay) && LAYERS.includes(option.value);
  if (replay) {
    const slider = get("seek", HTMLInputElement);
    slider.max = String(replay.ticks);
    if (document.activeElement !== slider || status.playing) slider.value = String(replay.at);
    get("seek-text", HTMLElement).textContent = `${count(replay.at)} of ${count(replay.ticks)}${replay.cut ? " (cut)" : ""}`;
  }
  get("back-note", HTMLElement).hidden = status.back === 0;
  get("back-note", HTMLElement).textContent = `(−${status.back})`;
  for (const button of document.querySelectorAll("#speeds button")) {
    button.setAttribute("aria-pressed", String(button instanceof HTMLButtonElement && Number(button.value) === status.speed));
  }
  get("failed", HTMLElement).hidden = !status.failed;
  if (status.failed) {
    busy(false);
    get("failed-text", HTMLElement).textContent = `The crowd has failed, which is a bug of throng: ${status.failed}`;
  }
  play.disabled = Boolean(status.failed);
  if ((status.back > 0) !== wasPast) {
    wasPast = status.back > 0;
    noteLayer();
    panels.agent();
  }
  get("undo", HTMLButtonElement).disabled = status.undo === 0;
  const record = get("record", HTMLButtonElement);
  record.disabled = Boolean(replay);
  record.classList.toggle("on", status.recorded !== null);
  record.textContent = status.recorded === null ? "Record" : "Save recording";
  const names = get("side-names", HTMLElement);
  names.replaceChildren(...(status.planners.length > 1 ? status.planners.map((/** @type {string} */ name) => make("span", {}, make("b", {}, name))) : []));
}

/** Says why the layer that was chosen shows nothing. */
function noteLayer() {
  const note = get("layer-note", HTMLElement), isEmpty = model.layers.length > 0 && model.layers.every((layer) => layer.marks.length === 0);
  const needsAgent = model.layer === "distances" && !model.chosen;
  const isHidden = model.isPast() && model.layer !== "none";
  note.hidden = !needsAgent && !isEmpty && !isHidden;
  note.textContent = isHidden ? "It belongs to the present and is hidden while an earlier tick is shown." : needsAgent ? "Choose an agent on the map." : "There is nothing to show: the planner has none of these now.";
}

/** @param {ArrayBuffer} buffer */
function takeBinary(buffer) {
  const { kind, notes, whole } = read(model, buffer);
  if (kind === "layer") noteLayer();
  if (kind === "recording") return download(new Blob([buffer.slice(1)]), "crowd.throng");
  if (kind !== "frame") return;
  model.arrivedAt = performance.now();
  if (camera.ports.length !== model.sides.length) resize();
  if (fitted !== model.epoch) {
    fitted = model.epoch;
    camera.fit(model.width, model.height);
    paths.reset();
  }
  panels.take(notes, whole);
  if (model.status?.replay && model.status.playing) {
    const replay = model.status.replay;
    if (!whole) replay.at = Math.min(replay.at + 1, replay.ticks);
    describe(model.status);
  }
}

/** What a picture says about itself. @returns {import("./share.js").Caption} */
function caption() {
  const { arrived, agents } = model.sides[0].stats, names = model.status?.planners ?? [];
  const text = [get("summary", HTMLElement).textContent ?? "", `tick ${count(model.tick)}`, ...(agents ? [`${count(arrived)} of ${count(agents)} arrived`] : [])];
  return { text: text.join(" · "), names: names.length > 1 ? names : [] };
}

/** @param {any} setup */
function restart(setup) {
  busy(true);
  connection.ask("setup", { setup });
}

/** @param {boolean} on */
function busy(on) {
  get("busy", HTMLElement).hidden = !on;
}

/** @param {number} side @param {number} agent */
function choose(side, agent) {
  model.chosen = { side, agent };
  model.report = null;
  model.selected = new Set([agent]);
  model.version++;
  selectionChanged();
}

function selectionChanged() {
  const chosen = model.selected.size;
  get("selection", HTMLElement).hidden = chosen === 0;
  get("selection-count", HTMLElement).textContent = `${count(chosen)} selected`;
  for (const [id, text] of [["send", "Send"], ["then", "Then"]]) {
    get(id, HTMLButtonElement).setAttribute("aria-pressed", String(tools.sending === id));
    get(id, HTMLButtonElement).textContent = tools.sending === id ? "Tap the goal" : text;
  }
  panels.agent();
  ask();
}

/** Opens path mode with a search. @param {number[]} from @param {number[]} to */
function showSearch(from, to) {
  show("path");
  paths.open(from, to);
}

/** The largest number of selected agents whose goals are shown. More flags would hide the map. */
const MAX_GOALS = 500;

/** Asks for what is shown of the chosen and the selected agents. */
function ask() {
  if (model.status?.replay || model.status?.failed) return;
  if (model.chosen) connection.ask("inspect", { side: model.chosen.side, agent: model.chosen.agent });
  if (model.selected.size === 0) model.goals = [];
  else model.sides.forEach((_, side) => connection.ask("goals", { side, agents: [...model.selected].slice(0, MAX_GOALS) }));
}

/** Layers that change only with the map. */
const LASTING = ["sectors", "streets"];

function askLayer() {
  if (!LAYERS.includes(model.layer) || model.status?.replay || model.status?.failed) return;
  const state = `${model.layer} ${model.epoch} ${model.chosen?.agent} ${LASTING.includes(model.layer) ? `${model.edits} ${model.tick > model.editedAt}` : model.version}`;
  if (state === askedLayer) return;
  askedLayer = state;
  model.sides.forEach((_, side) => connection.ask("layer", { side, layer: model.layer, agent: model.chosen?.agent ?? null }));
}

let askedVersion = -1, askedAt = 0, askedLayer = "";
setInterval(() => {
  if (document.hidden) return;
  if (model.selected.size > 0 && askedVersion !== model.version) {
    askedVersion = model.version;
    ask();
    panels.agent();
  }
  if (performance.now() - askedAt > 900) {
    askedAt = performance.now();
    askLayer();
  }
}, 250);

function resize() {
  const ratio = Math.min(window.devicePixelRatio || 1, 2), width = stage.clientWidth, height = stage.clientHeight;
  for (const element of [canvas, get("overlay", HTMLCanvasElement)]) {
    element.width = Math.max(Math.round(width * ratio), 1);
    element.height = Math.max(Math.round(height * ratio), 1);
  }
  camera.layout(width, height, Math.max(model.sides.length, 1));
}
new ResizeObserver(() => {
  const before = camera.ports[0].width;
  resize();
  if (before <= 1 && model.width > 1) camera.fit(model.width, model.height);
}).observe(stage);

/** @param {number} now */
function frame(now) {
  requestAnimationFrame(frame);
  const begin = performance.now();
  tools.flush();
  paths.advance();
  paint(now);
  if (video.running) view.draw(model, camera, model.progress(performance.now()), layers, false);
  video.frame(caption);
  panels.draw(now);
  measured.frames++;
  measured.script.push(performance.now() - begin);
  if (measured.script.length > 600) measured.script.shift();
}
requestAnimationFrame(frame);

/** Has everything drawn again: what a covered canvas was told to draw may be lost. */
function repaint() {
  drawn = "";
  overlay.empty = false;
}

/** Draws what has changed. @param {number} now */
function paint(now, force = false) {
  const heat = model.layer === "heat" ? Math.floor(model.version / 10) : 0;
  const key = `${model.isPast()} ${model.layer} ${model.layerVersion} ${heat} ${model.mapVersion} ${document.documentElement.dataset.theme}`;
  const changed = key !== layersKey;
  if (changed) {
    layersKey = key;
    layers = model.sides.map((_, side) => (model.isPast() ? null : layerColors(model, side)));
  }
  const progress = model.progress(Math.max(now, model.arrivedAt));
  const state = `${key} ${camera.version} ${model.version} ${progress} ${canvas.width} ${canvas.height}`;
  if (force || changed || state !== drawn || model.dirty.length) view.draw(model, camera, progress, layers, changed);
  drawn = state;
  overlay.draw(model, camera, progress, now, paths);
}

/** Shows a tab. @param {string} name */
function show(name) {
  for (const tab of document.querySelectorAll("[role=tab]")) tab.setAttribute("aria-selected", String(tab.id === `tab-${name}`));
  for (const panel of document.querySelectorAll("[role=tabpanel]")) if (panel instanceof HTMLElement) panel.hidden = panel.id !== name;
  paths.active = name === "path";
  results.setActive(name === "results");
  if (paths.active) pickTool("select");
  panels.stale = true;
}

/** @param {import("./tools.js").Tool} tool */
function pickTool(tool) {
  tools.tool = tool;
  for (const button of document.querySelectorAll("#tools button[value]")) {
    button.setAttribute("aria-pressed", String(button instanceof HTMLButtonElement && button.value === tool));
  }
  stage.dataset.tool = tool;
  get("brush", HTMLElement).hidden = !tools.isBrush() || tool === "unit";
  get("terrain-kind", HTMLElement).hidden = tool !== "terrain";
  overlay.brush = null;
}

/** @param {number} change */
function brushSize(change) {
  tools.radius = Math.min(Math.max(tools.radius + change, 0), 12);
  get("brush-size", HTMLInputElement).value = String(tools.radius);
}

function togglePlay() {
  connection.ask(model.status?.playing ? "pause" : "play");
}

function toggleTheme() {
  const root = document.documentElement;
  root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
  localStorage.setItem("throng-theme", root.dataset.theme);
  panels.stale = true;
  results.setTheme();
}

function help() {
  const dialog = get("help", HTMLDialogElement);
  if (dialog.open) dialog.close();
  else dialog.showModal();
}

/** @param {FileList | null | undefined} files */
async function openFile(files) {
  const file = files?.[0];
  if (!file) return;
  if (file.size > 32 << 20) return toast("The file is larger than 32 MB", "error");
  busy(true);
  connection.upload(await file.arrayBuffer());
}

function drop() {
  model.selected.clear();
  model.chosen = model.report = null;
  model.goals = [];
  tools.sending = "";
  model.version++;
  selectionChanged();
}

/** Orders something for the selected agents. @param {"halt" | "remove"} what */
function order(what) {
  if (model.selected.size === 0) return;
  connection.ask(what, { agents: [...model.selected] });
  if (what === "remove") drop();
}

/** @param {string} id @param {() => void} act */
function click(id, act) {
  get(id, HTMLElement).addEventListener("click", act);
}

click("play", togglePlay);
click("step", () => connection.ask("step"));
click("step-back", () => connection.ask("step-back"));
click("fit", () => camera.fit(model.width, model.height));
click("theme", toggleTheme);
click("help-open", help);
click("help-close", help);
click("link", () => copyLink(form.read()));
click("picture", () => savePicture(() => paint(performance.now(), true), caption()));
click("video", () => get("video", HTMLElement).classList.toggle("on", video.toggle(caption())));
click("record", () => (model.status?.recorded === null ? connection.ask("record", { on: true }) : connection.ask("save")));
click("open-file", () => get("file", HTMLInputElement).click());
click("halt", () => order("halt"));
click("remove", () => order("remove"));
click("drop", drop);
for (const id of /** @type {("send" | "then")[]} */ (["send", "then"])) {
  click(id, () => { tools.sending = tools.sending === id ? "" : id; selectionChanged(); });
}
click("linked-keep", () => { get("linked", HTMLElement).hidden = true; });
click("failed-restart", () => restart(model.status.setup));
click("hint-close", () => {
  get("hint", HTMLElement).hidden = true;
  localStorage.setItem("throng-hint", "seen");
});
click("undo", () => connection.ask("undo"));
click("close-replay", () => connection.ask("close"));
for (const name of ["crowd", "watch", "path", "results"]) click(`tab-${name}`, () => show(name));
for (const button of document.querySelectorAll("#tools button[value]")) {
  button.addEventListener("click", () => pickTool(/** @type {any} */ (/** @type {HTMLButtonElement} */ (button).value)));
}
for (const button of document.querySelectorAll("#speeds button")) {
  button.addEventListener("click", () => connection.ask("speed", { ticks: Number(/** @type {HTMLButtonElement} */ (button).value) }));
}
get("brush-size", HTMLInputElement).addEventListener("input", (event) => { tools.radius = Number(/** @type {HTMLInputElement} */ (event.target).value); });
get("terrain-kind", HTMLSelectElement).addEventListener("change", (event) => { tools.terrain = /** @type {HTMLSelectElement} */ (event.target).value; });
get("layer", HTMLSelectElement).addEventListener("change", (event) => {
  model.layer = /** @type {HTMLSelectElement} */ (event.target).value;
  model.layers = [];
  model.layerVersion++;
  askedLayer = "";
  askLayer();
  noteLayer();
});
get("seek", HTMLInputElement).addEventListener("input", (event) => connection.ask("seek", { tick: Number(/** @type {HTMLInputElement} */ (event.target).value) }));
get("file", HTMLInputElement).addEventListener("change", (event) => {
  const input = /** @type {HTMLInputElement} */ (event.target);
  void openFile(input.files);
  input.value = "";
});
stage.addEventListener("dragover", (event) => event.preventDefault());
stage.addEventListener("drop", (event) => {
  event.preventDefault();
  void openFile(event.dataTransfer?.files);
});
listen({
  " ": togglePlay,
  ArrowRight: () => connection.ask("step"),
  ArrowLeft: () => connection.ask("step-back"),
  "+": () => camera.zoom(1.25, stage.clientWidth / 2, stage.clientHeight / 2),
  "=": () => camera.zoom(1.25, stage.clientWidth / 2, stage.clientHeight / 2),
  "-": () => camera.zoom(0.8, stage.clientWidth / 2, stage.clientHeight / 2),
  0: () => camera.fit(model.width, model.height),
  v: () => pickTool("select"), h: () => pickTool("pan"), w: () => pickTool("wall"), e: () => pickTool("clear"),
  t: () => pickTool("terrain"), a: () => pickTool("agents"), u: () => pickTool("unit"),
  "[": () => brushSize(-1), "]": () => brushSize(1),
  x: () => order("halt"), Delete: () => order("remove"), Backspace: () => order("remove"),
  Escape: () => (tools.tool === "select" ? drop() : pickTool("select")),
  r: () => restart(form.read()), l: toggleTheme, "?": help, "ctrl+z": () => connection.ask("undo"),
  1: () => show("watch"), 2: () => show("crowd"), 3: () => show("path"), 4: () => show("results"),
});
get("keys", HTMLElement).replaceChildren(...KEYS.flatMap(([key, does]) => [make("dt", {}, key), make("dd", {}, does)]));
get("hint", HTMLElement).hidden = localStorage.getItem("throng-hint") === "seen";
pickTool("select");
show("watch");
resize();
