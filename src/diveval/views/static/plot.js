/* Charts as plain SVG: scales, axes, lines, points with intervals. Colours are CSS variables of the page. */
import { el, fixed, svg } from "./base.js";

/** A linear scale from values to pixels; an empty domain maps to the start of the range. */
export function linear([low, high], [from, to]) {
  const span = high - low || 1;
  const at = (value) => from + ((value - low) / span) * (to - from);
  at.domain = [low, high];
  return at;
}

/** Round numbers that cover a range in about `count` steps. */
export function ticks([low, high], count = 5) {
  const span = high - low;
  if (!(span > 0)) return [low];
  const rough = span / count,
    power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= rough);
  const out = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i += 1)
    out.push(Number((i * step).toPrecision(12)));
  return out;
}

export const path = (points) => points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)},${y.toFixed(1)}`).join("");

export const words = (text, x, y, attributes = {}) => svg("text", { x, y, ...attributes }, text);

/** A picture of a given size, with a label for screen readers. */
export function picture(width, height, label, ...children) {
  return svg(
    "svg",
    { class: "plot", width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label },
    children,
  );
}

export function acrossAxis(scale, y, { count = 5, top = false, format = String, until = null } = {}) {
  return ticks(scale.domain, count).map((value) => [
    until === null ? null : svg("line", { class: "rule", x1: scale(value), x2: scale(value), y1: y, y2: until }),
    words(format(value), scale(value), top ? y - 5 : y + 15, { class: "tick", "text-anchor": "middle" }),
  ]);
}

/** One row per record { name, value, low, high }: a point with its interval on an axis that is zoomed to the data. */
export function intervals(records, { width, label, format = (value) => fixed(value, 3), integers = false }) {
  const ROW = 22,
    names = Math.min(220, 16 + 7 * Math.max(...records.map((record) => (record.short || record.name).length)));
  const all = records.flatMap((record) => [record.value, record.low, record.high]).filter(Number.isFinite);
  const low = Math.min(...all),
    high = Math.max(...all),
    room = (high - low || 1) * 0.04;
  const x = linear([low - room, high + room], [names + 8, width - 14]),
    height = ROW * records.length + 24;
  const most = integers ? Math.min(8, Math.round(high - low)) || 1 : Math.max(3, Math.floor((width - names) / 90));
  const rows = records.map((record, i) => {
    const y = ROW * i + 12;
    const tip =
      `${record.name}: ${format(record.value)}` +
      (Number.isFinite(record.low) ? ` (${format(record.low)} to ${format(record.high)})` : "");
    return svg(
      "g",
      { "data-tip": tip },
      svg("rect", { x: 0, y: y - ROW / 2, width, height: ROW, fill: "transparent" }),
      words(record.short || record.name, names, y + 4, { class: "label", "text-anchor": "end" }),
      Number.isFinite(record.low)
        ? svg("line", { class: "range", x1: x(record.low), x2: x(record.high), y1: y, y2: y })
        : null,
      svg("circle", { class: "point", cx: x(record.value), cy: y, r: 4 }),
    );
  });
  const axis = acrossAxis(x, ROW * records.length + 4, {
    count: most,
    until: 0,
    format: (value) => (integers ? String(Math.round(value)) : String(value)),
  });
  return picture(width, height, label, axis, rows);
}

export const legendLine = (kind, text) => [el("span", { class: "line " + kind }), text + " "];
