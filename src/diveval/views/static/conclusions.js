/* Which conclusions hold for all settings in doubt: a partial order of the systems, one row each. A line is such a conclusion. */
import { countOf, el, newest, notes, room, select, svg } from "./base.js";
import { choices, labels, marked, metricOf } from "./choice.js";
import { picture, words } from "./plot.js";
import { saving } from "./save.js";
import { set, state } from "./state.js";
import { behind } from "./table.js";

const LEVEL = 26,
  CLOSE = 40,
  LANES = 14,
  CERTAIN = 0; // pixels; systems that are drawn closer; columns; the first verdict
const BOW = 0.42; // how far a line to the same column leaves it, in columns
const KINDS = {
  below: ["▼", "surely beaten by it"],
  above: ["▲", "surely beats it"],
  open: ["≈", "order not certain"],
};

/** By system: the systems it surely beats, those that surely beat it, and the others with the reason. */
function relations(count, rows) {
  const out = Array.from({ length: count }, () => ({ below: [], above: [], open: [] }));
  for (const [better, worse, verdict, , , why] of rows) {
    if (verdict === CERTAIN) {
      out[better].below.push(worse);
      out[worse].above.push(better);
    } else {
      out[better].open.push([worse, why]);
      out[worse].open.push([better, why]);
    }
  }
  return out;
}

/** A column for each system: near the columns of its predecessors, and different within a level as long as there are free ones. */
function lanesOf(levels, edges) {
  const wide = Math.max(1, Math.min(LANES, Math.max(...levels.map((level) => level.length)))),
    lane = new Map();
  const parents = new Map();
  for (const [a, b] of edges) parents.set(b, [...(parents.get(b) || []), a]);
  for (const level of levels) {
    let free = Array.from({ length: wide }, (_, i) => i);
    const wish = (r) => {
      const from = (parents.get(r) || []).map((a) => lane.get(a));
      return from.length ? from.reduce((x, y) => x + y, 0) / from.length : 0;
    };
    for (const r of [...level].sort((a, b) => wish(a) - wish(b))) {
      if (!free.length) free = Array.from({ length: wide }, (_, i) => i);
      const near = free.reduce((best, i) => (Math.abs(i - wish(r)) < Math.abs(best - wish(r)) ? i : best), free[0]);
      lane.set(r, near);
      free = free.filter((i) => i !== near);
    }
  }
  return { lane, wide };
}

export const conclusions = {
  name: "conclusions",
  title: "Conclusions",
  needs: true,
  what:
    "Which statements “A beats B” hold whatever was put in doubt? " +
    "Each line leads down from a system to one it surely beats; lines that follow from others are left out. " +
    "Between systems of one level nothing is certain. " +
    "Choose a system to see whom it surely beats and whom it cannot be told apart from.",
  draw(place, app) {
    const controls = el("div", { class: "controls" }),
      asked = el("p", { class: "asked", id: "asked" }),
      working = el("div", { class: "working" });
    const frame = el("div", {
      class: "scroll",
      id: "order",
      tabindex: 0,
      role: "region",
      "aria-label": "Order of the systems that survives",
    });
    const details = el("div", { class: "crossings", id: "pair-order", "aria-live": "polite" }),
      below = el("div", {});
    place.append(controls, working, asked, frame, details, below);
    let found = null,
      between = [];

    const pairs = () => [
      ["better", "worse", "metric", "verdict", "margin", "significant", "evidence"],
      ...found.rows.map(([a, b, verdict, margin, significant, why]) => [
        app.runs[a],
        app.runs[b],
        found.metric,
        found.verdicts[verdict],
        String(margin),
        significant === null ? "" : significant ? "yes" : "no",
        why,
      ]),
    ];

    function drawCounts() {
      const counts = found.verdicts.map((_, v) => found.rows.filter((row) => row[2] === v).length);
      asked.replaceChildren(
        el("b", {}, `${counts[0]} of ${found.rows.length}`),
        ` conclusions hold for ${found.asked.join(" and ")} (${found.metric}); ${counts[1]} flip somewhere, ${counts[2]} are undecided. ` +
          `Judgments ${found.asked.some((text) => text.includes("labels")) ? "are completed in every way" : "are taken as they are"}. ` +
          `Of those that hold, ${found.significant} are also significant over topics (${found.test}).`,
      );
    }

    /** In the studio other ranges and weights can be chosen; a report has the ones it was made with. */
    function drawControls() {
      const usual = { p: [0.6, 0.99], e: [0, 0.1] },
        now = { ...usual, ...state.doubts };
      const end = (name, at) =>
        el("input", {
          type: "number",
          value: now[name][at],
          min: 0,
          max: name === "p" ? 0.999 : 1,
          step: "any",
          id: `doubt-${name}${at}`,
          "aria-label": `${at ? "largest" : "smallest"} ${name}`,
          onchange: (event) => {
            const ends = [...{ ...usual, ...state.doubts }[name]];
            ends[at] = Number(event.target.value);
            set({ doubts: { ...state.doubts, [name]: ends } });
          },
        });
      const range = (name) => el("span", { class: "range-field" }, `${name} from `, end(name, 0), " to ", end(name, 1));
      const free = app.doubts
        ? [
            range("p"),
            range("e"),
            select(
              "Weights",
              app.doubts,
              state.doubts.weights || "usual",
              (weights) => set({ doubts: { ...state.doubts, weights } }),
              { id: "doubt-weights" },
            ),
          ]
        : [];
      const system = select(
        "System",
        [["", "none"], ...choices(app)],
        app.runs.includes(state.run) ? state.run : "",
        (run) => set({ run }),
        { id: "order-run" },
      );
      controls.replaceChildren(
        system,
        ...free,
        saving("conclusions", frame, async () => pairs()),
      );
    }

    function drawOrder() {
      const rows = found.levels.flat(),
        at = new Map(rows.map((r, i) => [r, i])),
        chosen = app.runs.indexOf(state.run);
      const ROW = rows.length > CLOSE ? 17 : 23,
        width = Math.max(300, frame.clientWidth - 2),
        slim = width < 600,
        short = labels(app, slim ? 15 : 32),
        names = 12 + room(short),
        counts = slim ? 96 : 240;
      const { lane, wide } = lanesOf(found.levels, found.edges),
        step = Math.max(5, Math.min(64, (width - LEVEL - names - counts - 30) / wide));
      const x = (r) => LEVEL + 12 + step * lane.get(r),
        y = (r) => 4 + ROW * at.get(r) + ROW / 2,
        left = LEVEL + 12 + step * (wide - 1 + BOW) + 12;
      const right = Math.min(width, left + names + counts),
        height = ROW * rows.length + 8;
      const held = chosen >= 0 ? between[chosen] : null,
        open = held ? new Set(held.open.map(([r]) => r)) : new Set();
      const kind = (r) =>
        r === chosen
          ? "chosen"
          : !held
            ? ""
            : held.below.includes(r)
              ? "below"
              : held.above.includes(r)
                ? "above"
                : open.has(r)
                  ? "open"
                  : "";
      const on = (a, b) =>
        held &&
        (((a === chosen || kind(a) === "below") && kind(b) === "below") ||
          (kind(a) === "above" && (b === chosen || kind(b) === "above")));
      const edge = ([a, b]) => {
        const bend = Math.min(3 * ROW, (y(b) - y(a)) / 2),
          bow = lane.get(a) === lane.get(b) && at.get(b) > at.get(a) + 1 ? step * BOW : 0;
        return svg("path", {
          class: on(a, b) ? "edge on" : "edge",
          d: `M${x(a).toFixed(1)},${y(a)}C${(x(a) + bow).toFixed(1)},${(y(a) + bend).toFixed(1)} ${(x(b) + bow).toFixed(1)},${(y(b) - bend).toFixed(1)} ${x(b).toFixed(1)},${y(b)}`,
          "data-edge": `${app.runs[a]}\n${app.runs[b]}`,
        });
      };
      const node = (r) => {
        const run = app.runs[r],
          { below: beats, above, open: rest } = between[r],
          mark = kind(r);
        const go = () => set({ run: state.run === run ? "" : run });
        const keys = (event) => {
          if (event.key === "Enter" || event.key === " ") go();
          else if (event.key === "ArrowDown" || event.key === "ArrowUp")
            frame.querySelector(`[data-row="${at.get(r) + (event.key === "ArrowDown" ? 1 : -1)}"]`)?.focus();
          else return;
          event.preventDefault();
        };
        const sums = slim
          ? `▼${beats.length} ▲${above.length} ≈${rest.length}`
          : `beats ${beats.length}, beaten by ${above.length}, open ${rest.length}`;
        const relation = KINDS[mark]
          ? `${KINDS[mark][0]} ${slim ? (mark === "open" ? "open" : "surely") : KINDS[mark][1]}`
          : sums;
        return svg(
          "g",
          {
            class: `node ${mark}`,
            tabindex: 0,
            role: "button",
            "aria-pressed": String(r === chosen),
            "data-run": run,
            "data-row": at.get(r),
            "aria-label":
              `${run}: surely beats ${beats.length}, is surely beaten by ${above.length}, order not certain with ${rest.length}` +
              (KINDS[mark] ? `; ${app.runs[chosen]}: ${KINDS[mark][1]}` : ""),
            "data-tip": `${run}: surely beats ${beats.length}, is surely beaten by ${above.length}, order not certain with ${rest.length}`,
            onclick: go,
            onkeydown: keys,
          },
          svg("rect", {
            class: "hit",
            x: LEVEL,
            y: y(r) - ROW / 2,
            width: right - LEVEL,
            height: ROW,
            fill: "transparent",
          }),
          svg("circle", { cx: x(r), cy: y(r), r: r === chosen ? 6 : 4.5 }),
          words(short[r], left, y(r) + 4, { class: "label" }),
          words(relation, left + names, y(r) + 4, { class: "tick relation" }),
        );
      };
      const bands = found.levels.map((level, i) => [
        svg("rect", {
          class: i % 2 ? "level odd" : "level",
          x: 0,
          y: y(level[0]) - ROW / 2,
          width: right,
          height: ROW * level.length,
        }),
        words(String(i + 1), 4, y(level[0]) + 4, {
          class: "tick",
          "data-tip": `level ${i + 1}: ${countOf(level.length, "system")}${level.length > 1 ? ", none of which surely beats another" : ""}`,
        }),
      ]);
      const drawing = picture(
        right,
        height,
        `Order of ${countOf(rows.length, "system")} in ${countOf(found.levels.length, "level")}, ${countOf(found.edges.length, "line")}`,
        bands,
        found.edges.map(edge),
        rows.map(node),
      );
      drawing.setAttribute("role", "group");
      drawing.classList.toggle("choosing", Boolean(held));
      const focus = frame.contains(document.activeElement) ? document.activeElement.dataset.run : null;
      const list = (some) => some.map((r) => app.runs[r]).join(", ");
      const key = slim ? el("p", { class: "key" }, "▼ surely beats, ▲ surely beaten by, ≈ order not certain") : "";
      frame.replaceChildren(
        key,
        drawing,
        behind(
          ["system", "level", "surely beats", "surely beaten by", "order not certain"],
          found.levels.flatMap((level, i) =>
            level.map((r) => [
              marked(app, app.runs[r]),
              String(i + 1),
              list(between[r].below),
              list(between[r].above),
              list(between[r].open.map(([s]) => s)),
            ]),
          ),
          "The order as a table",
        ),
        behind(pairs()[0], pairs().slice(1), "Every pair with its evidence"),
      );
      if (focus !== null)
        [...frame.querySelectorAll(".node")].find((one) => one.dataset.run === focus)?.focus({ preventScroll: true });
      drawDetails(chosen);
    }

    function drawDetails(chosen) {
      if (chosen < 0)
        return details.replaceChildren(
          el(
            "p",
            { class: "what" },
            found.certain
              ? "Choose a system to see whom it surely beats."
              : "No conclusion survives: every order of two systems is reversed somewhere in what was asked.",
          ),
        );
      const { below: beats, above, open } = between[chosen],
        names = (some) => (some.length ? some.map((r) => app.runs[r]).join(", ") : "none");
      const reason = ([r, why]) => el("li", {}, app.runs[r], why ? el("span", { class: "muted" }, ` (${why})`) : null);
      return details.replaceChildren(
        el("p", {}, el("b", {}, app.runs[chosen]), ` surely beats ${beats.length}: ${names(beats)}.`),
        el("p", {}, `Surely beaten by ${above.length}: ${names(above)}.`),
        open.length
          ? el(
              "details",
              {},
              el("summary", {}, `Order not certain with ${open.length}, and where it changes`),
              el("ul", {}, open.map(reason)),
            )
          : el("p", {}, "Its order with every other system is certain."),
      );
    }

    function redraw() {
      drawControls();
      if (!found.rows) {
        asked.replaceChildren(`Asked: ${found.asked.join(" and ")} (${found.metric}).`);
        frame.replaceChildren();
        details.replaceChildren();
      } else {
        between = relations(app.runs.length, found.rows);
        drawCounts();
        drawOrder();
      }
      below.replaceChildren(notes(found.notes));
    }

    const refresh = newest(() =>
      app.attempt(async () => {
        if (app.doubts && !controls.childNodes.length) drawControls();
        const next = await app.conclusions(working);
        if (!next) return;
        found = next;
        redraw();
      }),
    );

    let about = null;
    return {
      update(patch) {
        // Of the chosen metric only cutoff and order matter here; the studio answers a repeated request from its cache.
        const again =
          ["options", "collection", "doubts"].some((name) => name in patch) ||
          (app.doubts && about !== metricOf(app) && "chosen" in patch);
        about = metricOf(app);
        if (!found || again) refresh();
        else if ("run" in patch && found.rows) {
          controls.querySelector("#order-run").value = app.runs.includes(state.run) ? state.run : "";
          drawOrder();
        }
      },
    };
  },
};
