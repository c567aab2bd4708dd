/* The state of a page in one object that the address holds: Back takes a change back, a copied address brings it along. */
import { begin, soon } from "./base.js";

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

let waiting = null; // what is to be written to this entry

/**
 * A browser takes a hundred entries in a few seconds and no more: quick repeats are written when they rest. What waits
 * belongs to the entry it was made in, so it is written before another entry is begun or this one is left.
 */
function note(replaced) {
  const written = [{ depth }, "", "#" + encoded()];
  if (replaced) {
    waiting = () => history.replaceState(...written);
    soon("address", settle, 120);
  } else {
    settle();
    history.pushState(...written);
  }
  document.dispatchEvent(new CustomEvent("undoable", { detail: depth }));
}

/** Write to the address what still waits. */
function settle() {
  soon("address", null);
  waiting?.();
  waiting = null;
}

let returned = () => {}; // called when Back has led somewhere

export const undo = () => {
  settle();
  if (depth === 0) return;
  returned();
  returned = begin();
  history.back();
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
    returned();
    waiting = null; // it belongs to the entry that was left
    soon("address", null);
    depth = event.state?.depth ?? 0;
    const next = { ...structuredClone(DEFAULTS), ...structuredClone(assumed), ...decoded(location.hash) };
    const changed = Object.keys(next).filter((key) => !same(state[key], next[key]));
    for (const key of changed) state[key] = next[key];
    last = { keys: "", time: 0 };
    document.dispatchEvent(new CustomEvent("undoable", { detail: depth }));
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
