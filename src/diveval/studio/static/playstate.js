/* The playground's state: its validation, and its conversion from and to the shapes of the API. */

/** Counterexamples of the matrix, as situations of the playground. */
export const found = [];

export function remember(rows) {
  found.splice(0, found.length, ...rows.flatMap((row) => row.cells.map((cell) => cell.situation)).filter(Boolean));
}

const number = (value, low, high) => typeof value === "number" && value >= low && value <= high;

/** Whether a state can be drawn: it may come from an address that somebody else wrote. */
export function readPlay(play, limits) {
  const isRanking = (some) =>
    Array.isArray(some.aspects) &&
    some.aspects.length >= 1 &&
    some.aspects.length <= limits.aspects &&
    some.aspects.every((aspect) => aspect && typeof aspect.name === "string" && number(aspect.weight, 0, 1e6)) &&
    Array.isArray(some.list) &&
    Array.isArray(some.bench) &&
    some.list.length + some.bench.length <= limits.documents &&
    [...some.list, ...some.bench].every(
      (row) =>
        row &&
        typeof row.name === "string" &&
        Array.isArray(row.relevance) &&
        row.relevance.length === some.aspects.length &&
        row.relevance.every((r) => number(r, 0, 1)),
    );
  return (
    Boolean(play) &&
    typeof play === "object" &&
    isRanking(play) &&
    ["preset", "says", "wants"].every((name) => typeof play[name] === "string") &&
    (play.pinned === null || (typeof play.pinned === "object" && isRanking(play.pinned)))
  );
}

/** A ranking in the shape of the API. */
export const gather = ({ aspects, list, bench }) => ({
  relevance: list.map((row) => row.relevance),
  weights: aspects.map((aspect) => aspect.weight),
  bench: bench.map((row) => row.relevance),
});

/** A situation of the server as a state: the same document before and after keeps its letter. */
export function playSituation(situation) {
  const names = new Map();
  const turned = (ranking) => {
    const seen = new Map();
    const row = (relevance) => {
      // A document is identified by its relevance and by how many with the same relevance come before it.
      const same = JSON.stringify(relevance),
        count = seen.get(same) || 0,
        sign = same + count;
      seen.set(same, count + 1);
      if (!names.has(sign)) names.set(sign, letter(names.size));
      return { name: names.get(sign), relevance: [...relevance] };
    };
    return {
      aspects: ranking.weights.map((weight, t) => ({ name: `t${t + 1}`, weight })),
      list: ranking.relevance.map(row),
      bench: ranking.bench.map(row),
    };
  };
  const before = turned(situation.before);
  return {
    ...turned(situation.after),
    pinned: before,
    preset: situation.key,
    says: `${situation.says} ${situation.why}`,
    wants: situation.expected,
  };
}

const letter = (i) => String.fromCharCode(65 + (i % 26)) + (i >= 26 ? Math.floor(i / 26) : "");

/** A name no document has yet. */
export function freshName(rows) {
  const used = new Set(rows.map((row) => row.name));
  for (let i = 0; ; i += 1) {
    const name = letter(i);
    if (!used.has(name)) return name;
  }
}
