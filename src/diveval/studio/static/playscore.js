/* Scores of the playground's ranking, computed in the page by the metrics that are generated from Python's. */
import { rankingOf, score, steps } from "./scoring.js";

const TOO_LARGE = "the value is too large for a number on this page";

/** A ranking made by hand, with weights that sum to 1; the bench was judged but not returned. */
function made({ relevance, weights, bench }) {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return rankingOf(
    relevance.map((row) => [...row]),
    {
      weights: weights.map((weight) => weight / total),
      pool: [...relevance, ...bench].filter((row) => row.some((r) => r > 0)),
      wide: weights.length,
    },
  );
}

/** By metric its value, or null and a note why it has none. */
export function playValues(given, metrics) {
  const ranking = made(given),
    values = {},
    notes = {};
  for (const { name, parts } of metrics) {
    const value = parts ? score(parts, ranking) : null;
    values[name] = Number.isFinite(value) ? value : null;
    if (parts && values[name] === null) notes[name] = TOO_LARGE;
  }
  return { values, notes };
}

/** Sums of gain, effort and utility down to each rank, and the first rank with the highest utility, 0 for none. */
export function playCurve(given, { name, parts }) {
  const ranking = made(given),
    sums = (effort) => {
      let sum = 0;
      return steps({ ...parts, cutoff: null, effort }, ranking).map((step) => (sum += step));
    };
  const utility = sums(parts.effort),
    gain = sums(0),
    best = Math.max(0, ...utility);
  return {
    walk: name,
    curve: { gain, utility, effort: gain.map((g, i) => g - utility[i]) },
    stop: best > 0 ? utility.indexOf(best) + 1 : 0,
  };
}
