/* Systems × metrics, sortable; the metric sorted by also shows intervals and significance letters, which follow. */
import { app, attempt, copy, el, fixed, follow, id, parts, scores, svg } from "./app.js";
import { newest, post } from "./api.js";
import { set, state } from "./state.js";

export const leaderboard = {
  title: "Leaderboard", needs: true,
  what: "The mean of each metric over the topics. For the metric sorted by, a line across the bar is the 95 % interval, and systems that share a letter are not significantly different.",
  draw(place) {
    const table = el("table", { id: "board" }), working = el("div", { class: "working" }), notes = el("div", { class: "notes" });
    place.append(el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Leaderboard table" }, table), working, notes,
      el("div", { class: "buttons" }, ["csv", "latex"].map((format) => el("button", { type: "button", onclick: () => copyAs(format) }, `Copy as ${format === "csv" ? "CSV" : "LaTeX"}`))));
    let means = null, sure = null, waiting = 0, stopping = null;

    const refresh = newest(() => attempt(async () => {
      means = await scores(state.metrics);
      if (sure && (sure.metric !== state.sort.metric || sure.options !== JSON.stringify(state.options))) sure = null;
      draw();
      clearTimeout(waiting);
      if (!sure) waiting = setTimeout(surer, 350);
    }));

    /** Letters need every pair of systems compared: they come when the slider rests. */
    async function surer() {
      if (stopping) stopping.abort();
      stopping = new AbortController();
      const options = JSON.stringify(state.options), metric = state.sort.metric;
      const done = await attempt(() => follow(working, "/api/jobs", { kind: "leaderboard", metric, options: state.options }, stopping.signal));
      if (!done || metric !== state.sort.metric) return;
      sure = { metric, options, rows: new Map(done.result.rows.map((row) => [row.run, row])) };
      draw();
      notes.replaceChildren(...done.notes.map((note) => el("p", {}, note)));
    }

    const copyAs = (format) => attempt(async () => {
      const { text } = await post("/api/scores", { metrics: state.metrics, options: state.options, per_topic: format === "csv", format });
      await copy(text, "Copied.");
    });

    function order() {
      const values = means[state.sort.metric];
      const names = (a, b) => (a < b ? -1 : 1);
      const runs = [...app.collection.runs].sort((a, b) => (values ? values[b] - values[a] : 0) || names(a, b));
      return state.sort.ascending ? runs.reverse() : runs;
    }

    function heading(metric) {
      const active = state.sort.metric === metric, [name, setting] = parts(metric);
      const direction = active && (state.sort.ascending ? "ascending" : "descending");
      const sort = () => set({ chosen: metric, sort: { metric, ascending: active && !state.sort.ascending } });
      return el("th", { scope: "col", "aria-sort": direction }, el("button", { type: "button", title: "Sort by " + metric, onclick: sort }, name), el("small", {}, setting || "\u00a0"));
    }

    function cell(metric, run) {
      const held = means[metric] || {}; // a metric just added has no means yet
      const column = Object.values(held), value = held[run] ?? null;
      const row = sure && sure.metric === metric ? sure.rows.get(run) : null;
      const ends = sure && sure.metric === metric ? [...sure.rows.values()].flatMap((r) => [r.low ?? 0, r.high ?? 0]) : [];
      const low = Math.min(0, ...column, ...ends), high = Math.max(1e-12, ...column, ...ends);
      const x = (v) => (100 * (v - low)) / (high - low);
      const marks = [svg("line", { class: "zero", x1: x(0) + "%", x2: x(0) + "%", y1: 0, y2: 9 })];
      if (value !== null) marks.push(svg("rect", { class: "bar-mark", x: Math.min(x(0), x(value)) + "%", width: Math.abs(x(value) - x(0)) + "%", y: 1, height: 7, rx: 1 }));
      if (row && row.low !== null) marks.push(svg("line", { class: "whisker", x1: x(row.low) + "%", x2: x(row.high) + "%", y1: 4.5, y2: 4.5 }));
      const title = row && row.low !== null ? `95 % interval ${fixed(row.low)} to ${fixed(row.high)}` : null;
      return el("td", { title, "data-metric": metric },
        el("div", { class: "cell" }, el("span", { class: value === Math.max(...column) ? "value best" : "value" }, fixed(value)), row && row.letters ? el("sup", {}, row.letters) : null),
        svg("svg", { "aria-hidden": "true" }, marks));
    }

    function draw() {
      const focus = document.activeElement && table.contains(document.activeElement) ? document.activeElement.title : null;
      const open = (run) => () => set({ view: "inspector", run });
      const rows = order().map((run) => el("tr", { "data-run": run }, el("th", { scope: "row" }, el("button", { type: "button", title: "Inspect " + run, onclick: open(run) }, id(run))), state.metrics.map((metric) => cell(metric, run))));
      table.replaceChildren(el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "System", el("small", {}, "\u00a0")), state.metrics.map(heading))), el("tbody", {}, rows));
      if (focus) [...table.querySelectorAll("button")].find((button) => button.title === focus)?.focus();
    }

    return { update: () => refresh() };
  },
};
