// Keyboard shortcuts.

/** What each key does; the help lists them. */
export const KEYS = [
  ["Space", "play or pause"],
  ["→ and ←", "one tick forward or back"],
  ["+ and −", "zoom"],
  ["0", "show the whole map"],
  ["V", "select agents: drag a box, click one"],
  ["H", "move the map (or drag with the middle button)"],
  ["W, E, T", "draw walls, erase, draw terrain"],
  ["A, U", "add agents, add or remove foreign units"],
  ["[ and ]", "smaller or larger brush"],
  ["Ctrl+Z", "take back the last stroke"],
  ["Right click", "send the selection; with Shift after its present goal"],
  ["X, Delete", "halt or remove the selection"],
  ["Esc", "drop the selection"],
  ["R", "restart with the same seed"],
  ["1 to 4", "watch, crowd, path, results"],
  ["L", "light or dark"],
  ["?", "this list"],
];

/**
 * Listens to keys.
 * @param {Record<string, () => void>} actions by key
 */
export function listen(actions) {
  document.addEventListener("keydown", (event) => {
    const target = event.target;
    const isTyping = target instanceof HTMLElement && target.matches("input:not([type=range]):not([type=checkbox]), select, textarea");
    if (isTyping || event.altKey) return;
    if (document.querySelector("dialog[open]") && event.key !== "?") return;
    const isButton = target instanceof HTMLElement && target.matches("button, summary, a, input");
    if (isButton && (event.key === " " || event.key === "Enter" || (target.matches("input") && event.key.startsWith("Arrow")))) return;
    const control = event.ctrlKey || event.metaKey ? "ctrl+" : "";
    const action = actions[control + (event.key.length === 1 ? event.key.toLowerCase() : event.key)];
    if (!action) return;
    event.preventDefault();
    action();
  });
}
