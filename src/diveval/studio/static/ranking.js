/* One ranking drawn rank by rank, with the curve beside it: for the inspector, and the curve for the playground. */
import { el, fixed, id } from "./app.js";
import { chart, walk } from "./charts.js";

const ROW = 24, HEAD = 64; // pixels of a row and of the head, as the style has them

/** A tint for what is still unsatisfied; a square for relevance, vivid where it is still wanted. */
function cell(wanted, relevance) {
  const style = { background: `color-mix(in srgb, var(--want) ${Math.round(32 * wanted)}%, var(--paper))` };
  if (!relevance) return el("td", { class: "aspect", style });
  const side = 6 + Math.round(12 * Math.sqrt(relevance));
  const vivid = { width: side + "px", height: side + "px", background: `color-mix(in srgb, var(--new) ${Math.round(100 * wanted)}%, var(--old))` };
  const text = `relevance ${fixed(relevance, 2)}, still unsatisfied ${fixed(wanted, 2)}`;
  return el("td", { class: "aspect", style, title: text, "aria-label": text }, el("i", { style: vivid }));
}

export function rankingTable(data, tell) {
  const heading = (aspect) => el("th", { scope: "col", class: aspect.name.length > 3 ? "long" : null, title: `aspect ${aspect.name}, weight ${aspect.weight}` }, el("b", {}, aspect.name), String(Number(aspect.weight.toFixed(2))).replace(/^0\./, "."));
  const widths = el("colgroup", {}, el("col", { style: { width: "34px" } }), data.aspects.map(() => el("col", { style: { width: "27px" } })), el("col", {}));
  const rows = data.documents.map((row, i) => {
    const kind = !row.judged ? 0 : row.relevance.some((r) => r > 0) ? 2 : 1;
    const label = ["not judged", "judged not relevant", "relevant"][kind];
    return el("tr", { class: data.stop.rank === row.rank ? "stop" : null, onmouseenter: () => tell(i) },
      el("td", { class: "rank" }, String(row.rank)), row.relevance.map((r, t) => cell(row.unsatisfied[t], r)),
      el("td", { class: "doc state" + kind, title: `${row.document} (${label})` }, el("span", { class: "id" }, row.document)));
  });
  return el("table", { class: "ranking", style: { "min-width": 104 + 27 * data.aspects.length + "px" } }, widths,
    el("thead", {}, el("tr", {}, el("th", {}, ""), data.aspects.map(heading), el("th", { class: "doc", scope: "col" }, "document"))), el("tbody", {}, rows));
}

/** How far the curves reach, so that two rankings can share one scale. */
export function reach(curves) {
  const numbers = curves.flatMap((curve) => [...curve.gain, ...curve.effort, ...curve.utility]);
  return [Math.min(0, ...numbers), Math.max(0.01, ...numbers)];
}

export function drawCurve(place, curve, stop, span) {
  return chart(place, walk(curve, stop, { width: place.clientWidth - 22, row: ROW, head: HEAD, span }), `Gain, effort and utility by rank; best stop at rank ${stop}`);
}

export function panel(data, tell) {
  const { rank, utility, utility_of_all: all } = data.stop;
  const where = rank === 0 ? ["do not start: ", el("span", { class: "at" }, "rank 0")] : ["stop at ", el("span", { class: "at" }, `rank ${rank}`)];
  const beyond = rank > data.documents.length ? " (below what is shown)" : "";
  const sum = el("p", { class: "sum" }, ...where, beyond, `, utility ${fixed(utility)}. ${data.metric} = `, el("b", { class: "reached" }, fixed(all)), `. ${data.length} documents returned.`);
  const body = data.length ? el("div", { class: "body" }, el("div", { class: "list" }, rankingTable(data, tell)), el("div", { class: "curve" })) : el("p", { class: "empty" }, "This system returned nothing for this topic.");
  return el("div", { class: "panel", "data-run": data.run }, el("h3", {}, id(data.run)), sum, body);
}

export const legend = () => el("span", { class: "key lines" }, el("span", { class: "line gain" }), "gain ", el("span", { class: "line effort" }), "effort ", el("span", { class: "line utility" }), "utility ", el("span", { class: "line stop" }), "stop here");
