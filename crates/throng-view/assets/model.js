// What the page knows: the map, the crowds after the last tick and the one before, and what the user has chosen.

/** The state numbers of agents. */
export const IDLE = 0, MOVING = 1, WAITING = 2, ARRIVED = 3, STUCK = 4;

/** Columns and rows of each direction. */
export const DX = [0, 1, 1, 1, 0, -1, -1, -1], DY = [-1, -1, 0, 1, 1, 1, 0, -1];

/**
 * @typedef {object} Stats
 * @property {number} tickUs
 * @property {number} units
 * @property {number} arrived
 * @property {number} waiting
 * @property {number} stuck
 * @property {number} waits waits of all agents so far
 * @property {number} agents
 * @property {number} expansions
 */

/** One crowd. */
export class Side {
  constructor() {
    this.count = 0;
    this.rows = new Uint32Array(0);
    this.cells = new Uint32Array(0);
    /** The cells before the last tick. */
    this.before = new Uint32Array(0);
    this.states = new Uint8Array(0);
    /** The direction of the last step. */
    this.headings = new Uint8Array(0);
    /** @type {Map<number, number>} index of each row */
    this.index = new Map();
    /** @type {number[]} cells of foreign units */
    this.units = [];
    /** @type {Stats} */
    this.stats = { tickUs: 0, units: 0, arrived: 0, waiting: 0, stuck: 0, waits: 0, agents: 0, expansions: 0 };
    /** Waits per cell. */
    this.heat = new Float32Array(0);
    /** Sum over ticks of agents that had not arrived: the mean of it is the mean tick of arrival so far. */
    this.flow = 0;
  }

  /**
   * Replaces all agents.
   * @param {Uint32Array} rows
   * @param {Uint32Array} cells
   * @param {Uint8Array} states
   */
  replace(rows, cells, states) {
    const headings = new Uint8Array(rows.length).fill(4);
    const before = cells.slice();
    for (let i = 0; i < rows.length; i++) {
      const known = this.index.get(rows[i]);
      if (known !== undefined) headings[i] = this.headings[known];
    }
    this.count = rows.length;
    Object.assign(this, { rows, cells, before, states, headings });
    this.index = new Map();
    rows.forEach((row, i) => this.index.set(row, i));
  }
}

/** The model of the page. */
export class Model {
  constructor() {
    this.width = 1;
    this.height = 1;
    this.map = new Uint8Array(1);
    /** Counts changes of the whole map. */
    this.mapVersion = 0;
    /** @type {number[]} cells that changed since the map was drawn */
    this.dirty = [];
    /** @type {Side[]} */
    this.sides = [new Side()];
    this.epoch = -1;
    this.tick = 0;
    /** When the last frame came, and the time that it is shown over, in milliseconds. */
    this.arrivedAt = 0;
    this.period = 100;
    /** Counts frames, so that views know when to read the agents again. */
    this.version = 0;
    /** @type {any} the last status of the server */
    this.status = null;
    /** @type {any} what there is to choose from */
    this.catalog = null;
    /** @type {Set<number>} rows of selected agents */
    this.selected = new Set();
    /** @type {{side: number, agent: number} | null} */
    this.chosen = null;
    /** @type {any} what the server says about the chosen agent */
    this.report = null;
    /** Row, column and row of the goal of each selected agent, by side. @type {[number, number, number][][]} */
    this.goals = [];
    /** @type {{side: number, layer: number, marks: Uint32Array}[]} the debug layer of each side */
    this.layers = [];
    this.layerVersion = 0;
    this.layer = "none";
    /** Counts changes of the map, and the tick of the last one. */
    this.edits = 0;
    this.editedAt = 0;
  }

  /** Returns true if an earlier tick is shown: what is known of the present does not fit it. */
  isPast() {
    return Boolean(this.status?.back);
  }

  /** Returns how far the agents are between the last two ticks, from 0 to 1. @param {number} now */
  progress(now) {
    if (this.status && !this.status.playing && now - this.arrivedAt > this.period) return 1;
    return Math.min(Math.max((now - this.arrivedAt) / this.period, 0), 1);
  }

  /** @param {number} cell */
  place(cell) {
    return [cell % this.width, Math.floor(cell / this.width)];
  }

  /** Returns the index of the agent at a position, or -1. @param {number} side @param {number} x @param {number} y @param {number} reach */
  agentAt(side, x, y, reach) {
    const crowd = this.sides[side];
    let best = -1, nearest = reach * reach;
    for (let i = 0; i < crowd.count; i++) {
      const cell = crowd.cells[i];
      const dx = (cell % this.width) + 0.5 - x, dy = Math.floor(cell / this.width) + 0.5 - y;
      const distance = dx * dx + dy * dy;
      if (distance <= nearest) [best, nearest] = [i, distance];
    }
    return best;
  }
}
