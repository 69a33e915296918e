// Sharing: a link that restores the setup, pictures, videos and recordings.
import { get, toast, download } from "./dom.js";

const FIELDS = ["map", "width", "height", "map-seed", "problem", "agents", "seed", "planners", "budget", "corners", "crossings", "four-way", "terrain"];

/** Returns the address that restores a setup. @param {any} setup */
export function linkOf(setup) {
  const values = new URLSearchParams();
  for (const name of FIELDS) if (setup[name] !== undefined) values.set(name, Array.isArray(setup[name]) ? setup[name].join("|") : String(setup[name]));
  const url = new URL(location.href);
  url.hash = values.toString();
  return url.href;
}

/** Returns the setup of the address, `null` if it has none. @param {any} base the values of fields that it lacks */
export function setupOfLink(base) {
  const values = new URLSearchParams(location.hash.slice(1));
  if (!values.has("map")) return null;
  const setup = { ...base };
  for (const name of FIELDS) {
    const text = values.get(name);
    if (text === null) continue;
    if (name === "planners") setup[name] = text.split("|").slice(0, 2);
    else if (name === "four-way") setup[name] = text === "true";
    else setup[name] = typeof base[name] === "number" ? Math.max(0, Math.round(Number(text)) || 0) : text;
  }
  return setup;
}

/** Copies a link. @param {any} setup */
export async function copyLink(setup) {
  const link = linkOf(setup);
  history.replaceState(null, "", link);
  try {
    await navigator.clipboard.writeText(link);
    toast(setup.map === "own" ? "Link copied; it does not contain your map file" : "Link copied: it restores this setup");
  } catch {
    toast("The address bar now has the link");
  }
}

/** Puts map and overlay on one canvas. @param {HTMLCanvasElement} target */
function compose(target) {
  const map = get("view", HTMLCanvasElement), over = get("overlay", HTMLCanvasElement);
  if (target.width !== map.width) target.width = map.width;
  if (target.height !== map.height) target.height = map.height;
  const context = target.getContext("2d");
  context?.drawImage(map, 0, 0);
  context?.drawImage(over, 0, 0);
}

/** Saves a picture of what is shown. @param {() => void} redraw draws the frame again, so that it can be read */
export function savePicture(redraw) {
  redraw();
  const canvas = document.createElement("canvas");
  compose(canvas);
  canvas.toBlob((blob) => blob && download(blob, "throng.png"), "image/png");
  toast("Picture saved");
}

/** Records a video of what is shown. */
export class Video {
  constructor() {
    /** @type {MediaRecorder | null} */
    this.recorder = null;
    this.canvas = document.createElement("canvas");
  }

  get running() {
    return this.recorder !== null;
  }

  /** Starts or ends. Returns true if it runs. */
  toggle() {
    if (this.recorder) {
      this.recorder.stop();
      this.recorder = null;
      return false;
    }
    if (typeof MediaRecorder === "undefined") {
      toast("This browser cannot record videos", "error");
      return false;
    }
    compose(this.canvas);
    const recorder = new MediaRecorder(this.canvas.captureStream(30), { videoBitsPerSecond: 6_000_000 });
    /** @type {Blob[]} */
    const parts = [];
    recorder.ondataavailable = ({ data }) => parts.push(data);
    recorder.onstop = () => download(new Blob(parts, { type: recorder.mimeType }), "throng.webm");
    recorder.start();
    this.recorder = recorder;
    return true;
  }

  /** Takes the frame that was just drawn. */
  frame() {
    if (this.recorder) compose(this.canvas);
  }
}
