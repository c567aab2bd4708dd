/* The metrics: agreement of their rankings, unanimity, and how many pairs of systems each separates. */
import { el, fixed, newest, notes, shortMetrics } from "./base.js";
import { heatScale, hue } from "./colour.js";
import { intervals, lines } from "./plot.js";
import { saving } from "./save.js";
import { plain, textOf } from "./table.js";

const range = (row) => (row.low === null ? "–" : `${fixed(row.low, 3)} … ${fixed(row.high, 3)}`);

function figure(name, title, text, ...children) {
  return el("figure", { id: "figure-" + name }, el("figcaption", {}, el("h3", {}, title), text), children);
}

export const metricsView = {
  name: "metrics",
  title: "Metrics",
  needs: true,
  what:
    "Which metric to trust? Agreement: whether two metrics rank the systems alike. " +
    "Unanimity: how much more often a metric agrees where all the others agree. " +
    "Power: how many systems it tells apart.",
  draw(place, app) {
    const body = el("div", { class: "stack" });
    place.append(body);

    function agreement(found) {
      if (!found)
        return figure(
          "agreement",
          "Do they rank the systems alike?",
          "Not possible with this data; the notes below say why.",
        );
      const value = (a, b) => found.matrix[found.metrics.indexOf(a)][found.metrics.indexOf(b)],
        scale = heatScale([], [-1, 1]),
        short = shortMetrics(app, found.order);
      const cell = (a, b) => {
        const tau = value(a, b),
          tip = `${a} and ${b}: ${tau === null ? "undefined, a metric ties every system" : fixed(tau, 3)}`;
        return tau === null
          ? el("td", { "data-tip": tip }, "–")
          : el("td", { "data-tip": tip, style: scale.style(tau) }, fixed(tau, 2));
      };
      const table = el(
        "table",
        { class: "grid", id: "agreement", "data-sheet": 12 },
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            el("th", {}),
            found.order.map((name) =>
              el("th", { scope: "col", "data-tip": name, "data-value": name }, el("span", {}, short.get(name))),
            ),
          ),
        ),
        el(
          "tbody",
          {},
          found.order.map((a) =>
            el(
              "tr",
              {},
              el("th", { scope: "row", "data-tip": a, "data-value": a }, short.get(a)),
              found.order.map((b) => cell(a, b)),
            ),
          ),
        ),
      );
      const frame = el("div", { class: "scroll" }, table);
      return figure(
        "agreement",
        "Do they rank the systems alike?",
        "Kendall’s τ between the rankings of the systems; similar metrics are adjacent. 1 is the same ranking, 0 none in common.",
        saving("agreement", table, async () => textOf(table)),
        frame,
      );
    }

    function unanimity(rows) {
      const text =
        "Metric Unanimity: how much more often a metric agrees where all others agree, in bits. Higher is better; lines are 95 % intervals over topics.";
      if (!rows.length)
        return figure(
          "unanimity",
          "Do they agree where all others agree?",
          "Not possible with this data; the notes below say why.",
        );
      const ranked = [...rows].sort((a, b) => (b.mu ?? -Infinity) - (a.mu ?? -Infinity));
      const records = ranked
        .filter((row) => row.mu !== null)
        .map((row) => ({ name: row.label, value: row.mu, low: row.low, high: row.high }));
      const chart = el("div", { class: "chart", id: "chart-unanimity" }),
        table = plain(
          ["Metric", "MU", "95 % interval"],
          ranked.map((row) => [row.label, row.mu === null ? "undefined" : fixed(row.mu, 3), range(row)]),
          { name: "unanimity" },
        );
      const made = figure(
        "unanimity",
        "Do they agree where all others agree?",
        text,
        saving("unanimity", chart, async () => textOf(table)),
        el("div", { class: "beside" }, chart, el("div", { class: "scroll" }, table)),
      );
      if (records.length)
        later.push(() =>
          chart.replaceChildren(
            intervals(records, { width: Math.max(280, chart.clientWidth), label: "Metric Unanimity with intervals" }),
          ),
        );
      return made;
    }

    function power(found) {
      if (!found)
        return figure(
          "power",
          "How many systems can they tell apart?",
          "Not possible with this data; the notes below say why.",
        );
      const { rows, alpha, near } = found,
        chart = el("div", { class: "chart", id: "chart-power" });
      const table = plain(
        ["", "Metric", "pairs told apart", "difference needed"],
        rows.map((row, i) => [
          el("span", {
            class: "line",
            style: { "border-color": hue(i), "border-top-style": i < 8 ? "solid" : i < 16 ? "dashed" : "dotted" },
          }),
          row.metric,
          `${row.significant} of ${row.pairs}`,
          fixed(row.required),
        ]),
        { name: "power", text: [0, 1] },
      );
      const series = rows.map((row) => row.levels.map((level, i) => [row.pairs - row.levels.length + i + 1, level]));
      const known = series.flat().map(([at]) => at);
      later.push(() => {
        if (!known.length)
          return chart.replaceChildren(
            el("p", { class: "note" }, `No metric tells any pair of systems apart at a level near ${alpha}.`),
          );
        const drawn = lines(series, {
          width: Math.max(280, chart.clientWidth),
          height: Math.min(460, 200 + 14 * rows.length),
          xs: [Math.min(...known), Math.max(...rows.map((row) => row.pairs))],
          ys: [0, near * alpha],
          label: "Significance levels of all pairs of systems, by metric",
          colour: hue,
          tip: (i) => `${rows[i].metric}: ${rows[i].significant} of ${rows[i].pairs} pairs`,
          rules: [[alpha, `α = ${alpha}`]],
          xTitle: "pairs of systems, by significance",
          yTitle: "significance level",
        });
        drawn.querySelectorAll(".series").forEach((one, i) => {
          if (i >= 8) one.setAttribute("stroke-dasharray", i < 16 ? "6 3" : "2 3");
        });
        return chart.replaceChildren(drawn);
      });
      return figure(
        "power",
        "How many systems can they tell apart?",
        `All ${rows.length} metrics: pairs of systems by significance level (${found.test}), near the level that counts. The sooner a curve falls below the dashed line, the more it tells apart.`,
        saving("power", chart, async () => textOf(table).map((row) => row.slice(1))),
        el("div", { class: "beside" }, chart, el("div", { class: "scroll" }, table)),
      );
    }

    let later = [];
    const refresh = newest(() =>
      app.attempt(async () => {
        if (app.metrics().length < 2)
          return body.replaceChildren(el("p", { class: "note" }, "Choose two or more metrics."));
        const found = await app.judged(app.metrics(), body);
        if (!found) return undefined;
        later = [];
        body.replaceChildren(
          agreement(found.agreement),
          unanimity(found.unanimity),
          power(found.power),
          notes(found.notes),
        );
        return later.forEach((draw) => draw());
      }),
    );

    return {
      update(patch) {
        if (!body.childNodes.length || ["metrics", "options", "collection", "theme"].some((name) => name in patch))
          app.soon("metrics", refresh, "metrics" in patch ? 300 : 0);
      },
    };
  },
};
