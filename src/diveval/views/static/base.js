/* Small tools every view uses. Ids are untrusted: they reach the page as text nodes and attributes only. */

function assign(element, attributes) {
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "style")
      for (const [property, text] of Object.entries(value)) element.style.setProperty(property, text);
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  return element;
}

const present = (children) =>
  children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);

/** An element with attributes and children; a string child becomes a text node, never markup. */
export function el(name, attributes, ...children) {
  const element = assign(document.createElement(name), attributes);
  element.append(...present(children));
  return element;
}

export function svg(name, attributes, ...children) {
  const element = assign(document.createElementNS("http://www.w3.org/2000/svg", name), attributes);
  element.append(...present(children));
  return element;
}

export const $ = (id) => document.getElementById(id);

export const fixed = (value, digits = 4) =>
  value === null || value === undefined || !Number.isFinite(value)
    ? "–"
    : value.toFixed(digits).replace(/^-(0(\.0*)?)$/, "$1");

/** A count: 4,950. */
export const whole = (number) => number.toLocaleString("en");

/** `1 system`, `2 systems`. */
export const countOf = (number, one) => `${whole(number)} ${one}${number === 1 ? "" : "s"}`;

/** An id in its own font; if it is shortened, the tooltip has all of it. */
export const id = (text, short = text) => el("span", { class: "id", "data-tip": short === text ? null : text }, short);

/** Short names of metrics: with parameters only where two would be the same. */
export function shortMetrics(app, names) {
  const short = names.map((name) => app.heading(name)[0]);
  return new Map(
    names.map((name, i) => [name, short.filter((other) => other === short[i]).length > 1 ? name : short[i]]),
  );
}

/** A metric by its short name; the tooltip and saved tables have the whole one. */
export const metricName = (name, short) =>
  el("span", { "data-tip": short === name ? null : name, "data-value": name }, short ?? name);

/** A name of at most `keep` characters: cut in the middle, since ids differ at their ends. */
export const cut = (name, keep) =>
  name.length <= keep
    ? name
    : name.slice(0, Math.ceil((keep - 1) / 3)) + "…" + name.slice(-Math.floor(((keep - 1) * 2) / 3));

/** Names of about `most` characters, all different: cut in the middle, where names differ least. */
export function shortened(names, most) {
  const out = names.map((name) => cut(name, most));
  return out.map((short, i) => {
    if (out.indexOf(short) === i && out.lastIndexOf(short) === i) return short;
    for (let keep = most + 4; keep < names[i].length; keep += 4) {
      const longer = cut(names[i], keep);
      if (names.filter((name) => cut(name, keep) === longer).length === 1) return longer;
    }
    return names[i];
  });
}

/** Pixels for the longest of some names in a picture, in the widest of the common fonts. */
export const room = (names) => Math.ceil(7.4 * Math.max(0, ...names.map((name) => name.length)));

/** A choice from a list; `choices` are texts or [value, text]. */
export function select(label, choices, value, change, attributes = {}) {
  const pairs = choices.map((choice) => (Array.isArray(choice) ? choice : [choice, choice]));
  const options = pairs.map(([key, text]) =>
    el("option", { value: key, selected: String(key) === String(value) }, text),
  );
  const box = el("select", { ...attributes, onchange: () => change(box.value) }, options);
  return label === "" ? box : el("label", {}, label + " ", box);
}

export function button(text, act, attributes = {}) {
  return el("button", { type: "button", onclick: act, ...attributes }, text);
}

export const notes = (texts) =>
  el(
    "div",
    { class: "notes" },
    texts.filter(Boolean).map((text) => el("p", {}, text)),
  );

/** Copy to the clipboard; browsers refuse that to files from disk, where a selected text area is copied instead. */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = el("textarea", { style: { position: "fixed", opacity: "0" } });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

let works = 0;

function count(by) {
  works += by;
  if (works === Math.max(0, by)) document.body.setAttribute("aria-busy", String(works > 0));
  if (works === 0) idle.splice(0).forEach((work) => work());
}

const idle = [];

/** Do something when nothing is being computed or drawn any more, at once if nothing is. */
export function whenIdle(work) {
  if (works === 0) work();
  else idle.push(work);
}

/** Mark the page as busy (aria-busy) until the returned function is called; nested calls are counted. Tests wait for it. */
export function begin() {
  let over = false;
  count(1);
  return () => {
    if (!over) count(-1);
    over = true;
  };
}

/** Of many calls in a row only the newest matters: one runs, one waits, those between are dropped. Without it a slider
 * would queue a request for each of its steps, and answers could arrive in another order. */
export function newest(work) {
  let busy = false,
    waiting = null;
  return async function ask(...words) {
    if (busy) {
      waiting = words;
      return;
    }
    busy = true;
    const end = begin();
    try {
      await work(...words);
    } finally {
      busy = false;
      if (waiting) {
        const next = waiting;
        waiting = null;
        ask(...next);
      }
      end();
    }
  };
}

const planned = new Map();

/** Debounce: run `work` after `wait` milliseconds, unless another call with the same name replaces it; null cancels. */
export function soon(name, work, wait = 0) {
  clearTimeout(planned.get(name)?.timer);
  planned.get(name)?.end();
  planned.delete(name);
  if (!work) return;
  const end = begin();
  const timer = setTimeout(async () => {
    planned.delete(name);
    try {
      await work();
    } finally {
      end();
    }
  }, wait);
  planned.set(name, { timer, end });
}
