/* Why two metrics prefer different rankings: a cause is named only if both agree once it is removed. */
import { rankingOf, score } from "./scoring.js";

/** The order of two lists by a metric: 1 if the first is better, −1 if the second is, 0 if they tie. */
export function orderOf(metric, lists, pool) {
  const [a, b] = lists.map((rows) => score(metric.formula, rankingOf(rows, { pool })));
  return Math.abs(a - b) < 1e-12 ? 0 : Math.sign(a - b);
}

const relevant = (row) => row.some((r) => r > 0);

/** Ways to change both lists that each remove one thing a metric may reward or punish. */
const REMOVALS = [
  [
    "the documents without relevance at the end, which cost a reader effort",
    (rows) => rows.slice(0, rows.length - [...rows].reverse().findIndex(relevant)),
  ],
  ["the different degrees of relevance", (rows) => rows.map((row) => row.map((r) => (r > 0 ? 0.5 : 0)))],
  [
    "the repetition, documents about an aspect that is already covered",
    (rows) => {
      const seen = new Set();
      return rows.map((row) =>
        row.map((r, t) => {
          const counts = r > 0 && !seen.has(t);
          if (r > 0) seen.add(t);
          return counts ? r : 0;
        }),
      );
    },
  ],
  [
    "the difference in the ranks of the relevant documents",
    (rows) => [...rows].sort((a, b) => Math.max(...b) - Math.max(...a)),
  ],
];

/** The first thing without which the two metrics do not prefer different lists; null if there is none. */
export function causeOf(one, two, lists, pool) {
  for (const [name, remove] of REMOVALS) {
    if (lists.every((rows) => !rows.some(relevant))) return null;
    const changed = lists.map(remove),
      left = remove(pool);
    if (changed.every((rows, i) => JSON.stringify(rows) === JSON.stringify(lists[i]))) continue;
    const [x, y] = [one, two].map((metric) => orderOf(metric, changed, left));
    if (x === y || x * y > 0) return name;
  }
  return null;
}
