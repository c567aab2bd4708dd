/* The playground's state: what may stand in it, and how it is told to the server. */

const number = (value, low, high) => typeof value === "number" && value >= low && value <= high;

/** Is this a state we can draw? It may come from an address that anybody wrote. */
export function readPlay(play, limits) {
  const isRanking = (some) => Array.isArray(some.aspects) && some.aspects.length >= 1 && some.aspects.length <= limits.aspects
    && some.aspects.every((aspect) => aspect && typeof aspect.name === "string" && number(aspect.weight, 0, 1e6))
    && Array.isArray(some.list) && Array.isArray(some.bench) && some.list.length + some.bench.length <= limits.documents
    && [...some.list, ...some.bench].every((row) => row && typeof row.name === "string" && Array.isArray(row.relevance)
      && row.relevance.length === some.aspects.length && row.relevance.every((r) => number(r, 0, 1)));
  return Boolean(play) && typeof play === "object" && isRanking(play) && typeof play.preset === "string"
    && (play.pinned === null || (typeof play.pinned === "object" && isRanking(play.pinned)));
}

/** As the API wants a ranking. */
export const gather = ({ aspects, list, bench }) => ({
  relevance: list.map((row) => row.relevance), weights: aspects.map((aspect) => aspect.weight), bench: bench.map((row) => row.relevance),
});

/** A name no document has yet. */
export function freshName(rows) {
  const used = new Set(rows.map((row) => row.name));
  for (let i = 0; ; i += 1) {
    const name = String.fromCharCode(65 + (i % 26)) + (i >= 26 ? Math.floor(i / 26) : "");
    if (!used.has(name)) return name;
  }
}
