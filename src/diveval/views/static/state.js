/* The state of a page in one object that the address holds: Back takes a change back, a copied address brings it along. */

/** What can be chosen, with what holds until something is. Kinds are checked: anybody may have written an address. */
export const DEFAULTS = {
  view: "leaderboard",
  collection: "", // which of the studio's collections
  metrics: [], // the studio's, in order; a report has its own
  chosen: "", // the metric that is sorted by, and that topics, sliders and the inspector are about
  against: "", // a second metric, to compare the first with
  ascending: false,
  hidden: [], // columns of the leaderboard that are not shown
  pinned: [], // columns that stand first
  filter: "", grouped: false,
  condensed: null, // null: when the columns would not all be seen
  topic: "", run: "", other: "",
  order: "given", colour: "value", // of the topics
  p: null, e: null, // the point on the map of parameters, where it is not the chosen metric's
  doubts: {}, // what conclusions put in doubt, where it is not the usual
  reading: "charitable",
  cell: "", // metric/axiom whose evidence is open
  options: {},
  whatif: {},
  play: null,
};

export const state = structuredClone(DEFAULTS);

const listeners = [];
let last = { keys: "", time: 0 };
let depth = 0;

export function listen(listener) {
  listeners.push(listener);
}

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/**
 * Change the state and tell everybody. Each change is one step back, except that `gliding` changes (a slider, typing) of
 * the same things within a moment are one together, and `replace` adds none.
 */
export function set(patch, { replace = false, gliding = false } = {}) {
  const changed = Object.keys(patch).filter((key) => !same(state[key], patch[key]));
  if (!changed.length) return;
  Object.assign(state, patch);
  const keys = changed.join(), now = Date.now();
  const again = replace || (gliding && keys === last.keys && now - last.time < 900);
  last = { keys: gliding ? keys : "", time: now };
  if (!again) depth += 1;
  note(again);
  tell(Object.fromEntries(changed.map((key) => [key, state[key]])));
}

function tell(patch) {
  for (const listener of listeners) listener(patch);
}

let planned = { timer: 0, write: null };

/**
 * A browser takes a hundred entries in a few seconds and no more: quick repeats are written when they rest. What waits
 * belongs to the entry it was made in, so it is written before another entry is begun or this one is left.
 */
function note(replaced) {
  const written = [{ depth }, "", "#" + encoded()];
  if (replaced) {
    clearTimeout(planned.timer);
    planned = { timer: setTimeout(settle, 120), write: () => history.replaceState(...written) };
  } else {
    settle();
    history.pushState(...written);
  }
  document.dispatchEvent(new CustomEvent("undoable", { detail: depth }));
}

/** Write to the address what still waits. */
function settle() {
  clearTimeout(planned.timer);
  planned.write?.();
  planned = { timer: 0, write: null };
}

export const undo = () => {
  settle();
  if (depth > 0) history.back();
};

/** What holds where an address names nothing, e.g. one typed by hand: the collection that is open, the first metrics. */
const assumed = {};

export function assume(patch) {
  Object.assign(assumed, structuredClone(patch));
}

/** Write the state as it is now to this entry. */
export function anchor() {
  note(true);
  settle();
}

/** Begin with what the address says, then follow Back and Forward. */
export function follow() {
  Object.assign(state, decoded(location.hash));
  history.replaceState({ depth: 0 }, "", location.href);
  window.addEventListener("popstate", (event) => {
    clearTimeout(planned.timer); // it belongs to the entry that was left
    planned = { timer: 0, write: null };
    const before = structuredClone(state);
    depth = event.state?.depth ?? 0;
    Object.assign(state, structuredClone(DEFAULTS), structuredClone(assumed), decoded(location.hash));
    last = { keys: "", time: 0 };
    document.dispatchEvent(new CustomEvent("undoable", { detail: depth }));
    const changed = Object.keys(state).filter((key) => !same(before[key], state[key]));
    if (changed.length || !event.state) tell(Object.fromEntries(changed.map((key) => [key, state[key]])));
  });
  window.addEventListener("keydown", (event) => {
    const typing = event.target instanceof Element && event.target.matches("input:not([type=range]):not([type=checkbox]), textarea");
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z" && !typing) {
      event.preventDefault();
      if (event.shiftKey) history.forward();
      else undo();
    }
  });
}

/** `view&key=value`, only what differs from the defaults; lists and objects as JSON. */
export function encoded(of = state) {
  const words = Object.entries(of).filter(([key, value]) => key !== "view" && !same(value, DEFAULTS[key]));
  const text = ([key, value]) => `${key}=${encodeURIComponent(typeof value === "string" ? value : JSON.stringify(value))}`;
  return [of.view, ...words.map(text)].join("&");
}

/** The state in an address: only what we know, in the kinds we know. Whatever it holds, the page must come up. */
export function decoded(hash) {
  const [view, ...words] = hash.replace(/^#/, "").split("&");
  const out = /^[a-z]+$/.test(view) ? { view } : {};
  for (const word of words) {
    const [key, text = ""] = word.split("=");
    if (!(key in DEFAULTS) || key === "view" || text.length > 100_000) continue;
    try {
      const plain = decodeURIComponent(text);
      const value = typeof DEFAULTS[key] === "string" ? plain : JSON.parse(plain);
      if (fits(value, DEFAULTS[key], key)) out[key] = value;
    } catch {
      /* not one of ours */
    }
  }
  return out;
}

function fits(value, example, key) {
  if (typeof example === "string") return value.length <= 1000;
  if (typeof example === "boolean") return typeof value === "boolean";
  if (key === "condensed") return typeof value === "boolean";
  if (key === "p" || key === "e") return typeof value === "number" && value >= 0 && value <= 1;
  if (Array.isArray(example)) return Array.isArray(value) && value.length <= 200 && value.every((text) => typeof text === "string" && text.length <= 1000);
  return value === null || (typeof value === "object" && !Array.isArray(value));
}
