// Sharing: a link that restores the setup, pictures, videos and recordings.
import { get, toast, download } from "./dom.js";

const FIELDS = ["map", "width", "height", "map-seed", "problem", "agents", "seed", "planners", "budget", "corners", "crossings", "four-way", "terrain"];

/** Returns the address that restores a setup. The token of this page stays in it only for this browser. @param {any} setup @param {boolean} shared */
export function linkOf(setup, shared) {
  const values = new URLSearchParams();
  for (const name of FIELDS) if (setup[name] !== undefined) values.set(name, Array.isArray(setup[name]) ? setup[name].join("|") : String(setup[name]));
  const url = new URL(location.href);
  if (shared) url.searchParams.delete("token");
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
  const hasToken = new URLSearchParams(location.search).has("token");
  history.replaceState(null, "", linkOf(setup, false));
  try {
    await navigator.clipboard.writeText(linkOf(setup, true));
    toast(setup.map === "own" ? "Link copied; it does not contain your map file"
      : hasToken ? "Link copied without the token: who opens it needs that of the server" : "Link copied: it restores this setup");
  } catch {
    toast(hasToken ? "The address bar now has the link; take the token out before you share it" : "The address bar now has the link");
  }
}

/**
 * @typedef {object} Caption what a picture says about itself
 * @property {string} text below the map
 * @property {string[]} names the planners, if two are compared
 */

/** Puts map and overlay on one canvas, with the caption below. @param {HTMLCanvasElement} target @param {Caption} caption */
function compose(target, { text, names }) {
  const map = get("view", HTMLCanvasElement), over = get("overlay", HTMLCanvasElement);
  const ratio = map.width / Math.max(map.clientWidth, 1), strip = Math.round(30 * ratio);
  // Encoders of videos want even numbers.
  const width = map.width & ~1, height = (map.height + strip) & ~1;
  if (target.width !== width) target.width = width;
  if (target.height !== height) target.height = height;
  const context = target.getContext("2d");
  if (!context) return;
  const style = getComputedStyle(document.documentElement), color = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
  context.drawImage(map, 0, 0);
  if (!over.classList.contains("idle")) context.drawImage(over, 0, 0);
  context.fillStyle = color("--raised");
  context.fillRect(0, map.height, width, height - map.height);
  context.fillStyle = color("--ink");
  context.textBaseline = "middle";
  context.font = `600 ${Math.round(13 * ratio)}px system-ui, sans-serif`;
  const right = context.measureText("throng").width + 24 * ratio;
  context.fillText("throng", width - right + 12 * ratio, map.height + strip / 2);
  context.font = `${Math.round(13 * ratio)}px system-ui, sans-serif`;
  context.fillText(text, 12 * ratio, map.height + strip / 2, width - right - 12 * ratio);
  names.forEach((name, i) => label(context, name, ((i + 0.5) * width) / names.length, 20 * ratio, color));
}

/** Writes a name on a plate. @param {CanvasRenderingContext2D} context @param {string} name @param {number} x @param {number} y @param {(name: string) => string} color */
function label(context, name, x, y, color) {
  const wide = context.measureText(name).width + 20;
  context.fillStyle = color("--raised");
  context.fillRect(x - wide / 2, y - 12, wide, 24);
  context.fillStyle = color("--ink");
  context.fillText(name, x - wide / 2 + 10, y);
}

/** Saves a picture of what is shown. @param {() => void} redraw draws the frame again, so that it can be read @param {Caption} caption */
export function savePicture(redraw, caption) {
  redraw();
  const canvas = document.createElement("canvas");
  compose(canvas, caption);
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

  /** Starts or ends. Returns true if it runs. @param {Caption} caption */
  toggle(caption) {
    if (this.recorder) {
      this.recorder.stop();
      this.recorder = null;
      return false;
    }
    if (typeof MediaRecorder === "undefined") {
      toast("This browser cannot record videos", "error");
      return false;
    }
    compose(this.canvas, caption);
    const recorder = new MediaRecorder(this.canvas.captureStream(30), { videoBitsPerSecond: 6_000_000 });
    /** @type {Blob[]} */
    const parts = [];
    recorder.ondataavailable = ({ data }) => parts.push(data);
    recorder.onstop = () => download(new Blob(parts, { type: recorder.mimeType }), recorder.mimeType.includes("mp4") ? "throng.mp4" : "throng.webm");
    recorder.start();
    this.recorder = recorder;
    return true;
  }

  /** Takes the frame that was just drawn. @param {() => Caption} caption */
  frame(caption) {
    if (this.recorder) compose(this.canvas, caption());
  }
}
