/* The side: which collection, which metrics with which parameters, and how files become rankings. */
import { get, remove, upload } from "./api.js";
import { app, attempt, el, follow, forget, metric, say, select } from "./app.js";
import { listen, set, state } from "./state.js";

const collection = document.getElementById("collection");
const chosen = document.getElementById("chosen");
const options = document.getElementById("options");

export function settings() {
  drawCollection();
  drawMetrics();
  drawOptions();
  listen((patch) => {
    if ("collection" in patch) drawCollection();
    if ("metrics" in patch || "chosen" in patch) drawMetrics();
  });
  document.addEventListener("dragover", (event) => { if (event.dataTransfer.types.includes("Files")) event.preventDefault(); });
  document.addEventListener("drop", (event) => {
    if (!event.dataTransfer.files.length) return;
    event.preventDefault();
    take([...event.dataTransfer.files]);
  });
  if (matchMedia("(max-width: 860px)").matches) document.getElementById("settings").open = false;
}

// --- collection ----------------------------------------------------------------------------------------------------

/** At the start: the files of the command line, else the built-in collection, so that there is something to see. */
export async function loadFirst() {
  if (!app.collection) await load(app.session.given ? { given: true } : { builtin: true });
}

async function load(sources) {
  const done = await attempt(() => follow(collection, "/api/collection", { ...sources, options: state.options }));
  if (!done) return;
  app.collection = done.result;
  for (const note of done.notes) say(note);
  forget();
  set({ collection: true, ...present() });
}

/** The topic and runs that the state names, where the collection has them; else its first ones. */
export function present() {
  const { runs, topics } = app.collection;
  const keep = (name, list, otherwise) => (list.includes(name) ? name : otherwise);
  const second = runs[1] || runs[0];
  return {
    topic: keep(state.topic, topics, topics[0]), run: keep(state.run, runs, runs[0]), other: keep(state.other, runs, second),
    whatif: { ...state.whatif, run: keep(state.whatif.run, runs, runs[0]), other: keep(state.whatif.other, runs, second) },
  };
}

function drawCollection() {
  const found = app.collection;
  const about = found
    ? [el("p", { class: "big" }, found.name), el("p", { class: "muted" }, `${found.runs.length} runs, ${found.topics.length} topics, up to ${found.aspects} aspects`)]
    : [el("p", { class: "muted" }, "Nothing loaded yet.")];
  const pick = el("input", { type: "file", multiple: true, class: "hidden", id: "pick", onchange: () => take([...pick.files]) });
  collection.replaceChildren(
    el("h3", {}, "Collection"), ...about,
    el("div", { class: "buttons" },
      el("button", { type: "button", onclick: () => load({ builtin: true }) }, "Built-in"),
      app.session.given ? el("button", { type: "button", onclick: () => load({ given: true }) }, "As given") : null,
      el("button", { type: "button", onclick: () => pick.click() }, "Open files…"), pick),
    el("p", { class: "muted small" }, "or drop judgments and runs anywhere on the page"));
}

/** Files that were dropped or picked: upload, guess what each is by its name, let the visitor correct, load. */
async function take(files) {
  const kept = [];
  for (const [i, file] of files.entries()) {
    say(`Taking ${file.name} (${i + 1} of ${files.length})`);
    if (file.size > app.session.limits.upload) {
      say(`${file.name} is larger than ${app.session.limits.upload} bytes; give it on the command line.`, "error");
      continue;
    }
    const known = await attempt(() => upload(file));
    if (known) kept.push(known);
  }
  if (kept.length) chooseRoles(await get("/api/files"));
}

const guess = (name) => (/weight|iprob/i.test(name) ? "weights" : /qrel|judg|rel[_-]/i.test(name) ? "judgments" : "run");

function chooseRoles(files) {
  const roles = new Map(files.map((file) => [file.id, guess(file.name)]));
  const rows = files.map((file) => el("tr", {},
    el("td", {}, el("span", { class: "id" }, file.name)),
    el("td", {}, select("", ["judgments", "run", "weights", "leave out"], roles.get(file.id), (role) => roles.set(file.id, role), { "aria-label": "what " + file.name + " is" })),
    el("td", {}, file.uploaded ? el("button", { type: "button", class: "quiet", "aria-label": "remove " + file.name, onclick: async () => { await attempt(() => remove("/api/files/" + file.id)); chooseRoles(await get("/api/files")); } }, "✕") : null)));
  const of = (role) => [...roles].filter(([, chosenRole]) => chosenRole === role).map(([number]) => number);
  const go = () => {
    if (of("judgments").length !== 1) return say("Say which one file holds the judgments.", "error");
    if (!of("run").length) return say("Say which files are runs.", "error");
    return load({ judgments: of("judgments")[0], runs: of("run"), weights: of("weights")[0] ?? null });
  };
  drawCollection();
  if (rows.length) collection.append(el("table", { class: "files" }, el("tbody", {}, rows)), el("button", { type: "button", class: "primary", id: "load", onclick: go }, "Load these"));
}

// --- metrics -------------------------------------------------------------------------------------------------------

function drawMetrics() {
  const focused = document.activeElement && document.activeElement.dataset && document.activeElement.dataset.slider;
  if (focused && chosen.contains(document.activeElement) && chosen.dataset.family === familyOf(state.chosen)) return refreshNames();
  const list = state.metrics.map((name) => el("li", { class: name === state.chosen ? "on" : null },
    el("button", { type: "button", class: "pick", "aria-pressed": String(name === state.chosen), title: "Choose " + name, onclick: () => set({ chosen: name, sort: { metric: name, ascending: false } }) }, name),
    state.metrics.length > 1 ? el("button", { type: "button", class: "quiet drop", "aria-label": "Leave out " + name, onclick: () => drop(name) }, "✕") : null));
  const box = el("input", { id: "add", list: "names", placeholder: "add a metric, e.g. EU", autocomplete: "off", spellcheck: "false", "aria-label": "Add a metric" });
  const form = el("form", { class: "add", onsubmit: (event) => { event.preventDefault(); add(box.value); } }, box, el("button", { type: "submit" }, "Add"));
  const names = el("datalist", { id: "names" }, [...app.catalogue.values()].map((entry) => el("option", { value: entry.example }, entry.meaning)));
  chosen.dataset.family = familyOf(state.chosen);
  chosen.replaceChildren(el("h3", {}, "Metrics"), el("ul", { class: "metrics" }, list), form, names, el("div", { id: "sliders" }));
  attempt(drawSliders);
}

const familyOf = (name) => name.split(/[(@]/)[0];

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
  if (!app.collection) return true;
  return Boolean(await attempt(() => follow(collection, "/api/jobs", { kind: "prepare", metrics, options: chosenOptions })));
}

function drop(name) {
  const metrics = state.metrics.filter((other) => other !== name);
  const next = metrics.includes(state.chosen) ? state.chosen : metrics[0];
  set({ metrics, chosen: next, sort: metrics.includes(state.sort.metric) ? state.sort : { metric: next, ascending: false } });
}

/** The canonical text of a setting is the server's business; this is a text it will read. */
function written(found, values, cutoff) {
  const entry = app.catalogue.get(found.family);
  const said = entry.parameters.map((parameter) => `${parameter.name}=${values[parameter.name]}`).join(",");
  const depth = cutoff ? (found.family.startsWith("trec_eval.") ? `_${cutoff}` : `@${cutoff}`) : "";
  const setting = said ? `(${said})` : "";
  return found.family.startsWith("trec_eval.") ? found.family + depth + setting : found.family + setting + depth;
}

async function drawSliders() {
  const found = await metric(state.chosen);
  const entry = app.catalogue.get(found.family), place = document.getElementById("sliders");
  if (!entry) return place.replaceChildren();
  const values = { ...found.values };
  let cutoff = found.cutoff;
  const change = () => attempt(async () => {
    const next = await metric(written(found, values, cutoff));
    const metrics = [...new Set(state.metrics.map((name) => (name === state.chosen ? next.name : name)))];
    set({ metrics, chosen: next.name, sort: state.sort.metric === state.chosen ? { ...state.sort, metric: next.name } : state.sort });
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
  const number = el("input", { type: "number", value, step: "any", "aria-label": parameter.name + " as a number", "data-slider": parameter.name });
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
    const choices = app.session.choices[name], all = choices.includes(usual) ? choices : [usual, ...choices];
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
