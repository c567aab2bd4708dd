/* A small ranking by hand: drag documents, change relevance, aspects and weights; every metric answers as one drags.
   The state is { aspects: [{name, weight}], list: [document], bench: [document], pinned, preset }, a document is
   { name, relevance: [one number per aspect] }, pinned is another { list, bench, aspects } to compare with. */
import { get, newest, post } from "./api.js";
import { app, attempt, el, fixed } from "./app.js";
import { gather, readPlay } from "./playstate.js";
import { drawTable } from "./playtable.js";
import { across, chart } from "./charts.js";
import { legend } from "./ranking.js";
import { set, state } from "./state.js";

const START = {
  aspects: [{ name: "menu", weight: 0.5 }, { name: "hours", weight: 0.3 }, { name: "offers", weight: 0.2 }],
  list: [
    { name: "A", relevance: [0.5, 0, 0] }, { name: "B", relevance: [0.5, 0, 0] }, { name: "C", relevance: [0, 0.75, 0] },
    { name: "D", relevance: [0, 0, 0] }, { name: "E", relevance: [0.25, 0, 0.5] },
  ],
  bench: [], pinned: null, preset: "",
};

let presets = null;
const EXPECTED = { rises: (d) => d > 1e-12, falls: (d) => d < -1e-12, "does not rise": (d) => d <= 1e-12 };

/** The chosen metrics, then one of every other family of our own, on the whole list. */
function everyMetric() {
  const families = new Set(state.metrics.map((name) => name.split(/[(@]/)[0]));
  const others = [...app.catalogue.values()].filter((entry) => !entry.tool && entry.name !== "Judged" && !families.has(entry.name));
  return [...state.metrics, ...others.map((entry) => (entry.cutoffs === "needed" ? entry.example : entry.example.replace(/@\d+$/, "")))];
}

const answered = { at: null };

export const playground = {
  title: "Playground", needs: false,
  what: "A ranking to play with. Drag a document by its handle, or focus the handle and use the arrow keys; type relevance between 0 and 1. The metrics answer as you go. The situations are the ten constraints: before, after, and what a good metric should do.",
  draw(place) {
    if (!readPlay(state.play, app.session.limits)) state.play = structuredClone(START);
    const situations = el("div", { class: "controls" }), says = el("div", { class: "says" });
    const table = el("div", { class: "play-table" }), curve = el("div", { class: "curve" }), told = el("p", { class: "sum" });
    const values = el("table", { class: "plain", id: "values" }), live = el("div", { class: "visually-hidden", role: "status", "aria-live": "polite" });
    place.append(situations, says, el("div", { class: "play" },
      el("div", { class: "play-left" }, table, el("div", { class: "play-curve" }, el("div", { class: "controls" }, legend()), told, curve)),
      el("div", { class: "scroll" }, values)), live);

    const change = (patch, message) => {
      set({ play: { ...state.play, ...patch } });
      if (message) live.textContent = message;
    };

    const ask = newest(() => attempt(async () => {
      const rankings = [gather(state.play), ...(state.play.pinned ? [gather(state.play.pinned)] : [])];
      const walk = state.chosen.startsWith("RBU") || state.chosen.startsWith("EU(") ? state.chosen : app.session.walk;
      const { results } = await post("/api/playground", { metrics: everyMetric(), rankings, walk });
      answered.at = results;
      drawValues(results);
      await drawWalk(results);
    }));

    function verdict(holds) {
      if (holds === null) return el("td", { class: "verdict" });
      return el("td", { class: "verdict " + (holds ? "yes" : "no"), title: holds ? "as the constraint wants" : "against the constraint" }, holds ? "✓" : "✗");
    }

    function drawValues([now, pinned]) {
      const preset = presets && presets.find((one) => one.key === state.play.preset);
      const row = (name) => {
        const value = now.values[name], before = pinned ? pinned.values[name] : null;
        if (value === null) return el("tr", { "data-metric": name }, ...(pinned ? [el("td", {})] : []), el("td", { title: now.notes[name] }, name), el("td", { class: "n muted", colspan: pinned ? 3 : 1 }, "–"));
        const up = before === null ? null : value - before;
        const sign = up === null ? "" : Math.abs(up) < 1e-12 ? "same" : up > 0 ? "up" : "down";
        const holds = preset && up !== null ? EXPECTED[preset.expected](up) : null;
        return el("tr", { "data-metric": name, class: name === state.chosen ? "on" : null },
          ...(pinned ? [verdict(holds)] : []), el("td", {}, name),
          ...(pinned ? [el("td", { class: "n" }, fixed(before))] : []), el("td", { class: "n now" }, fixed(value)),
          ...(pinned ? [el("td", { class: "n change " + sign }, (up > 0 ? "+" : "") + fixed(up))] : []));
      };
      const words = pinned ? ["", "Metric", "before", "now", "change"] : ["Metric", "value"];
      const text = pinned ? 2 : 1; // columns before the first number
      values.replaceChildren(el("thead", {}, el("tr", {}, words.map((word, i) => el("th", { scope: "col", class: i >= text ? "n" : null }, word)))), el("tbody", {}, Object.keys(now.values).map(row)));
    }

    async function drawWalk([now]) {
      const where = now.stop === 0 ? "not to start at all" : `to stop after rank ${now.stop}`;
      told.replaceChildren(`For ${now.walk} it is best `, el("span", { class: "at" }, where), ".");
      await chart(curve, across(now.curve, now.stop, curve.clientWidth), `Gain, effort and utility by rank; best stop after rank ${now.stop}`);
    }

    function drawSituations() {
      const options = [el("option", { value: "" }, "my own"), ...(presets || []).map((one) => el("option", { value: one.key, selected: one.key === state.play.preset }, `${one.key}: ${one.title}`))];
      const pick = el("select", { id: "preset", onchange: () => usePreset(pick.value) }, options);
      const pinned = state.play.pinned;
      situations.replaceChildren(el("label", {}, "Situation ", pick),
        el("button", { type: "button", id: "pin", onclick: () => change({ pinned: pinned ? null : copyOf(state.play), preset: "" }) }, pinned ? "Stop comparing" : "Keep for comparison"),
        ...(pinned ? [el("button", { type: "button", id: "exchange", onclick: () => change({ ...copyOf(pinned), pinned: copyOf(state.play), preset: "" }) }, "Exchange")] : []),
        el("button", { type: "button", onclick: () => set({ play: structuredClone(START) }) }, "Start again"));
      const one = presets && presets.find((other) => other.key === state.play.preset);
      says.replaceChildren(...(one ? [el("p", {}, el("b", {}, one.says), " ", one.why), el("p", { class: "muted" }, `From before to now the score ${one.expected === "does not rise" ? "must not rise" : one.expected === "rises" ? "must rise" : "must fall"}: ✓ does, ✗ does not.`)] : []));
    }

    const copyOf = ({ aspects, list, bench }) => structuredClone({ aspects, list, bench });

    function usePreset(key) {
      const one = presets.find((other) => other.key === key);
      if (!one) return set({ play: { ...state.play, preset: "", pinned: null } });
      const names = new Map();
      const named = (row, k) => {
        // The same document before and after keeps its letter: documents are told apart by what they say and how often.
        const sign = JSON.stringify([row, k]);
        if (!names.has(sign)) names.set(sign, String.fromCharCode(65 + (names.size % 26)) + (names.size >= 26 ? Math.floor(names.size / 26) : ""));
        return { name: names.get(sign), relevance: [...row] };
      };
      const turned = (ranking) => {
        const seen = new Map();
        const one2 = (row) => {
          const k = seen.get(JSON.stringify(row)) || 0;
          seen.set(JSON.stringify(row), k + 1);
          return named(row, k);
        };
        return { aspects: ranking.weights.map((weight, t) => ({ name: `t${t + 1}`, weight })), list: ranking.relevance.map(one2), bench: ranking.bench.map(one2) };
      };
      const before = turned(one.before);
      return set({ play: { ...turned(one.after), pinned: before, preset: key } });
    }

    return { update(patch) {
      if (presets === null) {
        presets = [];
        attempt(async () => { presets = await get("/api/presets"); drawSituations(); if (answered.at) drawValues(answered.at); });
      }
      drawSituations();
      drawTable(table, change, patch);
      ask();
    } };
  },
};
