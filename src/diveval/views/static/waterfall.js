/* Which document earned which part of the gap between two systems: from one score to the other, part by part. */
import { el, fixed, svg } from "./base.js";
import { linear, picture, words } from "./plot.js";
import { scoreOf } from "./ranking.js";
import { behind } from "./table.js";

const MOST = 8, ROW = 24;

/** Parts by document; what is not a shown relevant document (effort, deeper ranks) is the rest. */
function partsOf(about, run, m) {
  const own = new Map(), values = run.parts[m];
  run.hits.forEach((rank, h) => own.set(run.docs[rank - 1], { part: values[h] / about.fine, rank }));
  const listed = [...own.values()].reduce((sum, { part }) => sum + part, 0);
  return { own, rest: values[values.length - 1] / about.fine - listed };
}

/** Steps from the second system's score to the first's: the largest parts by name, the others together. */
export function steps(about, topic, first, second, metric) {
  const m = about.metrics.indexOf(metric), a = partsOf(about, first, m), b = partsOf(about, second, m);
  const places = [...new Set([...a.own.keys(), ...b.own.keys()])];
  const all = places.map((place) => {
    const [mine, theirs] = [a.own.get(place), b.own.get(place)];
    return { place, name: topic.texts[place]?.[0] || topic.docs[place], gap: (mine?.part || 0) - (theirs?.part || 0), ranks: [mine?.rank, theirs?.rank] };
  }).filter(({ gap }) => Math.abs(gap) > 1e-9).sort((x, y) => Math.abs(y.gap) - Math.abs(x.gap));
  const named = all.slice(0, MOST), others = all.slice(MOST);
  const rest = a.rest - b.rest;
  const out = [...named];
  if (others.length) out.push({ name: `${others.length} other documents`, gap: others.reduce((sum, { gap }) => sum + gap, 0), ranks: [] });
  if (Math.abs(rest) >= 5e-5) out.push({ name: "effort, deeper ranks", gap: rest, ranks: [] });
  return { from: scoreOf(about, second, metric), to: scoreOf(about, first, metric), steps: out };
}

export function waterfall(about, topic, runs, names, metric, width) {
  const { from, to, steps: list } = steps(about, topic, runs[0], runs[1], metric);
  const bars = [{ name: names[1], start: 0, end: from, kind: "whole" }];
  let at = from;
  for (const step of list) {
    bars.push({ ...step, start: at, end: at + step.gap, kind: step.gap >= 0 ? "up" : "down" });
    at += step.gap;
  }
  bars.push({ name: names[0], start: 0, end: to, kind: "whole" });
  const ends = bars.flatMap((bar) => [bar.start, bar.end]), room = Math.min(320, width * 0.44);
  const x = linear([Math.min(...ends), Math.max(...ends, 1e-9)], [room + 10, width - 64]), height = ROW * bars.length + 6;
  const letters = Math.floor(room / 7.2);
  const rank = ({ ranks }) => (ranks?.length ? ` (${letters < 30 ? "" : "rank "}${ranks[0] ?? "–"} / ${ranks[1] ?? "–"})` : "");
  // What is cut is the name: the ranks stay whole, and ids differ at their ends.
  const short = (name, most) => (name.length <= most ? name : name.slice(0, Math.ceil((most - 1) / 3)) + "…" + name.slice(-Math.floor(((most - 1) * 2) / 3)));
  const row = (bar, i) => {
    const y = ROW * i + 4, [left, right] = [Math.min(x(bar.start), x(bar.end)), Math.max(x(bar.start), x(bar.end))];
    const value = bar.kind === "whole" ? fixed(bar.end) : (bar.gap > 0 ? "+" : "−") + fixed(Math.abs(bar.gap));
    return svg("g", { "data-tip": `${bar.name}${rank(bar)}: ${value}` },
      svg("rect", { x: 0, y: y - 2, width, height: ROW, fill: "transparent" }),
      words(short(bar.name, letters - rank(bar).length) + rank(bar), room, y + 14, { class: "label" + (bar.kind === "whole" ? " strong" : ""), "text-anchor": "end" }),
      svg("rect", { class: "bar " + bar.kind, x: left, width: Math.max(1, right - left), y, height: ROW - 7 }),
      words(value, right + 5, y + 13, { class: "tick" }),
      i + 1 < bars.length && bar.kind !== "whole" ? svg("line", { class: "rule", x1: x(bar.end), x2: x(bar.end), y1: y, y2: y + ROW }) : null);
  };
  const label = `From ${names[1]} (${fixed(from)}) to ${names[0]} (${fixed(to)}) by ${metric}, document by document`;
  const table = [[names[1], "", "", fixed(from)], ...list.map((step) => [step.name, String(step.ranks[0] ?? ""), String(step.ranks[1] ?? ""), fixed(step.gap)]), [names[0], "", "", fixed(to)]];
  const head = ["document", `rank in ${names[0]}`, `rank in ${names[1]}`, "part of the gap"];
  return { figure: el("figure", { class: "waterfall", "data-metric": metric }, el("figcaption", {}, el("h3", {}, metric), `${names[1]} ${fixed(from)} → ${names[0]} ${fixed(to)}${list.length ? "" : ": no document makes a difference"}`), picture(width, height, label, svg("line", { class: "zero", x1: x(0), x2: x(0), y1: 0, y2: height }), bars.map(row)), behind(head, table)), rows: [head, ...table] };
}
