/* The metrics: agreement of their rankings, unanimity, and how many pairs of systems each separates. */
import { el, fixed, metricName, newest, notes, shortMetrics } from "./base.js";
import { heatScale } from "./colour.js";
import { share } from "./parts.js";
import { intervals } from "./plot.js";
import { saving } from "./save.js";
import { plain, textOf } from "./table.js";

const FEW = 5; // metrics
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
            el("td", {}),
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
      const short = shortMetrics(
        app,
        rows.map((row) => row.label),
      );
      const ranked = [...rows].sort((a, b) => (b.mu ?? -Infinity) - (a.mu ?? -Infinity));
      const records = ranked
        .filter((row) => row.mu !== null)
        .map((row) => ({ name: row.label, short: short.get(row.label), value: row.mu, low: row.low, high: row.high }));
      const chart = el("div", { class: "chart", id: "chart-unanimity" }),
        table = plain(
          ["Metric", "MU", "95 % interval"],
          ranked.map((row) => [
            metricName(row.label, short.get(row.label)),
            row.mu === null ? "undefined" : fixed(row.mu, 3),
            range(row),
          ]),
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
      const rows = found.rows,
        short = shortMetrics(
          app,
          rows.map((row) => row.metric),
        );
      const table = plain(
        ["Metric", "pairs told apart", "difference needed"],
        rows.map((row) => [
          metricName(row.metric, short.get(row.metric)),
          share(row.significant, row.pairs, "wide"),
          fixed(row.required),
        ]),
        { name: "power", text: [0, 1] },
      );
      return figure(
        "power",
        "How many systems can they tell apart?",
        `Pairs of systems with p < ${found.alpha} (${found.test}), and the difference of means that this takes.`,
        saving("power", table, async () => textOf(table)),
        el("div", { class: "scroll", id: "chart-power" }, table),
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
        // A small matrix leaves room for the next figure beside it.
        const small = (found.agreement?.order.length ?? 0) <= FEW;
        body.replaceChildren(
          el(
            "div",
            { class: small ? "stack side-by-side" : "stack" },
            agreement(found.agreement),
            unanimity(found.unanimity),
          ),
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
