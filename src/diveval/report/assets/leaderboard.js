/* Systems × metrics: sortable, with bars, intervals, letters, and what cannot be told apart. */
diveval.leaderboard = function (data) {
  const { el, svg, fixed } = diveval;
  const board = data.leaderboard;
  let sorted = { column: 0, ascending: false },
    chosen = null;

  function order() {
    const places = data.runs.map((_, r) => r);
    const names = (a, b) => (data.runs[a] < data.runs[b] ? -1 : 1);
    if (sorted.column < 0) places.sort(names);
    else {
      const mean = board.columns[sorted.column].mean;
      places.sort((a, b) => (mean[b] ?? -Infinity) - (mean[a] ?? -Infinity) || names(a, b));
    }
    return sorted.ascending ? places.reverse() : places;
  }

  function heading(text, column) {
    const [name, parameters] = column < 0 ? [text, ""] : diveval.parts(text);
    const active = sorted.column === column;
    const direction = active && (sorted.ascending ? "ascending" : "descending");
    const button = el("button", { type: "button", onclick: () => sort(column), title: "Sort by " + text }, name);
    return el("th", { scope: "col", "aria-sort": direction }, button, el("small", {}, parameters || "\u00a0"));
  }

  function bar(column, r) {
    const ends = (list) => list.filter((value) => value !== null);
    const low = Math.min(0, ...ends(column.mean), ...ends(column.low)),
      high = Math.max(1e-12, ...ends(column.mean), ...ends(column.high));
    const x = (value) => (100 * (value - low)) / (high - low);
    const mean = column.mean[r];
    const parts = [svg("line", { class: "zero", x1: x(0) + "%", x2: x(0) + "%", y1: 0, y2: 9 })];
    if (mean !== null)
      parts.push(
        svg("rect", {
          class: "bar-mark",
          x: Math.min(x(0), x(mean)) + "%",
          width: Math.abs(x(mean) - x(0)) + "%",
          y: 1,
          height: 7,
          rx: 1,
        }),
      );
    if (column.low[r] !== null)
      parts.push(
        svg("line", { class: "whisker", x1: x(column.low[r]) + "%", x2: x(column.high[r]) + "%", y1: 4.5, y2: 4.5 }),
      );
    return svg("svg", { "aria-hidden": "true" }, parts);
  }

  function cell(column, r) {
    const best = Math.max(...column.mean.filter((value) => value !== null));
    const range =
      column.low[r] === null ? "no interval" : `95 % interval ${fixed(column.low[r])} to ${fixed(column.high[r])}`;
    const letters = column.letters && column.letters[r];
    return el(
      "td",
      { title: range, "data-run": r },
      el(
        "div",
        { class: "cell" },
        el("span", { class: column.mean[r] === best ? "value best" : "value" }, fixed(column.mean[r])),
        letters ? el("sup", { title: "letters " + letters }, letters) : null,
      ),
      bar(column, r),
    );
  }

  function row(r) {
    const told = chosen !== null && alike();
    const kind = chosen === r ? "chosen" : told && told.includes(r) ? "alike" : null;
    const name = el(
      "button",
      { type: "button", "aria-pressed": String(chosen === r), onclick: () => choose(r) },
      diveval.id(data.runs[r]),
    );
    return el(
      "tr",
      { class: kind, "data-run": r },
      el("th", { scope: "row" }, name),
      board.columns.map((column) => cell(column, r)),
    );
  }

  const by = () => board.columns[Math.max(0, sorted.column)];
  const alike = () => by().alike && by().alike[chosen];

  function say() {
    const place = diveval.$("told");
    if (chosen === null) return place.replaceChildren("Choose a system to see which ones cannot be told from it.");
    const others = alike();
    if (!others) return place.replaceChildren("No significance test was possible here.");
    const known = order()
      .filter((r) => others.includes(r))
      .map((r) => data.runs[r]);
    const listed = known.length ? known.join(", ") : "none";
    place.replaceChildren(
      `By ${by().metric}, not significantly different from `,
      diveval.id(data.runs[chosen]),
      `: ${listed}.`,
    );
  }

  function sort(column) {
    const same = sorted.column === column;
    sorted = { column, ascending: same ? !sorted.ascending : column < 0 };
    draw();
    diveval.$("board").querySelectorAll("thead button")[column + 1].focus();
  }

  function choose(r) {
    chosen = chosen === r ? null : r;
    draw();
    diveval.$("board").querySelector(`tr[data-run="${r}"] button`).focus();
  }

  function draw() {
    const head = el(
      "tr",
      {},
      heading("System", -1),
      board.columns.map((column, m) => heading(column.metric, m)),
    );
    diveval.$("board").replaceChildren(el("thead", {}, head), el("tbody", {}, order().map(row)));
    say();
  }

  const test =
    board.test &&
    `Letters: Tukey’s HSD by randomisation over the topics every run counts, ${board.test.resamples} resamples, seed ${board.test.seed}, level ${board.test.alpha}. Intervals: Student’s t.`;
  diveval.notes("leaderboard-notes", [test, ...board.notes]);
  draw();
};
