// Reads the binary messages of the server; src/frame.rs writes them.
import { Side, WAITING, STUCK, ARRIVED } from "./model.js";

const EVENTS = ["arrived", "left its goal", "cannot reach its goal", "was displaced", "was overruled",
  "is stuck behind arrived agents", "is stuck in a crowd", "is stuck behind a foreign unit", "wanders",
  "reaches no free cell", "has no path yet", "is stuck"];

/** @typedef {{side: number, tick: number, text: string, agent: number, by: number | null, kind: number}} Note */

/** Reads numbers one after the other. */
class Reader {
  /** @param {ArrayBuffer} buffer */
  constructor(buffer) {
    this.view = new DataView(buffer);
    this.at = 0;
  }
  u8() { return this.view.getUint8(this.at++); }
  u16() { this.at += 2; return this.view.getUint16(this.at - 2, true); }
  u32() { this.at += 4; return this.view.getUint32(this.at - 4, true); }
  f64() { this.at += 8; return this.view.getFloat64(this.at - 8, true); }
}

/**
 * Reads a message into the model.
 * @param {import("./model.js").Model} model
 * @param {ArrayBuffer} buffer
 * @returns {{kind: "map" | "frame" | "layer" | "recording", notes: Note[], whole: boolean}}
 */
export function read(model, buffer) {
  const reader = new Reader(buffer);
  const kind = reader.u8();
  if (kind === 1) return readMap(model, reader);
  if (kind === 4) return readLayer(model, reader, buffer);
  if (kind === 5) return { kind: "recording", notes: [], whole: true };
  return readFrame(model, reader, kind === 2);
}

/** @param {import("./model.js").Model} model @param {Reader} reader */
function readMap(model, reader) {
  const width = reader.u16(), height = reader.u16();
  const map = new Uint8Array(width * height);
  for (let at = 0; at < map.length;) {
    const value = reader.u8(), length = reader.u16();
    map.fill(value, at, at + length);
    at += length;
  }
  Object.assign(model, { width, height, map, dirty: [] });
  model.mapVersion++;
  model.edits++;
  return { kind: /** @type {const} */ ("map"), notes: [], whole: true };
}

/** @param {import("./model.js").Model} model @param {Reader} reader @param {ArrayBuffer} buffer */
function readLayer(model, reader, buffer) {
  const side = reader.u8(), layer = reader.u8();
  model.layers[side] = { side, layer, marks: new Uint32Array(buffer.slice(4)) };
  model.layerVersion++;
  return { kind: /** @type {const} */ ("layer"), notes: [], whole: true };
}

/** @param {import("./model.js").Model} model @param {Reader} reader @param {boolean} whole */
function readFrame(model, reader, whole) {
  const sides = reader.u8();
  reader.u16();
  const epoch = reader.u32(), tick = reader.u32();
  if (epoch !== model.epoch) {
    model.epoch = epoch;
    model.sides = Array.from({ length: sides }, () => new Side());
    model.selected.clear();
    model.layers = [];
    model.layerVersion++;
    Object.assign(model, { chosen: null, report: null, goals: [] });
  }
  const ticked = tick !== model.tick;
  model.tick = tick;
  const changes = reader.u32();
  if (changes > 0) Object.assign(model, { edits: model.edits + 1, editedAt: tick });
  for (let edits = changes; edits > 0; edits--) {
    const cell = reader.u32();
    model.map[cell] = reader.u8();
    model.dirty.push(cell);
  }
  /** @type {Note[]} */
  const notes = [];
  model.sides.forEach((side, number) => {
    readStats(side, reader);
    if (whole || reader.u8() === 1) {
      readAgents(side, reader);
      if (whole || reader.u8() === 1) readUnits(side, reader);
    } else {
      readSteps(model, side, reader);
      if (reader.u8() === 1) readUnits(side, reader);
    }
    for (let count = reader.u16(); count > 0; count--) {
      const event = reader.u8(), agent = reader.u32(), by = reader.u32();
      notes.push({ side: number, tick, agent, by: by === 0xffffffff ? null : by, kind: event, text: EVENTS[event] });
    }
    if (ticked && !whole) countHeat(model, side);
  });
  model.version++;
  return { kind: /** @type {const} */ ("frame"), notes, whole };
}

/** @param {Side} side @param {Reader} reader */
function readStats(side, reader) {
  const [tickUs, units, arrived, waiting, stuck, waits, agents] = Array.from({ length: 7 }, () => reader.u32());
  side.stats = { tickUs, units, arrived, waiting, stuck, waits, agents, expansions: reader.f64() };
}

/** @param {Side} side @param {Reader} reader */
function readAgents(side, reader) {
  const count = reader.u32();
  const rows = new Uint32Array(count), cells = new Uint32Array(count), states = new Uint8Array(count);
  for (let i = 0; i < count; i++) {
    rows[i] = reader.u32();
    cells[i] = reader.u32();
    states[i] = reader.u8();
  }
  side.replace(rows, cells, states);
}

/** @param {Side} side @param {Reader} reader */
function readUnits(side, reader) {
  side.units = Array.from({ length: reader.u32() }, () => reader.u32());
}

/** @param {import("./model.js").Model} model @param {Side} side @param {Reader} reader */
function readSteps(model, side, reader) {
  const w = model.width;
  const offsets = [-w, 1 - w, 1, w + 1, w, w - 1, -1, -w - 1];
  const { cells, before, states, headings, count } = side;
  before.set(cells);
  for (let i = 0; i < count; i++) {
    const byte = reader.u8(), step = byte & 15;
    states[i] = byte >> 4;
    if (step < 8) {
      cells[i] += offsets[step];
      headings[i] = step;
    }
  }
  for (let jumps = reader.u32(); jumps > 0; jumps--) {
    const i = reader.u32();
    cells[i] = before[i] = reader.u32();
  }
}

/** @param {import("./model.js").Model} model @param {Side} side */
function countHeat(model, side) {
  if (side.heat.length !== model.map.length) side.heat = new Float32Array(model.map.length);
  for (let i = 0; i < side.count; i++) {
    const state = side.states[i];
    if (state === WAITING || state === STUCK) side.heat[side.cells[i]]++;
    if (state !== ARRIVED) side.flow++;
  }
}
