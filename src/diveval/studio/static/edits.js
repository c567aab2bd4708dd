/* Edits of a system's lists and their effect on metrics, scored in the page. A list is numbers of documents; those of
   relevant documents are the places of their rows of relevance, and null is a topic that the system lacks. */
import { rankingIn } from "./evaluate.js";
import { formula } from "./scoring.js";

const SAME = 1e-12;
const unique = (list) => [...new Set(list)];

/** Without relevant documents all of whose aspects are covered at least as well by documents above. */
function withoutRedundant(list, rows) {
  const covered = (rows[0] ?? []).map(() => 0);
  return list.filter((number) => {
    const own = rows[number];
    if (own?.every((r, t) => r <= covered[t])) return false;
    own?.forEach((r, t) => {
      covered[t] = Math.max(covered[t], r);
    });
    return true;
  });
}

/** By edit, a topic's new lists from its lists, the depth, and the rows of relevance. */
const CHANGES = {
  cut: ([list], depth) => [list && list.slice(0, depth)],
  repeated: ([list]) => [list && unique(list)],
  redundant: ([list], _, rows) => [list && withoutRedundant(list, rows)],
  swap: ([one, two], depth) =>
    one || two
      ? [
          [two, one],
          [one, two],
        ].map(([top, below]) => unique([...(top ?? []).slice(0, depth), ...(below ?? []).slice(depth)]))
      : [null, null],
};

/** A document that is in a list twice counts once: its second place is not relevant. */
function firstPlaces(list) {
  const seen = new Set();
  return list.map((number) => (seen.has(number) ? null : seen.add(number) && number));
}

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** The effect of an edit: documents removed, and by system and metric the means and the topics that rose and fell. */
export function scoreEdit({ runs, topics, lists, missing }, edit, depth, metrics) {
  const about = topics.map(({ weights, rows, judged }) => ({
    weights,
    judged,
    aspects: weights,
    pool: rows,
    rows: new Map(rows.map((row, number) => [number, row])),
    kept: new Map(),
    none: weights.map(() => 0),
  }));
  const changed = lists.map((own, t) => CHANGES[edit](own, depth, topics[t].rows));
  const value = (made, list, t) => {
    const shown = list ?? (missing === "worst" ? null : []);
    return made.exact(rankingIn(about[t], shown && firstPlaces(shown), made.cutoff));
  };
  const effect = (made, r) => {
    const pairs = topics.map((_, t) => [value(made, lists[t][r], t), value(made, changed[t][r], t)]);
    const means = [lists, changed].map((own, side) =>
      mean(
        pairs
          .filter((_, t) => topics[t].counts && (missing !== "skip" || own[t][r] !== null))
          .map((pair) => pair[side]),
      ),
    );
    const count = (holds) => pairs.filter(([before, after]) => holds(after - before)).length;
    return {
      before: means[0],
      after: means[1],
      rose: count((d) => d > SAME),
      fell: count((d) => d < -SAME),
      same: count((d) => Math.abs(d) <= SAME),
    };
  };
  const documents = (all) => all.flat().reduce((sum, list) => sum + (list?.length ?? 0), 0);
  return {
    removed: documents(lists) - documents(changed),
    runs: runs.map((run, r) => ({
      run,
      metrics: Object.fromEntries(metrics.map(({ name, parts }) => [name, effect(formula(parts), r)])),
    })),
  };
}
