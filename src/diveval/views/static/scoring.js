/* Metrics in the browser: a metric is data (its parts and parameters), its formula is generated from Python's. */
import { classes } from "./algebra.js";
import { $, doubles } from "./numbers.js";

/** Ideal values are the same for all runs: a topic keeps them by the formula's own text. */
for (const name of Object.keys(classes)) {
  const own = Object.getOwnPropertyDescriptor(classes[name].prototype, "attainable");
  if (!own) continue;
  const compute = own.value;
  classes[name].prototype.attainable = function attainable(ranking, channel = 0) {
    if (!ranking.kept) return compute.call(this, ranking, channel);
    const key = JSON.stringify(this) + name + channel;
    if (!ranking.kept.has(key)) ranking.kept.set(key, compute.call(this, ranking, channel));
    return ranking.kept.get(key);
  };
}

/** A formula from its description, `{ is: "Sum", over: { is: "Aspects", … }, … }`. */
export function formula(described) {
  const part = Object.create(classes[described.is].prototype);
  for (const [key, value] of Object.entries(described))
    if (key !== "is") part[key] = value !== null && typeof value === "object" ? formula(value) : value;
  return part;
}

/** A ranking: relevance by rank and aspect, weights of aspects, and the rows of all relevant documents of the topic. */
export function rankingOf(relevance, { weights, pool = relevance, kept = null, wide = null } = {}) {
  const aspects = weights?.length ?? relevance[0]?.length ?? pool[0]?.length ?? wide ?? 1;
  relevance.wide = aspects;
  return {
    relevance,
    weights: weights ?? $.repeat(1 / aspects, aspects),
    pool,
    numbers: doubles,
    costs: null,
    pool_costs: null,
    normaliser: null,
    length: relevance.length,
    aspects,
    kept,
  };
}

/** The score of a ranking. */
export const score = (described, ranking) => formula(described).exact(ranking);

/** What each rank adds to a sum over ranks; null for other formulas. */
export function steps(described, ranking) {
  const made = formula(described);
  return typeof made.terms === "function" ? made.terms(ranking) : null;
}
