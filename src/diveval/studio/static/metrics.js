/* Which metric to trust: do they agree with each other, and does each see what all others see? */
import { attempt, el, fixed, follow, heat, parts } from "./app.js";
import { chart, intervals, significance } from "./charts.js";
import { state } from "./state.js";

export const metricsView = {
  title: "Metrics", needs: true,
  what: "Which metric to trust? Agreement says whether two metrics rank the systems alike. Unanimity says how much more often a metric agrees where all the others agree, in bits; higher is better.",
  draw(place) {
    const working = el("div", { class: "working" }), grid = el("table", { class: "grid", id: "agreement" });
    const picture = el("div", { class: "chart", id: "unanimity-chart" }), table = el("table", { class: "plain", id: "unanimity" }), notes = el("div", { class: "notes" });
    const curves = el("div", { class: "chart", id: "power-chart" }), power = el("table", { class: "plain", id: "power" });
    place.append(working,
      el("figure", {}, el("figcaption", {}, el("h3", {}, "Do they rank the systems alike?"), "Kendall’s τ between the rankings of the systems; like metrics stand together."), el("div", { class: "scroll" }, grid)),
      el("figure", { class: "gap" }, el("figcaption", {}, el("h3", {}, "Do they see what all the others see?"), "Metric Unanimity with 95 % intervals over topics."), el("div", { class: "beside" }, picture, el("div", { class: "scroll" }, table))),
      el("figure", { class: "gap" }, el("figcaption", {}, el("h3", {}, "How many systems can they tell apart?"), "Pairs of systems by significance level (Tukey’s HSD); the sooner a curve falls below the dashed line, the more it tells apart."), el("div", { class: "beside" }, curves, el("div", { class: "scroll" }, power))), notes);
    let stopping = null, waiting = 0;

    async function refresh() {
      if (stopping) stopping.abort();
      stopping = new AbortController();
      const { signal } = stopping;
      if (state.metrics.length < 2) return notes.replaceChildren(el("p", {}, "Choose two or more metrics."));
      const ask = (kind) => attempt(() => follow(working, "/api/jobs", { kind, metrics: state.metrics, options: state.options }, signal));
      const [alike, agreed, told] = await Promise.all([ask("agreement"), ask("unanimity"), ask("power")]);
      if (alike) drawAgreement(alike.result);
      if (agreed) await drawUnanimity(agreed.result);
      if (told) await drawPower(told.result);
      const said = [...new Set([alike, agreed, told].flatMap((done) => done?.notes || []))];
      return notes.replaceChildren(...said.map((note) => el("p", {}, note)));
    }

    function drawAgreement({ metrics, matrix, order }) {
      const value = (a, b) => matrix[metrics.indexOf(a)][metrics.indexOf(b)];
      const cell = (a, b) => {
        const tau = value(a, b);
        if (tau === null) return el("td", { title: "undefined: a metric ties every system" }, "–");
        return el("td", { title: `${a} and ${b}`, style: heat(tau, -1, 1) }, fixed(tau, 2));
      };
      grid.replaceChildren(
        el("thead", {}, el("tr", {}, el("th", {}), order.map((name) => el("th", { scope: "col", title: name }, parts(name)[0])))),
        el("tbody", {}, order.map((a) => el("tr", {}, el("th", { scope: "row" }, a), order.map((b) => cell(a, b))))));
    }

    async function drawUnanimity({ rows }) {
      const ranked = [...rows].sort((a, b) => (b.mu ?? -Infinity) - (a.mu ?? -Infinity));
      const range = (row) => (row.low === null ? "–" : `${fixed(row.low, 3)} … ${fixed(row.high, 3)}`);
      table.replaceChildren(
        el("thead", {}, el("tr", {}, el("th", {}, "Metric"), el("th", { class: "n" }, "MU"), el("th", { class: "n" }, "95 % interval"))),
        el("tbody", {}, ranked.map((row) => el("tr", {}, el("td", {}, row.metric), el("td", { class: "n" }, row.mu === null ? "undefined" : fixed(row.mu, 3)), el("td", { class: "n" }, range(row))))));
      const records = ranked.filter((row) => row.mu !== null).map((row) => ({ name: row.metric, value: row.mu, low: row.low ?? row.mu, high: row.high ?? row.mu }));
      if (records.length) await chart(picture, intervals(records, "bits", picture.clientWidth - 4), "Metric Unanimity with intervals");
    }

    async function drawPower({ rows, curve, alpha }) {
      const cells = (row) => [el("td", {}, row.metric), el("td", { class: "n" }, `${row.significant} of ${row.pairs}`), el("td", { class: "n" }, fixed(row.required))];
      power.replaceChildren(
        el("thead", {}, el("tr", {}, ["Metric", "pairs told apart", "needed"].map((word, i) => el("th", { class: i ? "n" : null }, word)))),
        el("tbody", {}, rows.map((row) => el("tr", {}, cells(row)))));
      await chart(curves, significance(curve, rows.slice(0, 8).map((row) => row.metric), alpha, curves.clientWidth - 4), "Significance levels of all pairs of systems, by metric");
    }

    return { update(patch) {
      if (!["view", "collection", "metrics", "options"].some((name) => name in patch)) return;
      clearTimeout(waiting);
      waiting = setTimeout(() => refresh(), "metrics" in patch ? 300 : 0);
    } };
  },
};
