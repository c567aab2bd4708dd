/* The first view: which metric to trust on this collection, why, and what speaks against it; then who leads. */
import { el, newest, notes } from "./base.js";
import { share } from "./parts.js";
import { sentencesOf } from "./sentences.js";
import { set } from "./state.js";
import { plain } from "./table.js";

const percent = (count, of) =>
  !of
    ? "–"
    : !count
      ? "0 %"
      : count === of
        ? "100 %"
        : count / of < 0.001
          ? "<0.1 %"
          : `${((100 * count) / of).toFixed(1)} %`;

const NONE = "Two or more metrics with decided constraints are needed. Choose others, or see the leaderboard.";

/** Sentences, table, and what follows from it, as elements. */
function compose(data, app) {
  const total = Object.keys(data.axioms).length;
  const cell = (metric, axiom, text) =>
    el(
      "a",
      {
        href: "#axioms",
        "data-tip": `${data.axioms[axiom][0]}: ${data.axioms[axiom][1]}`,
        onclick: (event) => {
          event.preventDefault();
          set({ view: "axioms", cell: `${metric}/${axiom}` });
          app.reveal("axioms");
        },
      },
      text,
    );
  const nameOf = (row) => [
    el("b", { "data-tip": row.metric }, row.label),
    row.metric === row.label ? "" : el("small", {}, row.metric),
  ];
  const open = (row) => {
    const named = [
      ...row.unsatisfied.map((axiom) => [axiom, data.axioms[axiom][0]]),
      ...row.partly.map((axiom) => [axiom, `${data.axioms[axiom][0]} (some grades)`]),
      ...row.undecided.map((axiom) => [axiom, `${data.axioms[axiom][0]} (undecided)`]),
    ];
    return named.length
      ? named.map(([axiom, text], i) => [i ? ", " : "", cell(row.metric, axiom, text)]).flat()
      : "none";
  };
  const often = (row) =>
    !row.situations
      ? "not counted"
      : !row.often
        ? "none"
        : cell(row.metric, row.often[0], `${data.axioms[row.often[0]][0]}: ${row.often[1]} of ${row.often[2]}`);
  // A column that is the same for all metrics because nothing was counted or compared is left out.
  const columns = [
    ["Metric", "", "", (row) => nameOf(row)],
    [
      `constraints, of ${total}`,
      "",
      " constraints",
      (row) => (row.satisfied === null ? "–" : share(row.satisfied, total)),
    ],
    ["fails in these runs", "", " of the situations fail", (row) => percent(row.failed, row.situations), "situations"],
    ["fails most", "Fails most: ", "", often, "situations"],
    [
      "pairs of systems told apart",
      "",
      " pairs told apart",
      (row) => (row.pairs === null ? "–" : share(row.significant, row.pairs)),
      "pairs",
    ],
    ["unanimity", "Unanimity ", "", (row) => (row.mu === null ? "–" : row.mu.toFixed(3)), "mu"],
    ["not satisfied", "Not satisfied: ", "", (row) => el("span", {}, open(row))],
  ].filter(([, , , , counted]) => !counted || data.rows.some((row) => row[counted]));
  const numbers = ["fails in these runs", "unanimity"];
  const table = plain(
    columns.map(([head]) => head),
    data.rows.map((row) => columns.map(([, , , cellOf]) => cellOf(row))),
    { name: "verdict-table", text: columns.flatMap(([head], i) => (numbers.includes(head) ? [] : [i])) },
  );
  // On a phone each metric is a block of lines, in which these words name the values.
  for (const row of table.tBodies[0].rows)
    [...row.cells].forEach((one, i) => Object.assign(one.dataset, { before: columns[i][1], after: columns[i][2] }));
  const headline = el("div", { class: "headline" });
  const list = (items) => el("ul", {}, items);
  app.headline((sentences) => headline.replaceChildren(...sentencesOf(sentences)));
  return [
    el("div", { class: "reason", id: "why-metric" }, sentencesOf(data.sentences)),
    el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "The metrics compared" }, table),
    el(
      "div",
      { class: "columns-of-text" },
      el("div", { id: "systems-in-short" }, el("h3", {}, "The systems"), headline),
      el(
        "div",
        { id: "against" },
        el("h3", {}, "What speaks against it"),
        data.against.length ? list(sentencesOf(data.against, "li")) : el("p", {}, "Nothing that this report looks at."),
      ),
      el(
        "div",
        { id: "next" },
        el("h3", {}, "What next"),
        list(
          data.next.map(({ sentence, command }) => {
            const [item] = sentencesOf([sentence], "li");
            item.firstChild.append(" ", el("code", {}, command));
            return item;
          }),
        ),
      ),
    ),
  ];
}

export const verdict = {
  name: "verdict",
  title: "Verdict",
  needs: true,
  what: "",
  draw(place, app) {
    const body = el("div", { class: "trust" });
    place.append(body);
    const refresh = newest(() =>
      app.attempt(async () => {
        const { found, notes: more } = await app.verdict(body);
        body.replaceChildren(...(found ? compose(found, app) : [el("p", { class: "note" }, NONE)]), notes(more));
      }),
    );
    return {
      update(patch) {
        if (!body.childNodes.length || ["metrics", "options", "collection"].some((name) => name in patch))
          app.soon("verdict", refresh, "metrics" in patch ? 300 : 0);
      },
    };
  },
};
