/* What-if: change what a system returned, and show the effect on every metric. */
import { attempt, followed, metric } from "./app.js";
import { countOf, el, fixed, id, metricName, newest, select, shortMetrics } from "./base.js";
import { choices } from "./choice.js";
import { scoreEdit } from "./edits.js";
import { saving } from "./save.js";
import { set, state } from "./state.js";

const EDITS = {
  cut: "cut its list",
  repeated: "remove repeated documents",
  redundant: "remove redundant documents",
  swap: "swap the tops of two systems",
};
const MEANS = {
  cut: "Only the first documents of each topic stay.",
  repeated: "A document that is in a list twice stays once. (Before, its repetition counts as not relevant.)",
  redundant: "Documents are removed if documents above cover all their aspects at least as well.",
  swap: "Each system gets the other’s first documents before the rest of its own; a document is in a list once.",
};

export const whatif = {
  name: "whatif",
  title: "What-if",
  needs: true,
  what: "Change what a system returned, on every topic, and see the effect on each metric.",
  draw(place, app) {
    const controls = el("div", { class: "controls" }),
      means = el("p", { class: "remark" }),
      working = el("div", { class: "working" }),
      tables = el("div", { class: "tables" });
    place.append(controls, means, working, tables);
    let saved = [];
    const change = (patch) => set({ whatif: { ...settled(), ...patch } }, { gliding: true });

    /** The request, with defaults for what is not chosen. */
    const settled = () => ({
      edit: "cut",
      depth: 10,
      ...state.whatif,
      run: app.runs.includes(state.whatif.run) ? state.whatif.run : app.runs[0],
      other: app.runs.includes(state.whatif.other) ? state.whatif.other : app.runs[1] || app.runs[0],
    });

    function drawControls() {
      const { edit, run, other, depth } = settled(),
        runs = choices(app);
      const kinds = el(
        "select",
        { id: "edit", onchange: () => change({ edit: kinds.value }) },
        Object.entries(EDITS).map(([name, words]) => el("option", { value: name, selected: name === edit }, words)),
      );
      const box = el("input", {
        id: "depth",
        type: "number",
        min: edit === "swap" ? 1 : 0,
        max: 1000,
        value: depth,
        onchange: () =>
          change({ depth: Math.max(edit === "swap" ? 1 : 0, Math.min(1000, Math.round(Number(box.value) || 0))) }),
      });
      controls.replaceChildren(
        select("System", runs, run, (name) => change({ run: name }), { id: "whatif-run" }),
        el("label", {}, "Change ", kinds),
        ...(edit === "swap"
          ? [select("with", runs, other, (name) => change({ other: name }), { id: "whatif-other" })]
          : []),
        ...(edit === "swap" || edit === "cut" ? [el("label", {}, edit === "cut" ? "after rank " : "first ", box)] : []),
      );
      means.textContent = MEANS[edit];
    }

    /** The effect of the edit: scored here from the system's lists; by Python for metrics that only Python computes. */
    async function computeEffect({ edit, run, other, depth }) {
      const lists = await app.lists(edit, run, edit === "swap" ? other : undefined, working),
        metrics = await Promise.all(state.metrics.map(metric)),
        effect = scoreEdit(
          lists,
          edit,
          depth,
          metrics.filter(({ parts }) => parts),
        ),
        others = metrics.filter(({ parts }) => !parts).map(({ name }) => name);
      if (!others.length) return effect;
      const deep = edit === "swap" || edit === "cut" ? { depth } : {},
        body = { kind: "whatif", edit, run, metrics: others, options: state.options, collection: state.collection };
      const { result } = await followed(working, "/api/jobs", {
        ...body,
        ...deep,
        ...(edit === "swap" ? { other } : {}),
      });
      effect.runs.forEach((one, r) => {
        const all = { ...one.metrics, ...result.runs[r].metrics };
        one.metrics = Object.fromEntries(state.metrics.map((name) => [name, all[name]]));
      });
      return effect;
    }

    const refresh = newest(() => attempt(show));

    async function show() {
      const asked = settled(),
        { edit, run, other } = asked;
      if (edit === "swap" && run === other)
        return tables.replaceChildren(el("p", { class: "note" }, "Choose two different systems."));
      const { removed, runs } = await computeEffect(asked);
      if (!tables.isConnected) return undefined;
      means.textContent = `${MEANS[edit]} ${removed ? `${countOf(removed, "document")} fewer over all topics.` : ""} ${sayEffect(runs[0])}`;
      saved = [
        ["system", "metric", "before", "after", "rose", "fell", "same"],
        ...runs.flatMap(({ run: name, metrics }) =>
          Object.entries(metrics).map(([one, row]) => [
            name,
            one,
            fixed(row.before),
            fixed(row.after),
            String(row.rose),
            String(row.fell),
            String(row.same),
          ]),
        ),
      ];
      return tables.replaceChildren(
        saving("what-if", tables, async () => saved),
        ...runs.map(table),
      );
    }

    /** The metrics whose means rose and fell most. */
    function sayEffect({ run, metrics }) {
      const names = Object.keys(metrics),
        short = shortMetrics(app, names),
        change = (name) => metrics[name].after - metrics[name].before;
      const sorted = [...names].sort((a, b) => change(b) - change(a)),
        [most, least] = [sorted[0], sorted[sorted.length - 1]];
      const said = [
        change(most) > 1e-12 ? `${short.get(most)} rises most, by ${fixed(change(most))}` : null,
        change(least) < -1e-12 ? `${short.get(least)} falls most, by ${fixed(-change(least))}` : null,
      ].filter(Boolean);
      return `${run}: ${said.length ? said.join("; ") : "no mean changes"}.`;
    }

    function table({ run, metrics }) {
      const short = shortMetrics(app, Object.keys(metrics));
      const row = ([name, { before, after, rose, fell, same }]) => {
        const up = after - before;
        const sign = Math.abs(up) < 1e-12 ? "same" : up > 0 ? "up" : "down";
        return el(
          "tr",
          { "data-metric": name },
          el("td", {}, metricName(name, short.get(name))),
          el("td", { class: "n change " + sign }, (up > 0 ? "+" : "") + fixed(up)),
          el("td", { class: "n" }, fixed(before)),
          el("td", { class: "n" }, fixed(after)),
          [rose, fell, same].map((count) => el("td", { class: "n muted" }, String(count))),
        );
      };
      const head = ["Metric", "change", "before", "after", "topics ↑", "↓", "="].map((word, i) =>
        el("th", { scope: "col", class: i ? "n" : null }, word),
      );
      return el(
        "figure",
        {},
        el("figcaption", {}, el("h3", {}, id(run))),
        el(
          "div",
          { class: "scroll" },
          el(
            "table",
            { class: "plain" },
            el("thead", {}, el("tr", {}, head)),
            el("tbody", {}, Object.entries(metrics).map(row)),
          ),
        ),
      );
    }

    return {
      update(patch) {
        if ("theme" in patch) return;
        drawControls();
        app.soon("whatif", refresh, 200);
      },
    };
  },
};
