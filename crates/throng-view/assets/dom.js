// Small helpers for the document.

/**
 * Returns the element with an id, which must be of a type.
 * @template {HTMLElement} T
 * @param {string} id
 * @param {new () => T} type
 * @returns {T}
 */
export function get(id, type) {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`there is no ${type.name} #${id}`);
  return found;
}

/**
 * Makes an element. Properties that begin with `on` are listeners, `class` and names with a dash are attributes.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, any>} [properties]
 * @param {...(Node | string | null | undefined)} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class" || name === "for" || name.includes("-")) element.setAttribute(name, value);
    else /** @type {any} */ (element)[name] = value;
  }
  for (const child of children) if (child !== null && child !== undefined) element.append(child);
  return element;
}

/**
 * Shows a message for some seconds.
 * @param {string} text
 * @param {"info" | "error"} [kind]
 */
export function toast(text, kind = "info") {
  const list = get("toasts", HTMLElement);
  const item = make("div", { class: `toast ${kind}`, role: kind === "error" ? "alert" : "status" }, text);
  list.append(item);
  while (list.children.length > 3) list.firstElementChild?.remove();
  setTimeout(() => item.remove(), kind === "error" ? 9000 : 4000);
}

const thousands = new Intl.NumberFormat("en-US");

/** @param {number} value */
export function count(value) {
  return thousands.format(value);
}

/**
 * Formats microseconds as milliseconds.
 * @param {number} us
 */
export function ms(us) {
  const value = us / 1000;
  return `${value < 10 ? value.toFixed(2) : value.toFixed(1)} ms`;
}

/**
 * Offers bytes as a download.
 * @param {Blob} blob
 * @param {string} name
 */
export function download(blob, name) {
  const link = make("a", { href: URL.createObjectURL(blob), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
