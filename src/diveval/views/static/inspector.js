/* Two systems on one topic, side by side. A ribbon joins the same document on both sides, and a waterfall shows which
   document earned which part of the gap. The data is compact (views/walks.py): documents are indices into one list per
   topic, and numbers are integers in units of `about`, so every number is divided before it is shown. */
import { button, countOf, cut, el, fixed, id, newest, notes, select, svg } from "./base.js";
import { againstOf, answered, choices, difference, metricOf, opposing, pairOf, queryOf } from "./choice.js";
import { linear, picture, words } from "./plot.js";
import { curveLegend, curveOf, drawCurve, rankingTable, reach, rowsOf, scoreOf, summary } from "./ranking.js";
import { saving } from "./save.js";
import { say, sentencesOf, wordings } from "./sentences.js";
import { set, state } from "./state.js";
import { behind } from "./table.js";

const FEW = 20,
  MOST = 8,
  MOST_TOPICS = 5,
  BAR = 24; // ranks shown at first; documents of a waterfall by name; topics named; pixels of a bar

wordings({
  "topics-apart": ({ metric, other, run, beside, opposite, topics }) => {
    const named = `topic${topics.length === 1 ? "" : "s"} ${topics.join(", ")}`;
    return opposite
      ? `${metric} prefers ${run} and ${other} prefers ${beside} most on ${named}`
      : `On no topic does ${metric} prefer ${run} and ${other} prefer ${beside}; ${metric} is more in favour of ${run} than ${other} is, in standard deviations, most so on ${named}.`;
  },
  "document-gap": ({ metric, run, other, from, to, parts }) =>
    `By ${metric}, ${other} has ${fixed(from)} and ${run} ${fixed(to)}` +
    (parts ? "." : ": no document makes a difference."),
});

/** Parts by document. The last of `values` is the score; what the listed parts do not explain (effort, deeper ranks) is
 * the rest, so that parts and rest always add up to the score. */
function partsOf(about, run, m) {
  const own = new Map(),
    values = run.parts[m];
  run.hits.forEach((rank, h) => own.set(run.docs[rank - 1], { part: values[h] / about.fine, rank }));
  const listed = [...own.values()].reduce((sum, { part }) => sum + part, 0);
  return { own, rest: values[values.length - 1] / about.fine - listed };
}

/** Steps from the second system's score to the first's: the largest parts by name, the others together. */
function steps(about, topic, first, second, metric) {
  const m = about.metrics.indexOf(metric),
    a = partsOf(about, first, m),
    b = partsOf(about, second, m);
  const places = [...new Set([...a.own.keys(), ...b.own.keys()])];
  const all = places
    .map((place) => {
      const [mine, theirs] = [a.own.get(place), b.own.get(place)];
      return {
        place,
        name: topic.texts[place]?.[0] || topic.docs[place],
        gap: (mine?.part || 0) - (theirs?.part || 0),
        ranks: [mine?.rank, theirs?.rank],
      };
    })
    .filter(({ gap }) => Math.abs(gap) > 1e-9)
    .sort((x, y) => Math.abs(y.gap) - Math.abs(x.gap));
  const named = all.slice(0, MOST),
    others = all.slice(MOST);
  const rest = a.rest - b.rest;
  const out = [...named];
  if (others.length)
    out.push({
      name: countOf(others.length, "other document"),
      gap: others.reduce((sum, { gap }) => sum + gap, 0),
      ranks: [],
    });
  if (Math.abs(rest) >= 5e-5) out.push({ name: "effort, deeper ranks", gap: rest, ranks: [] });
  return { from: scoreOf(about, second, metric), to: scoreOf(about, first, metric), steps: out };
}

/** Which document earned which part of the gap between two systems: from one score to the other, part by part. */
function waterfall(about, topic, runs, names, metric, width) {
  const { from, to, steps: list } = steps(about, topic, runs[0], runs[1], metric);
  const bars = [{ name: names[1], start: 0, end: from, kind: "whole" }];
  let at = from;
  for (const step of list) {
    bars.push({ ...step, start: at, end: at + step.gap, kind: step.gap >= 0 ? "up" : "down" });
    at += step.gap;
  }
  bars.push({ name: names[0], start: 0, end: to, kind: "whole" });
  const ends = bars.flatMap((bar) => [bar.start, bar.end]),
    room = Math.min(320, width * 0.44);
  const x = linear([Math.min(...ends), Math.max(...ends, 1e-9)], [room + 10, width - 64]),
    height = BAR * bars.length + 6;
  const letters = Math.floor(room / 7.2);
  const rank = ({ ranks }) =>
    ranks?.length ? ` (${letters < 30 ? "" : "rank "}${ranks[0] ?? "–"} / ${ranks[1] ?? "–"})` : "";
  // Long names are cut, ranks never.
  const row = (bar, i) => {
    const y = BAR * i + 4,
      [left, right] = [Math.min(x(bar.start), x(bar.end)), Math.max(x(bar.start), x(bar.end))];
    const value = bar.kind === "whole" ? fixed(bar.end) : (bar.gap > 0 ? "+" : "−") + fixed(Math.abs(bar.gap));
    return svg(
      "g",
      { "data-tip": `${bar.name}${rank(bar)}: ${value}` },
      svg("rect", { x: 0, y: y - 2, width, height: BAR, fill: "transparent" }),
      words(cut(bar.name, letters - rank(bar).length) + rank(bar), room, y + 14, {
        class: "label" + (bar.kind === "whole" ? " strong" : ""),
        "text-anchor": "end",
      }),
      svg("rect", { class: "bar " + bar.kind, x: left, width: Math.max(1, right - left), y, height: BAR - 7 }),
      words(value, right + 5, y + 13, { class: "tick" }),
      i + 1 < bars.length && bar.kind !== "whole"
        ? svg("line", { class: "rule", x1: x(bar.end), x2: x(bar.end), y1: y, y2: y + BAR })
        : null,
    );
  };
  const label = `From ${names[1]} (${fixed(from)}) to ${names[0]} (${fixed(to)}) by ${metric}, document by document`;
  const table = [
    [names[1], "", "", fixed(from)],
    ...list.map((step) => [step.name, String(step.ranks[0] ?? ""), String(step.ranks[1] ?? ""), fixed(step.gap)]),
    [names[0], "", "", fixed(to)],
  ];
  const facts = { metric, run: names[0], other: names[1], from, to, parts: list.length };
  const gaps = list.map(({ name, gap, ranks }) => ({
    document: name,
    [names[0]]: ranks[0],
    [names[1]]: ranks[1],
    gap,
  }));
  const head = ["document", `rank in ${names[0]}`, `rank in ${names[1]}`, "part of the gap"];
  return {
    figure: el(
      "figure",
      { class: "waterfall", "data-metric": metric },
      el("figcaption", {}, el("h3", {}, metric), sentencesOf([[say("document-gap", facts, gaps)]])),
      picture(
        width,
        height,
        label,
        svg("line", { class: "zero", x1: x(0), x2: x(0), y1: 0, y2: height }),
        bars.map(row),
      ),
      behind(head, table),
    ),
    rows: [head, ...table],
  };
}

export const inspector = {
  name: "inspector",
  title: "Inspector",
  needs: true,
  what:
    "Read down as a user would. " +
    "Each column is an aspect; its tint is how much of it is still unsatisfied. " +
    "A square is a relevant document: the larger, the more relevant; vivid where the aspect was still wanted, pale where the user already had it. " +
    "The curve adds up what is gained and what reading costs; a user should stop where utility is highest.",
  draw(place, app) {
    const controls = el("div", { class: "controls" }),
      chips = el("div", { class: "chips" }),
      about = el("div", { class: "topic-text" });
    const readout = el("output", { class: "readout", id: "inspect-readout" }),
      panels = el("div", { class: "panels duel", id: "panels" });
    const more = button(
        "",
        () => {
          all = !all;
          refresh();
        },
        { class: "more", id: "more" },
      ),
      falls = el("div", { class: "falls", id: "falls" }),
      below = el("div", {});
    const legend = el(
      "p",
      { class: "key states unsaved" },
      el("span", { class: "id state2" }, "relevant"),
      el("span", { class: "id state1" }, "judged not relevant"),
      el("span", { class: "id state0" }, "not judged"),
      curveLegend(),
    );
    place.append(controls, chips, about, legend, readout, panels, more, falls, below);
    let all = false,
      redraw = () => {};
    const saved = { rows: [["metric", "document", "rank", "rank", "part"]] };

    function drawControls(topic, pair) {
      const named = app.topics.map((name) => [name, queryOf(app, name) ? `${name} ${queryOf(app, name)}` : name]);
      controls.replaceChildren(
        select("Topic", named, topic, (name) => set({ topic: name }), { id: "inspect-topic" }),
        select("System", choices(app), pair[0], (run) => set({ run, ...(run === pair[1] ? { other: pair[0] } : {}) }), {
          id: "inspect-left",
        }),
        select(
          "beside",
          choices(app),
          pair[1],
          (other) => set({ other, ...(other === pair[0] ? { run: pair[1] } : {}) }),
          { id: "inspect-right" },
        ),
        select("Gap by", app.metrics(), metricOf(app), (chosen) => set({ chosen }), { id: "inspect-metric" }),
        select("and", app.metrics(), againstOf(app), (against) => set({ against }), { id: "inspect-against" }),
        saving("inspector", panels, async () => saved.rows),
      );
    }

    /** By how much each of two metrics prefers the first system on each topic, and the topics where they oppose most. */
    function compared(tables, pair, metrics) {
      const [a, b] = pair.map((run) => app.runs.indexOf(run));
      const [one, two] = metrics.map((metric) => difference(tables[metric], a, b));
      const ranked = a === b || metrics[0] === metrics[1] ? [] : opposing(one, two, app.topics.length);
      // Metrics may prefer the same system on a topic and still differ about it: only opposite preferences are called so.
      const opposite = ranked.filter((t) => one[t] > 0 && two[t] < 0);
      return { one, two, opposite, found: (opposite.length ? opposite : ranked).slice(0, MOST_TOPICS) };
    }

    /** Until a topic is chosen, the one that shows how the two metrics differ. */
    const tellingTopic = (tables, pair, metrics) => app.topics[compared(tables, pair, metrics).found[0] ?? 0];

    /** The topics in which the two metrics disagree most about the two systems. */
    function drawChips(tables, pair, metrics, topic) {
      const { one, two, opposite, found } = compared(tables, pair, metrics);
      const chip = (t) =>
        button(app.topics[t], () => set({ topic: app.topics[t] }), {
          class: "chip",
          "aria-pressed": String(app.topics[t] === topic),
          "data-tip": `${queryOf(app, app.topics[t]) || "topic " + app.topics[t]}: ${metrics[0]} ${fixed(one[t])}, ${metrics[1]} ${fixed(two[t])}`,
        });
      const named = { metric: metrics[0], other: metrics[1], run: pair[0], beside: pair[1] };
      const rows = app.topics.map((topic, t) => ({ topic, [metrics[0]]: one[t], [metrics[1]]: two[t] }));
      const facts = { ...named, opposite: opposite.length > 0, topics: found.map((t) => app.topics[t]) };
      const finding = found.length ? say("topics-apart", facts, rows) : null;
      app.entitle("inspector", facts.opposite ? finding : null);
      chips.replaceChildren(
        ...(finding && !facts.opposite ? sentencesOf([[finding]]) : []),
        ...(finding ? found.map(chip) : []),
      );
    }

    function drawText(topic, data) {
      const text = app.texts[topic];
      about.replaceChildren(
        ...(text
          ? [
              el("p", {}, el("b", {}, text.query), text.description ? " " + text.description : ""),
              el(
                "ul",
                { class: "aspects" },
                data.aspects
                  .filter((aspect) => text.aspects[aspect])
                  .map((aspect) => el("li", {}, el("b", {}, aspect), " " + text.aspects[aspect])),
              ),
            ]
          : []),
      );
    }

    function panel(data, topic, name, run, { elsewhere, side, names }) {
      const lacks = answered(app, name),
        title = el(
          "h3",
          {},
          id(name),
          lacks ? el("span", { class: "badge", "data-tip": `returned results for ${lacks} topics` }, lacks) : null,
        );
      if (!run)
        return {
          node: el(
            "div",
            { class: "panel " + side, "data-run": name },
            title,
            el("p", { class: "empty" }, "This system returned nothing for this topic."),
          ),
        };
      const count = all ? run.docs.length : FEW,
        points = curveOf(data, run, count);
      const tell = (i) => {
        readout.textContent = `${name}, rank ${i + 1}: gain ${fixed(points[i].gain)} − effort ${fixed(points[i].effort)} = utility ${fixed(points[i].utility)}`;
      };
      const table = rankingTable(data, topic, run, { count, elsewhere, names, tell }),
        curve = el("div", { class: "curve" });
      const list = el("div", { class: "list" }, table);
      return {
        points,
        table,
        curve,
        run,
        node: el(
          "div",
          { class: "panel " + side, "data-run": name },
          title,
          summary(data, run, points),
          el("div", { class: "body" }, side === "left" ? [curve, list] : [list, curve]),
        ),
      };
    }

    /** The same document left and right, joined; relevant ones stronger. */
    function drawRibbons(ribbons, [left, right], topic) {
      if (!left.table || !right.table || getComputedStyle(ribbons).display === "none") return ribbons.replaceChildren();
      const width = ribbons.clientWidth,
        from = rowsOf(left.table, ribbons),
        to = new Map(rowsOf(right.table, ribbons).map((row) => [row.place, row]));
      const height = Math.max(from[from.length - 1]?.bottom || 0, ...[...to.values()].map((row) => row.bottom)) + 2;
      const drawn = from
        .filter((row) => to.has(row.place))
        .map((row) => {
          const other = to.get(row.place),
            bend = width / 2;
          return svg("path", {
            class: "ribbon state" + topic.judged[row.place],
            "data-place": row.place,
            "data-tip": topic.texts[row.place]?.[0] || topic.docs[row.place],
            d: `M0,${row.middle} C${bend},${row.middle} ${bend},${other.middle} ${width},${other.middle}`,
          });
        });
      return ribbons.replaceChildren(picture(width, height, "The same document in both rankings", drawn));
    }

    const refresh = newest(() =>
      app.attempt(async () => {
        const metrics = [metricOf(app), againstOf(app)];
        const [means, tables] = await Promise.all([app.means(metrics), app.values(metrics)]);
        const pair = pairOf(app, means[metrics[0]]),
          topic = app.topics.includes(state.topic) ? state.topic : tellingTopic(tables, pair, metrics);
        const { about: data, topic: found, runs } = await app.walk(topic, pair, metrics, all ? 100 : FEW);
        drawControls(topic, pair);
        drawChips(tables, pair, metrics, topic);
        drawText(topic, found);
        readout.textContent = "";
        const head = found.aspects.some((aspect) => aspect.length > 3) ? 108 : 64;
        panels.style.setProperty("--head", head + "px");
        const count = all ? Infinity : FEW,
          names = app.texts[topic]?.aspects || {};
        const where = (run) => new Map(run ? run.docs.slice(0, count).map((doc, i) => [doc, i + 1]) : []);
        const drawn = [
          panel(data, found, pair[0], runs[0], { elsewhere: where(runs[1]), side: "left", names }),
          panel(data, found, pair[1], runs[1], { elsewhere: where(runs[0]), side: "right", names }),
        ];
        const ribbons = el("div", { class: "ribbons", "aria-hidden": "true" });
        panels.replaceChildren(drawn[0].node, ribbons, drawn[1].node);
        const span = reach(drawn.map((one) => one.points || []));
        redraw = () => {
          for (const one of drawn) if (one.table) drawCurve(one.curve, one.table, one.points, one.run.stop[0], span);
          drawRibbons(ribbons, drawn, found);
        };
        redraw();
        const longest = Math.max(0, ...runs.map((run) => (run ? Math.min(run.n, data.depth) : 0)));
        more.hidden = longest <= FEW;
        more.textContent = all
          ? `Show the first ${FEW} ranks`
          : `Show ${app.single ? Math.min(longest, 100) : longest} ranks`;
        drawFalls(data, found, runs, pair, metrics);
        below.replaceChildren(notes([app.walkNote]));
      }),
    );

    function drawFalls(data, topic, runs, pair, metrics) {
      if (!runs[0] || !runs[1] || pair[0] === pair[1]) return falls.replaceChildren();
      const wide = falls.clientWidth > 900 && metrics[0] !== metrics[1],
        width = Math.floor(wide ? (falls.clientWidth - 40) / 2 : falls.clientWidth);
      const made = [...new Set(metrics)]
        .filter((metric) => data.metrics.includes(metric))
        .map((metric) => [metric, waterfall(data, topic, runs, pair, metric, Math.max(280, width))]);
      saved.rows = [
        ["metric", ...made[0][1].rows[0]],
        ...made.flatMap(([metric, { rows }]) => rows.slice(1).map((row) => [metric, ...row])),
      ];
      const title = el(
        "div",
        { class: "falls-title" },
        el("h3", {}, "Which document earned which part of the gap?"),
        el(
          "p",
          { class: "what" },
          "What each document added when the reader reached it, in one system less the other. The parts add up to the difference of the scores.",
        ),
      );
      const figures = el(
        "div",
        { class: "pair" },
        made.map(([, { figure }]) => figure),
      );
      return falls.replaceChildren(
        title,
        saving("gap", figures, async () => saved.rows),
        figures,
      );
    }

    new ResizeObserver(() => {
      if (panels.isConnected) redraw();
    }).observe(panels);
    return {
      update(patch) {
        const own = ["topic", "run", "other", "chosen", "against", "metrics", "options", "collection"];
        if (!panels.childNodes.length || own.some((name) => name in patch)) refresh();
      },
    };
  },
};
