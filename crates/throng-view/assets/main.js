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
import { KEYS, listen } from "./keys.js";
import { Video, copyLink, savePicture, setupOfLink } from "./share.js";

const model = new Model(), camera = new Camera();
const canvas = get("view", HTMLCanvasElement), stage = get("stage", HTMLElement);
const wantsCanvas = new URLSearchParams(location.search).has("canvas");
const view = (wantsCanvas ? null : GlView.create(canvas)) ?? new CanvasView(canvas);
const overlay = new Overlay(get("overlay", HTMLCanvasElement));
const connection = new Connection({ text: takeText, binary: takeBinary, online: setOnline });
const paths = new PathMode(model, connection);
const form = new SetupForm(model, restart);
const panels = new Panels(model, choose);
const tools = new Tools(stage, model, camera, overlay, connection, paths, selectionChanged);
const video = new Video();
/** Script time of the last frames, in milliseconds, and how many were drawn: read by the tests. */
const measured = { frames: 0, script: /** @type {number[]} */ ([]), renderer: view instanceof GlView ? "webgl2" : "canvas" };
Object.assign(window, { throngPage: { model, camera, measured, connection, view } });

let fitted = -1, started = false, linkTried = false;
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
  } else if (message.is === "path") paths.take(message);
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
    form.show(status.setup, status["own-map"]);
    tools.sending = false;
    selectionChanged();
    if (!linkTried) {
      linkTried = true;
      const linked = setupOfLink(status.setup);
      if (linked && JSON.stringify(linked) !== JSON.stringify(status.setup)) restart(linked);
    }
  }
  describe(status);
}

/** Shows the status. @param {any} status */
function describe(status) {
  const replay = status.replay, play = get("play", HTMLButtonElement);
  play.textContent = status.playing ? "Pause" : "Play";
  play.setAttribute("aria-pressed", String(status.playing));
  const map = status.setup.map === "own" ? status["own-map"] ?? "own map" : status.setup.map.replace(/^builtin:/, "").replace(/^generate:/, "");
  get("summary", HTMLElement).textContent = replay
    ? `Recording ${replay.name} · ${status.planners.join(" and ")}`
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
  get("back-note", HTMLElement).textContent = `(${status.back} back)`;
  for (const button of document.querySelectorAll("#speeds button")) {
    button.setAttribute("aria-pressed", String(button instanceof HTMLButtonElement && Number(button.value) === status.speed));
  }
  const record = get("record", HTMLButtonElement);
  record.disabled = Boolean(replay);
  record.classList.toggle("on", status.recorded !== null);
  record.textContent = status.recorded === null ? "Record" : "Save recording";
  const names = get("side-names", HTMLElement);
  names.replaceChildren(...(status.planners.length > 1 ? status.planners.map((/** @type {string} */ name) => make("span", {}, name)) : []));
}

/** @param {ArrayBuffer} buffer */
function takeBinary(buffer) {
  const { kind, notes, whole } = read(model, buffer);
  if (kind === "recording") return download(new Blob([buffer.slice(1)]), "crowd.throng");
  if (kind !== "frame") return;
  model.arrivedAt = performance.now();
  if (camera.ports.length !== model.sides.length) resize();
  if (fitted !== model.epoch) {
    fitted = model.epoch;
    camera.fit(model.width, model.height);
    paths.from = paths.to = paths.result = null;
    paths.clear();
    paths.describe();
  }
  panels.take(notes, whole);
  if (model.status?.replay && model.status.playing) {
    const replay = model.status.replay;
    if (!whole) replay.at = Math.min(replay.at + 1, replay.ticks);
    describe(model.status);
  }
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
  get("send", HTMLButtonElement).setAttribute("aria-pressed", String(tools.sending));
  get("send", HTMLButtonElement).textContent = tools.sending ? "Tap the goal" : "Send";
  panels.agent();
  if (model.chosen) ask();
}

/** Asks for what is shown of the chosen agent and the layer. */
function ask() {
  if (model.chosen && !model.status?.replay) connection.ask("inspect", { side: model.chosen.side, agent: model.chosen.agent });
}

function askLayer() {
  if (!LAYERS.includes(model.layer) || model.status?.replay) return;
  model.sides.forEach((_, side) => connection.ask("layer", { side, layer: model.layer, agent: model.chosen?.agent ?? null }));
}

let askedVersion = -1, askedLayer = 0;
setInterval(() => {
  if (document.hidden) return;
  if (model.chosen && askedVersion !== model.version) {
    askedVersion = model.version;
    ask();
    panels.agent();
  }
  if (performance.now() - askedLayer > 900) {
    askedLayer = performance.now();
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
  video.frame();
  panels.draw(now);
  measured.frames++;
  measured.script.push(performance.now() - begin);
  if (measured.script.length > 600) measured.script.shift();
}
requestAnimationFrame(frame);

/** Draws what has changed. @param {number} now */
function paint(now, force = false) {
  const heat = model.layer === "heat" ? Math.floor(model.version / 10) : 0;
  const key = `${model.layer} ${model.layerVersion} ${heat} ${model.mapVersion} ${document.documentElement.dataset.theme}`;
  const changed = key !== layersKey;
  if (changed) {
    layersKey = key;
    layers = model.sides.map((_, side) => layerColors(model, side));
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
  tools.sending = false;
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
click("picture", () => savePicture(() => paint(performance.now(), true)));
click("video", () => get("video", HTMLElement).classList.toggle("on", video.toggle()));
click("record", () => (model.status?.recorded === null ? connection.ask("record", { on: true }) : connection.ask("save")));
click("open-file", () => get("file", HTMLInputElement).click());
click("halt", () => order("halt"));
click("remove", () => order("remove"));
click("drop", drop);
click("send", () => { tools.sending = !tools.sending; selectionChanged(); });
click("hint-close", () => {
  get("hint", HTMLElement).hidden = true;
  localStorage.setItem("throng-hint", "seen");
});
for (const name of ["crowd", "watch", "path"]) click(`tab-${name}`, () => show(name));
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
  askLayer();
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
  r: () => restart(form.read()), l: toggleTheme, "?": help,
});
get("keys", HTMLElement).replaceChildren(...KEYS.flatMap(([key, does]) => [make("dt", {}, key), make("dd", {}, does)]));
get("hint", HTMLElement).hidden = localStorage.getItem("throng-hint") === "seen";
pickTool("select");
show("watch");
resize();
