/* The sidebar: metrics with their parameters, and options for reading files. The collection has its own file. */
import { app, attempt, catalogue, followed, metric, session } from "./app.js";
import { el, newest, select } from "./base.js";
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
  const list = el(
    "ul",
    { class: "metrics" },
    state.metrics.map((name) =>
      el(
        "li",
        { class: name === metricOf(app) ? "on" : null },
        el(
          "button",
          {
            type: "button",
            class: "pick",
            "aria-pressed": String(name === metricOf(app)),
            title: "Choose " + name,
            onclick: () => set({ chosen: name, ascending: false }),
          },
          name,
        ),
        state.metrics.length > 1
          ? el(
              "button",
              { type: "button", class: "quiet drop", "aria-label": "Leave out " + name, onclick: () => drop(name) },
              "✕",
            )
          : null,
      ),
    ),
  );
  // If a slider has just set the chosen metric, the sliders already show its values: keep them, since replacing a slider
  // would end the user's drag.
  if (sliderMetric === metricOf(app)) return chosen.querySelector(".metrics").replaceWith(list);
  const at = document.activeElement,
    focused = chosen.contains(at) && at.dataset.slider ? `[type=${at.type}][data-slider="${at.dataset.slider}"]` : null;
  sliderMetric = "";
  const box = el("input", {
    id: "add",
    list: "names",
    placeholder: "add a metric, e.g. EU",
    autocomplete: "off",
    spellcheck: "false",
    "aria-label": "Add a metric",
  });
  const form = el(
    "form",
    {
      class: "add",
      onsubmit: (event) => {
        event.preventDefault();
        add(box.value);
      },
    },
    box,
    el("button", { type: "submit" }, "Add"),
  );
  const names = el(
    "datalist",
    { id: "names" },
    [...catalogue.values()].map((entry) => el("option", { value: entry.example }, entry.meaning)),
  );
  chosen.replaceChildren(el("h2", {}, "Metrics"), list, form, names, el("div", { id: "sliders" }));
  return attempt(() => drawSliders(focused));
}

/** Run changes one after the other, since each starts from the state that the one before has left. */
let line = Promise.resolve();

function afterwards(field, work) {
  line = line.then(() => attempt(work, field));
  return line;
}

const add = (text) =>
  afterwards("add", async () => {
    const found = await metric(text.trim());
    await prepare([found.name], state.options);
    set({ metrics: [...new Set([...state.metrics, found.name])], chosen: found.name });
  });

/** Another order needs the runs read again: that takes a moment, with progress, and can be cancelled. */
async function prepare(metrics, options_) {
  if (session.collection)
    await followed(document.getElementById("busy"), "/api/jobs", {
      kind: "prepare",
      metrics,
      options: options_,
      collection: state.collection,
    });
}

function drop(name) {
  const metrics = state.metrics.filter((other) => other !== name);
  set({ metrics, chosen: metrics.includes(state.chosen) ? state.chosen : metrics[0] });
}

let sliderMetric = ""; // the metric whose values the sliders show
let returns = 0; // how often Back or Forward was used
window.addEventListener("popstate", () => {
  returns += 1;
});

async function drawSliders(focused) {
  const name = metricOf(app),
    found = await metric(name);
  if (name !== metricOf(app)) return; // another was chosen meanwhile, and draws its own
  sliderMetric = name;
  const entry = catalogue.get(found.family),
    place = document.getElementById("sliders");
  place.replaceChildren();
  if (!entry) return;
  const values = { ...found.values };
  let cutoff = found.cutoff,
    mine = name;
  const step = newest((before, changed) =>
    attempt(async () => {
      const next = (await metric({ family: found.family, values: { ...values }, cutoff })).name;
      if (returns !== before || !state.metrics.includes(mine)) return; // undone or removed before the answer came
      const metrics = [...new Set(state.metrics.map((other) => (other === mine ? next : other)))],
        chosenNow = metricOf(app) === mine ? next : state.chosen;
      if (place.isConnected) sliderMetric = next; // else other sliders are shown by now
      mine = next;
      set({ metrics, chosen: chosenNow, p: null, e: null }, { gliding: true });
    }, "setting-" + changed),
  );
  const change = (changed) => step(returns, changed);
  const rows = entry.parameters.map((parameter) =>
    parameter.choices.length
      ? [
          select(
            parameter.name,
            parameter.choices,
            String(values[parameter.name]),
            (word) => {
              values[parameter.name] = word;
              change(parameter.name);
            },
            { id: "setting-" + parameter.name },
          ),
          meaning(parameter.meaning),
        ]
      : slider(parameter, values[parameter.name], (value) => {
          values[parameter.name] = value;
          change(parameter.name);
        }),
  );
  if (entry.cutoffs)
    rows.push(
      depthField(cutoff, entry.cutoffs === "needed", (value) => {
        cutoff = value;
        change("cutoff");
      }),
    );
  place.replaceChildren(el("p", { class: "muted small" }, entry.meaning), ...rows.flat());
  if (focused) place.querySelector(focused)?.focus();
}

/** What a setting does, below it. */
const meaning = (text) => el("p", { class: "meaning" }, text);

function slider(parameter, value, change) {
  const top = parameter.high ?? Math.max(0.5, 10 * parameter.default),
    bottom = parameter.low ?? 0;
  const step = top - bottom > 2 ? 0.25 : top - bottom > 0.6 ? 0.01 : 0.005;
  const ends = { min: parameter.open_low ? bottom + step : bottom, max: parameter.open_high ? top - step : top, step };
  const number = el("input", {
    type: "number",
    value,
    placeholder: value,
    step: "any",
    "aria-label": parameter.name + " as a number",
    "data-slider": parameter.name,
    id: "setting-" + parameter.name,
  });
  const range = el("input", {
    type: "range",
    ...ends,
    value,
    "aria-label": `${parameter.name}: ${parameter.meaning}`,
    "data-slider": parameter.name,
  });
  range.addEventListener("input", () => {
    number.value = range.value;
    change(Number(range.value));
  });
  number.addEventListener("change", () => {
    range.value = number.value;
    change(number.value === "" ? parameter.default : Number(number.value));
  });
  return [el("div", { class: "slider" }, el("span", {}, parameter.name), range, number), meaning(parameter.meaning)];
}

function depthField(cutoff, needed, change) {
  const box = el("input", {
    type: "number",
    min: 1,
    step: 1,
    value: cutoff ?? "",
    placeholder: needed ? "20" : "all",
    "aria-label": "cutoff",
    "data-slider": "cutoff",
    id: "setting-cutoff",
  });
  box.addEventListener("change", () =>
    change(box.value === "" ? (needed ? 20 : null) : Math.max(1, Math.round(Number(box.value)))),
  );
  return el(
    "div",
    { class: "slider" },
    el("span", {}, "cutoff"),
    el("span", { class: "muted small" }, needed ? "ranks that count" : "ranks that count; empty: all"),
    box,
  );
}

// --- options -------------------------------------------------------------------------------------------------------

const USUAL = "as usual";

/** A row for an option as the server describes it: a choice of words, or a box for a number. */
function optionRow({ name, label, help, words, kind, default: standard, usual }) {
  const take = (value) =>
    afterwards("option-" + name, async () => {
      const next = { ...state.options };
      if (value === null || value === standard) delete next[name];
      else next[name] = value;
      try {
        await prepare(state.metrics, next);
        set({ options: next });
      } finally {
        drawOptions();
      }
    });
  const now = state.options[name] ?? standard,
    attributes = { id: "option-" + name, title: help };
  if (kind === "bool")
    return select(label, ["yes", "no"], now ? "yes" : "no", (word) => take(word === "yes"), attributes);
  if (kind === "number") return numberRow(label, words, now, standard ?? usual, take, attributes);
  const all = standard === null ? [USUAL, ...words] : words;
  return select(label, all, now ?? USUAL, (word) => take(word === USUAL ? null : word), attributes);
}

function numberRow(label, words, now, placeholder, take, attributes) {
  const list = el(
    "datalist",
    { id: attributes.id + "-words" },
    words.map((word) => el("option", { value: word })),
  );
  const box = el("input", {
    ...attributes,
    list: list.id,
    value: now ?? "",
    placeholder,
    size: 8,
    autocomplete: "off",
  });
  box.addEventListener("change", () => {
    const text = box.value.trim();
    take(text === "" ? null : words.includes(text) || Number.isNaN(Number(text)) ? text : Number(text));
  });
  return el("label", {}, label + " ", box, list);
}

function drawOptions() {
  const open = options.querySelector("details")?.open;
  const rows = session.settings.map((setting) => [optionRow(setting), meaning(setting.help)]);
  options.replaceChildren(
    el("details", { id: "reading", open }, el("summary", {}, el("h2", {}, "How files are read")), rows),
  );
}
