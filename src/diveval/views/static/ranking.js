/* One ranking drawn rank by rank: aspects as columns, what is relevant against what is still unsatisfied, and the
   curve of gain and effort beside it. The curve is drawn at the measured positions of the rows, since fonts and zoom
   change their height. */
import { countOf, el, fixed, id, svg } from "./base.js";
import { acrossAxis, legendLine, linear, path, picture } from "./plot.js";
import { say, sentencesOf, wordings } from "./sentences.js";

const STATES = ["not judged", "judged not relevant", "relevant"];

/** A tint for what is still unsatisfied; a square for relevance, stronger where the aspect is not yet satisfied. */
function aspectCell(wanted, relevance) {
  const style = { background: `color-mix(in srgb, var(--want) ${Math.round(32 * wanted)}%, var(--paper))` };
  if (!relevance) return el("td", { class: "aspect", style });
  const side = 6 + Math.round(12 * Math.sqrt(relevance));
  const vivid = {
    width: side + "px",
    height: side + "px",
    background: `color-mix(in srgb, var(--new) ${Math.round(100 * wanted)}%, var(--old))`,
  };
  const text = `relevance ${fixed(relevance, 2)}, still unsatisfied ${fixed(wanted, 2)}`;
  return el("td", { class: "aspect", style, "data-tip": text, "aria-label": text }, el("i", { style: vivid }));
}

/** Gain, effort and utility after each rank that is shown. */
export function curveOf(about, run, count) {
  const effort = run.effort || about.effort;
  let hit = -1;
  return run.docs.slice(0, count).map((_, i) => {
    if (run.hits[hit + 1] === i + 1) hit += 1;
    const gain = hit < 0 ? 0 : run.gain[hit] / about.unit,
      paid = effort[i] / about.unit;
    return { rank: i + 1, gain, effort: paid, utility: gain - paid };
  });
}

/** The score of a run by a metric; by the explained metric, if it is not among the metrics, that of the whole list. */
export function scoreOf(about, run, metric) {
  const at = about.metrics.indexOf(metric);
  if (at >= 0) return run.parts[at][run.parts[at].length - 1] / about.fine;
  return metric === about.metric && !about.cutoff ? run.whole : null;
}

function documentCell(topic, place) {
  const text = topic.texts[place],
    name = topic.docs[place],
    label = STATES[Number(topic.judged[place])];
  const tip = [name, `(${label})`, text && text[1] ? "– " + text[1] : ""].join(" ");
  return el(
    "td",
    { class: "doc state" + topic.judged[place], "data-tip": tip },
    text && text[0] ? el("span", { class: "titled" }, text[0]) : id(name),
  );
}

/** The table of a ranking; `elsewhere` maps a document's place to its rank in the other system. */
export function rankingTable(about, topic, run, { count, elsewhere, names, tell }) {
  const heading = (aspect, a) =>
    el(
      "th",
      {
        scope: "col",
        class: aspect.length > 3 ? "long" : null,
        "data-tip": `aspect ${aspect}${names[aspect] ? `: ${names[aspect]}` : ""}, weight ${topic.weights[a]}`,
      },
      el("b", {}, aspect),
      String(Number(topic.weights[a].toFixed(2))).replace(/^0\./, "."),
    );
  let wanted = topic.aspects.map(() => 1),
    hit = 0;
  const rows = run.docs.slice(0, count).map((place, i) => {
    const relevant = new Map(topic.relevant[place] || []),
      before = wanted;
    if (run.hits[hit] === i + 1) wanted = run.left[hit++].map((whole) => whole / about.share);
    const other = elsewhere ? elsewhere.get(place) : null;
    return el(
      "tr",
      { class: run.stop[0] === i + 1 ? "stop" : null, "data-place": place, onmouseenter: () => tell(i) },
      el("td", { class: "rank" }, String(i + 1)),
      before.map((share, a) => aspectCell(share, relevant.get(a))),
      documentCell(topic, place),
      elsewhere
        ? el(
            "td",
            {
              class: "elsewhere",
              "data-tip": other ? `at rank ${other} in the other system` : "not among the other system’s ranks shown",
            },
            other ? `↔ ${other}` : "",
          )
        : null,
    );
  });
  const widths = el(
    "colgroup",
    {},
    el("col", { class: "rank" }),
    topic.aspects.map(() => el("col", { class: "aspect" })),
    el("col", {}),
    elsewhere ? el("col", { class: "elsewhere" }) : null,
  );
  return el(
    "table",
    { class: "ranking", style: { "--aspects": String(topic.aspects.length) } },
    widths,
    el(
      "thead",
      {},
      el(
        "tr",
        {},
        el("td", {}),
        topic.aspects.map(heading),
        el("th", { class: "doc", scope: "col" }, "document"),
        elsewhere ? el("th", { class: "elsewhere", scope: "col" }, "other") : null,
      ),
    ),
    el("tbody", {}, rows),
  );
}

/** The best rank to stop at, its utility, and the score. */
export function summary(about, run, points) {
  const [rank, utility] = run.stop,
    facts = { rank, utility, metric: about.metric, score: scoreOf(about, run, about.metric), documents: run.n };
  return el("div", { class: "sum" }, sentencesOf([[say("best-stop", facts, points)]]));
}

wordings({
  "best-stop": ({ rank, utility, metric, score, documents }) =>
    (rank === 0
      ? `No prefix has positive utility: a reader does best at rank 0, utility ${fixed(utility)}`
      : `A reader does best to stop at rank ${rank}, utility ${fixed(utility)}`) +
    `. ${score === null ? "" : `${metric} = ${fixed(score)}. `}${countOf(documents, "document")} returned.`,
});

/** The rows of a table, in pixels from the top of `place`. */
export function rowsOf(table, place) {
  const top = place.getBoundingClientRect().top;
  return [...table.tBodies[0].rows].map((row) => {
    const box = row.getBoundingClientRect();
    return {
      top: box.top - top,
      bottom: box.bottom - top,
      middle: (box.top + box.bottom) / 2 - top,
      place: Number(row.dataset.place),
    };
  });
}

/** Gain, effort and utility beside the rows they belong to, the stop at the lower edge of its row. */
export function drawCurve(place, table, points, stop, span) {
  const rows = rowsOf(table, place),
    width = place.clientWidth;
  if (!rows.length || !width) return place.replaceChildren();
  const x = linear(span, [12, width - 12]),
    top = rows[0].top,
    bottom = rows[rows.length - 1].bottom;
  const along = (series) => path([[x(0), top], ...points.map((point, i) => [x(point[series]), rows[i].middle])]);
  const marks = ["gain", "effort", "utility"].map((series) =>
    svg("path", { class: "series " + series, d: along(series) }),
  );
  if (stop > 0 && stop <= rows.length)
    marks.push(
      svg("line", { class: "stop", x1: 0, x2: width, y1: rows[stop - 1].bottom - 1, y2: rows[stop - 1].bottom - 1 }),
    );
  const label = `Gain, effort and utility by rank; best stop at rank ${stop}`;
  return place.replaceChildren(
    picture(width, bottom + 4, label, acrossAxis(x, top, { count: 3, top: true, until: bottom }), marks),
  );
}

/** The range of some curves, so that two rankings share one scale. */
export function reach(curves) {
  const numbers = curves.flat().flatMap((point) => [point.gain, point.effort, point.utility]);
  return [Math.min(0, ...numbers), Math.max(0.01, ...numbers)];
}

export const curveLegend = () =>
  el(
    "span",
    { class: "key lines" },
    legendLine("gain", "gain"),
    legendLine("effort", "effort"),
    legendLine("utility", "utility"),
    legendLine("stop", "stop here"),
  );
