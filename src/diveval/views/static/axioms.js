/* The matrix of metrics × constraints with its evidence next to it: two rankings with both scores, or a proof. */
import { button, el, newest, notes, select, shortMetrics } from "./base.js";
import { saving } from "./save.js";
import { set, state } from "./state.js";
import { keeper, sync, textOf, walkable } from "./table.js";

const CHECKERS = {
  solver: "z3",
  exact: "exact arithmetic",
  analysis: "by calculus, stated",
  induction: "by the induction above",
};
const OTHER = "◇";

function ranking(title, rows, score, decimal, cutoff) {
  const side = (number) => 6 + 12 * Math.sqrt(number) + "px";
  const square = (number) =>
    el(
      "span",
      { class: "square" },
      number > 0 ? el("i", { style: { width: side(number), height: side(number) } }) : null,
    );
  return el(
    "div",
    { class: "side" },
    el("h4", {}, title),
    el(
      "table",
      {},
      el(
        "tbody",
        {},
        rows.map((row, i) =>
          el(
            "tr",
            { class: cutoff && i >= cutoff ? "behind-cut" : null },
            el("th", { scope: "row" }, String(i + 1)),
            row.map(([text, number]) => el("td", {}, square(number), text)),
          ),
        ),
      ),
    ),
    el(
      "p",
      {},
      "scores ",
      el("b", { class: "score" }, decimal),
      score === decimal ? null : el("span", { class: "exact" }, ` = ${score}`),
    ),
  );
}

function example(found) {
  const [more, less] = found.strict
    ? ["Should score more", "Should score less"]
    : ["Should score no less", "Should score no more"];
  const about = [
    ...Object.entries(found.setting).map(([name, value]) => `${name} = ${value}`),
    found.cutoff ? `cutoff ${found.cutoff}` : null,
    found.weights.length > 1 ? `weights ${found.weights.join(", ")}` : null,
  ].filter(Boolean);
  return [
    el("p", {}, `${found.label}${about.length ? ` (${about.join("; ")})` : ""}.`),
    el(
      "div",
      { class: "two" },
      ranking(more, found.better, found.scores[0], found.decimals[0], found.cutoff),
      ranking(less, found.worse, found.scores[1], found.decimals[1], found.cutoff),
    ),
    el(
      "p",
      {},
      found.scores[0] === found.scores[1] ? "It gives both the same score." : "It orders them the other way round.",
    ),
  ];
}

function proof(found) {
  const steps = (found.steps || []).map((step) =>
    el("li", {}, step.claim, el("span", { class: "by" }, ` (${CHECKERS[step.by] || step.by})`)),
  );
  const line = [found.witness, found.bound].filter(Boolean).join(" ");
  return [
    line || steps.length
      ? el(
          "details",
          { class: "proof" },
          el("summary", {}, `The proof${found.every_length ? ", for every length" : ""}`),
          line ? el("p", {}, line + ".") : null,
          steps.length ? el("ol", {}, steps) : null,
        )
      : null,
  ];
}

export const axioms = {
  name: "axioms",
  title: "Axioms",
  needs: false,
  what: "Ten constraints a diversity metric should satisfy. Choose a cell to see its evidence next to the matrix.",
  draw(place, app) {
    const controls = el("div", { class: "controls" }),
      key = el("p", { class: "key marks" }),
      matrix = el("table", { id: "matrix", "data-sheet": 10 });
    const evidence = el("div", {
      id: "evidence",
      class: "evidence",
      role: "region",
      "aria-live": "polite",
      "aria-label": "Evidence",
      tabindex: -1,
    });
    const working = el("div", { class: "working" }),
      undecided = el("div", { id: "undecided" }),
      below = el("div", {});
    place.append(
      controls,
      working,
      key,
      el("div", { class: "matrix-and-evidence" }, el("div", { class: "scroll" }, matrix, undecided), evidence),
      below,
    );

    const kept = keeper();
    const wording = (verdict) => app.marks[verdict] || [OTHER, "open", verdict];
    const differs = (cell) => cell.paper && cell.agrees === false;

    function drawControls(reading) {
      if (controls.dataset.reading === reading) return; // keep an open menu open while cells arrive
      controls.dataset.reading = reading;
      const readings = [
        ["charitable", "as intended (charitable)"],
        ["as-written", "as written"],
      ];
      const chosen = app.readings
        ? select("Constraints read", readings, reading, (word) => set({ reading: word }), { id: "reading" })
        : el("span", { class: "muted" }, `Constraints are read ${Object.fromEntries(readings)[reading] || reading}.`);
      controls.replaceChildren(
        chosen,
        saving("axioms", matrix, async () => textOf(matrix)),
      );
    }

    function drawKey(found) {
      const used = new Set(
        found.rows
          .filter((row) => row.cells.some(Boolean))
          .flatMap((row) => row.cells.map((cell) => (cell ? cell.verdict : "open"))),
      );
      const order = [
        ...Object.keys(app.marks).filter((verdict) => used.has(verdict)),
        ...[...used].filter((verdict) => !(verdict in app.marks)),
      ];
      const paper = found.rows.some((row) => row.cells.some((cell) => cell && differs(cell)));
      key.replaceChildren(
        ...order.map((verdict) => {
          const [mark, kind, text] = wording(verdict);
          return el("span", {}, el("b", { class: kind }, mark), ` ${text}`);
        }),
        ...(paper ? [el("span", {}, el("b", { class: "differs" }, "†"), " differs from Table 1 of the paper")] : []),
        ...(found.violations && Object.keys(found.violations).length
          ? [
              el(
                "span",
                {},
                el("small", {}, "%"),
                found.reading === "charitable"
                  ? " share of the situations in this data within the constraint’s premises that the metric does not reward; none: no such situation"
                  : " share of the axiom’s situations in this data that the metric does not reward",
              ),
            ]
          : []),
      );
    }

    function cellOf(row, axiom, cell, often, brief) {
      const [mark, kind, text] = wording(cell ? cell.verdict : "open");
      const differing = cell && differs(cell) ? ", which differs from Table 1 of the paper" : "";
      const unrewarded = often ? `; in this data not rewarded in ${often} situations` : "";
      const label = `${row.metric}, ${axiom.title}: ${text}${differing}${unrewarded}`;
      const name = `${row.metric}/${axiom.name}`;
      return kept(name, label, () =>
        el(
          "td",
          {},
          el(
            "button",
            {
              type: "button",
              class: kind,
              "aria-label": label,
              "data-cell": name,
              "data-tip": label,
              "data-value": mark,
              onclick: () => set({ cell: state.cell === name ? "" : name }),
            },
            mark,
            cell && differs(cell) ? el("sup", {}, "†") : null,
          ),
          brief ? el("small", { class: "often" }, brief) : null,
        ),
      );
    }

    /** How often a failure occurs in this data: in the situations that the verdict is about, else in all of them. */
    const countOf = (found, metric, axiom) => {
      const counts = found.violations?.[metric]?.[axiom];
      if (!counts) return null;
      return found.reading === "charitable" ? counts : { count: counts.unrewarded, of: counts.found };
    };
    const oftenOf = (found, metric, axiom) => {
      const count = countOf(found, metric, axiom);
      return count && count.of ? `${count.count} of ${count.of}` : null;
    };
    /** What happens outside the premises, about which a verdict says nothing. */
    const outside = (found, metric, axiom) => {
      const counts = found.violations?.[metric]?.[axiom];
      if (!counts || found.reading !== "charitable" || counts.found === counts.of) return null;
      return `Of all ${counts.found} situations, also those outside the premises, ${counts.unrewarded} are not rewarded.`;
    };
    /** The same in the width of a cell: a share, which the tooltip spells out. */
    const share = (found, metric, axiom) => {
      const { count, of } = countOf(found, metric, axiom) || {};
      return !of
        ? null
        : !count
          ? "0 %"
          : count / of < 0.001
            ? "<0.1 %"
            : `${((100 * count) / of).toFixed(count / of < 0.1 ? 1 : 0)} %`;
    };

    function drawMatrix(found) {
      const name = (metric) => app.heading(metric).map((part, i) => (i ? el("small", {}, part) : part));
      const decided = found.rows.filter((row) => row.cells.some(Boolean)),
        open = found.rows.filter((row) => !row.cells.some(Boolean));
      undecided.replaceChildren(
        ...(open.length
          ? [
              el(
                "p",
                { class: "note" },
                `No constraint was decided in time for ${open.map((row) => row.metric).join(", ")}; `,
                el("code", {}, found.longer || "diveval axioms"),
                " gives them longer.",
              ),
            ]
          : []),
      );
      const head = kept("head", found.axioms.map((axiom) => axiom.name).join(), () =>
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            el("td", {}),
            found.axioms.map((axiom) =>
              el("th", { scope: "col", "data-tip": axiom.why, "data-value": axiom.title }, el("span", {}, axiom.title)),
            ),
          ),
        ),
      );
      const body = kept("body", "", () => el("tbody", {}));
      sync(matrix, [head, body]);
      sync(
        body,
        decided.map((row) => {
          const line = kept("row\n" + row.metric, "", () => el("tr", {})),
            title = kept("name\n" + row.metric, "", () =>
              el("th", { scope: "row", "data-value": row.metric }, name(row.metric)),
            );
          sync(line, [
            title,
            ...found.axioms.map((axiom, i) =>
              cellOf(
                row,
                axiom,
                row.cells[i],
                oftenOf(found, row.metric, axiom.name),
                share(found, row.metric, axiom.name),
              ),
            ),
          ]);
          return line;
        }),
      );
      press();
      walkable(matrix, "td button", (at) => at.click());
    }

    const press = () => {
      for (const one of matrix.querySelectorAll("button[data-cell]"))
        one.setAttribute("aria-pressed", String(one.dataset.cell === state.cell));
    };

    /** Until a cell is chosen, the one whose metric fails most often in this data, else the first that fails. */
    function mostFailing(found) {
      const cells = found.rows.flatMap((row) => found.axioms.map((axiom) => [row.metric, axiom.name]));
      const often = ([metric, axiom]) => {
        const { count, of } = countOf(found, metric, axiom) || {};
        return of ? count / of : 0;
      };
      const most = cells.reduce((one, other) => (often(other) > often(one) ? other : one), cells[0] ?? ["", ""]);
      if (often(most) > 0) return most.join("/");
      const failing = found.rows.flatMap((row) =>
        found.axioms.filter((_, i) => row.cells[i]?.verdict === "fails").map((axiom) => [row.metric, axiom.name]),
      );
      return failing.length ? failing[0].join("/") : "";
    }

    function drawEvidence(found, scroll = false) {
      const open = state.cell || mostFailing(found),
        [metric, name] = [open.slice(0, open.lastIndexOf("/")), open.slice(open.lastIndexOf("/") + 1)];
      const row = found.rows.find((one) => one.metric === metric),
        at = found.axioms.findIndex((one) => one.name === name);
      if (!row || at < 0)
        return evidence.replaceChildren(el("p", { class: "muted" }, "Choose a cell to see its evidence here."));
      const axiom = found.axioms[at],
        cell = row.cells[at];
      const label = shortMetrics(app, app.metrics()).get(metric) ?? metric;
      const title = (text) => el("h3", {}, `${axiom.title}: ${label} ${text}`),
        why = el("p", { class: "why" }, `${axiom.why}: `, el("code", {}, axiom.says));
      if (!cell)
        return evidence.replaceChildren(
          title("was not decided in time"),
          why,
          el(
            "p",
            {},
            "Decide it with ",
            el("code", {}, found.longer || `diveval axioms '${metric}'`),
            ", which takes longer.",
          ),
        );
      const shown = cell.verdict === "fails" ? "counterexample" : "evidence";
      const paper = !cell.paper
        ? null
        : differs(cell)
          ? `Table 1 of the paper has “${cell.paper}” here. The ${shown} above was checked exactly and shows that this constraint ${wording(cell.verdict)[2]} under the ${found.reading === "charitable" ? "intended" : "literal"} reading; the errata in the documentation say where the two part.`
          : `Table 1 of the paper agrees (${cell.paper}).`;
      const often = oftenOf(found, metric, name);
      const lines = [
        cell.parameters ? `Parameters: ${cell.parameters}.` : null,
        cell.region
          ? `It holds exactly where ${cell.region.formula}${cell.region.numbers.length ? ` (${cell.region.numbers.join("; ")})` : ""}.`
          : null,
        cell.note ? `Note: ${cell.note}.` : null,
        often
          ? `In this data ${often} situations ${found.reading === "charitable" ? "within the constraint’s premises" : "of this axiom"} are not rewarded.`
          : null,
        outside(found, metric, name),
      ];
      const play =
        cell.situation && app.play
          ? kept("play", open, () =>
              button("Open in the playground", () => app.play(cell.situation), { class: "primary", id: "play-it" }),
            )
          : null;
      sync(
        evidence,
        [
          title(wording(cell.verdict)[2]),
          play,
          why,
          ...(cell.example ? example(cell.example) : cell.evidence && !cell.proof ? [el("p", {}, cell.evidence)] : []),
          ...(cell.proof ? proof(cell.proof) : []),
          ...lines.map((line) => line && el("p", {}, line)),
          paper && el("p", { class: differs(cell) ? "differs" : null }, paper),
        ].filter(Boolean),
      );
      if (scroll) evidence.scrollIntoView({ block: "nearest" });
      return undefined;
    }

    let held = null;
    const refresh = newest(() =>
      app.attempt(async () => {
        show(await app.axioms(app.metrics(), state.reading, working, show));
      }),
    );

    function show(found) {
      held = found;
      drawControls(held.reading);
      below.replaceChildren(notes(held.notes || []));
      if (!held.rows.length) return;
      drawKey(held);
      drawMatrix(held);
      drawEvidence(held);
    }

    return {
      update(patch) {
        if (held && "cell" in patch && !("metrics" in patch || "reading" in patch)) {
          press();
          drawEvidence(held, true);
        } else if (!held || ["metrics", "reading", "options"].some((name) => name in patch))
          app.soon("axioms", refresh, "metrics" in patch ? 400 : 0);
      },
    };
  },
};
