/* Labels and decisions: what the pool does to scores, how many topics find a difference, two judges, a gate, and possible ranks. */
import { countOf, el, fixed, newest, notes, select, shortMetrics, svg } from "./base.js";
import { MARGIN, choices } from "./choice.js";
import { hue } from "./colour.js";
import { acrossAxis, intervals, linear, path, picture, ticks, words } from "./plot.js";
import { saving } from "./save.js";
import { sentencesOf } from "./sentences.js";
import { set, state } from "./state.js";
import { behind, plain, textOf } from "./table.js";

const figure = (name, title, text, ...children) =>
  el("figure", { id: "figure-" + name }, el("figcaption", {}, el("h3", {}, title), text), children);
const span = (row) => (row.low === null || row.low === undefined ? "–" : `${fixed(row.low)} … ${fixed(row.high)}`);
const sentences = (list) => el("ul", {}, sentencesOf(list, "li"));

/** A curve per metric: topics against the smallest difference that they find. */
function curves(rows, width) {
  const LEFT = 58,
    height = 260,
    names = [...new Set(rows.map((row) => row.metric))];
  const topics = [
    Math.min(...rows.map((row) => row.topics)),
    Math.min(300, Math.max(...rows.map((row) => row.topics))),
  ];
  const seen = rows.filter((row) => row.topics <= topics[1]),
    x = linear(topics, [LEFT, width - 10]),
    y = linear([0, Math.max(...seen.map((row) => row.smallest))], [height - 34, 8]);
  return picture(
    width,
    height,
    "The smallest difference that a number of topics finds, by metric",
    ticks(y.domain, 4).map((value) => [
      svg("line", { class: "rule", x1: LEFT, x2: width - 10, y1: y(value), y2: y(value) }),
      words(String(value), LEFT - 6, y(value) + 4, { class: "tick", "text-anchor": "end" }),
    ]),
    acrossAxis(x, height - 34, { count: 6 }),
    names.map((name, i) =>
      svg("path", {
        class: "series",
        d: path(seen.filter((row) => row.metric === name).map((row) => [x(row.topics), y(row.smallest)])),
        stroke: hue(i),
        "stroke-dasharray": i < 8 ? null : "6 3",
        "data-tip": name,
      }),
    ),
    words("topics", (LEFT + width) / 2, height - 4, { class: "axis", "text-anchor": "middle" }),
  );
}

function power(found, later, app) {
  const chart = el("div", { class: "chart", id: "chart-topics-needed" }),
    names = [...new Set(found.rows.map((row) => row.metric))],
    short = shortMetrics(app, names),
    shown = [25, 50, 100, 200];
  const at = (name, topics) => found.rows.find((row) => row.metric === name && row.topics === topics)?.smallest;
  const table = plain(
    ["Metric", ...shown.map((topics) => `${topics} topics`)],
    names.map((name, i) => [
      el(
        "span",
        { "data-value": name },
        el("span", { class: "line", style: { "border-color": hue(i) } }),
        short.get(name),
      ),
      ...shown.map((topics) => fixed(at(name, topics))),
    ]),
    { name: "topics-needed", text: [0] },
  );
  later.push(() => chart.replaceChildren(curves(found.rows, Math.max(280, chart.clientWidth))));
  return figure(
    "topics-needed",
    "Which differences do topics find?",
    `The smallest difference between two systems that the paired t-test finds with power ${found.power} at level ${found.level}, if topics vary as they do here.`,
    saving("topics-needed", chart, async () => textOf(table)),
    el("div", { class: "beside" }, chart, el("div", { class: "scroll" }, table)),
  );
}

function pool(found) {
  const head = ["Run", "Metric", "score", "without", "effect", "documents", "relevant", "bounds"],
    cells = (row) => [
      row.run,
      row.metric,
      fixed(row.score),
      fixed(row.without),
      fixed(row.effect),
      String(row.unique),
      String(row.relevant),
      span(row),
    ],
    first = found.rows[0]?.metric;
  return figure(
    "pool",
    "What does the pool do to the scores?",
    "Each run without the judged documents that only it has, as if it had not contributed to the pool. Bounds: all labels that its unjudged documents could have.",
    sentences(found.sentences.slice(0, 1)),
    found.sentences.length > 1
      ? el(
          "details",
          { class: "behind" },
          el("summary", {}, `The same for ${countOf(found.sentences.length - 1, "other metric")}`),
          sentences(found.sentences.slice(1)),
        )
      : null,
    el(
      "div",
      { class: "scroll" },
      plain(head, found.rows.filter((row) => row.metric === first).map(cells), { name: "pool", text: [0, 1] }),
    ),
    behind(head, found.rows.map(cells), "All metrics"),
  );
}

function agreement(one) {
  const value = (found) =>
    found.value === null
      ? "undefined"
      : fixed(found.value, 3) + (found.low === null ? "" : ` (${fixed(found.low, 3)} to ${fixed(found.high, 3)})`);
  const counts = plain(
    [`${one.first} × ${one.second}`, ...one.labels.map(String)],
    one.labels.map((label, i) => [String(label), ...one.confusion[i].map(String)]),
    { name: "labels" },
  );
  const coefficients = plain(
    ["Coefficient", "value and interval"],
    Object.entries(one.coefficients).map(([name, found]) => [name, value(found)]),
    { name: "coefficients" },
  );
  return figure(
    "labels",
    "Do the judges give the same labels?",
    `${one.items} items of ${one.topics} topics that both labelled, matched by ${one.matched}.`,
    el("div", { class: "scroll" }, counts),
    el("div", { class: "scroll" }, coefficients),
  );
}

function estimates(found, later) {
  const chart = el("div", { class: "chart", id: "chart-judges" }),
    first = found.rows[0]?.metric,
    rows = found.rows.filter((row) => row.metric === first && row.estimate !== null);
  const records = rows.map((row) => ({
    name: `${row.run} by ${row.estimator}`,
    value: row.estimate,
    low: row.low,
    high: row.high,
  }));
  const head = ["Run", "Metric", "by", "estimate", "interval"],
    cells = (row) => [row.run, row.metric, row.estimator, fixed(row.estimate), span(row)];
  const table = plain(head, found.rows.filter((row) => row.metric === first).map(cells), {
    name: "judges",
    text: [0, 1, 2],
  });
  if (records.length)
    later.push(() =>
      chart.replaceChildren(
        intervals(records, {
          width: Math.max(280, chart.clientWidth),
          label: `${first} by people, the model and both`,
        }),
      ),
    );
  return figure(
    "judges",
    "What do people, the model and both say?",
    `${first} of every run. The interval of the model alone ignores the model’s errors.`,
    sentences(found.sentences),
    el("div", { class: "beside" }, chart, el("div", { class: "scroll" }, table)),
    behind(head, found.rows.map(cells), "All metrics"),
  );
}

function gate(found) {
  return figure(
    "gate",
    `Is any run worse than ${found.baseline}?`,
    `By more than ${found.margin}: fail; at least not by that much: pass; otherwise unclear.`,
    el(
      "div",
      { class: "scroll" },
      plain(
        ["Run", "Metric", "outcome", "difference", "interval", "topics needed"],
        found.rows.map((row) => [
          row.run,
          row.metric,
          row.outcome,
          fixed(row.difference),
          span(row),
          row.topics_needed === null ? "–" : String(row.topics_needed),
        ]),
        { name: "gate", text: [0, 1, 2] },
      ),
    ),
  );
}

/** A line per system: its possible ranks given the significant pairs, and given those proved on these topics too. */
function board(found) {
  const ranks = (best, worst) => (best === worst ? String(best) : `${best}–${worst}`);
  return figure(
    "board",
    "Which ranks can each system have?",
    "Given the pairs that differ significantly; on these topics: given also the pairs that are proved for everything asked.",
    sentences(found.sentences),
    el(
      "div",
      { class: "scroll" },
      plain(
        ["System", "ranks", "on these topics", "significantly above", "below"],
        found.rows.map((row) => [
          row.run,
          ranks(row.best, row.worst),
          ranks(row.best_proved, row.worst_proved),
          String(row.above),
          String(row.below),
        ]),
        { name: "possible-ranks" },
      ),
    ),
  );
}

export const judging = {
  name: "judging",
  title: "Labels and topics",
  needs: true,
  what: "How far scores depend on who contributed to the pool and who judged, and how many topics a decision needs.",
  draw(place, app) {
    const controls = el("div", { class: "controls" }),
      working = el("div", { class: "working" }),
      body = el("div", { class: "stack" });
    let found = null,
      later = [];
    place.append(controls, working, body);

    function show() {
      later = [];
      body.replaceChildren();
      if (found.judges) body.append(...found.judges.agreement.map(agreement), estimates(found.judges, later));
      if (found.gate) body.append(gate(found.gate));
      if (found.board) body.append(board(found.board));
      if (found.power) body.append(power(found.power, later, app));
      if (found.pool) body.append(pool(found.pool));
      body.append(notes(found.notes));
      redraw();
    }

    /** In the studio a model's labels and a baseline can be chosen; a report has those it was made with. */
    async function drawControls() {
      const files = await app.judgmentFiles(),
        { model = "", baseline = "", margin = MARGIN } = state.decisions;
      const change = (patch) => set({ decisions: { ...state.decisions, ...patch } });
      controls.replaceChildren(
        select("Labels of a model", [["", "none"], ...files], model, (value) => change({ model: value }), {
          id: "model-labels",
        }),
        select("Baseline", [["", "none"], ...choices(app)], baseline, (value) => change({ baseline: value }), {
          id: "baseline",
        }),
        el(
          "label",
          {},
          "Margin ",
          el("input", {
            id: "margin",
            type: "number",
            min: 0,
            step: "any",
            value: margin,
            onchange: (event) => change({ margin: Number(event.target.value) }),
          }),
        ),
      );
    }

    const redraw = () => later.forEach((draw) => draw());
    const refresh = newest(() =>
      app.attempt(async () => {
        if (app.judgmentFiles) await drawControls();
        const next = await app.judging(working);
        if (!next || !body.isConnected) return;
        found = next;
        show();
      }),
    );
    return {
      update(patch) {
        const asked = ["metrics", "options", "collection", "decisions"].some((name) => name in patch);
        if (found && !asked) {
          if ("theme" in patch) redraw();
        } else app.soon("judging", refresh, "metrics" in patch ? 250 : 0);
      },
    };
  },
};
