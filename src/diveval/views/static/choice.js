/* What is chosen, or a default: a name in the state that this collection or report does not have is ignored. */
import { shortened } from "./base.js";
import { state } from "./state.js";

export const MARGIN = 0.01; // how much worse than the baseline a run may be, until another margin is typed

export const metricOf = (app) => (app.metrics().includes(state.chosen) ? state.chosen : app.metrics()[0]);

/** The second metric: the one named, else the one that ranks the systems least like the first. */
export function againstOf(app) {
  const first = metricOf(app),
    others = app.metrics().filter((name) => name !== first);
  if (others.includes(state.against)) return state.against;
  const { metrics, matrix } = app.agreementNow() || { metrics: [], matrix: [] },
    row = matrix[metrics.indexOf(first)];
  const tau = (name) => row?.[metrics.indexOf(name)] ?? 1;
  return others.reduce((least, name) => (tau(name) < tau(least) ? name : least), others[0]) || first;
}

export const topicOf = (app) => (app.topics.includes(state.topic) ? state.topic : app.topics[0]);

/** Two systems: those named, else the first two by the chosen metric. */
export function pairOf(app, means) {
  const best = ordered(app, means, metricOf(app));
  const first = app.runs.includes(state.run) ? state.run : app.runs[best[0]];
  const second =
    app.runs.includes(state.other) && state.other !== first
      ? state.other
      : app.runs[best.find((r) => app.runs[r] !== first) ?? best[0]];
  return [first, second];
}

/** Which values of a metric are better: "high", "low", or "none" where neither is. */
export const better = (app, metric) => app.sureNow(metric)?.best || "high";

/** Means with their sign changed where lower is better; −∞ for none. */
const upward = (app, means, metric) =>
  means.map((mean) => (mean === null || mean === undefined ? -Infinity : better(app, metric) === "low" ? -mean : mean));

/** Places of the runs from best to worst by a metric, equal ones by name. */
export function ordered(app, means, metric) {
  const values = upward(app, means, metric),
    value = (r) => values[r] ?? -Infinity;
  return app.runs.map((_, r) => r).sort((a, b) => value(b) - value(a) || (app.runs[a] < app.runs[b] ? -1 : 1));
}

/** Ranks by a metric's means, 1 is best; equal means share the better rank. */
export function ranksOf(app, means, metric) {
  const values = upward(app, means, metric);
  const noise = 1e-12 * Math.max(0, ...values.filter(Number.isFinite).map(Math.abs));
  return values.map((value) => 1 + values.filter((other) => other > value + noise).length);
}

/** The judged topics that a system lacks. */
export const lacking = (app, run) => app.absent[run] || [];

/** "49/50" for a system that lacks topics, nothing for the others. */
export const answered = (app, run) =>
  lacking(app, run).length ? `${app.topics.length - lacking(app, run).length}/${app.topics.length}` : "";

/** The name of a system, marked where it lacks topics, since its mean is then over other topics. */
export const marked = (app, run, name = run) => (answered(app, run) ? `${name} (${answered(app, run)})` : name);

/** The systems for a list to choose from. */
export const choices = (app) => app.runs.map((run) => [run, marked(app, run)]);

/** Names of the systems for a picture, of about `most` characters. */
export const labels = (app, most) => shortened(app.runs, most).map((short, r) => marked(app, app.runs[r], short));

/** A topic's query where there is one. */
export const queryOf = (app, topic) => app.texts[topic]?.query || "";

/** The topics in which two differences have opposite signs, the strongest first, in standard deviations of each.
 * The same as `opposing_topics` in views/headline.py: the headline and the views must name the same topics. */
export function opposing(one, two, most = 5) {
  const scaled = (values) => {
    const known = values.filter((v) => v !== null),
      mean = known.reduce((a, b) => a + b, 0) / (known.length || 1);
    const spread = Math.sqrt(known.reduce((sum, v) => sum + (v - mean) ** 2, 0) / (known.length || 1));
    return values.map((v) => (v === null || !(spread > 0) ? 0 : v / spread));
  };
  const [a, b] = [scaled(one), scaled(two)];
  return one
    .map((_, t) => [a[t] - b[t], t])
    .filter(([apart]) => apart > 0)
    .sort((x, y) => y[0] - x[0])
    .slice(0, most)
    .map(([, t]) => t);
}

export const difference = (table, a, b) =>
  table[a].map((value, t) => (value === null || table[b][t] === null ? null : value - table[b][t]));
