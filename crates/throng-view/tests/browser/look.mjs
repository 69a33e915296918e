// Finds text that is clipped, covered by other text, or hard to read. Runs in the page.

/** @returns {string[]} */
export function findFaults() {
  const faults = [];
  const dialog = document.querySelector("dialog[open]");
  const root = dialog ?? document.body;
  const name = (element) => `${element.tagName.toLowerCase()}${element.id ? `#${element.id}` : ""} "${(element.textContent ?? "").trim().slice(0, 30)}"`;
  const parse = (text) => {
    const [r, g, b, a = 1] = (text.match(/[\d.]+/g) ?? ["0", "0", "0", "0"]).map(Number);
    return [r, g, b, a];
  };
  const luminance = ([r, g, b]) => {
    const part = (v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = parse(getComputedStyle(at).backgroundColor);
      if (color[3] > 0.9) return color;
    }
    return [255, 255, 255, 1];
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
  const scrolls = (element) => {
    for (let at = element.parentElement; at; at = at.parentElement) {
      if (["auto", "scroll"].includes(getComputedStyle(at).overflowY) && at.scrollHeight > at.clientHeight + 1) return true;
    }
    return false;
  };
  const texts = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode, element = node.parentElement;
    if (!element || !node.textContent.trim() || ["SCRIPT", "STYLE", "OPTION", "TITLE"].includes(element.tagName)) continue;
    if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const boxes = [...range.getClientRects()].filter((box) => box.width > 1 && box.height > 1);
    if (!boxes.length) continue;
    const style = getComputedStyle(element);
    const [fore, back] = [luminance(parse(style.color)), luminance(ground(element))];
    const contrast = (Math.max(fore, back) + 0.05) / (Math.min(fore, back) + 0.05);
    if (contrast < 4.5) faults.push(`contrast ${contrast.toFixed(2)}: ${name(element)}`);
    const ellipsis = style.textOverflow === "ellipsis" && element.title;
    for (const box of boxes) {
      const shown = visible(element, box);
      const lost = Math.max(shown.left - box.left, box.right - shown.right, 0), below = Math.max(shown.top - box.top, box.bottom - shown.bottom, 0);
      if (shown.right <= shown.left || shown.bottom <= shown.top) {
        if (!scrolls(element)) faults.push(`hidden: ${name(element)}`);
        continue;
      }
      if (lost > 1.5 && !ellipsis) faults.push(`clipped by ${lost.toFixed(1)}: ${name(element)}`);
      if (below > 2.5 && !scrolls(element)) faults.push(`clipped below by ${below.toFixed(1)}: ${name(element)}`);
      texts.push({ element, box: shown, layer: element.closest(".float, #toasts, #side-names, dialog") });
    }
  }
  for (const select of root.querySelectorAll("select, input[type=number]")) {
    if (!select.checkVisibility()) continue;
    const style = getComputedStyle(select);
    const [fore, back] = [luminance(parse(style.color)), luminance(ground(select))];
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
