/* An evaluation in the browser by diveval's default rules: exponential gain, unused aspects left out, uniform weights,
 * missing topics scored as lists without a relevant document. */
import { formula, rankingOf } from "./scoring.js";
import { Refusal, byName } from "./trec.js";

/** Sorted as people expect: numbers by value where all are numbers, else by text; the same as `naturally` in Python. */
function naturally(names) {
  const numbers = names.every((name) => /^[0-9]{1,18}$/.test(name)),
    value = new Map(numbers ? names.map((name) => [name, BigInt(name)]) : []);
  const size = (one, two) => (numbers ? Number(value.get(one) - value.get(two)) : 0);
  return [...names].sort((one, two) => size(one, two) || byName(one, two));
}

/** By topic: aspects that count, a row of relevance for each relevant document, and how many documents are judged. */
export function collect(judgments, { gain = "exponential" } = {}) {
  const top = judgments.highest,
    gains = {
      exponential: (grade) => (2 ** grade - 1) / 2 ** top,
      linear: (grade) => grade / top,
      binary: () => 1,
    };
  if (gain === "exponential" && top > 1000) throw new Refusal("grade-too-high", `the grade ${top} is too high for 2^g`);
  const out = new Map();
  for (const topic of naturally([...judgments.topics.keys()])) {
    const { documents } = judgments.topics.get(topic);
    const used = new Set();
    for (const grades of documents.values()) for (const [aspect, grade] of grades) if (grade > 0) used.add(aspect);
    const aspects = naturally([...used]),
      rows = new Map();
    for (const document of [...documents.keys()].sort((a, b) => byName(b, a))) {
      const grades = documents.get(document);
      const row = aspects.map((aspect) => ((grades.get(aspect) ?? 0) > 0 ? gains[gain](grades.get(aspect)) : 0));
      if (row.some((r) => r > 0)) rows.set(document, row);
    }
    out.set(topic, {
      aspects,
      rows,
      judged: documents.size,
      documents: new Set(documents.keys()),
      pool: [...rows.values()],
      kept: new Map(),
      none: aspects.map(() => 0),
    });
  }
  return out;
}

/** The ranking of one list; `null` is a topic that the run lacks. */
export function rankingIn(topic, list, cutoff = null) {
  // No metric looks below its cutoff.
  const all = list === null ? Array(cutoff ?? topic.judged).fill(null) : list,
    shown = cutoff === null || all.length <= cutoff ? all : all.slice(0, cutoff);
  const rows = shown.map((document) => topic.rows.get(document) ?? topic.none);
  return rankingOf(rows, {
    pool: topic.pool,
    kept: topic.kept,
    wide: topic.aspects.length,
    weights: topic.weights ?? topic.aspects.map(() => 1 / topic.aspects.length),
  });
}

/** Scores by run, metric and topic, `values[run][metric][topic]`, with means and notes. `metrics` are `{ name, formula }`. */
export function evaluate(judgments, runs, metrics, options = {}) {
  const topics = collect(judgments, options),
    made = metrics.map((metric) => formula(metric.formula)),
    notes = [...judgments.notes];
  const values = runs.map(({ name, run }) => {
    const shared = [...topics.keys()].filter((topic) => run.lists.has(topic)).length;
    const fault = [...topics.keys()].map((topic) => run.repeated.get(topic)).find(Boolean);
    if (fault) throw fault;
    if (!shared) throw new Refusal("no-shared-topic", "has no topic in common with the judgments", { file: name });
    if (shared < topics.size)
      notes.push(
        `${name} lacks ${topics.size - shared} of ${topics.size} judged topics: scored as lists without a relevant document.`,
      );
    notes.push(...run.notes);
    return made.map((one) =>
      [...topics].map(([topic, about]) => one.exact(rankingIn(about, run.lists.get(topic) ?? null, one.cutoff))),
    );
  });
  const means = values.map((run) => run.map((scores) => scores.reduce((a, b) => a + b, 0) / scores.length));
  return { topics: [...topics.keys()], about: topics, values, means, notes };
}
