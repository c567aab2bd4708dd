/* The sections that show what Python computed as it is: metrics, parameters, and how the report was made. */
diveval.metrics = function (data) {
  const { el, fixed } = diveval;
  const charts = [
    ["chart-agreement", "agreement", "Kendall’s tau between metrics"],
    ["chart-power", "power", "Significance levels of all pairs of systems, by metric"],
    ["chart-unanimity", "unanimity", "Metric Unanimity with intervals"],
  ];
  for (const [place, name, label] of charts) {
    if (data.charts[name]) diveval.chart(diveval.$(place), data.charts[name], label);
    else
      diveval
        .$(place)
        .replaceChildren(el("p", { class: "note" }, "Not possible with this data; the notes below say why."));
  }
  const told = data.judged;
  const range = (row) => (row.low === null ? "–" : `${fixed(row.low, 3)} … ${fixed(row.high, 3)}`);
  diveval.table(
    "unanimity",
    ["Metric", "MU", "95 % interval"],
    told.unanimity.map((row) => [row.label, row.mu === null ? "undefined" : fixed(row.mu, 3), range(row)]),
  );
  diveval.table(
    "power",
    ["Metric", "pairs told apart", "difference needed"],
    told.power.map((row) => [row.metric, `${row.significant} of ${row.pairs}`, fixed(row.required)]),
  );
  diveval.notes("metrics-notes", told.notes);
};

/** A plain table: the first column is text, the others are numbers. */
diveval.table = function (place, head, rows) {
  const { el } = diveval;
  if (!rows.length) return;
  const kind = (i) => (i ? { class: "n" } : {});
  diveval.$(place).replaceChildren(
    el(
      "thead",
      {},
      el(
        "tr",
        {},
        head.map((text, i) => el("th", { scope: "col", ...kind(i) }, text)),
      ),
    ),
    el(
      "tbody",
      {},
      rows.map((row) =>
        el(
          "tr",
          {},
          row.map((text, i) => el("td", kind(i), text)),
        ),
      ),
    ),
  );
};

diveval.parameters = function (data) {
  const { el, fixed } = diveval;
  const told = data.parameters,
    select = diveval.$("grid-run");
  const chosen = (p, e) => p === told.chosen[0] && e === told.chosen[1];

  function grid(place, value, low, high, digits) {
    const head = el(
      "tr",
      {},
      el("th", {}, "p \\ e"),
      told.e.map((e) => el("th", { scope: "col" }, String(e))),
    );
    const rows = told.p.map((p, i) =>
      el(
        "tr",
        {},
        el("th", { scope: "row" }, String(p)),
        told.e.map((e, j) => {
          const [number, title] = value(i, j);
          if (number === null) return el("td", {}, "–");
          return el(
            "td",
            { class: chosen(p, e) ? "chosen" : null, title, style: diveval.heat(number, low, high) },
            fixed(number, digits),
          );
        }),
      ),
    );
    diveval.$(place).replaceChildren(el("thead", {}, head), el("tbody", {}, rows));
  }

  function means() {
    const table = told.means[Number(select.value)],
      all = table.flat();
    grid(
      "grid",
      (i, j) => [table[i][j], `p=${told.p[i]}, e=${told.e[j]}`],
      Math.min(0, ...all),
      Math.max(1e-12, ...all),
      3,
    );
  }

  const cells = new Map(told.cells.map(([p, e, tau, leader]) => [p + "/" + e, [tau, leader]]));
  const stability = () =>
    grid(
      "grid-tau",
      (i, j) => {
        const [tau, leader] = cells.get(told.p[i] + "/" + told.e[j]) || [null, ""];
        return [tau, `first: ${leader}`];
      },
      -1,
      1,
      2,
    );
  diveval.options(select, data.runs, 0);
  select.addEventListener("change", means);
  const draw = () => {
    means();
    stability();
  };
  document.addEventListener("themechange", draw);
  draw();
  diveval.$("parameters-what").textContent =
    `${told.reference} with other values of p (the chance of going on to the next document) and e (the effort of inspecting one). The chosen setting is framed.`;
  diveval.$("grid-tau-what").textContent = `Kendall’s τ with the ranking by ${told.reference}; 1 is the same ranking.`;
  diveval.notes("parameters-notes", told.notes);
  if (data.charts.ranges)
    diveval.chart(
      diveval.$("chart-ranges"),
      data.charts.ranges,
      "Rank of each system and its range over the parameters",
    );
};

diveval.made = function (data) {
  const { el } = diveval;
  const made = data.made;
  diveval
    .$("facts")
    .replaceChildren(
      ...made.facts.flatMap(([name, text]) => [
        el("dt", {}, name),
        el("dd", {}, name === "Command" ? el("code", {}, text) : text),
      ]),
    );
  diveval.table(
    "files",
    ["File", "bytes", "SHA-256"],
    made.files.map((file) => [file.path, String(file.bytes), diveval.id(file.sha256)]),
  );
  diveval.notes("made-notes", made.notes);
  for (const button of document.querySelectorAll("button[data-copy]")) {
    button.addEventListener("click", async () => {
      const form = button.dataset.copy;
      await diveval.copy(made[form]);
      diveval.$("copied").textContent = `Copied as ${form === "csv" ? "CSV" : "LaTeX"}.`;
    });
  }
};

/** To the clipboard; where a browser refuses it to files from disk, by way of a selected text. */
diveval.copy = async function (text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = diveval.el("textarea", { style: { position: "fixed", opacity: "0" } });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
};
