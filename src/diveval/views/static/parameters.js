/* RBU over p × e: a map of the leading system, hatched where the lead is not significant; dragging the point shows the
   ranking there. For a fixed p a mean is linear in e (views/parameters.py), so the map is exact in e; between computed
   values of p it is interpolated. */
import { button, countOf, el, fixed, newest, notes, svg } from "./base.js";
import { labels, marked } from "./choice.js";
import { heatScale, hue } from "./colour.js";
import { intervals, picture, words } from "./plot.js";
import { saving } from "./save.js";
import { set, state } from "./state.js";
import { behind, cued, plain, walkable } from "./table.js";

const LEFT = 56,
  TOP = 10,
  BOTTOM = 38,
  HIGH = 330,
  FINE = 2; // pixels; FINE is the width of a column of the map

export const parameters = {
  name: "parameters",
  title: "Parameters",
  needs: true,
  what:
    "Who leads for each patience p (the chance of going on to the next document) and effort e (of inspecting one)? " +
    "Hatched: the leader is not significantly ahead of the second. " +
    "Drag the point, or use the arrow keys, to see the ranking there.",
  draw(place, app) {
    const working = el("div", { class: "working" }),
      body = el("div", { class: "stack" });
    place.append(working, body);
    let found = null,
      parts = {};

    /** Where the point stands: as dragged, else the chosen metric's own values. */
    const point = () => [state.p ?? found.chosen[0], state.e ?? found.chosen[1]];
    // The axes are log(1 − p) and √e, as in Python, so that the large p and small e in use get most of the space.
    const across = (p) => Math.log(1 - Math.min(0.9999, Math.max(0, p))),
      down = (e) => Math.sqrt(Math.max(0, e));

    /** Gain and cost of every system at any p, interpolated between two computed values. */
    function linesAt(p) {
      const { p: ps, gain, cost } = found.map;
      let i = ps.findIndex((one) => one >= p);
      if (i < 0) i = ps.length - 1;
      if (i === 0) i = Math.min(1, ps.length - 1);
      const span = across(ps[i]) - across(ps[i - 1] ?? ps[i]),
        share = span ? Math.min(1, Math.max(0, (across(p) - across(ps[i - 1])) / span)) : 1;
      const between = (table) =>
        table[i].map((value, r) => (i ? (1 - share) * table[i - 1][r] + share * value : value));
      return { gain: between(gain), cost: between(cost) };
    }

    /** The mean of a system is gain − e · cost: exact for every e. */
    function meansAt(p, e) {
      const { gain, cost } = linesAt(p);
      return gain.map((value, r) => value - e * cost[r]);
    }

    /** The leading system by ranges of e at one p: the upper envelope of the systems' lines gain − e · cost. */
    function leadersAt(p, most) {
      const { gain, cost } = linesAt(p),
        out = [];
      let e = 0,
        lead = gain.reduce(
          (best, value, r) => (value > gain[best] || (value === gain[best] && cost[r] < cost[best]) ? r : best),
          0,
        );
      while (e < most) {
        let next = most,
          after = lead;
        cost.forEach((slope, r) => {
          if (slope >= cost[lead]) return;
          const at = (gain[lead] - gain[r]) / (cost[lead] - slope);
          if (at >= e && (at < next || (at === next && after !== lead && slope < cost[after]))) [next, after] = [at, r];
        });
        if (next > e) out.push({ lead, from: e, to: next });
        if (after === lead) break;
        [e, lead] = [next, after];
      }
      return out;
    }

    function scales(width) {
      const { p: ps } = found.map,
        right = width - 12,
        low = across(ps[0]),
        high = across(ps[ps.length - 1]),
        most = down(found.map.most);
      const x = (p) => LEFT + ((across(p) - low) / (high - low)) * (right - LEFT),
        y = (e) => TOP + (1 - down(e) / most) * (HIGH - TOP - BOTTOM);
      const p = (pixel) => 1 - Math.exp(low + Math.min(1, Math.max(0, (pixel - LEFT) / (right - LEFT))) * (high - low));
      const e = (pixel) => (most * (1 - Math.min(1, Math.max(0, (pixel - TOP) / (HIGH - TOP - BOTTOM))))) ** 2;
      return { x, y, p, e, right };
    }

    function drawMap() {
      const width = Math.max(300, parts.map.clientWidth),
        { map } = found,
        to = scales(width);
      const { most } = map,
        areas = new Map(),
        box = (x, y, w, h) => `M${x.toFixed(1)},${y.toFixed(1)}h${w.toFixed(1)}v${h.toFixed(1)}h${(-w).toFixed(1)}z`;
      for (let x = LEFT; x < to.right; x += FINE)
        for (const { lead, from, to: end } of leadersAt(to.p(x + FINE / 2), most))
          areas.set(
            lead,
            (areas.get(lead) || "") + box(x, to.y(end), Math.min(FINE, to.right - x) + 0.2, to.y(from) - to.y(end)),
          );
      const leaders = [...areas.keys()],
        colour = (r) => hue(leaders.indexOf(r));
      const edge = (list, i, at) =>
        i < 0 ? at(list[0]) : i >= list.length - 1 ? at(list[list.length - 1]) : (at(list[i]) + at(list[i + 1])) / 2;
      let tied = "";
      map.ties.forEach((bands, i) => {
        const left = edge(map.p, i - 1, to.x),
          right = edge(map.p, i, to.x);
        for (const [low, high] of bands) tied += box(left, to.y(high), right - left, to.y(low) - to.y(high));
      });
      const cells = [
        ...leaders.map((r) =>
          svg("path", { d: areas.get(r), fill: colour(r), opacity: 0.8, "data-leader": app.runs[r] }),
        ),
        svg("path", { d: tied, fill: "url(#tied)", id: "map-tied" }),
      ];
      const hatch = svg(
        "defs",
        {},
        svg(
          "pattern",
          { id: "tied", width: 7, height: 7, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
          svg("rect", { width: 2.4, height: 7, class: "hatch" }),
        ),
      );
      const [p, e] = point();
      const dot = svg("circle", {
        class: "handle",
        id: "map-point",
        cx: to.x(p),
        cy: to.y(e),
        r: 8,
        tabindex: 0,
        role: "slider",
        "aria-label": "Point on the map",
        "aria-valuetext": `p ${fixed(p, 3)}, e ${fixed(e, 3)}`,
        "aria-valuenow": fixed(p, 3),
      });
      const ticks = [
        [0.5, 0.8, 0.9, 0.95, 0.99, 0.999].map((one) =>
          words(String(one), to.x(one), HIGH - BOTTOM + 16, { class: "tick", "text-anchor": "middle" }),
        ),
        [0, 0.01, 0.05, 0.1, 0.2, 0.5].map((one) =>
          words(String(one), LEFT - 6, to.y(one) + 4, { class: "tick", "text-anchor": "end" }),
        ),
      ];
      const drawing = picture(
        width,
        HIGH,
        `Leading system by p and e; ${countOf(leaders.length, "system")} lead${leaders.length === 1 ? "s" : ""} somewhere`,
        hatch,
        cells,
        ticks,
        words("patience p", (LEFT + to.right) / 2, HIGH - 4, { class: "axis", "text-anchor": "middle" }),
        words("effort e", 12, (TOP + HIGH - BOTTOM) / 2, {
          class: "axis",
          "text-anchor": "middle",
          transform: `rotate(-90 12 ${(TOP + HIGH - BOTTOM) / 2})`,
        }),
        dot,
      );
      drawing.setAttribute("role", "group");
      parts.map.replaceChildren(drawing);
      parts.key.replaceChildren(
        ...leaders.map((r) =>
          el("span", {}, el("span", { class: "swatch", style: { background: colour(r) } }), " " + app.runs[r]),
        ),
        map.test
          ? el("span", {}, el("span", { class: "swatch tied" }), ` not significantly ahead (${map.test})`)
          : el("span", {}, "which leads are significant is not shown: that test would take too long"),
      );
      drag(drawing, dot, to);
    }

    function drag(drawing, dot, to) {
      const round = (value, digits) => Number(value.toFixed(digits));
      const move = (event) => {
        const box = drawing.getBoundingClientRect();
        go(round(to.p(event.clientX - box.left), 4), round(to.e(event.clientY - box.top), 4));
      };
      const go = (p, e) => {
        dot.setAttribute("cx", to.x(p));
        dot.setAttribute("cy", to.y(e));
        dot.setAttribute("aria-valuetext", `p ${fixed(p, 3)}, e ${fixed(e, 3)}`);
        set({ p, e }, { gliding: true });
      };
      drawing.addEventListener("pointerdown", (event) => {
        if (event.button !== 0) return;
        event.preventDefault();
        dot.focus(); // while the point has focus the map is not redrawn (see `update`), so the drag is not interrupted
        drawing.setPointerCapture(event.pointerId);
        drawing.addEventListener("pointermove", move);
        for (const end of ["pointerup", "pointercancel"])
          drawing.addEventListener(end, () => drawing.removeEventListener("pointermove", move), { once: true });
        move(event);
      });
      dot.addEventListener("keydown", (event) => {
        const step = { ArrowLeft: [-6, 0], ArrowRight: [6, 0], ArrowUp: [0, -6], ArrowDown: [0, 6] }[event.key];
        if (!step) return;
        event.preventDefault();
        const [p, e] = point();
        go(round(to.p(to.x(p) + step[0]), 4), round(to.e(to.y(e) + step[1]), 4));
      });
    }

    /** The ranking at the point. */
    function drawRanking() {
      const [p, e] = point(),
        means = meansAt(p, e),
        order = app.runs.map((_, r) => r).sort((a, b) => means[b] - means[a] || a - b);
      parts.where.replaceChildren(
        `At p = ${fixed(p, 3)}, e = ${fixed(e, 3)}`,
        ...(app.use
          ? [" ", button("Use these values", () => app.use(found.reference, p, e), { id: "use-point" })]
          : []),
      );
      const short = labels(app, 30);
      parts.ranking.replaceChildren(
        plain(
          ["#", "System", "mean"],
          order.map((r, i) => [String(i + 1), short[r], fixed(means[r])]),
          { name: "map-ranking", text: [1] },
        ),
      );
    }

    function drawTable() {
      const scale = heatScale([], [-1, 1]),
        cells = new Map(found.cells.map(([p, e, tau, leader]) => [p + "/" + e, [tau, leader]]));
      const here = (p, e) => p === found.chosen[0] && e === found.chosen[1];
      const cell = (p, e) => {
        const [tau, leader] = cells.get(p + "/" + e) || [null, ""];
        return el(
          "td",
          {
            class: here(p, e) ? "chosen" : null,
            "data-tip": `p = ${p}, e = ${e}: τ ${fixed(tau, 3)}, first is ${leader}`,
            ...(tau === null ? {} : { style: scale.style(tau) }),
          },
          button(tau === null ? "–" : fixed(tau, 2), () => set({ p, e }), {
            "aria-label": `${tau === null ? "–" : fixed(tau, 2)}: show p ${p}, e ${e}`,
          }),
        );
      };
      parts.table.replaceChildren(
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            el("th", {}, "p \\ e"),
            found.e.map((e) => el("th", { scope: "col" }, String(e))),
          ),
        ),
        el(
          "tbody",
          {},
          found.p.map((p) =>
            el(
              "tr",
              {},
              el("th", { scope: "row" }, String(p)),
              found.e.map((e) => cell(p, e)),
            ),
          ),
        ),
      );
      walkable(parts.table, "td button");
    }

    function draw() {
      parts = {
        map: el("div", { class: "chart", id: "map" }),
        key: el("p", { class: "key leaders" }),
        where: el("h3", { id: "map-where" }),
        ranking: el("div", { class: "scroll short" }),
        table: el("table", { class: "grid", id: "grid-tau" }),
        ranges: el("div", { class: "chart", id: "chart-ranges" }),
      };
      const rows = () => [["p", "e", "tau", "leader"], ...found.cells.map((cell) => cell.map(String))];
      body.replaceChildren(
        el(
          "figure",
          {},
          el(
            "figcaption",
            {},
            el("h3", {}, "Who leads?"),
            `${found.reference} with other values of p and e. Means and borders are exact for every e; between the computed values of p they are interpolated.`,
          ),
          saving("parameters", parts.map, async () => rows()),
          el(
            "div",
            { class: "beside map-side" },
            el("div", {}, parts.map, parts.key),
            el("div", {}, parts.where, cued(parts.ranking)),
          ),
        ),
        el(
          "div",
          { class: "side-by-side" },
          el(
            "figure",
            {},
            el(
              "figcaption",
              {},
              el("h3", {}, "Is the ranking of the systems the same?"),
              `Kendall’s τ with the ranking by ${found.reference}; 1 is the same ranking. The chosen setting is framed.`,
            ),
            saving("tau", parts.table, async () => rows()),
            el("div", { class: "scroll" }, parts.table),
          ),
          el(
            "figure",
            {},
            el(
              "figcaption",
              {},
              el("h3", {}, "How far can a system move?"),
              "Its rank under the chosen parameters, and its range over that table.",
            ),
            saving("ranges", parts.ranges, async () => [
              ["system", "rank", "best", "worst"],
              ...found.ranges.map((row) => row.map(String)),
            ]),
            parts.ranges,
          ),
        ),
        notes(found.notes),
      );
      drawMap();
      drawRanking();
      drawTable();
      const short = labels(app, parts.ranges.clientWidth < 600 ? 16 : 28),
        records = found.ranges.map(([run, rank, best, worst]) => ({
          name: marked(app, run),
          short: short[app.runs.indexOf(run)],
          value: rank,
          low: best,
          high: worst,
        }));
      if (records.length)
        parts.ranges.replaceChildren(
          intervals(records, {
            width: Math.min(760, Math.max(280, parts.ranges.clientWidth)),
            label: "Rank of each system and its range over the parameters",
            integers: true,
            format: String,
          }),
          behind(
            ["system", "rank", "best", "worst"],
            found.ranges.map(([run, ...ranks]) => [marked(app, run), ...ranks.map(String)]),
          ),
        );
    }

    const refresh = newest(() =>
      app.attempt(async () => {
        const next = await app.parameters(working);
        if (!next) return;
        found = next;
        draw();
      }),
    );

    return {
      update(patch) {
        const moved = "p" in patch || "e" in patch,
          other = ["metrics", "chosen", "options", "collection"].some((name) => name in patch);
        if (found && "theme" in patch) draw();
        else if (found && moved && !other) {
          drawRanking();
          if (!body.contains(document.activeElement) || document.activeElement.id !== "map-point") drawMap();
        } else if (!found || other) app.soon("parameters", refresh, "metrics" in patch ? 250 : 0);
      },
    };
  },
};
