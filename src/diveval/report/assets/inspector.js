/* Rank by rank: aspects as columns, what is relevant against what is still unsatisfied, and gain against effort. */
diveval.inspector = function (data) {
  const { el, fixed } = diveval;
  const about = data.inspector,
    ROW = 24,
    HEAD = { short: 64, long: 108 }; // aspects with long names stand upright
  const selects = {
    topic: diveval.$("inspect-topic"),
    left: diveval.$("inspect-left"),
    right: diveval.$("inspect-right"),
  };
  const panels = diveval.$("panels"),
    readout = diveval.$("inspect-readout");
  const more = diveval.$("more"),
    FEW = 20;
  let all = false;
  const value = (whole) => whole / about.unit;

  function cell(wanted, relevance) {
    const style = { background: `color-mix(in srgb, var(--want) ${Math.round(32 * wanted)}%, var(--paper))` };
    if (relevance === undefined) return el("td", { class: "aspect", style });
    const side = 6 + Math.round(12 * Math.sqrt(relevance));
    const vivid = {
      width: side + "px",
      height: side + "px",
      background: `color-mix(in srgb, var(--new) ${Math.round(100 * wanted)}%, var(--old))`,
    };
    const text = `relevance ${fixed(relevance, 2)}, still unsatisfied ${fixed(wanted, 2)}`;
    return el("td", { class: "aspect", style, title: text, "aria-label": text }, el("i", { style: vivid }));
  }

  function table(topic, run) {
    const aspects = topic.aspects.map((aspect, a) =>
      el(
        "th",
        {
          scope: "col",
          class: aspect.length > 3 ? "long" : null,
          title: `aspect ${aspect}, weight ${topic.weights[a]}`,
        },
        el("b", {}, aspect),
        String(Number(topic.weights[a].toFixed(2))).replace(/^0\./, "."),
      ),
    );
    const width = el(
      "colgroup",
      {},
      el("col", { class: "rank" }),
      topic.aspects.map(() => el("col", { class: "aspect" })),
      el("col", {}),
    );
    const head = el("tr", {}, el("th", {}, ""), aspects, el("th", { class: "doc", scope: "col" }, "document"));
    let wanted = topic.aspects.map(() => 1),
      hit = 0;
    const rows = shown(run).map((place, i) => {
      const relevant = new Map(topic.relevant[place] || []),
        before = wanted;
      if (run.hits[hit] === i + 1) wanted = run.left[hit++].map((whole) => whole / about.share);
      const state = topic.judged[place];
      const label = state === "0" ? "not judged" : state === "1" ? "judged not relevant" : "relevant";
      return el(
        "tr",
        { class: run.stop[0] === i + 1 ? "stop" : null, onmouseenter: () => tell(run, i) },
        el("td", { class: "rank" }, String(i + 1)),
        before.map((share, a) => cell(share, relevant.get(a))),
        el(
          "td",
          { class: "doc state" + state, title: `${topic.docs[place]} (${label})` },
          el("span", { class: "id" }, topic.docs[place]),
        ),
      );
    });
    return el(
      "table",
      { class: "ranking", style: { "--aspects": String(topic.aspects.length) } },
      width,
      el("thead", {}, head),
      el("tbody", {}, rows),
    );
  }

  const shown = (run) => (all ? run.docs : run.docs.slice(0, FEW));

  /** Gain at every rank: it stays what it was since the last relevant document. */
  function curve(run) {
    const effort = run.effort || about.effort;
    let hit = -1;
    return shown(run).map((_, i) => {
      if (run.hits[hit + 1] === i + 1) hit += 1;
      return {
        rank: i + 1,
        gain: hit < 0 ? 0 : value(run.gain[hit]),
        effort: value(effort[i]),
        utility: value(run.utility[i]),
      };
    });
  }

  function tell(run, i) {
    const point = curve(run)[i];
    readout.textContent = `rank ${point.rank}: gain ${fixed(point.gain)} − effort ${fixed(point.effort)} = utility ${fixed(point.utility)}`;
  }

  function sentence(run) {
    const [rank, utility] = run.stop;
    const where =
      rank === 0
        ? ["do not start: ", el("span", { class: "at" }, "rank 0")]
        : ["stop at ", el("span", { class: "at" }, `rank ${rank}`)];
    const beyond = rank > shown(run).length ? " (below what is shown)" : "";
    const depth = Math.min(run.docs.length, about.cutoff || run.docs.length);
    const end = about.cutoff ? `${about.metric} = ` : `after rank ${depth}: `;
    const known = !about.cutoff || about.cutoff <= run.docs.length || run.n === run.docs.length;
    return el(
      "p",
      { class: "sum" },
      ...where,
      beyond,
      `, utility ${fixed(utility)}. `,
      known ? end : "",
      known ? el("b", { class: "reached" }, fixed(value(run.utility[depth - 1]))) : "",
      `${known ? ". " : ""}${run.n} documents returned.`,
    );
  }

  async function draw() {
    const topic = about.topics[Number(selects.topic.value)];
    const runs = [Number(selects.left.value), Number(selects.right.value)].filter((r) => r >= 0);
    readout.textContent = "";
    const curves = runs.map((r) => (topic.runs[r] ? curve(topic.runs[r]) : []));
    const numbers = curves.flat().flatMap((point) => [point.gain, point.effort, point.utility]);
    const span = [Math.min(0, ...numbers), Math.max(0.01, ...numbers)];
    const places = runs.map((r) => {
      const run = topic.runs[r],
        title = el("h3", {}, diveval.id(data.runs[r]));
      if (!run)
        return el(
          "div",
          { class: "panel", "data-run": r },
          title,
          el("p", { class: "empty" }, "This system returned nothing for this topic."),
        );
      const chart = el("div", { class: "curve" });
      return el(
        "div",
        { class: "panel", "data-run": r },
        title,
        sentence(run),
        el("div", { class: "body" }, el("div", { class: "list" }, table(topic, run)), chart),
      );
    });
    const head = topic.aspects.some((aspect) => aspect.length > 3) ? HEAD.long : HEAD.short;
    panels.style.setProperty("--head", head + "px");
    panels.replaceChildren(...places);
    const longest = Math.max(0, ...runs.map((r) => (topic.runs[r] ? topic.runs[r].docs.length : 0)));
    more.hidden = longest <= FEW;
    more.textContent = all ? `Show the first ${FEW} ranks` : `Show ${longest} ranks`;
    await Promise.all(
      runs.map((r, i) => {
        const place = places[i].querySelector(".curve"),
          run = topic.runs[r];
        return (
          place &&
          diveval.chart(
            place,
            specification(curves[i], run.stop[0], span, place.clientWidth, head),
            `Gain, effort and utility by rank; best stop at rank ${run.stop[0]}`,
          )
        );
      }),
    );
  }

  /** The curve runs down beside the table: one rank, one row. */
  function specification(points, stop, span, width, head) {
    const spec = structuredClone(about.spec);
    spec.datasets = {
      curve: [{ rank: 0.5, gain: 0, effort: 0, utility: 0 }, ...points].flatMap((point) =>
        ["gain", "effort", "utility"].map((series) => ({ rank: point.rank, series, value: point[series] })),
      ),
      stop: stop > 0 && stop <= points.length ? [{ rank: stop + 0.5 - 1 / ROW }] : [],
    };
    Object.assign(spec, {
      width: width - 22,
      height: points.length * ROW,
      padding: { left: 10, right: 12, top: head, bottom: 4 },
      autosize: "none",
    });
    for (const layer of spec.layer) {
      if (layer.encoding.y) layer.encoding.y.scale = { ...layer.encoding.y.scale, domain: [0.5, points.length + 0.5] };
      if (layer.encoding.x) layer.encoding.x.scale = { ...layer.encoding.x.scale, domain: span };
    }
    return spec;
  }

  function show(t, r) {
    if (t >= about.topics.length) {
      readout.textContent = `topic ${data.topic_names[t]} was left out to keep this file small`;
      return;
    }
    selects.topic.value = String(t);
    selects.left.value = String(r);
    draw();
  }

  const best = data.leaderboard.columns[0].mean
    .map((mean, r) => [mean ?? -Infinity, r])
    .sort((a, b) => b[0] - a[0])
    .map((pair) => pair[1]);
  diveval.options(selects.topic, data.topic_names.slice(0, about.topics.length), 0);
  diveval.options(selects.left, data.runs, best[0]);
  diveval.options(selects.right, data.runs, best.length > 1 ? best[best.length - 1] : undefined);
  selects.right.prepend(el("option", { value: -1, selected: best.length < 2 }, "none"));
  Object.values(selects).forEach((select) => select.addEventListener("change", draw));
  more.addEventListener("click", () => {
    all = !all;
    draw();
  });
  diveval.notes("inspector-notes", [about.note]);
  draw();
  return show;
};
