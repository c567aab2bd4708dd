/* The matrix of metrics × constraints; each cell opens its evidence: two rankings with both scores, or a proof. */
diveval.axioms = function (data) {
  const { el } = diveval;
  const told = data.axioms,
    place = diveval.$("evidence");
  const marks = { holds: "●", fails: "○", region: "◐", "not-applicable": "–", unknown: "?" };
  const said = {
    holds: "holds",
    fails: "fails",
    region: "holds in a region",
    "not-applicable": "does not apply",
    unknown: "is not decided",
  };
  const kinds = { holds: "yes", fails: "no", region: "part" };
  const checkers = {
    solver: "z3",
    exact: "exact arithmetic",
    analysis: "by calculus, stated",
    induction: "by the induction above",
  };

  function ranking(title, rows, score, decimal, cutoff) {
    const squares = rows.map((row, i) =>
      el(
        "tr",
        { class: cutoff && i >= cutoff ? "behind" : null },
        el("th", { scope: "row" }, String(i + 1)),
        row.map(([text, number]) =>
          el(
            "td",
            {},
            el(
              "span",
              { class: "square" },
              number > 0
                ? el("i", {
                    style: { width: 6 + 12 * Math.sqrt(number) + "px", height: 6 + 12 * Math.sqrt(number) + "px" },
                  })
                : null,
            ),
            text,
          ),
        ),
      ),
    );
    return el(
      "div",
      { class: "side" },
      el("h4", {}, title),
      el("table", {}, el("tbody", {}, squares)),
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
    const equal = found.scores[0] === found.scores[1];
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
      el("p", {}, equal ? "It gives both the same score." : "It orders them the other way round."),
    ];
  }

  function proof(found) {
    const steps = (found.steps || []).map((step) =>
      el("li", {}, step.claim, el("span", { class: "by" }, ` (${checkers[step.by] || step.by})`)),
    );
    const line = [found.witness, found.bound].filter(Boolean).join(" ");
    return [
      line ? el("p", {}, line + ".") : null,
      steps.length ? el("p", {}, found.every_length ? "For every length:" : "Steps:") : null,
      steps.length ? el("ol", {}, steps) : null,
    ];
  }

  function open(button, row, axiom, cell) {
    for (const other of diveval.$("matrix").querySelectorAll("button[aria-pressed]"))
      other.setAttribute("aria-pressed", String(other === button));
    const lines = [
      cell.parameters ? `Parameters: ${cell.parameters}.` : null,
      cell.region
        ? `It holds exactly where ${cell.region.formula}${cell.region.numbers.length ? ` (${cell.region.numbers.join("; ")})` : ""}.`
        : null,
      cell.note ? `Note: ${cell.note}.` : null,
      cell.paper ? `Table 1 of the paper says: ${cell.paper}.` : null,
    ];
    place.replaceChildren(
      ...[
        el("h3", {}, `${axiom.title}: ${row.metric} ${said[cell.verdict]}`),
        el("p", { class: "why" }, `${axiom.why}: `, el("code", {}, axiom.says)),
        ...(cell.example ? example(cell.example) : []),
        ...(cell.proof ? proof(cell.proof) : []),
        ...lines.filter(Boolean).map((line) => el("p", {}, line)),
      ].filter(Boolean),
    );
  }

  function cell(row, axiom, found) {
    if (!found) return el("td", { title: "not decided in time" }, "…");
    const label = `${row.metric}, ${axiom.title}: ${said[found.verdict]}`;
    const button = el(
      "button",
      {
        type: "button",
        class: kinds[found.verdict] || "open",
        "aria-label": label,
        "aria-pressed": "false",
        title: label,
      },
      marks[found.verdict],
    );
    button.addEventListener("click", () => open(button, row, axiom, found));
    return el("td", {}, button);
  }

  diveval.notes("axioms-notes", told.notes);
  if (!told.rows.length) return;
  const head = el(
    "tr",
    {},
    el("th", {}),
    told.axioms.map((axiom) => el("th", { scope: "col", title: axiom.why }, el("span", {}, axiom.title))),
  );
  const name = (metric) => diveval.parts(metric).map((part, i) => (i ? el("small", {}, part) : part));
  const rows = told.rows.map((row) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, name(row.metric)),
      told.axioms.map((axiom, i) => cell(row, axiom, row.cells[i])),
    ),
  );
  diveval.$("matrix").replaceChildren(el("thead", {}, head), el("tbody", {}, rows));
  diveval.$("axioms-what").textContent =
    `Ten constraints a diversity metric should satisfy, in the ${told.reading} reading of the paper. ● holds, ○ fails, ◐ holds for some parameters, – does not apply. Choose a cell to see its evidence.`;
};
