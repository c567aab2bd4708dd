/* A small ranking made by hand: drag documents, change relevance, aspects and weights; every metric is updated at once.
   The state is { aspects: [{name, weight}], list: [document], bench: [document], pinned, preset }, a document is
   { name, relevance: [one number per aspect] }, pinned is another { list, bench, aspects } to compare with. */
import { get, job } from "./api.js";
import { attempt, catalogue, familyOf, followed, metric, say, session } from "./app.js";
import { el, fixed, metricName, newest, svg } from "./base.js";
import { playCurve, playValues } from "./playscore.js";
import { found, gather, playSituation, readPlay, remember } from "./playstate.js";
import { drawTable } from "./playtable.js";
import { acrossAxis, linear, path, picture, ticks, words } from "./plot.js";
import { curveLegend, reach } from "./ranking.js";
import { saving } from "./save.js";
import { set, state } from "./state.js";
import { behind, textOf } from "./table.js";

const START = {
  aspects: [
    { name: "menu", weight: 0.5 },
    { name: "hours", weight: 0.3 },
    { name: "offers", weight: 0.2 },
  ],
  list: [
    { name: "A", relevance: [0.5, 0, 0] },
    { name: "B", relevance: [0.5, 0, 0] },
    { name: "C", relevance: [0, 0.75, 0] },
    { name: "D", relevance: [0, 0, 0] },
    { name: "E", relevance: [0.25, 0, 0.5] },
  ],
  bench: [],
  pinned: null,
  preset: "",
  says: "",
  wants: "",
};

const FIND = "find";
const OWN = { preset: "", says: "", wants: "" }; // what remains of a situation once it is edited
let presets = [];

/** Constraints of the form “for a large enough n”: a metric that misses it at this n may still satisfy them. */
const THRESHOLDS = ["DeepTh", "CloseTh"];

/** What a constraint can require of the score, from before to now. */
const WANTS = {
  rises: { words: "must rise", holds: (d) => d > 1e-12 },
  falls: { words: "must fall", holds: (d) => d < -1e-12 },
  "does not rise": { words: "must not rise", holds: (d) => d <= 1e-12 },
  "does not fall": { words: "must not fall", holds: (d) => d >= -1e-12 },
};

/** The chosen metrics, then one of every other family of our own that the page computes, on the whole list. */
async function everyMetric() {
  const chosen = await Promise.all(state.metrics.map(metric)),
    families = new Set(chosen.map((one) => one.family));
  const others = [...catalogue.values()].filter((entry) => entry.parts && !entry.tool && !families.has(entry.name));
  const every = [...chosen, ...others.map(({ whole, parts, name }) => ({ name: whole, parts, heading: [name] }))];
  shorten(every);
  return every;
}

const short = new Map(),
  cutoffs = new Map();

/** Keep the names without parameters, where two metrics would not have the same, and the cutoffs of those that have one. */
function shorten(metrics) {
  const heads = metrics.map(({ heading }) => heading[0]);
  for (const { name, cutoff } of metrics) if (cutoff) cutoffs.set(name, cutoff);
  for (const [i, { name }] of metrics.entries())
    short.set(name, heads.filter((head) => head === heads[i]).length > 1 ? name : heads[i]);
}

/** Values and notes of the metrics that only Python computes: the best possible list, other tools', functions in files. */
async function askServer(rankings, metrics) {
  const body = { metrics: metrics.map(({ name }) => name), rankings, wait: 1 };
  return (await job("/api/playground", body)).result.results;
}

/** Gain, effort and utility across the ranks of a short list. */
function across(curve, stop, width) {
  const ranks = curve.utility.length,
    points = curve.utility.map((_, i) => ({ gain: curve.gain[i], effort: curve.effort[i], utility: curve.utility[i] }));
  const HIGH = 180,
    x = linear([0, Math.max(1, ranks)], [34, width - 10]),
    y = linear(reach([points]), [HIGH - 24, 10]);
  const line = (series) =>
    svg("path", {
      class: "series " + series,
      d: path([[x(0), y(0)], ...points.map((point, i) => [x(i + 1), y(point[series])])]),
    });
  return picture(
    width,
    HIGH,
    `Gain, effort and utility by rank; best stop after rank ${stop}`,
    svg("line", { class: "rule", x1: x(0), x2: width, y1: y(0), y2: y(0) }),
    acrossAxis(x, HIGH - 22, { count: Math.min(10, ranks || 1) }),
    ticks(y.domain, 4).map((value) => words(String(value), 30, y(value) + 4, { class: "tick", "text-anchor": "end" })),
    words("rank", 28, HIGH - 7, { class: "tick", "text-anchor": "end" }),
    ["gain", "effort", "utility"].map(line),
    svg("line", { class: "stop", x1: x(stop), x2: x(stop), y1: 6, y2: HIGH - 22 }),
  );
}

export const playground = {
  name: "playground",
  title: "Playground",
  needs: false,
  what:
    "A ranking to experiment with. " +
    "Drag a document by its handle, or focus the handle and use the arrow keys; type relevance between 0 and 1. " +
    "The metrics are updated as you go. " +
    "The situations are the ten constraints: before, after, and what a good metric should do.",
  draw(place) {
    if (!readPlay(state.play, session.limits)) state.play = structuredClone(START);
    const situations = el("div", { class: "controls" }),
      says = el("div", { class: "says" });
    const table = el("div", { class: "play-table" }),
      curve = el("div", { class: "curve" }),
      bestStop = el("p", { class: "sum" });
    const values = el("table", { class: "plain", id: "values" }),
      live = el("div", { class: "visually-hidden", role: "status", "aria-live": "polite" });
    place.append(
      situations,
      says,
      el(
        "div",
        { class: "play" },
        el(
          "div",
          { class: "play-left" },
          table,
          el("div", { class: "play-curve" }, el("div", { class: "controls" }, curveLegend()), bestStop, curve),
        ),
        el("div", { class: "scroll" }, values),
      ),
      live,
    );

    const change = (patch, message) => {
      set({ play: { ...state.play, ...OWN, ...patch } }, { gliding: true });
      if (message) live.textContent = message;
    };

    const ask = newest(() =>
      attempt(async () => {
        const rankings = [gather(state.play), ...(state.play.pinned ? [gather(state.play.pinned)] : [])];
        const metrics = await everyMetric(),
          results = rankings.map((ranking) => playValues(ranking, metrics)),
          others = metrics.filter(({ parts }) => !parts);
        drawValues(results);
        drawWalk(
          playCurve(
            rankings[0],
            await metric(["RBU", "EU"].includes(familyOf(state.chosen)) ? state.chosen : session.walk),
          ),
        );
        if (!others.length) return;
        const answers = await askServer(rankings, others);
        answers.forEach(({ values, notes }, i) => {
          Object.assign(results[i].values, values);
          Object.assign(results[i].notes, notes);
        });
        drawValues(results);
      }),
    );

    /** Whether one example can refute the constraint of the situation. */
    const refutes = () => !THRESHOLDS.includes(state.play.preset.split(" ").pop());

    /** Whether a metric scores both lists to their ends, without which the constraint says nothing of them. */
    function isWhole(name) {
      const longest = Math.max(state.play.list.length, state.play.pinned?.list.length ?? 0);
      return !(cutoffs.get(name) < longest) || state.play.preset.startsWith(name + " ");
    }

    function verdict(holds) {
      if (holds === null) return el("td", { class: "verdict" });
      return el(
        "td",
        { class: "verdict " + (holds ? "yes" : "no") },
        holds ? "✓" : "✗",
        el("small", {}, holds || !refutes() ? " here" : " refuted"),
      );
    }

    function drawValues([now, pinned]) {
      const wanted = WANTS[state.play.wants];
      const row = (name) => {
        const value = now.values[name],
          before = pinned ? pinned.values[name] : null;
        if (value === null)
          return el(
            "tr",
            { "data-metric": name },
            ...(pinned ? [el("td", {})] : []),
            el("td", { "data-value": name, "data-tip": now.notes[name] }, short.get(name)),
            el("td", { class: "n muted", colspan: pinned ? 3 : 1 }, "–"),
          );
        const up = before === null ? null : value - before;
        const sign = up === null ? "" : Math.abs(up) < 1e-12 ? "same" : up > 0 ? "up" : "down";
        const holds = wanted && up !== null && isWhole(name) ? wanted.holds(up) : null,
          tone = holds === null ? sign : holds ? "kept" : "broken"; // the colour agrees with the mark beside it
        return el(
          "tr",
          { "data-metric": name, class: name === state.chosen ? "on" : null },
          ...(pinned ? [verdict(holds)] : []),
          el("td", { "data-value": name }, metricName(name, short.get(name))),
          ...(pinned ? [el("td", { class: "n" }, fixed(before))] : []),
          el("td", { class: "n now" }, fixed(value)),
          ...(pinned ? [el("td", { class: "n change " + tone }, (up > 0 ? "+" : "") + fixed(up))] : []),
        );
      };
      const heads = pinned ? ["", "Metric", "before", "now", "change"] : ["Metric", "value"];
      const text = pinned ? 2 : 1; // columns before the first number
      values.classList.toggle("compared", Boolean(pinned));
      values.replaceChildren(
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            heads.map((word, i) =>
              word ? el("th", { scope: "col", class: i >= text ? "n" : null }, word) : el("td", {}),
            ),
          ),
        ),
        el("tbody", {}, Object.keys(now.values).map(row)),
      );
    }

    function drawWalk(now) {
      const where = now.stop === 0 ? "no prefix has positive utility" : `utility is highest after rank ${now.stop}`;
      bestStop.replaceChildren(`By ${now.walk}, `, el("span", { class: "at" }, where), ".");
      const { gain, effort, utility } = now.curve;
      curve.replaceChildren(
        across(now.curve, now.stop, Math.max(240, curve.clientWidth)),
        behind(
          ["rank", "gain", "effort", "utility"],
          utility.map((_, i) => [String(i + 1), fixed(gain[i]), fixed(effort[i]), fixed(utility[i])]),
        ),
      );
    }

    function drawSituations() {
      const option = (one) => el("option", { value: one.key, selected: one.key === state.play.preset }, one.title);
      const pick = el(
        "select",
        { id: "preset", onchange: () => usePreset(pick.value) },
        el("option", { value: "" }, "my own"),
        el("optgroup", { label: "Constraints" }, presets.map(option)),
        el(
          "optgroup",
          { label: "Counterexamples" },
          found.map(option),
          el("option", { value: FIND }, "find those of my metrics…"),
        ),
      );
      const pinned = state.play.pinned;
      situations.replaceChildren(
        el("label", {}, "Situation ", pick),
        el(
          "button",
          { type: "button", id: "pin", onclick: () => change({ pinned: pinned ? null : copyOf(state.play) }) },
          pinned ? "Stop comparing" : "Keep for comparison",
        ),
        saving("playground", values, async () => textOf(values)),
        ...(pinned
          ? [
              el(
                "button",
                {
                  type: "button",
                  id: "exchange",
                  onclick: () => change({ ...copyOf(pinned), pinned: copyOf(state.play) }),
                },
                "Exchange",
              ),
            ]
          : []),
        el("button", { type: "button", onclick: () => set({ play: structuredClone(START) }) }, "Start again"),
      );
      const { says: text, wants } = state.play;
      says.replaceChildren(
        ...(text ? [el("p", {}, text)] : []),
        ...(WANTS[wants]
          ? [
              el(
                "p",
                { class: "muted" },
                `From before to now the score ${WANTS[wants].words}. “✓ here”: it does in this one example, which proves nothing about others. ${refutes() ? "“✗ refuted”: it does not, and one example is enough to refute the constraint" : "“✗ here”: it does not, which refutes nothing, since the constraint may hold for another number of documents"}. A metric whose cutoff is above the end of a list has no mark. `,
                session.collection
                  ? el("a", { href: "#axioms", onclick: openAxioms }, "Which metrics are proved to satisfy it?")
                  : null,
              ),
            ]
          : []),
      );
    }

    function openAxioms(event) {
      event.preventDefault();
      set({ view: "axioms" });
    }

    const copyOf = ({ aspects, list, bench }) => structuredClone({ aspects, list, bench });

    function usePreset(key) {
      if (key === FIND) return attempt(search);
      const one = [...presets, ...found].find((other) => other.key === key);
      return set({ play: one ? playSituation(one) : { ...state.play, ...OWN, pinned: null } });
    }

    /** Ask the axiom engine for counterexamples; it takes a few seconds, with progress, and can be cancelled. */
    async function search() {
      const done = await followed(situations, "/api/axioms", { metrics: state.metrics, reading: state.reading });
      remember(done.result.rows);
      drawSituations();
      say(`${found.length} counterexamples: choose one from the list.`);
    }

    return {
      update(patch) {
        if ("theme" in patch) return;
        if (!presets.length)
          attempt(async () => {
            presets = await get("/api/presets");
            drawSituations();
          });
        drawSituations();
        drawTable(table, change, patch);
        ask();
      },
    };
  },
};
