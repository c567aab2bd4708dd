/* Vega-Lite, loaded from this machine when the first chart is wanted. Specifications are plain objects. */

let loading = null;

/** Ask for the script; views that draw wait for it. */
export function load() {
  loading ??= new Promise((done, failed) => {
    const script = document.createElement("script");
    script.src = "/vega.js";
    script.onload = done;
    script.onerror = () => failed(new Error("vega.js could not be loaded"));
    document.head.append(script);
  });
  return loading;
}

const shown = new WeakMap();

/** Draw; what was drawn in the same place before is taken down properly. */
export async function chart(place, spec, label) {
  await load();
  const before = shown.get(place);
  const result = await diveval.chart(place, { $schema: "https://vega.github.io/schema/vega-lite/v6.json", ...spec }, label);
  if (before) before.finalize();
  shown.set(place, result);
}

/** Gain, effort and utility down the ranks, beside a table whose rows are `row` pixels high. */
export function walk(curve, stop, { width, row, head, span }) {
  const colours = { gain: "var(--gain)", effort: "var(--effort)", utility: "var(--utility)" };
  const points = Object.keys(colours).flatMap((series) => [{ rank: 0.5, series, value: 0 }, ...curve[series].map((value, i) => ({ rank: i + 1, series, value }))]);
  const ranks = curve.utility.length, domain = [0.5, ranks + 0.5];
  return {
    width, height: ranks * row, autosize: "none", padding: { left: 8, right: 14, top: head, bottom: 6 },
    layer: [
      {
        data: { values: points },
        mark: { type: "line", interpolate: "linear", strokeWidth: 2.2 },
        encoding: {
          y: { field: "rank", type: "quantitative", scale: { domain, reverse: true, nice: false }, axis: null },
          x: { field: "value", type: "quantitative", scale: { domain: span, nice: false }, axis: { orient: "top", title: null, tickCount: 3, grid: true } },
          order: { field: "rank" },
          color: { field: "series", type: "nominal", scale: { domain: Object.keys(colours), range: Object.values(colours) }, legend: null },
          strokeWidth: { condition: { test: "datum.series === 'utility'", value: 2.8 }, value: 1.8 },
        },
      },
      ...(stop > 0 && stop <= ranks ? [{
        data: { values: [{ rank: stop + 0.5 }] },
        mark: { type: "rule", strokeWidth: 2, color: "var(--stop)" },
        encoding: { y: { field: "rank", type: "quantitative", scale: { domain, reverse: true, nice: false }, axis: null } },
      }] : []),
    ],
  };
}

/** Gain, effort and utility across the ranks of a short list. */
export function across(curve, stop, width) {
  const colours = { gain: "var(--gain)", effort: "var(--effort)", utility: "var(--utility)" };
  const points = Object.keys(colours).flatMap((series) => [{ rank: 0, series, value: 0 }, ...curve[series].map((value, i) => ({ rank: i + 1, series, value }))]);
  const ranks = curve.utility.length;
  const x = { field: "rank", type: "quantitative", title: "after rank", scale: { domain: [0, ranks], nice: false }, axis: { values: [...Array(ranks + 1).keys()], format: "d", grid: false } };
  return {
    width, height: 170, autosize: { type: "fit", contains: "padding" },
    layer: [
      {
        data: { values: points }, mark: { type: "line", point: { size: 26, filled: true } },
        encoding: {
          x, y: { field: "value", type: "quantitative", title: null, axis: { tickCount: 5 } },
          color: { field: "series", type: "nominal", scale: { domain: Object.keys(colours), range: Object.values(colours) }, legend: null },
        },
      },
      { data: { values: [{ rank: stop }] }, mark: { type: "rule", strokeWidth: 2, color: "var(--stop)" }, encoding: { x } },
    ],
  };
}

/** One row per record: a point with its interval. */
export function intervals(records, title, width) {
  const y = { field: "name", type: "nominal", sort: null, title: null };
  const x = { type: "quantitative", title, scale: { zero: true } };
  return {
    width, height: 24 * records.length + 50, autosize: { type: "fit", contains: "padding" }, data: { values: records },
    layer: [
      { mark: { type: "rule", strokeWidth: 2, color: "var(--accent)", opacity: 0.55 }, encoding: { y, x: { ...x, field: "low" }, x2: { field: "high" } } },
      { mark: { type: "point", filled: true, size: 60, color: "var(--accent)", opacity: 1 }, encoding: { y, x: { ...x, field: "value" } } },
    ],
  };
}

/** Significance levels of all pairs, near the level that counts: as in Sakai's figures, what matters happens there. */
export function significance(curve, metrics, alpha, width) {
  const highest = 3 * alpha, kept = curve.filter((point) => metrics.includes(point.metric));
  const begin = Math.min(...kept.filter((point) => point.asl < highest).map((point) => point.place));
  const values = Number.isFinite(begin) ? kept.filter((point) => point.place >= begin - 1) : kept;
  return {
    width, height: 220, autosize: { type: "fit", contains: "padding" },
    layer: [
      {
        data: { values }, mark: { type: "line", clip: true },
        encoding: {
          x: { field: "place", type: "quantitative", title: "pairs of systems, by significance", scale: { zero: false, nice: false } },
          y: { field: "asl", type: "quantitative", title: "level", scale: { domain: [0, highest], nice: false } },
          color: { field: "metric", type: "nominal", title: null, sort: metrics },
        },
      },
      { data: { values: [{ alpha }] }, mark: { type: "rule", strokeDash: [4, 3], color: "var(--ink)" }, encoding: { y: { field: "alpha", type: "quantitative" } } },
    ],
  };
}
