/* What if a system had answered otherwise? Every metric says what it makes of it. */
import { app, attempt, el, fixed, follow, id, select } from "./app.js";
import { set, state } from "./state.js";

const EDITS = {
  cut: "cut its list", repeated: "remove repeated documents", redundant: "remove redundant documents", swap: "swap the tops of two systems",
};
const MEANS = {
  cut: "Only the first documents of each topic stay.",
  repeated: "A document that stands twice in a list stays once. (A repeated document counts as not relevant until then.)",
  redundant: "Documents go that are relevant only to aspects some document above covers at least as well.",
  swap: "Each system gets the other’s first documents in front of its own rest; a document stands once.",
};

export const whatif = {
  title: "What-if", needs: true,
  what: "Change what a system returned, on every topic, and see what each metric says about it.",
  draw(place) {
    const controls = el("div", { class: "controls" }), means = el("p", { class: "told" }), working = el("div", { class: "working" }), tables = el("div", { class: "tables" });
    place.append(controls, means, working, tables);
    let stopping = null, waiting = 0;
    const change = (patch) => set({ whatif: { ...state.whatif, ...patch } });

    function drawControls() {
      const { edit, run, other, depth } = state.whatif, { runs } = app.collection;
      const kinds = el("select", { id: "edit", onchange: () => change({ edit: kinds.value }) }, Object.entries(EDITS).map(([name, words]) => el("option", { value: name, selected: name === edit }, words)));
      const box = el("input", { id: "depth", type: "number", min: edit === "swap" ? 1 : 0, max: 1000, value: depth, onchange: () => change({ depth: Math.max(edit === "swap" ? 1 : 0, Math.min(1000, Math.round(Number(box.value) || 0))) }) });
      controls.replaceChildren(
        select("System", runs, run, (name) => change({ run: name }), { id: "whatif-run" }), el("label", {}, "Change ", kinds),
        ...(edit === "swap" ? [select("with", runs, other, (name) => change({ other: name }), { id: "whatif-other" })] : []),
        ...(edit === "swap" || edit === "cut" ? [el("label", {}, edit === "cut" ? "after rank " : "first ", box)] : []));
      means.textContent = MEANS[edit];
    }

    async function refresh() {
      if (stopping) stopping.abort();
      stopping = new AbortController();
      const { edit, run, other, depth } = state.whatif;
      if (edit === "swap" && run === other) return tables.replaceChildren(el("p", { class: "note" }, "Choose two different systems."));
      const body = { kind: "whatif", edit, run, metrics: state.metrics, options: state.options };
      if (edit === "swap") body.other = other;
      if (edit === "swap" || edit === "cut") body.depth = depth;
      const done = await attempt(() => follow(working, "/api/jobs", body, stopping.signal));
      if (!done) return undefined;
      const { removed, runs } = done.result;
      means.textContent = `${MEANS[edit]} ${removed} documents fewer over all topics.`;
      return tables.replaceChildren(...runs.map(table));
    }

    function table({ run, metrics }) {
      const row = ([name, { before, after, rose, fell, same }]) => {
        const up = after - before;
        const sign = Math.abs(up) < 1e-12 ? "same" : up > 0 ? "up" : "down";
        return el("tr", { "data-metric": name }, el("td", {}, name), el("td", { class: "n" }, fixed(before)), el("td", { class: "n" }, fixed(after)),
          el("td", { class: "n change " + sign }, (up > 0 ? "+" : "") + fixed(up)), [rose, fell, same].map((count) => el("td", { class: "n muted" }, String(count))));
      };
      const head = ["Metric", "before", "after", "change", "topics ↑", "↓", "="].map((word, i) => el("th", { scope: "col", class: i ? "n" : null }, word));
      return el("figure", {}, el("figcaption", {}, el("h3", {}, id(run))), el("div", { class: "scroll" }, el("table", { class: "plain" }, el("thead", {}, el("tr", {}, head)), el("tbody", {}, Object.entries(metrics).map(row)))));
    }

    return { update() {
      drawControls();
      clearTimeout(waiting);
      waiting = setTimeout(() => refresh(), 200);
    } };
  },
};
