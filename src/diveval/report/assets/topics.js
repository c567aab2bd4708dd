/* Topic × system for the chosen metric: a grid one walks with the arrow keys, each cell the door to the inspector. */
diveval.topics = function (data, inspect) {
  const { el, fixed } = diveval;
  const grid = diveval.$("heat"),
    readout = diveval.$("topic-readout"),
    select = diveval.$("topic-metric");
  const values = data.topics.values;
  let columns = [],
    cells = [],
    at = [0, 0],
    selected = null,
    wide = 23;

  function describe(t, r, value) {
    return `topic ${data.topic_names[t]}, ${data.runs[r]}: ${value === null ? "not counted" : fixed(value)}`;
  }

  function move(t, c) {
    const [row, column] = [Math.min(cells.length - 1, Math.max(0, t)), Math.min(columns.length - 1, Math.max(0, c))];
    cells[at[0]][at[1]].tabIndex = -1;
    at = [row, column];
    cells[row][column].tabIndex = 0;
    cells[row][column].focus();
  }

  function keys(event) {
    const [t, c] = at;
    const steps = {
      ArrowUp: [t - 1, c],
      ArrowDown: [t + 1, c],
      ArrowLeft: [t, c - 1],
      ArrowRight: [t, c + 1],
      Home: [t, 0],
      End: [t, columns.length - 1],
    };
    if (steps[event.key]) move(...steps[event.key]);
    else if (event.key === "Enter" || event.key === " ") open(t, c);
    else return;
    event.preventDefault();
  }

  function open(t, c) {
    if (selected) selected.removeAttribute("aria-selected");
    selected = cells[t][c];
    selected.setAttribute("aria-selected", "true");
    cells[at[0]][at[1]].tabIndex = -1;
    at = [t, c];
    selected.tabIndex = 0;
    inspect(t, columns[c]);
  }

  function cell(t, c, table, low, high) {
    const r = columns[c],
      value = table[r][t];
    const text = describe(t, r, value);
    const show = () => {
      readout.textContent = text;
    };
    const known = value === null ? { class: "none" } : { style: diveval.heat(value, low, high) };
    return el(
      "td",
      {
        role: "gridcell",
        tabindex: -1,
        "aria-label": text,
        "data-topic": t,
        "data-run": r,
        onmouseenter: show,
        onfocus: show,
        onclick: () => open(t, c),
        ...known,
      },
      wide >= 44 && value !== null ? fixed(value, 2) : null,
    );
  }

  function draw() {
    const m = Number(select.value),
      table = values[m],
      mean = data.leaderboard.columns[m].mean;
    columns = data.runs.map((_, r) => r).sort((a, b) => (mean[b] ?? -Infinity) - (mean[a] ?? -Infinity) || a - b);
    const all = table.flat().filter((value) => value !== null);
    const least = all.reduce((a, b) => Math.min(a, b), 0),
      most = all.reduce((a, b) => Math.max(a, b), 0);
    // One scale on both sides of zero, so that equal strength means equal size.
    const high = Math.max(most, -least, 1e-12),
      low = -high;
    wide = Math.min(64, Math.max(23, Math.floor(900 / columns.length)));
    grid.style.setProperty("--cell", wide + "px");
    const head = el(
      "tr",
      {},
      el("th", {}),
      columns.map((r) => el("th", { scope: "col" }, diveval.id(data.runs[r]))),
    );
    cells = data.topic_names.map((_, t) => columns.map((_, c) => cell(t, c, table, low, high)));
    const rows = data.topic_names.map((topic, t) =>
      el("tr", {}, el("th", { scope: "row" }, diveval.id(topic)), cells[t]),
    );
    grid.replaceChildren(el("thead", {}, head), el("tbody", {}, rows));
    at = [0, 0];
    cells[0][0].tabIndex = 0;
    const stops = [least, 0, most].map(
      (value) => `${diveval.heat(value, low, high).background} ${(100 * (value - least)) / (most - least || 1)}%`,
    );
    diveval
      .$("heat-key")
      .replaceChildren(
        fixed(least, 2),
        el("span", { class: "ramp", style: { background: `linear-gradient(to right, ${stops})` } }),
        fixed(most, 2),
      );
    readout.textContent = "";
  }

  diveval.options(select, data.metrics.slice(0, values.length), 0);
  select.addEventListener("change", draw);
  document.addEventListener("themechange", draw);
  grid.addEventListener("keydown", keys);
  diveval.notes("topics-notes", [data.topics.note]);
  draw();
};
