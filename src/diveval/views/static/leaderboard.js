/* Systems × metrics: ranks, means on zoomed axes with intervals, letters; columns to choose and pin, systems to filter. */
import { button, el, fixed, id, newest, notes, shortened } from "./base.js";
import { better, lacking, metricOf, ordered, ranksOf } from "./choice.js";
import { linear } from "./plot.js";
import { saving } from "./save.js";
import { say, sentencesOf, wordings } from "./sentences.js";
import { set, state } from "./state.js";
import { cued, keeper, sync, walkable } from "./table.js";

const MANY = 40; // sticky cells are expensive layers for the browser: with more systems, only names stay in place
const MOST_LETTERS = 9; // characters; with more in a column, possible ranks stand there
const ALPHABET = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/** Letters of a row, with three or more consecutive ones as a range: "a–k", "ab,d–g". */
function shortLetters(letters) {
  const spans = [];
  for (const letter of letters || "") {
    const span = spans[spans.length - 1];
    if (span && ALPHABET.indexOf(letter) === ALPHABET.indexOf(span[span.length - 1]) + 1) span.push(letter);
    else spans.push([letter]);
  }
  const text = (span) => (span.length < 3 ? span.join("") : `${span[0]}–${span[span.length - 1]}`);
  const ranges = spans.some((span) => span.length > 2);
  return spans.map(text).join(ranges ? "," : "");
}

/** What a column says of significance: letters, or where they would be too many the ranks that systems may have. */
function significance(sure) {
  const short = (sure?.letters ?? []).map(shortLetters);
  if (short.length && short.every((text) => text.length <= MOST_LETTERS && !/\d/.test(text))) return short;
  return (sure?.ranks ?? []).map(([first, last]) => `rank ${first === last ? first : `${first}–${last}`}`);
}

/**
 * A mean as a dot with its interval, on an axis from the lowest to the highest end of its column. Boxes instead of SVG:
 * there may be thousands, and browsers paint them several times as fast. They are placed with margins, since each
 * positioned box would be a layer.
 */
function dot(scale, mean, low, high, width) {
  if (mean === null || mean === undefined) return null;
  const px = (value) => scale(value).toFixed(1) + "px",
    marks = [];
  if (scale.domain[0] < 0 && scale.domain[1] > 0)
    marks.push(el("i", { class: "zero", style: { "margin-left": px(0) } }));
  if (Number.isFinite(low))
    marks.push(
      el("i", {
        class: "range",
        style: { "margin-left": px(low), width: Math.max(0, scale(high) - scale(low)).toFixed(1) + "px" },
      }),
    );
  marks.push(el("i", { class: "point", style: { "margin-left": (scale(mean) - 3).toFixed(1) + "px" } }));
  return el("div", { class: "dot", "aria-hidden": "true", style: { width: width + "px" } }, marks);
}

/** A name that may be broken after its separators. */
const broken = (text) => text.split(/(?<=[_,])|(?=@)/).flatMap((part, i) => (i ? [el("wbr", {}), part] : [part]));

wordings({
  alike: ({ metric, run, alike, ranks: [first, last], systems }) =>
    `By ${metric}, not significantly different from ${run}: ${alike.join(", ") || "none"}. Its rank is ` +
    `${first === last ? first : `between ${first} and ${last}`} of ${systems}, given the significant differences.`,
});

export const leaderboard = {
  name: "leaderboard",
  title: "Leaderboard",
  needs: true,
  what:
    "The mean of each metric over the topics: a dot with its interval, on an axis of its own from the lowest to the highest. " +
    "Systems that share a letter are not significantly different by that metric; the ranks are those that the significant differences leave open.",
  draw(place, app) {
    const headline = el("div", { class: "headline", "aria-label": "What the numbers say", role: "region" });
    const head = el("tr", {}),
      rowsOf = el("tbody", {}),
      rankHead = el("th", { class: "rank", scope: "col" }, "#", el("small", {}, "\u00a0"));
    const table = el("table", { id: "board", "data-sheet": 7, "data-keep": 2 }, el("thead", {}, head), rowsOf);
    const frame = el(
      "div",
      { class: "scroll tall board", tabindex: 0, role: "region", "aria-label": "Leaderboard table" },
      table,
    );
    const status = el("div", { class: "remark", role: "status", id: "board-status" }),
      below = el("div", {}),
      columns = el("details", { class: "columns" });
    const filter = el("input", {
      type: "search",
      id: "filter",
      placeholder: "filter systems",
      "aria-label": "Filter systems by name",
      value: state.filter,
      oninput: () => set({ filter: filter.value }, { gliding: true }),
    });
    const check = (key, text) =>
      el(
        "label",
        { class: "check" },
        el("input", {
          type: "checkbox",
          id: "board-" + key,
          onchange: (event) => set({ [key]: event.target.checked }),
        }),
        text,
      );
    const headed = app.single || !app.verdict; // a report with a verdict has the headline there
    if (headed) place.prepend(headline);
    place.append(
      el(
        "div",
        { class: "controls" },
        filter,
        columns,
        check("condensed", "Condense"),
        check("grouped", "Group ties"),
        saving("leaderboard", frame, rows),
        status,
      ),
      cued(frame),
      below,
    );
    let means = {},
      gliding = null; // while a slider moves and there are many systems: the height of a row; only visible rows are drawn
    const kept = keeper(),
      WIDE = 102,
      NAMES = 330,
      NARROW_DOT = 48,
      WIDE_DOT = 84,
      WIDEST_DOT = 170;

    /** Narrow columns if chosen; without a choice, if wide ones would not all be visible. */
    const condensed = () => state.condensed ?? frame.clientWidth < NAMES + WIDE * shown().length;

    const shown = () => {
      const all = app.metrics(),
        pinned = state.pinned.filter((name) => all.includes(name));
      return [...pinned, ...all.filter((name) => !pinned.includes(name) && !state.hidden.includes(name))];
    };

    function drawColumns() {
      const row = (name) =>
        el(
          "li",
          {},
          el(
            "label",
            { class: "check" },
            el("input", {
              type: "checkbox",
              checked: shown().includes(name),
              onchange: (event) =>
                set({
                  hidden: event.target.checked
                    ? state.hidden.filter((other) => other !== name)
                    : [...state.hidden, name],
                  pinned: event.target.checked ? state.pinned : state.pinned.filter((other) => other !== name),
                }),
            }),
            name,
          ),
          button(
            state.pinned.includes(name) ? "Unpin" : "Pin",
            () =>
              set({
                pinned: state.pinned.includes(name)
                  ? state.pinned.filter((other) => other !== name)
                  : [...state.pinned, name],
                hidden: state.hidden.filter((other) => other !== name),
              }),
            { class: "quiet", "aria-label": `${state.pinned.includes(name) ? "Unpin" : "Pin"} ${name}` },
          ),
        );
      const count = shown().length,
        all = app.metrics().length;
      const open = columns.open;
      columns.replaceChildren(
        el("summary", {}, count === all ? `All ${all} columns` : `${count} of ${all} columns`),
        el(
          "div",
          { class: "menu" },
          button("All", () => set({ hidden: [] })),
          button("Only the chosen", () =>
            set({ hidden: app.metrics().filter((name) => name !== metricOf(app) && !state.pinned.includes(name)) }),
          ),
          el("ul", {}, app.metrics().map(row)),
        ),
      );
      columns.open = open;
    }

    function heading(name) {
      const active = metricOf(app) === name,
        [short, setting] = app.heading(name),
        pinned = state.pinned.includes(name);
      const sort = () => set({ chosen: name, ascending: active && !state.ascending });
      return kept("head\n" + name, [active, state.ascending, pinned].join(), () =>
        el(
          "th",
          {
            scope: "col",
            class: pinned ? "pinned" : null,
            "aria-sort": active && (state.ascending ? "ascending" : "descending"),
          },
          button(broken(short), sort, {
            "data-tip": `Sort by ${name}${better(app, name) === "low" ? " (lower is better)" : ""}`,
            "data-metric": name,
          }),
          el("small", {}, setting ? broken(setting) : "\u00a0"),
        ),
      );
    }

    function scaleOf(name, sure, width) {
      const all = [...means[name], ...(sure ? [...sure.low, ...sure.high] : [])].filter(Number.isFinite);
      const low = Math.min(...all),
        high = Math.max(...all),
        room = (high - low || 1) * 0.05;
      return linear([low - room, high + room], [4, width - 4]);
    }

    function cell(name, r, about) {
      const { sure, scale, width } = about,
        value = means[name]?.[r] ?? null;
      const sign = [
        value,
        about.signed,
        about.best,
        about.signs[r],
        sure?.low[r],
        sure?.high[r],
        width,
        ...scale.domain,
      ].join();
      return kept(name + "\n" + r, sign, () => newCell(name, r, value, about));
    }

    function newCell(name, r, value, { sure, scale, best, width, signed, signs }) {
      const letters = sure?.letters?.[r];
      const range =
        sure && Number.isFinite(sure.low[r])
          ? `, ${+(100 * sure.confidence).toFixed(6)} % interval ${fixed(sure.low[r])} to ${fixed(sure.high[r])}`
          : "";
      const [first, last] = sure?.ranks?.[r] ?? [];
      const same =
        (letters ? `; letters ${letters}` : "") +
        (first ? `; rank ${first === last ? first : `${first} to ${last}`}` : "");
      return el(
        "td",
        {
          "data-metric": name,
          "data-run": app.runs[r],
          "data-value": fixed(value),
          "data-tip": `${app.runs[r]}, ${name}: ${fixed(value)}${range}${same}`,
          class: lacking(app, app.runs[r]).length ? "partial" : null,
        },
        el(
          "div",
          { class: signed ? "cell signed" : "cell" },
          el(
            "span",
            { class: value !== null && value === best ? "value best" : "value" },
            fixed(value, width < WIDE_DOT ? 3 : 4),
          ),
          signs[r] ? el("sup", {}, signs[r]) : null,
        ),
        dot(scale, value, sure?.low[r], sure?.high[r], width),
      );
    }

    function row(r, rank, columnsOf, alike, short) {
      const run = app.runs[r],
        missing = lacking(app, run);
      const kind = state.run === run ? "chosen" : alike.includes(r) ? "alike" : null;
      const badge = () =>
        missing.length
          ? el(
              "span",
              {
                class: "badge",
                "data-tip": `returned nothing for ${missing.length} of ${app.topics.length} topics: ${missing.slice(0, 12).join(", ")}${missing.length > 12 ? " …" : ""}`,
              },
              `${app.topics.length - missing.length}/${app.topics.length}`,
            )
          : null;
      const line = kept("row\n" + r, run, () => el("tr", { "data-run": run }));
      line.className = kind || "";
      sync(line, [
        kept("rank\n" + r, String(rank), () => el("td", { class: "rank" }, String(rank))),
        kept("name\n" + r, [short[r], state.run === run, missing.length].join(), () =>
          el(
            "th",
            { scope: "row" },
            button(id(short[r]), () => set({ run: state.run === run ? "" : run }), {
              "aria-pressed": String(state.run === run),
              "data-tip": run,
            }),
            badge(),
          ),
        ),
        ...columnsOf.map(([name, about]) => cell(name, r, about)),
      ]);
      return line;
    }

    function bestOf(name) {
      const known = means[name].filter(Number.isFinite),
        which = better(app, name);
      return which === "none" ? null : which === "low" ? Math.min(...known) : Math.max(...known);
    }

    const matching = (r) => app.runs[r].toLowerCase().includes(state.filter.toLowerCase());

    function order() {
      const by = means[metricOf(app)] ? ordered(app, means[metricOf(app)], metricOf(app)) : app.runs.map((_, r) => r);
      return (state.ascending ? by.reverse() : by).filter(matching);
    }

    /**
     * Painting thousands of cells takes longer than a slider's next step: until it rests, only visible rows are drawn.
     * Column widths are fixed meanwhile, since the layout of the visible rows alone would make columns jump.
     */
    function glide() {
      app.soon("board", rest, 2000);
      if (gliding || !rowsOf.rows.length) return;
      const widths = [...head.cells].map((one) => one.getBoundingClientRect().width);
      gliding = rowsOf.rows[0].getBoundingClientRect().height;
      table.prepend(
        el(
          "colgroup",
          {},
          widths.map((width) => el("col", { style: { width: width + "px" } })),
        ),
      );
      table.style.setProperty("width", widths.reduce((sum, width) => sum + width, 0) + "px");
      table.classList.add("gliding");
    }

    function release() {
      gliding = null;
      table.querySelector("colgroup").remove();
      table.style.removeProperty("width");
      table.classList.remove("gliding");
    }

    function rest() {
      if (!gliding) return;
      release();
      drawTable();
    }

    /** The visible rows, between two empty rows as high as those left out, so that the scroll bar stays the same. */
    function inSight(list, draw) {
      if (!gliding) return list.flatMap(draw);
      const from = Math.max(0, Math.floor(frame.scrollTop / gliding) - 4),
        to = Math.min(list.length, from + Math.ceil(frame.clientHeight / gliding) + 8);
      const gap = (key, rows) =>
        kept(key, String(rows), () =>
          el("tr", { class: "unseen", "aria-hidden": "true" }, el("td", { style: { height: rows * gliding + "px" } })),
        );
      return [gap("above", from), ...list.slice(from, to).flatMap(draw), gap("below", list.length - to)];
    }

    function drawTable() {
      const metric = metricOf(app),
        focus = table.contains(document.activeElement) ? document.activeElement : null;
      const mark = focus && [focus.tagName, focus.dataset.metric || "", focus.closest("tr")?.dataset.run || ""];
      const narrow = condensed(),
        names = shown().filter((name) => means[name]),
        room = (frame.clientWidth - NAMES) / names.length - 32, // what a column has beside its padding
        width = narrow ? NARROW_DOT : Math.round(Math.min(WIDEST_DOT, Math.max(WIDE_DOT, room)));
      if (gliding && head.cells.length !== names.length + 2) release(); // other columns, other widths
      const columnsOf = names.map((name) => {
        const sure = app.sureNow(name);
        return [
          name,
          {
            sure,
            signs: significance(sure),
            width,
            scale: scaleOf(name, sure, width),
            best: bestOf(name),
            signed: means[name].some((value) => value < 0),
          },
        ];
      });
      kept.trim(3 * (app.runs.length + 1) * (names.length + 3));
      const ranks = means[metric] ? ranksOf(app, means[metric], metric) : app.runs.map(() => "");
      const sure = app.sureNow(metric),
        place_ = app.runs.indexOf(state.run);
      const alike = place_ >= 0 && sure?.alike ? sure.alike[place_] : [];
      table.classList.toggle("condensed", narrow);
      table.classList.toggle("many", app.runs.length > MANY);
      const short = shortened(app.runs, frame.clientWidth < 600 ? 14 : narrow ? 20 : 32);
      let group = null;
      const body = inSight(order(), (r) => {
        const first = state.grouped && sure?.letters ? sure.letters[r][0] : null,
          line = row(r, ranks[r], columnsOf, alike, short);
        if (first === null || first === group) return line;
        group = first;
        return [
          el(
            "tr",
            { class: "group" },
            el(
              "th",
              { colspan: 2 + columnsOf.length, scope: "rowgroup" },
              `group ${first}: not significantly different from ${app.runs[r]} by ${metric}`,
            ),
          ),
          line,
        ];
      });
      const found = state.filter ? `${order().length} of ${app.runs.length}` : `${app.runs.length} in all`;
      const system = kept("head", found, () => el("th", { scope: "col" }, "System", el("small", {}, found)));
      sync(head, [rankHead, system, ...columnsOf.map(([name]) => heading(name))]);
      sync(rowsOf, body);
      walkable(table, "tbody th button");
      walkable(table, "tbody td:not(.rank)", (at) =>
        set({ chosen: at.dataset.metric, run: at.dataset.run, ascending: false }),
      );
      if (mark) {
        const again = [...table.querySelectorAll(mark[0])].find(
          (one) => (one.dataset.metric || "") === mark[1] && (one.closest("tr")?.dataset.run || "") === mark[2],
        );
        if (again) again.focus({ preventScroll: true });
      }
      drawStatus(sure, place_, alike);
    }

    function drawStatus(sure, at, alike) {
      const metric = metricOf(app);
      if (at < 0)
        return status.replaceChildren("Choose a system to see which ones are not significantly different from it.");
      if (!sure || !means[metric]) return status.replaceChildren("The significance test is running.");
      if (!sure.alike) return status.replaceChildren("No significance test was possible here.");
      const names = ordered(app, means[metric], metric)
        .filter((r) => alike.includes(r))
        .map((r) => app.runs[r]);
      const facts = { metric, run: app.runs[at], alike: names, ranks: sure.ranks[at], systems: app.runs.length };
      const rows = app.runs.map((run, r) => ({
        run,
        mean: means[metric][r],
        "significantly different": r === at ? null : !alike.includes(r),
      }));
      return status.replaceChildren(...sentencesOf([[say("alike", facts, rows)]]));
    }

    /** The numbers of the shown columns, requested again, since a slider may be ahead of what is drawn. */
    async function rows() {
      const names = shown(),
        metric = metricOf(app),
        found = await app.means([...new Set([metric, ...names])]),
        ranks = ranksOf(app, found[metric], metric);
      return [
        ["rank", "system", "topics", ...names],
        ...order().map((r) => [
          String(ranks[r]),
          app.runs[r],
          String(app.topics.length - lacking(app, app.runs[r]).length),
          ...names.map((name) => fixed(found[name][r])),
        ]),
      ];
    }

    const refresh = newest(() =>
      app.attempt(async () => {
        means = await app.means(app.metrics());
        drawColumns();
        drawTable();
        below.replaceChildren(notes(app.boardNotes()));
        app.whenSure(metricOf(app), (found) => {
          drawTable();
          below.replaceChildren(notes([...app.boardNotes(), ...(found.notes || [])]));
        });
      }),
    );

    const drawTop = () =>
      headed &&
      app.headline((list) => {
        headline.replaceChildren(...sentencesOf(list));
        if (means[metricOf(app)]) drawTable();
      }, headline);

    table.addEventListener("whole", rest); // sent before the table is printed or saved
    frame.addEventListener("scroll", rest, { passive: true });
    drawTop();
    return {
      update(patch) {
        if ("metrics" in patch && app.single && app.runs.length > MANY) glide();
        if ("filter" in patch && filter.value !== state.filter) filter.value = state.filter;
        place.querySelector("#board-condensed").checked = condensed();
        place.querySelector("#board-grouped").checked = state.grouped;
        if (["metrics", "options", "collection"].some((key) => key in patch)) drawTop();
        refresh();
      },
    };
  },
};
