/* Which conclusions hold for all settings in doubt: systems × systems, sorted, with a mark where the row surely beats the column. */
import { countOf, el, newest, notes, room, select, svg, whole } from "./base.js";
import { choices, labels, marked, metricOf } from "./choice.js";
import { picture, words } from "./plot.js";
import { saving } from "./save.js";
import { say, sentencesOf, wordings } from "./sentences.js";
import { set, state } from "./state.js";
import { behind } from "./table.js";

const CLOSE = 40, // systems: more of them get smaller rows
  CERTAIN = 0; // the first verdict
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

const listed = (names) => (names.length ? `${names.length}: ${names.join(", ")}` : "none");

wordings({
  "conclusions-counted": ({ certain, flips, undecided, asked, metric, completed, significant, test }) => {
    const pairs = certain + flips + undecided,
      [holds, turns, open] = [certain, flips, undecided].map((count) => count === 1);
    const firm =
      certain === 0 || significant === null
        ? ""
        : ` Of those that hold, ${whole(significant)} ${significant === 1 ? "is" : "are"} also significant over topics (${test}).`;
    return (
      `${whole(certain)} of ${countOf(pairs, "conclusion")} ${holds ? "holds" : "hold"} for ${asked.join(" and ")} (${metric}); ` +
      `${whole(flips)} ${turns ? "flips" : "flip"} somewhere, ${whole(undecided)} ${open ? "is" : "are"} undecided. ` +
      `Judgments are ${completed ? "completed in every way" : "taken as they are"}.${firm}`
    );
  },
  "surely-beats": ({ run, beats, beaten, open }) =>
    `${run} surely beats ${listed(beats)}. Surely beaten by ${listed(beaten)}.` +
    (open ? "" : " Its order with every other system is certain."),
});

export const conclusions = {
  name: "conclusions",
  title: "Conclusions",
  needs: true,
  what:
    "Which statements “A beats B” hold whatever was put in doubt? " +
    "A dark cell: the system of the row surely beats that of the column, and significantly so over topics; a lighter one: surely, but not significantly; a grey one: the order is open. " +
    "Choose a system to see whom it surely beats and whom it cannot be told apart from.",
  draw(place, app) {
    const controls = el("div", { class: "controls" }),
      asked = el("div", { class: "asked", id: "asked" }),
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
    place.append(controls, working, asked, el("div", { class: "order-and-pair" }, frame, details), below);
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

    const pairRows = (rows) =>
      rows.map(([a, b, verdict, margin, significant, why]) => ({
        better: app.runs[a],
        worse: app.runs[b],
        verdict: found.verdicts[verdict],
        margin,
        significant,
        why,
      }));

    function drawCounts() {
      const counts = found.verdicts.map((_, v) => found.rows.filter((row) => row[2] === v).length);
      const facts = {
        certain: counts[0],
        flips: counts[1],
        undecided: counts[2],
        asked: found.asked,
        metric: found.metric,
        completed: found.asked.some((text) => text.includes("labels")),
        significant: found.significant,
        test: found.test,
      };
      asked.replaceChildren(...sentencesOf([[say("conclusions-counted", facts, pairRows(found.rows))]]));
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
      const room_ = Math.max(300, place.clientWidth - 2),
        slim = room_ < 600,
        short = labels(app, slim ? 15 : 32),
        names = 12 + room(short),
        counts = slim ? 0 : 132,
        ROW = rows.length > CLOSE ? 15 : 21,
        most = (slim ? room_ : Math.min(room_ - 300, 1000)) - names - counts,
        CELL = Math.max(2, Math.min(ROW, most / rows.length));
      const x = (i) => names + counts + CELL * i,
        y = (i) => 4 + ROW * i,
        right = x(rows.length) + 2,
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
      /** A pair: dark where the win is also significant over topics, light where it is only sure, hollow where it is open. */
      const pair = ([a, b, verdict, , significant, why]) => {
        const sure = verdict === CERTAIN,
          [i, j] = [at.get(a), at.get(b)],
          told = significant ? ", significantly over topics" : significant === false ? ", not significantly" : "";
        return svg("rect", {
          class: `cell ${sure ? (significant ? "win" : "win slight") : "field"}${chosen < 0 || a === chosen || b === chosen ? " on" : ""}`,
          x: (x(sure ? j : Math.max(i, j)) + 0.5).toFixed(1),
          y: y(sure ? i : Math.min(i, j)) + 0.5,
          width: Math.max(1, CELL - 1).toFixed(1),
          height: ROW - 1,
          "data-edge": sure ? `${app.runs[a]}\n${app.runs[b]}` : null,
          "data-tip": sure
            ? `${app.runs[a]} surely beats ${app.runs[b]}${told}`
            : `${app.runs[a]} and ${app.runs[b]}: open${why ? ` (${why})` : ""}`,
        });
      };
      const node = (r) => {
        const run = app.runs[r],
          { below: beats, above, open: rest } = between[r],
          mark = kind(r);
        const go = () => set({ run: state.run === run ? "" : run });
        const keys = (event) => {
          if (event.key === "Enter" || event.key === " ") go();
          else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
            const next = frame.querySelector(`[data-row="${at.get(r) + (event.key === "ArrowDown" ? 1 : -1)}"]`);
            if (next) {
              event.currentTarget.setAttribute("tabindex", -1);
              next.setAttribute("tabindex", 0);
              next.focus();
            }
          } else return;
          event.preventDefault();
        };
        const shown = (KINDS[mark] ? `${KINDS[mark][0]} ` : "") + short[r];
        const sums = `beats ${beats.length}, open ${rest.length}`;
        const about = `${run}: surely beats ${beats.length}, is surely beaten by ${above.length}, order not certain with ${rest.length}`;
        return svg(
          "g",
          {
            class: `node ${mark}`,
            tabindex: r === (chosen < 0 ? rows[0] : chosen) ? 0 : -1,
            role: "button",
            "aria-pressed": String(r === chosen),
            "data-run": run,
            "data-row": at.get(r),
            "aria-label":
              `${shown} ${slim ? "" : sums}: ${about}` +
              (KINDS[mark] ? `; ${app.runs[chosen]}: ${KINDS[mark][1]}` : ""),
            "data-tip": about,
            onclick: go,
            onkeydown: keys,
          },
          svg("rect", {
            class: "hit",
            x: 1,
            y: y(at.get(r)),
            width: names + counts - 4,
            height: ROW,
            fill: "transparent",
          }),
          words(`${shown} `, 4, y(at.get(r)) + ROW - 6, {
            class: "label",
          }),
          slim ? null : words(sums, names + 8, y(at.get(r)) + ROW - 6, { class: "tick relation" }),
        );
      };
      const i = at.get(chosen);
      const drawing = picture(
        right,
        height,
        `Which of ${countOf(rows.length, "system")} surely beats which: ${found.certain} of ${countOf(found.rows.length, "pair")}`,
        rows.map((_, j) => svg("rect", { class: "self", x: x(j), y: y(j), width: CELL.toFixed(1), height: ROW })),
        found.rows.map(pair),
        chosen < 0
          ? null
          : [
              svg("rect", { class: "cone", x: x(0), y: y(i), width: CELL * rows.length, height: ROW }),
              svg("rect", { class: "cone", x: x(i), y: y(0), width: CELL.toFixed(1), height: ROW * rows.length }),
            ],
        rows.map(node),
      );
      drawing.setAttribute("role", "group");
      drawing.classList.toggle("choosing", Boolean(held));
      const focus = frame.contains(document.activeElement) ? document.activeElement.dataset.run : null;
      const list = (some) => some.map((r) => app.runs[r]).join(", ");
      const square = (kind_, text) => el("span", {}, el("i", { class: `swatch ${kind_}` }), ` ${text} `);
      const key = el(
        "p",
        { class: "key" },
        square("win", "beats, significantly"),
        square("slight", "beats, not significantly"),
        square("field", "open"),
        held ? el("span", {}, "▼ surely beaten by it, ▲ surely beats it, ≈ open") : null,
      );
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
      if (chosen < 0 && found.certain) chosen = found.levels[0][0]; // the first row, until a system is chosen
      if (chosen < 0)
        return details.replaceChildren(
          el("p", { class: "what" }, "No conclusion is certain for everything that was asked."),
        );
      const { below: beats, above, open } = between[chosen],
        names = (some) => some.map((r) => app.runs[r]);
      const facts = { run: app.runs[chosen], beats: names(beats), beaten: names(above), open: open.length };
      const own = found.rows.filter(([a, b]) => a === chosen || b === chosen);
      const reason = ([r, why]) => el("li", {}, app.runs[r], why ? el("span", { class: "muted" }, ` (${why})`) : null);
      return details.replaceChildren(
        ...sentencesOf([[say("surely-beats", facts, pairRows(own))]]),
        open.length
          ? el(
              "details",
              {},
              el("summary", {}, `Order not certain with ${open.length}, and where it changes`),
              el("ul", {}, open.map(reason)),
            )
          : "",
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
