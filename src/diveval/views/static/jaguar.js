/* The jaguar ranking to play with: a ranking that can be changed, five metrics that react, and why two of them disagree. */
import { el, fixed } from "./base.js";
import { METRICS } from "./catalogue.js";
import { causeOf, orderOf } from "./causes.js";
import { rankingOf, score } from "./scoring.js";

const ASPECTS = ["animal", "car", "guitar"],
  MOST = 12;
const GRADES = [0, 0.25, 0.75], // relevance of grades 0, 1 and 2 under exponential gain with the highest grade 2
  MARKS = ["·", "●", "●●"],
  WORDS = ["not relevant", "relevant", "highly relevant"];
const START = [
  ["Jaguars of the Amazon", 2, 0, 0],
  ["The big cats: jaguar, lion, tiger", 1, 0, 0],
  ["Jaguar E-Type, 1961–1974", 0, 2, 0],
  ["Fender Jaguar: a history", 0, 0, 1],
];
const EDITS = {
  "Add two pages about nothing": (rows) => [...rows, ["Error 404", 0, 0, 0], ["Buy cheap tyres", 0, 0, 0]],
  "Show the car second": (rows) => [rows[0], rows[2], rows[1], ...rows.slice(3)],
  "Cover all three, weakly": () => [
    ["A zoo with one jaguar", 1, 0, 0],
    ["Used cars, also Jaguars", 0, 1, 0],
    ["Fender Jaguar: a history", 0, 0, 1],
    ["Jaguar guitars, second hand", 0, 0, 1],
  ],
  "Repeat the first page": (rows) => [rows[0], ["Jaguars of the Amazon, mirrored", 2, 0, 0], ...rows.slice(1)],
};
const CHOSEN = ["RBU", "alpha_nDCG", "ERR_IA", "Dsharp_nDCG", "StRecall"];

/** The five metrics without a cutoff, and S-Recall at 3, where a screen ends. */
const metrics = CHOSEN.map((name) => {
  const found = METRICS.find((metric) => metric.name.startsWith(name)),
    cutoff = name === "StRecall" ? 3 : null;
  const without = (part) =>
    part && typeof part === "object"
      ? Object.fromEntries(Object.entries(part).map(([key, value]) => [key, key === "cutoff" ? null : without(value)]))
      : part;
  return {
    label: found.label.replace(/@\d+/, cutoff ? `@${cutoff}` : ""),
    formula: { ...without(found.formula), cutoff },
  };
});

const relevanceOf = (rows) => rows.map(([, ...grades]) => grades.map((grade) => GRADES[grade]));

/** What the five metrics say of the changed ranking beside the given one; documents of the same name are the same. */
export function compareJaguars(given, changed) {
  const lists = [changed, given].map(relevanceOf),
    judged = new Map([...given, ...changed].map((row) => [row[0], row])),
    all = relevanceOf([...judged.values()]).filter((row) => row.some((r) => r > 0));
  const found = metrics.map((metric) => ({
    label: metric.label,
    before: score(metric.formula, rankingOf(lists[1], { pool: all })),
    after: score(metric.formula, rankingOf(lists[0], { pool: all })),
    order: orderOf(metric, lists, all),
    metric,
  }));
  const up = found.find((one) => one.order > 0),
    down = found.find((one) => one.order < 0),
    same = found.find((one) => one.order === 0);
  const [first, second] = up && down ? [up, down] : (down || up) && same ? [down || up, same] : [];
  const cause = first && second ? causeOf(first.metric, second.metric, lists, all) : null;
  return { found, first, second, cause };
}

function sentence({ found, first, second, cause }) {
  const says = { 1: "prefers your ranking", "-1": "prefers the given one", 0: "sees no difference" };
  if (!second) return `All five agree: each ${says[found[0].order]}.`;
  const why = cause ? ` Without ${cause}, they agree.` : "";
  return `${first.label} ${says[first.order]}, ${second.label} ${says[second.order]}.${why}`;
}

export function play(place) {
  let given = START;
  let rows = EDITS["Cover all three, weakly"](START);
  const table = el("tbody", {}),
    scores = el("tbody", {}),
    beside = el("p", { class: "play-given" }),
    text = el("p", { class: "play-why", "aria-live": "polite" });
  const change = (next) => {
    rows = next.slice(0, MOST);
    draw();
  };
  /** Another ranking, of documents as they were judged at first. */
  const begin = (next) => {
    given = START;
    change(next);
  };
  /** A judgment is of the document, wherever it is ranked. */
  const judge = (title, aspect) => {
    const judged = (row) => (row[0] === title ? row.map((g, c) => (c === aspect + 1 ? (g + 1) % 3 : g)) : row);
    given = given.map(judged);
    change(rows.map(judged));
  };
  const button = (label, act, attributes = {}) => el("button", { type: "button", onclick: act, ...attributes }, label);

  function draw() {
    const focus = document.activeElement?.dataset?.key;
    table.replaceChildren(
      ...rows.map(([title, ...grades], i) =>
        el(
          "tr",
          {},
          el("td", {}, String(i + 1)),
          el("td", { class: "play-title" }, title),
          grades.map((grade, t) =>
            el(
              "td",
              {},
              button(MARKS[grade], () => judge(title, t), {
                "data-key": `g${i}-${t}`,
                "aria-label": `${title}, ${ASPECTS[t]}: ${WORDS[grade]}. Change it`,
              }),
            ),
          ),
          el(
            "td",
            { class: "play-move" },
            button(
              "↑",
              () => i && change(rows.map((row, j) => (j === i - 1 ? rows[i] : j === i ? rows[i - 1] : row))),
              {
                "aria-label": `Move ${title} up`,
                "data-key": `u${i}`,
                disabled: i === 0,
              },
            ),
            button("×", () => change(rows.filter((_, j) => j !== i)), {
              "aria-label": `Remove ${title}`,
              "data-key": `x${i}`,
            }),
          ),
        ),
      ),
    );
    const about = compareJaguars(given, rows);
    scores.replaceChildren(
      ...about.found.map((one) =>
        el(
          "tr",
          { class: one === about.first || one === about.second ? "play-apart" : null },
          el("th", { scope: "row" }, one.label),
          el("td", {}, fixed(one.before, 3)),
          el("td", {}, fixed(one.after, 3)),
          el("td", {}, one.order > 0 ? "▲ better" : one.order < 0 ? "▼ worse" : "= the same"),
        ),
      ),
    );
    text.textContent = sentence(about);
    const marked = (grades) =>
      grades.flatMap((grade, t) => (grade ? [`${ASPECTS[t]} ${MARKS[grade]}`] : [])).join(", ") || MARKS[0];
    beside.textContent =
      `${WORDS.map((word, grade) => `${MARKS[grade]} ${word}`).join(", ")}. The given ranking: ` +
      given.map(([title, ...grades], i) => `${i + 1} ${title} (${marked(grades)})`).join("; ") +
      ".";
    if (focus) place.querySelector(`[data-key="${focus}"]`)?.focus();
  }

  const head = (...names) =>
    el(
      "thead",
      {},
      el(
        "tr",
        {},
        names.map((name) => (name ? el("th", { scope: "col" }, name) : el("td", {}))),
      ),
    );
  place.replaceChildren(
    el(
      "div",
      { class: "play-controls" },
      Object.entries(EDITS).map(([name, edit]) => button(name, () => begin(edit(START)))),
      button("As given", () => begin(START)),
    ),
    text,
    el(
      "div",
      { class: "play-both" },
      el("div", {}, el("table", { class: "play" }, head("", "document", ...ASPECTS, ""), table)),
      el("div", {}, el("table", { class: "play" }, head("metric", "given", "yours", ""), scores)),
    ),
    beside,
  );
  draw();
}

const place = typeof document === "undefined" ? null : document.getElementById("jaguar");
if (place) play(place);
