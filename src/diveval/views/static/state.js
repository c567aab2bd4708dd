/* The state of a page in one object, encoded in the address: Back undoes a change, and a copied address restores it. */
import { begin, soon } from "./base.js";

/** Everything that can be chosen, with its default. Types are checked on reading, since an address may contain anything. */
const DEFAULTS = {
  view: "leaderboard",
  collection: "", // which of the studio's collections
  metrics: [], // the studio's, in order; a report has its own
  chosen: "", // the metric by which systems are sorted, and which topics, sliders and the inspector use
  against: "", // a second metric, to compare the first with
  ascending: false,
  hidden: [], // columns of the leaderboard that are not shown
  pinned: [], // columns that are shown first
  filter: "",
  grouped: false,
  condensed: null, // null: if not all columns would be visible
  topic: "",
  run: "",
  other: "",
  order: "given",
  colour: "value", // of the topics
  p: null,
  e: null, // the point on the map of parameters, if it differs from the chosen metric
  doubts: {}, // the ranges and weights that conclusions vary, if they are not the defaults
  decisions: {}, // a model's labels (the number of a file), and the baseline and margin of a gate
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
 * Change the state and notify the listeners. Each change is one step of Back, except that `gliding` changes (a slider,
 * typing) of the same keys within 0.9 seconds are one step together, and `replace` adds none.
 */
export function set(patch, { replace = false, gliding = false } = {}) {
  const changed = Object.keys(patch).filter((key) => !same(state[key], patch[key]));
  if (!changed.length) return;
  Object.assign(state, patch);
  const keys = changed.join(),
    now = Date.now();
  const again = replace || (gliding && keys === last.keys && now - last.time < 900);
  last = { keys: gliding ? keys : "", time: now };
  if (!again) depth += 1;
  note(again);
  notify(Object.fromEntries(changed.map((key) => [key, state[key]])));
}

function notify(patch) {
  for (const listener of listeners) listener(patch);
}

let waiting = null; // writes the state to the current entry of the history; null if nothing is to be written

/**
 * Browsers limit calls of pushState and replaceState (Safari: 100 in 30 seconds), so quick changes are written when they
 * rest. A delayed write belongs to the entry it was made in: it must happen before another entry is added (`settle`), and
 * must not happen after the user has gone back (`popstate` drops it), or it would overwrite the wrong entry.
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

/** Do a delayed write now. */
function settle() {
  soon("address", null);
  waiting?.();
  waiting = null;
}

let returned = () => {}; // ends the busy mark of an undo, when `popstate` has come

export const undo = () => {
  settle();
  if (depth === 0) return;
  returned();
  returned = begin();
  history.back();
};

/** Defaults of this session for an address without them, e.g. one typed by hand: the open collection, the first metrics. */
const assumed = {};

export function assume(patch) {
  Object.assign(assumed, structuredClone(patch));
}

/** Write the current state to the current entry of the history. */
export function anchor() {
  note(true);
  settle();
}

/**
 * Read the state from the address, then follow Back and Forward. `agree` decides about an address that this page has not
 * written, which another page may have opened: it resolves when the address may be followed.
 */
export function follow(agree = null) {
  Object.assign(state, decoded(location.hash));
  history.replaceState({ depth: 0 }, "", location.href);
  window.addEventListener("popstate", (event) => {
    returned();
    waiting = null; // a delayed write belongs to the entry that was left
    soon("address", null);
    if (agree && !event.state) agree().then(() => arrive({ state: { depth: 0 } }));
    else arrive(event);
  });
  const arrive = (event) => {
    depth = event.state?.depth ?? 0;
    const next = { ...structuredClone(DEFAULTS), ...structuredClone(assumed), ...decoded(location.hash) };
    const changed = Object.keys(next).filter((key) => !same(state[key], next[key]));
    for (const key of changed) state[key] = next[key];
    last = { keys: "", time: 0 };
    document.dispatchEvent(new CustomEvent("undoable", { detail: depth }));
    if (changed.length || !event.state) notify(Object.fromEntries(changed.map((key) => [key, state[key]])));
  };
  window.addEventListener("keydown", (event) => {
    const typing =
      event.target instanceof Element && event.target.matches("input:not([type=range]):not([type=checkbox]), textarea");
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
  const text = ([key, value]) =>
    `${key}=${encodeURIComponent(typeof value === "string" ? value : JSON.stringify(value))}`;
  return [of.view, ...words.map(text)].join("&");
}

/** The state in an address: only known keys with values of the right type. A wrong address must not break the page. */
function decoded(hash) {
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
      /* malformed: ignore it */
    }
  }
  return out;
}

function fits(value, example, key) {
  if (typeof example === "string") return value.length <= 1000;
  if (typeof example === "boolean") return typeof value === "boolean";
  if (key === "condensed") return typeof value === "boolean";
  if (key === "p" || key === "e") return typeof value === "number" && value >= 0 && value <= 1;
  if (Array.isArray(example))
    return (
      Array.isArray(value) &&
      value.length <= 200 &&
      value.every((text) => typeof text === "string" && text.length <= 1000)
    );
  return value === null || (typeof value === "object" && !Array.isArray(value));
}
