/* What every view uses: the server's session, scores that are asked for once, and a line for messages. */
import { job, post, Refused } from "./api.js";
import { state } from "./state.js";

export const { el, svg, fixed, heat, parts, id } = diveval;

export const app = { session: null, catalogue: new Map(), collection: null };

/** The answer to a question that was asked before: scores do not change while files and options stay. */
const kept = new Map();
const known = new Map();

export function forget() {
  kept.clear();
}

/** A metric's text read by the server: canonical name, family, values, cutoff. */
export async function metric(text) {
  if (!known.has(text)) {
    const read = await post("/api/metric", { text });
    known.set(text, read);
    known.set(read.name, read);
  }
  return known.get(text);
}

/** Means by metric and run, or values by metric, run and topic; only what is not here yet is asked for. */
export async function scores(metrics, perTopic = false) {
  const key = (name) => JSON.stringify([name, state.options, perTopic]);
  const missing = metrics.filter((name) => !kept.has(key(name)));
  if (missing.length) {
    const answer = await post("/api/scores", { metrics: missing, options: state.options, per_topic: perTopic });
    const table = perTopic ? answer.per_topic : answer.mean;
    for (const name of missing) kept.set(key(name), Object.fromEntries(answer.runs.map((run) => [run, table[run][name]])));
    if (kept.size > 600) for (const old of [...kept.keys()].slice(0, 200)) kept.delete(old);
  }
  return Object.fromEntries(metrics.map((name) => [name, kept.get(key(name))]));
}

let line = 0;

/** One line at the foot of the page; errors stay until the next one, other words go by themselves. */
export function say(message, kind = "") {
  const place = document.getElementById("status");
  clearTimeout(line);
  place.className = kind;
  place.replaceChildren(message);
  if (kind !== "error" && message) line = setTimeout(() => say(""), 2500);
}

/** To the clipboard, where the browser allows it. */
export async function copy(text, done) {
  try {
    await navigator.clipboard.writeText(text);
    say(done);
  } catch {
    say("The browser does not let this page use the clipboard.", "error");
  }
}

/** Run something that may be refused; the visitor is told why. */
export async function attempt(work) {
  try {
    return await work();
  } catch (error) {
    if (error.name === "AbortError") return undefined;
    if (!(error instanceof Refused)) throw error;
    say(error.message, "error");
    return undefined;
  }
}

/** A job with a progress bar and a button that cancels it, shown in `place` if it takes longer than a moment. */
export async function follow(place, path, body, signal) {
  const stopping = new AbortController();
  if (signal) signal.addEventListener("abort", () => stopping.abort());
  const bar = el("progress", { max: 1 }), words = el("span", {});
  const box = el("div", { class: "progress", hidden: true }, bar, words, el("button", { type: "button", onclick: () => stopping.abort() }, "Cancel"));
  const late = setTimeout(() => { box.hidden = false; }, 250);
  place.append(box);
  const progress = (at) => {
    if (at.total) bar.value = at.done / at.total;
    words.textContent = at.what;
  };
  try {
    return await job(path, body, { progress, signal: stopping.signal });
  } finally {
    clearTimeout(late);
    box.remove();
  }
}

/** A text from a list, chosen by the visitor. */
export function select(label, choices, value, change, attributes = {}) {
  const box = el("select", { ...attributes, onchange: () => change(box.value) }, choices.map((choice) => el("option", { value: choice, selected: choice === value }, choice)));
  return el("label", {}, label + " ", box);
}
