// Finds text that is clipped, covered by other text, or hard to read. Runs in the page.

/** @returns {string[]} */
export function findFaults() {
  const faults = [];
  const dialog = document.querySelector("dialog[open]");
  const root = dialog ?? document.body;
  const name = (element) => `${element.tagName.toLowerCase()}${element.id ? `#${element.id}` : ""} "${(element.textContent ?? "").trim().slice(0, 30)}"`;
  const parse = (text) => {
    const [r, g, b, a = 1] = (text.match(/[\d.]+/g) ?? ["0", "0", "0", "0"]).map(Number);
    // `color(srgb …)` has parts from 0 to 1.
    return text.startsWith("color(") ? [255 * r, 255 * g, 255 * b, a] : [r, g, b, a];
  };
  const luminance = ([r, g, b]) => {
    const part = (v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  // The colour behind an element: the backgrounds of all that contain it, one over the other.
  const ground = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) {
      const color = parse(getComputedStyle(at).backgroundColor);
      layers.push(color);
      if (color[3] >= 1) break;
    }
    const over = (below, [r, g, b, a]) => [r, g, b].map((part, i) => part * a + below[i] * (1 - a));
    return layers.reverse().reduce(over, [255, 255, 255]);
  };
  const ink = (element) => {
    const style = getComputedStyle(element);
    return parse(element.namespaceURI.endsWith("svg") ? style.fill : style.color);
  };
  // The part of an element that its scrolling ancestors show.
  const visible = (element, box) => {
    let [left, top, right, bottom] = [box.left, box.top, box.right, box.bottom];
    for (let at = element.parentElement; at && at !== document.documentElement; at = at.parentElement) {
      const style = getComputedStyle(at);
      if (style.overflowX === "visible" && style.overflowY === "visible") continue;
      const clip = at.getBoundingClientRect();
      [left, top, right, bottom] = [Math.max(left, clip.left), Math.max(top, clip.top), Math.min(right, clip.right), Math.min(bottom, clip.bottom)];
    }
    return { left, top, right, bottom };
  };
  // Whether an element can be scrolled into view. The root of a document scrolls by itself.
  const scrolls = (element, axis) => {
    const [overflow, all, shown] = axis === "x" ? ["overflowX", "scrollWidth", "clientWidth"] : ["overflowY", "scrollHeight", "clientHeight"];
    for (let at = element.parentElement; at; at = at.parentElement) {
      const has = ["auto", "scroll"].includes(getComputedStyle(at)[overflow]) || at === document.scrollingElement && getComputedStyle(document.body)[overflow] !== "hidden";
      if (has && at[all] > at[shown] + 1) return true;
    }
    return false;
  };
  const texts = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode, element = node.parentElement;
    if (!element || !node.textContent.trim() || ["SCRIPT", "STYLE", "OPTION", "TITLE", "title"].includes(element.tagName)) continue;
    if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const boxes = [...range.getClientRects()].filter((box) => box.width > 1 && box.height > 1);
    if (!boxes.length) continue;
    const style = getComputedStyle(element);
    const [fore, back] = [luminance(ink(element)), luminance(ground(element))];
    const contrast = (Math.max(fore, back) + 0.05) / (Math.min(fore, back) + 0.05);
    if (contrast < 4.5) faults.push(`contrast ${contrast.toFixed(2)}: ${name(element)}`);
    const ellipsis = style.textOverflow === "ellipsis" && element.title;
    for (const box of boxes) {
      const shown = visible(element, box);
      const lost = Math.max(shown.left - box.left, box.right - shown.right, 0), below = Math.max(shown.top - box.top, box.bottom - shown.bottom, 0);
      if (shown.right <= shown.left || shown.bottom <= shown.top) {
        if (!scrolls(element, "x") && !scrolls(element, "y") && !ellipsis) faults.push(`hidden: ${name(element)}`);
        continue;
      }
      if (lost > 1.5 && !ellipsis && !scrolls(element, "x")) faults.push(`clipped by ${lost.toFixed(1)}: ${name(element)}`);
      if (below > 2.5 && !scrolls(element, "y")) faults.push(`clipped below by ${below.toFixed(1)}: ${name(element)}`);
      // Nothing may lie over either end of a text.
      for (const x of [shown.left + 2, shown.right - 2]) {
        const top = document.elementFromPoint(x, (shown.top + shown.bottom) / 2);
        const isOwn = !top || top.contains(element) || element.contains(top) || element.closest("label")?.contains(top);
        if (!isOwn && !element.closest("#side-names, #toasts") && !top.closest(".float, #report, dialog")) faults.push(`covered by ${name(top)}: ${name(element)}`);
      }
      texts.push({ element, box: shown, layer: element.closest(".float, #toasts, #side-names, dialog") });
    }
  }
  for (const select of root.querySelectorAll("select, input[type=number], input[type=search]")) {
    if (!select.checkVisibility()) continue;
    const [fore, back] = [luminance(ink(select)), luminance(ground(select))];
    const contrast = (Math.max(fore, back) + 0.05) / (Math.min(fore, back) + 0.05);
    if (contrast < 4.5) faults.push(`contrast ${contrast.toFixed(2)}: ${select.id}`);
  }
  for (let i = 0; i < texts.length; i++) {
    for (let j = i + 1; j < texts.length; j++) {
      const [a, b] = [texts[i], texts[j]];
      if (a.element === b.element || a.layer !== b.layer) continue;
      const width = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
      const height = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
      if (width > 2 && height > 3) faults.push(`overlap: ${name(a.element)} and ${name(b.element)}`);
    }
  }
  // Floating parts may not cover each other.
  const floats = [...document.querySelectorAll(".float")].filter((element) => element.checkVisibility());
  for (const a of floats) {
    for (const b of floats) {
      if (a === b) continue;
      const [x, y] = [a.getBoundingClientRect(), b.getBoundingClientRect()];
      if (Math.min(x.right, y.right) - Math.max(x.left, y.left) > 1 && Math.min(x.bottom, y.bottom) - Math.max(x.top, y.top) > 1) {
        faults.push(`covered: #${a.id} and #${b.id}`);
      }
    }
  }
  return [...new Set(faults)];
}
