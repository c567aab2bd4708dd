/* Topic × system for the chosen metric: values, or differences to the topic's mean or to a baseline, in several orders. */
import { el, fixed, id, newest, select, shortened } from "./base.js";
import { answered, choices, lacking, metricOf, ordered, queryOf } from "./choice.js";
import { heatScale } from "./colour.js";
import { saving } from "./save.js";
import { set, state } from "./state.js";
import { cued, textOf, walkable } from "./table.js";

const ORDERS = {
  given: "as given",
  difficulty: "hardest first",
  ease: "easiest first",
  spread: "largest spread first",
};
const COLOURS = { value: "the score", mean: "difference to the topic’s mean", baseline: "difference to a system" };

const finite = (values) => values.filter((value) => value !== null && Number.isFinite(value));
const mean = (values) => (values.length ? values.reduce((a, b) => a + b, 0) / values.length : 0);
const spread = (values) => Math.sqrt(mean(values.map((value) => (value - mean(values)) ** 2)));

export const topics = {
  name: "topics",
  title: "Topics",
  needs: true,
  what:
    "Every topic for every system, best system first. " +
    "Choose a cell, with the mouse or with the arrow keys and Enter, to open that ranking. " +
    "Hatched: the system returned nothing for the topic.",
  draw(place, app) {
    const controls = el("div", { class: "controls" }),
      readout = el("output", { class: "readout", id: "topic-readout" }),
      key = el("span", { class: "key", id: "heat-key" });
    const grid = el("table", {
      id: "heat",
      role: "grid",
      "aria-label": "Scores by topic and system",
      "data-sheet": 24,
    });
    const frame = el("div", { class: "scroll tall", tabindex: -1 }, grid);
    place.append(
      controls,
      el(
        "div",
        { class: "controls" },
        key,
        el("span", { class: "key" }, el("span", { class: "swatch none" }), "no result"),
        readout,
      ),
      cued(frame),
    );

    function drawControls() {
      controls.replaceChildren(
        select("Metric", app.metrics(), metricOf(app), (chosen) => set({ chosen }), { id: "topic-metric" }),
        select("Topics", Object.entries(ORDERS), state.order, (order) => set({ order }), { id: "topic-order" }),
        select("Colour shows", Object.entries(COLOURS), state.colour, (colour) => set({ colour }), {
          id: "topic-colour",
        }),
        ...(state.colour === "baseline"
          ? [
              select(
                "baseline",
                choices(app),
                app.runs.includes(state.other) ? state.other : app.runs[0],
                (other) => set({ other }),
                { id: "topic-baseline" },
              ),
            ]
          : []),
        saving("topics", grid, async () => textOf(grid)),
      );
    }

    function arranged(table) {
      const of = (t) => finite(table.map((row) => row[t]));
      const by = { difficulty: (t) => mean(of(t)), ease: (t) => -mean(of(t)), spread: (t) => -spread(of(t)) }[
        state.order
      ];
      const all = app.topics.map((_, t) => t);
      return by
        ? all
            .map((t) => [by(t), t])
            .sort((a, b) => a[0] - b[0] || a[1] - b[1])
            .map(([, t]) => t)
        : all;
    }

    /** The value of a cell: the score, or a difference. */
    function shownValue(table, base) {
      if (state.colour === "mean")
        return (r, t) => (table[r][t] === null ? null : table[r][t] - mean(finite(table.map((row) => row[t]))));
      if (state.colour === "baseline")
        return (r, t) => (table[r][t] === null || table[base][t] === null ? null : table[r][t] - table[base][t]);
      return (r, t) => table[r][t];
    }

    function cell(r, t, value, score, scale, wide) {
      const run = app.runs[r],
        topic = app.topics[t],
        gone = lacking(app, run).includes(topic);
      const result = gone ? "no result" : score === null ? "not counted" : fixed(score);
      const text =
        `topic ${topic}, ${run}: ${result}` +
        (state.colour !== "value" && value !== null && !gone
          ? ` (difference ${value > 0 ? "+" : ""}${fixed(value)})`
          : "");
      const query = queryOf(app, topic);
      const show = () => {
        readout.textContent = text + (query ? ` · ${query}` : "");
      };
      const look = gone || value === null ? { class: "none" } : { style: scale.style(value) };
      const open = () =>
        set({ view: app.single ? "inspector" : state.view, topic, run, ...(state.other === run ? { other: "" } : {}) });
      const attributes = {
        role: "gridcell",
        tabindex: -1,
        "data-topic": topic,
        "data-run": run,
        "data-value": gone ? "" : fixed(score),
        onmouseenter: show,
        onfocus: show,
        onclick: () => {
          open();
          app.reveal("inspector");
        },
      };
      const inside = wide >= 44 && value !== null && !gone ? fixed(value, 2) : null;
      return el("td", { ...attributes, ...look, "aria-label": inside ? `${inside}: ${text}` : text }, inside);
    }

    const refresh = newest(() =>
      app.attempt(async () => {
        const metric = metricOf(app);
        const [{ [metric]: table }, { [metric]: means }] = await Promise.all([
          app.values([metric]),
          app.means([metric]),
        ]);
        drawControls();
        const runs = ordered(app, means, metric),
          base = Math.max(0, app.runs.indexOf(state.other));
        const value = shownValue(table, base),
          rows = arranged(table);
        const known = runs
          .flatMap((r) =>
            app.topics.map((topic, t) => (lacking(app, app.runs[r]).includes(topic) ? null : value(r, t))),
          )
          .filter((v) => v !== null);
        const scale = heatScale(known);
        const wide = Math.min(64, Math.max(23, Math.floor((frame.clientWidth - 110) / runs.length)));
        const short = shortened(app.runs, 19),
          names = shortened(app.topics, 16);
        grid.style.setProperty("--cell", wide + "px");
        const focused = grid.contains(document.activeElement)
          ? [document.activeElement.dataset.topic, document.activeElement.dataset.run]
          : null;
        const badge = (run) => (answered(app, run) ? el("em", { class: "badge" }, answered(app, run)) : null);
        const head = el(
          "tr",
          {},
          el("td", {}),
          runs.map((r) =>
            el(
              "th",
              { scope: "col", "data-value": app.runs[r], "data-tip": app.runs[r] },
              id(app.runs[r], short[r]),
              badge(app.runs[r]),
            ),
          ),
        );
        grid.replaceChildren(
          el("thead", {}, head),
          el(
            "tbody",
            {},
            rows.map((t) =>
              el(
                "tr",
                {},
                el(
                  "th",
                  { scope: "row", "data-value": app.topics[t], "data-tip": queryOf(app, app.topics[t]) || null },
                  id(app.topics[t], names[t]),
                ),
                runs.map((r) => cell(r, t, value(r, t), table[r][t], scale, wide)),
              ),
            ),
          ),
        );
        walkable(grid, "tbody td", (at) => at.click());
        if (focused)
          [...grid.querySelectorAll("td")]
            .find((at) => at.dataset.topic === focused[0] && at.dataset.run === focused[1])
            ?.focus({ preventScroll: true });
        key.replaceChildren(
          fixed(scale.low, 2),
          el("span", { class: "ramp", style: { background: `linear-gradient(to right, ${scale.stops})` } }),
          fixed(scale.high, 2),
          scale.two ? " (0 in the middle)" : " (2nd to 98th percentile)",
        );
        mark();
      }),
    );

    function mark() {
      for (const at of grid.querySelectorAll("td[aria-selected]")) at.removeAttribute("aria-selected");
      const at = [...grid.querySelectorAll("td")].find(
        (one) => one.dataset.topic === state.topic && one.dataset.run === state.run,
      );
      if (at) at.setAttribute("aria-selected", "true");
    }

    return {
      update(patch) {
        const light = Object.keys(patch).every((name) => ["topic", "run", "view"].includes(name)) && grid.rows.length;
        if (light && !("view" in patch && app.single)) mark();
        else refresh();
      },
    };
  },
};
