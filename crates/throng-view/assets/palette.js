// Colours. Those of agents can be told apart with the common kinds of colour blindness (after Okabe and Ito), and every state
// has a shape of its own besides.

/** @typedef {[number, number, number]} Rgb */

/**
 * @typedef {object} Palette
 * @property {Rgb[]} terrain the colours of terrain, in the order of its numbers
 * @property {Rgb} blocked a wall that was drawn
 * @property {Rgb} outside what surrounds the map
 * @property {Rgb[]} states the colours of agents: no goal, moving, waiting, arrived, stuck
 * @property {Rgb} selected the ring around a selected agent
 * @property {Rgb} unit a foreign unit
 * @property {Rgb} edge the thin edge that parts an agent from its neighbours
 * @property {string} ink lines of the overlay
 * @property {string} halo what separates them from the map
 * @property {Rgb[]} heat from little to much
 * @property {string} text text on charts
 * @property {string} line lines of charts
 */

/** @param {string} hex @returns {Rgb} */
function rgb(hex) {
  return [
    parseInt(hex.slice(1, 3), 16),
    parseInt(hex.slice(3, 5), 16),
    parseInt(hex.slice(5, 7), 16),
  ];
}

/** @type {Palette} */
const light = {
  terrain: ["#f4f1ea", "#dfe8cf", "#cfdcd3", "#a9c9de", "#a8c09a", "#59616d", "#c3c7cd"].map(rgb),
  blocked: rgb("#8a3b2e"),
  outside: rgb("#dfe2e7"),
  states: ["#6f7680", "#0a64ad", "#d98200", "#00875f", "#b8216f"].map(rgb),
  selected: rgb("#101418"),
  unit: rgb("#2b2f36"),
  edge: rgb("#ffffff"),
  ink: "#101418",
  halo: "rgba(255,255,255,0.85)",
  heat: ["#fde9c9", "#f3a35c", "#b3282d"].map(rgb),
  text: "#4a525d",
  line: "#d5d9df",
};

/** @type {Palette} */
const dark = {
  terrain: ["#333d4c", "#314839", "#304646", "#1f4f70", "#41634c", "#11151c", "#0a0c10"].map(rgb),
  blocked: rgb("#b4523f"),
  outside: rgb("#0a0c10"),
  states: ["#98a1ad", "#56b4e9", "#f0ad1e", "#1fbf8f", "#f06aae"].map(rgb),
  selected: rgb("#ffffff"),
  unit: rgb("#d7dce3"),
  edge: rgb("#0b0f15"),
  ink: "#ffffff",
  halo: "rgba(10,12,16,0.85)",
  heat: ["#4a2d18", "#c8622a", "#ffd27a"].map(rgb),
  text: "#a9b2be",
  line: "#323b48",
};

/** Returns the palette of the present theme. */
export function palette() {
  return document.documentElement.dataset.theme === "dark" ? dark : light;
}

/** @param {Rgb} color */
export function css([r, g, b], alpha = 1) {
  return `rgba(${r},${g},${b},${alpha})`;
}

/**
 * Returns the colour of the content of a cell.
 * @param {Palette} colors
 * @param {number} value
 */
export function cellColor(colors, value) {
  return value & 128 ? colors.blocked : colors.terrain[value & 127] ?? colors.outside;
}

/**
 * Returns the colour of a share of heat.
 * @param {Palette} colors
 * @param {number} share from 0 to 1
 * @returns {Rgb}
 */
export function heatColor(colors, share) {
  const at = Math.min(Math.max(share, 0), 1) * (colors.heat.length - 1);
  const low = Math.min(Math.floor(at), colors.heat.length - 2);
  const [one, two] = [colors.heat[low], colors.heat[low + 1]];
  const part = at - low;
  return [
    Math.round(one[0] + (two[0] - one[0]) * part),
    Math.round(one[1] + (two[1] - one[1]) * part),
    Math.round(one[2] + (two[2] - one[2]) * part),
  ];
}

export const STATES = ["no goal", "moving", "waiting", "arrived", "stuck"];
