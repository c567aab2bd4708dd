/* One line per system across the metrics, similar metrics side by side; crossings are linked to the topics behind them. */
import { button, countOf, el, newest, notes, room, select, shortMetrics, svg } from "./base.js";
import { choices, difference, labels, marked, metricOf, opposing, ordered, queryOf, ranksOf } from "./choice.js";
import { hue } from "./colour.js";
import { path, picture, words } from "./plot.js";
import { saving } from "./save.js";
import { say, sentencesOf, wordings } from "./sentences.js";
import { set, state } from "./state.js";
import { behind } from "./table.js";

const CLOSE = 40; // more systems than this are drawn closer together, and paler

wordings({
  "no-crossing": ({ run }) => `${run} changes places with no system between adjacent metrics.`,
  crossing: ({ run, other, metric, against, topics }) =>
    `${run} is above ${other} by ${metric}, below by ${against}` +
    (topics.length
      ? `; the metrics differ most in this direction on topic${topics.length === 1 ? "" : "s"} ${topics.join(", ")}.`
      : "."),
});

export const bump = {
  name: "bump",
  title: "Ranks",
  needs: true,
  what:
    "The rank of every system by every metric; similar metrics are adjacent. " +
    "Shaded: systems that cannot be told apart from the first by that metric. " +
    "Choose a system to follow it; each crossing names the topics on which the metrics differ most, and opens them.",
  draw(place, app) {
    const controls = el("div", { class: "controls" }),
      frame = el("div", {
        class: "scroll",
        tabindex: 0,
        role: "region",
        "aria-label": "Ranks of the systems by metric",
      });
    const list = el("div", { class: "crossings", id: "crossings", "aria-live": "polite" }),
      below = el("div", {});
    place.append(controls, frame, list, below);

    /** Places of the systems by a metric, 0 is first; equal means by name. */
    const placesOf = (means, metric) => {
      const out = [];
      ordered(app, means, metric).forEach((r, at) => {
        out[r] = at;
      });
      return out;
    };

    /** Systems that change places with `r` between two metrics. */
    function crossed(r, one, two) {
      return app.runs.map((_, s) => s).filter((s) => s !== r && (one[s] - one[r]) * (two[s] - two[r]) < 0);
    }

    const refresh = newest(() =>
      app.attempt(async () => {
        const all = app.metrics();
        const [means, judged] = [await app.means(all), await app.judged(all)];
        const known = judged?.agreement ? judged.agreement.order.filter((name) => all.includes(name)) : [];
        const metrics = [...known, ...all.filter((name) => !known.includes(name))];
        const places = metrics.map((name) => placesOf(means[name], name));
        const lead = app.runs.includes(state.run)
          ? state.run
          : app.runs[ordered(app, means[metricOf(app)], metricOf(app))[0]];
        draw(metrics, means, places, lead);
        await listCrossings(metrics, means, places, lead);
        below.replaceChildren(
          notes(judged?.agreement ? [] : ["The metrics are in the order given: their agreement is undefined here."]),
        );
      }),
    );

    function draw(metrics, means, places, lead) {
      controls.replaceChildren(
        select("Follow", choices(app), lead, (run) => set({ run }), { id: "bump-run" }),
        saving("ranks", frame, async () => [
          ["system", ...metrics],
          ...app.runs.map((run, r) => [run, ...metrics.map((name) => String(ranksOf(app, means[name], name)[r]))]),
        ]),
      );
      const many = app.runs.length > CLOSE,
        ROW = many ? 12 : 17,
        slim = frame.clientWidth < 600,
        short = labels(app, slim ? 14 : 24),
        names = 20 + room(short);
      // A narrow page has room for the names at one end only: at the other end is the rank.
      const named = shortMetrics(app, metrics),
        slanted = (name) => 14 + 5.8 * named.get(name).length; // how far a name above reaches to the right
      const after = Math.max(slanted(metrics[metrics.length - 1]), slim ? 44 : names),
        ends = (r) => (slim ? String(places[metrics.length - 1][r] + 1) : short[r]);
      const STEP = Math.min(
        200,
        Math.max(slim ? 22 : 34, (frame.clientWidth - names - after) / Math.max(1, metrics.length - 1)),
      );
      const longest = Math.max(...[...named.values()].map((name) => name.length)),
        TOP = 34 + 6 * longest;
      const width = Math.max(
          names + after + STEP * Math.max(1, metrics.length - 1),
          ...metrics.map((name, m) => names + STEP * m + slanted(name)),
        ),
        height = TOP + ROW * app.runs.length + 6;
      const x = (m) => names + STEP * m,
        y = (at) => TOP + ROW * at + ROW / 2;
      const top = ordered(app, means[metrics[0]], metrics[0]),
        colour = (r) => (top.indexOf(r) < 8 ? hue(top.indexOf(r)) : "var(--open)");
      const bands = metrics.map((name, m) => {
        const sure = app.sureNow(name),
          first = ordered(app, means[name], name)[0];
        if (!sure?.alike) return null;
        const tied = [first, ...sure.alike[first]].map((r) => places[m][r]).sort((a, b) => a - b);
        const tip = `${name}: ${countOf(tied.length - 1, "system")} that cannot be told apart from ${app.runs[first]}`;
        // One band for each group of neighbours: a system between two tied ones need not be tied itself.
        const starts = tied.filter((at, i) => !i || at > tied[i - 1] + 1);
        const end = (from) => {
          let at = from;
          while (tied.includes(at + 1)) at += 1;
          return at;
        };
        return tied.length > 1
          ? starts.map((from) =>
              svg("rect", {
                class: "band",
                x: x(m) - 8,
                width: 16,
                rx: Math.min(8, ROW / 2),
                y: y(from) - ROW / 2 + 1,
                height: ROW * (end(from) - from + 1) - 2,
                "data-tip": tip,
              }),
            )
          : null;
      });
      const line = (run, r) => {
        const chosen = run === lead,
          points = metrics.map((_, m) => [x(m), y(places[m][r])]);
        const follow = () => set({ run });
        const keys = (event) => {
          const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
          if (event.key !== "Enter" && event.key !== " " && !step) return;
          event.preventDefault();
          if (!step) return follow();
          const next = frame.querySelector(`[data-first="${places[0][r] + step}"]`);
          if (!next) return undefined;
          event.currentTarget.setAttribute("tabindex", -1);
          next.setAttribute("tabindex", 0);
          return next.focus();
        };
        return svg(
          "g",
          {
            class: `system${chosen ? " chosen" : ""}${top.indexOf(r) < 8 ? " coloured" : ""}`,
            "data-run": run,
            "data-first": places[0][r],
            tabindex: (app.runs.includes(lead) ? chosen : places[0][r] === 0) ? 0 : -1,
            role: "button",
            "aria-label": `${short[r]} ${ends(r)}: ${run} ranks ${metrics.map((name, m) => `${places[m][r] + 1} by ${name}`).join(", ")}`,
            "data-tip": marked(app, run),
            onclick: follow,
            onkeydown: keys,
          },
          svg("path", { class: "wide", d: path(points) }),
          svg("path", { class: "line", d: path(points), stroke: colour(r) }),
          points.map(([cx, cy]) => svg("circle", { cx, cy, r: many ? 2 : 3, fill: colour(r) })),
          words(`${short[r]} `, names - 14, points[0][1] + 4, {
            class: "label",
            "text-anchor": "end",
          }),
          words(ends(r), x(metrics.length - 1) + 14, points[points.length - 1][1] + 4, {
            class: "label",
          }),
        );
      };
      const heads = metrics.map((name, m) =>
        svg(
          "g",
          { transform: `translate(${x(m) + 4} ${TOP - 12}) rotate(-48)`, "data-tip": name },
          words(named.get(name), 0, 0, { class: name === metricOf(app) ? "label strong" : "label" }),
        ),
      );
      const order = app.runs.map((run, r) => [run, r]).sort((a, b) => (a[0] === lead) - (b[0] === lead));
      const drawing = picture(
        width,
        height,
        `Ranks of ${countOf(app.runs.length, "system")} by ${countOf(metrics.length, "metric")}`,
        bands,
        heads,
        order.map(([run, r]) => line(run, r)),
        marks(metrics, places, lead, x, y, STEP),
      );
      drawing.setAttribute("role", "group");
      drawing.classList.toggle("many", many);
      frame.replaceChildren(
        drawing,
        behind(
          ["system", ...metrics],
          app.runs.map((run, r) => [
            marked(app, run),
            ...metrics.map((name) => String(ranksOf(app, means[name], name)[r])),
          ]),
        ),
      );
    }

    /** A point where the followed line meets another: it opens the topics behind it. */
    function marks(metrics, places, lead, x, y, step) {
      const r = app.runs.indexOf(lead);
      return metrics.slice(1).flatMap((_, m) =>
        crossed(r, places[m], places[m + 1]).map((s) => {
          const [a, b, c, d] = [places[m][r], places[m + 1][r], places[m][s], places[m + 1][s]];
          const share = (c - a) / (b - a - (d - c)),
            at = [x(m) + share * step, y(a + share * (b - a))];
          const open = () => cross(metrics[m], metrics[m + 1], lead, app.runs[s], a < c);
          return svg("circle", {
            class: "crossing",
            cx: at[0],
            cy: at[1],
            r: 5,
            tabindex: 0,
            role: "button",
            "data-other": app.runs[s],
            "aria-label": `${lead} and ${app.runs[s]} change places between ${metrics[m]} and ${metrics[m + 1]}`,
            "data-tip": `${lead} and ${app.runs[s]} change places between ${metrics[m]} and ${metrics[m + 1]}: open the topics behind it`,
            onclick: open,
            onkeydown: (event) => {
              if (event.key === "Enter" || event.key === " ") {
                event.preventDefault();
                open();
              }
            },
          });
        }),
      );
    }

    /** Open the topic that does most for a crossing; the metric that favours the first comes first. */
    const cross = (one, two, lead, other, above) =>
      app.attempt(async () => {
        const [first, second] = above ? [one, two] : [two, one];
        const found = await topicsOf(first, second, lead, other);
        set({
          view: app.single ? "inspector" : state.view,
          run: lead,
          other,
          chosen: first,
          against: second,
          ...(found.length ? { topic: app.topics[found[0]] } : {}),
        });
        app.reveal("inspector");
      });

    async function topicsOf(first, second, lead, other) {
      const tables = await app.values([first, second]),
        [a, b] = [app.runs.indexOf(lead), app.runs.indexOf(other)];
      return opposing(difference(tables[first], a, b), difference(tables[second], a, b), 3);
    }

    /** The crossings of the followed system in words, with the topics on which the metrics differ most. */
    async function listCrossings(metrics, means, places, lead) {
      const r = app.runs.indexOf(lead),
        ranked = metrics.map((name) => ranksOf(app, means[name], name)), // equal means change no places
        out = [];
      for (let m = 0; m + 1 < metrics.length; m += 1)
        for (const s of crossed(r, ranked[m], ranked[m + 1]))
          out.push([metrics[m], metrics[m + 1], s, ranked[m][r] < ranked[m][s]]);
      const ranks = app.runs.map((run, s) => ({
        run,
        ...Object.fromEntries(metrics.map((name, m) => [name, places[m][s] + 1])),
      }));
      if (!out.length) return list.replaceChildren(...sentencesOf([[say("no-crossing", { run: lead }, ranks)]]));
      const items = await Promise.all(
        out.slice(0, 40).map(async ([one, two, s, above]) => {
          const [first, second] = above ? [one, two] : [two, one],
            found = await topicsOf(first, second, lead, app.runs[s]);
          const topic = (t) =>
            button(
              app.topics[t],
              () => {
                set({
                  view: app.single ? "inspector" : state.view,
                  run: lead,
                  other: app.runs[s],
                  chosen: first,
                  against: second,
                  topic: app.topics[t],
                });
                app.reveal("inspector");
              },
              { class: "chip", "data-tip": queryOf(app, app.topics[t]) || null },
            );
          const tables = await app.values([first, second]),
            gaps = [first, second].map((name) => difference(tables[name], r, s));
          const rows = app.topics.map((name, t) => ({ topic: name, [first]: gaps[0][t], [second]: gaps[1][t] }));
          const facts = {
            run: lead,
            other: app.runs[s],
            metric: first,
            against: second,
            topics: found.map((t) => app.topics[t]),
          };
          const [item] = sentencesOf([[say("crossing", facts, rows)]], "li");
          item.firstChild.after(...found.map(topic));
          return item;
        }),
      );
      const rest = out.length > 40 ? el("li", {}, `and ${countOf(out.length - 40, "more crossing")}`) : null;
      return list.replaceChildren(
        el(
          "details",
          {},
          el(
            "summary",
            {},
            `${countOf(out.length, "crossing")} of ${lead}, and the topics behind ${out.length === 1 ? "it" : "them"}`,
          ),
          el("ul", {}, items, rest),
        ),
      );
    }

    return {
      update(patch) {
        if (
          !frame.childNodes.length ||
          ["metrics", "options", "collection", "run", "chosen"].some((name) => name in patch)
        )
          refresh();
      },
    };
  },
};
