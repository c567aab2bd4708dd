/* The side: which metrics with which parameters, and how files become rankings. The collection has its own file. */
import { app, attempt, catalogue, familyOf, followed, metric, session } from "./app.js";
import { el, select } from "./base.js";
import { metricOf } from "./choice.js";
import { drawCollection, dropping } from "./collections.js";
import { listen, set, state } from "./state.js";

const chosen = document.getElementById("chosen");
const options = document.getElementById("options");

export function settings() {
  drawCollection();
  drawMetrics();
  drawOptions();
  listen((patch) => {
    if ("metrics" in patch || "chosen" in patch) drawMetrics();
    if ("options" in patch) drawOptions();
  });
  dropping();
  if (matchMedia("(max-width: 860px)").matches) document.getElementById("settings").open = false;
}

// --- metrics -------------------------------------------------------------------------------------------------------

function drawMetrics() {
  const focused = document.activeElement && document.activeElement.dataset && document.activeElement.dataset.slider;
  if (focused && chosen.contains(document.activeElement) && chosen.dataset.family === familyOf(metricOf(app))) return refreshNames();
  const list = state.metrics.map((name) => el("li", { class: name === metricOf(app) ? "on" : null },
    el("button", { type: "button", class: "pick", "aria-pressed": String(name === metricOf(app)), title: "Choose " + name, onclick: () => set({ chosen: name, ascending: false }) }, name),
    state.metrics.length > 1 ? el("button", { type: "button", class: "quiet drop", "aria-label": "Leave out " + name, onclick: () => drop(name) }, "✕") : null));
  const box = el("input", { id: "add", list: "names", placeholder: "add a metric, e.g. EU", autocomplete: "off", spellcheck: "false", "aria-label": "Add a metric" });
  const form = el("form", { class: "add", onsubmit: (event) => { event.preventDefault(); add(box.value); } }, box, el("button", { type: "submit" }, "Add"));
  const names = el("datalist", { id: "names" }, [...catalogue.values()].map((entry) => el("option", { value: entry.example }, entry.meaning)));
  chosen.dataset.family = familyOf(metricOf(app));
  chosen.replaceChildren(el("h3", {}, "Metrics"), el("ul", { class: "metrics" }, list), form, names, el("div", { id: "sliders" }));
  attempt(drawSliders);
}

/** While a slider is held the list keeps its elements and only their names change. */
function refreshNames() {
  const buttons = chosen.querySelectorAll(".metrics .pick");
  state.metrics.forEach((name, i) => { if (buttons[i] && buttons[i].textContent !== name) buttons[i].textContent = name; });
}

async function add(text) {
  const found = await attempt(() => metric(text.trim()));
  if (found && (await prepare([found.name], state.options))) set({ metrics: [...new Set([...state.metrics, found.name])], chosen: found.name });
}

/** Another order means reading the runs again: that takes a moment, shows its progress and can be cancelled. */
async function prepare(metrics, chosenOptions) {
  if (!session.collection) return true;
  return Boolean(await attempt(() => followed(document.getElementById("busy"), "/api/jobs", { kind: "prepare", metrics, options: chosenOptions, collection: state.collection })));
}

function drop(name) {
  const metrics = state.metrics.filter((other) => other !== name);
  set({ metrics, chosen: metrics.includes(state.chosen) ? state.chosen : metrics[0] });
}

async function drawSliders() {
  const found = await metric(metricOf(app));
  const entry = catalogue.get(found.family), place = document.getElementById("sliders");
  if (!entry) return place.replaceChildren();
  const values = { ...found.values };
  let cutoff = found.cutoff;
  const change = () => attempt(async () => {
    const next = await metric({ family: found.family, values, cutoff });
    const metrics = [...new Set(state.metrics.map((name) => (name === metricOf(app) ? next.name : name)))];
    set({ metrics, chosen: next.name, p: null, e: null }, { gliding: true });
  });
  const rows = entry.parameters.map((parameter) => (parameter.choices.length
    ? select(parameter.name, parameter.choices, String(values[parameter.name]), (word) => { values[parameter.name] = word; change(); })
    : slider(parameter, values[parameter.name], (value) => { values[parameter.name] = value; change(); })));
  if (entry.cutoffs) rows.push(depthField(cutoff, entry.cutoffs === "needed", (value) => { cutoff = value; change(); }));
  return place.replaceChildren(el("p", { class: "muted small" }, entry.meaning), ...rows);
}

function slider(parameter, value, change) {
  const top = parameter.high ?? Math.max(0.5, 10 * parameter.default), bottom = parameter.low ?? 0;
  const step = top - bottom > 2 ? 0.25 : top - bottom > 0.6 ? 0.01 : 0.005;
  const ends = { min: parameter.open_low ? bottom + step : bottom, max: parameter.open_high ? top - step : top, step };
  const number = el("input", { type: "number", value, placeholder: value, step: "any", "aria-label": parameter.name + " as a number", "data-slider": parameter.name });
  const range = el("input", { type: "range", ...ends, value, "aria-label": `${parameter.name}: ${parameter.meaning}`, "data-slider": parameter.name });
  range.addEventListener("input", () => { number.value = range.value; change(Number(range.value)); });
  number.addEventListener("change", () => { range.value = number.value; change(number.value === "" ? parameter.default : Number(number.value)); });
  return el("div", { class: "slider", title: parameter.meaning }, el("span", {}, parameter.name), range, number);
}

function depthField(cutoff, needed, change) {
  const box = el("input", { type: "number", min: 1, step: 1, value: cutoff ?? "", placeholder: needed ? "20" : "all", "aria-label": "cutoff", "data-slider": "cutoff" });
  box.addEventListener("change", () => change(box.value === "" ? (needed ? 20 : null) : Math.max(1, Math.round(Number(box.value)))));
  return el("div", { class: "slider" }, el("span", {}, "cutoff"), el("span", { class: "muted small" }, needed ? "ranks" : "empty: all"), box);
}

// --- options -------------------------------------------------------------------------------------------------------

const WORDS = {
  gain: ["Gain of a grade", "exponential"], order: ["Order of a run", "as usual"], ties: ["Equal scores", "docno-desc"],
  duplicates: ["Repeated docs", "as usual"], missing_topics: ["Missing topics", "as usual"],
  empty_topics: ["Empty topics", "as usual"], empty_aspects: ["Empty aspects", "drop"],
};

function drawOptions() {
  const row = ([name, [label, usual]]) => {
    const choices = session.choices[name], all = choices.includes(usual) ? choices : [usual, ...choices];
    return select(label, all, state.options[name] ?? usual, async (word) => {
      const next = { ...state.options };
      if (word === usual) delete next[name];
      else next[name] = word;
      if (await prepare(state.metrics, next)) set({ options: next });
      drawOptions();
    }, { id: "option-" + name });
  };
  options.replaceChildren(el("h3", {}, "Reading"), ...Object.entries(WORDS).map(row));
}
