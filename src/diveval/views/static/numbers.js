/* What the generated metrics (algebra.js) need of Python: lists, sums from left to right, and numbers that are doubles. */
import { LOGS } from "./logs.js";

const bytes = Uint8Array.from(atob(LOGS), (mark) => mark.charCodeAt(0));
const logs = new Float64Array(bytes.buffer); // 1 / log2(n) for n = 2, 3, … as Python computes it

export const $ = {
  len: (list) => list.length,
  truth: (value) => (Array.isArray(value) ? value.length > 0 : Boolean(value)),
  list: (values) => values.slice(),
  range: (count) => Array.from({ length: count }, (_, i) => i),
  repeat: (value, count) => Array(count).fill(value),
  first: (list, count) => (count === null ? list.slice() : list.slice(0, count)),
  transpose: (rows) => {
    if (!rows.length) return Array.from({ length: rows.wide ?? 0 }, () => []);
    return rows[0].map((_, column) => rows.map((row) => row[column]));
  },
  sum: (values, start) => {
    let total = start;
    for (const value of values) total += value;
    return total;
  },
  products: (one, two) => one.slice(0, two.length).map((value, i) => value * two[i]),
  max: (...given) => {
    const options = given[given.length - 1]?.default === undefined ? null : given.pop();
    const values = Array.isArray(given[0]) ? given[0] : given;
    if (!values.length && options) return options.default;
    let best = values[0];
    for (const value of values) if (value > best) best = value;
    return best;
  },
  min: (...given) => -$.max(...given.flat().map((value) => -value)),
  sorted: (values, { reverse = false } = {}) => [...values].sort((a, b) => (reverse ? b - a : a - b)),
  replace: (part, patch) => Object.assign(Object.create(Object.getPrototypeOf(part)), part, patch),
  is_zero: (value) => value === 0,
};

/** Doubles, as `Floats` in Python. */
export const doubles = {
  of: (value) => value,
  positive: (value) => (value > 0 ? 1 : 0),
  below: (value, limit) => (value < limit ? 1 : 0),
  largest: (values) => $.max(values.length ? values : [0]),
  inverse_log: (n) => (n - 2 < logs.length ? logs[n - 2] : 1 / Math.log2(n)),
};
