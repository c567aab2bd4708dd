/* The editable table of the playground: rows that move by pointer and keyboard, cells that hold relevance. */
import { session } from "./app.js";
import { el } from "./base.js";
import { showFault } from "./faults.js";
import { freshName } from "./playstate.js";
import { state } from "./state.js";

/** After a change of the aspects the ranking cannot be compared with the pinned one any more. */
const ALONE = { pinned: null };

/** Draw the table. While the user types in a cell, only colours are updated: a new input would lose focus and cursor. */
export function drawTable(place, change) {
  const play = state.play,
    { aspects, list, bench } = play;
  const typing = place.contains(document.activeElement) && document.activeElement.tagName === "INPUT";
  if (typing && place.dataset.shape === shapeOf(play)) return recolour(place);
  const focus = place.contains(document.activeElement) ? document.activeElement.dataset.focus : null;
  place.dataset.shape = shapeOf(play);
  const many = aspects.length > 1,
    room = list.length + bench.length < session.limits.documents;
  const head = el(
    "tr",
    {},
    el("td", {}),
    el("th", { scope: "col" }, "Document"),
    aspects.map((aspect, t) => aspectHead(aspect, t, many, change)),
    el("td", {}),
  );
  const weigh = (t) => (weight) => change({ aspects: replaced("aspects", t, { ...state.play.aspects[t], weight }) });
  const weights = el(
    "tr",
    { class: "weights" },
    el("td", {}),
    el("th", { scope: "row" }, "weight"),
    aspects.map((aspect, t) =>
      el(
        "td",
        {},
        numberBox(
          aspect.weight,
          { max: 1e6, step: 0.1, "aria-label": `weight of ${aspect.name}`, "data-focus": "w" + t },
          weigh(t),
        ),
      ),
    ),
    el("td", {}),
  );
  place.replaceChildren(
    el(
      "div",
      { class: "scroll" },
      el(
        "table",
        { class: "play-rows" },
        el("thead", {}, head, weights),
        el(
          "tbody",
          { id: "list" },
          list.map((row, i) => line(row, i, "list", change)),
        ),
        bench.length
          ? el(
              "tbody",
              { id: "bench" },
              el("tr", { class: "divider" }, el("th", { colspan: aspects.length + 3 }, "Judged, but not returned")),
              bench.map((row, i) => line(row, i, "bench", change)),
            )
          : null,
      ),
    ),
    el(
      "div",
      { class: "buttons" },
      el(
        "button",
        {
          type: "button",
          id: "add-document",
          disabled: !room,
          onclick: () =>
            change({
              list: [
                ...state.play.list,
                { name: freshName([...state.play.list, ...state.play.bench]), relevance: aspects.map(() => 0) },
              ],
            }),
        },
        "Add a document",
      ),
      el(
        "button",
        {
          type: "button",
          id: "add-aspect",
          disabled: aspects.length >= session.limits.aspects,
          onclick: () => addAspect(change),
        },
        "Add an aspect",
      ),
    ),
  );
  recolour(place);
  if (focus) place.querySelector(`[data-focus="${CSS.escape(focus)}"]`)?.focus();
}

const shapeOf = ({ aspects, list, bench }) =>
  JSON.stringify([aspects.map((a) => a.name), list.map((d) => d.name), bench.map((d) => d.name)]);
const replaced = (name, i, value) => state.play[name].map((old, j) => (j === i ? value : old));

function aspectHead(aspect, t, many, change) {
  const box = el("input", {
    class: "name",
    value: aspect.name,
    maxlength: 30,
    "aria-label": `name of aspect ${t + 1}`,
    "data-focus": "a" + t,
    onchange: () => change({ aspects: replaced("aspects", t, { ...state.play.aspects[t], name: box.value }) }),
  });
  const drop = () => {
    const without = (rows) => rows.map((row) => ({ ...row, relevance: row.relevance.filter((_, i) => i !== t) }));
    change(
      {
        aspects: state.play.aspects.filter((_, i) => i !== t),
        list: without(state.play.list),
        bench: without(state.play.bench),
        ...ALONE,
      },
      `Aspect ${aspect.name} removed`,
    );
  };
  return el(
    "th",
    { scope: "col" },
    box,
    many
      ? el(
          "button",
          { type: "button", class: "quiet drop", "aria-label": `Remove aspect ${aspect.name}`, onclick: drop },
          "✕",
        )
      : null,
  );
}

function addAspect(change) {
  const wider = (rows) => rows.map((row) => ({ ...row, relevance: [...row.relevance, 0] }));
  const { aspects, list, bench } = state.play;
  change({
    aspects: [...aspects, { name: `t${aspects.length + 1}`, weight: aspects[aspects.length - 1].weight || 1 }],
    list: wider(list),
    bench: wider(bench),
    ...ALONE,
  });
}

function numberBox(value, attributes, change) {
  const box = el("input", { type: "number", min: 0, value, ...attributes });
  let last = value;
  const fits = () => box.value !== "" && Number(box.value) >= 0 && Number(box.value) <= Number(attributes.max);
  box.addEventListener("input", () => {
    if (!fits()) {
      const range = `${attributes["aria-label"]} is a number from 0 to ${attributes.max}`,
        came = box.value === "" ? "an empty field" : box.value;
      showFault(box, `${range[0].toUpperCase()}${range.slice(1)}, not ${came}. ${last} still counts.`);
      return;
    }
    showFault(box);
    last = Number(box.value);
    change(last);
  });
  box.addEventListener("blur", () => {
    if (!fits()) {
      box.value = last;
      showFault(box);
    }
  });
  return box;
}

function line(row, i, where, change) {
  const setRow = (patch) => change({ [where]: replaced(where, i, { ...state.play[where][i], ...patch }) });
  const cells = row.relevance.map((r, t) =>
    el(
      "td",
      { class: "r" },
      numberBox(
        r,
        {
          max: 1,
          step: 0.05,
          "aria-label": `relevance of ${row.name} to ${state.play.aspects[t].name}`,
          "data-focus": `${where}${i}-${t}`,
        },
        (value) => setRow({ relevance: state.play[where][i].relevance.map((old, k) => (k === t ? value : old)) }),
      ),
    ),
  );
  const handle = el(
    "button",
    {
      type: "button",
      class: "handle",
      "data-focus": `handle-${row.name}`,
      "aria-label": `Move ${row.name}, ${where === "list" ? "rank " + (i + 1) : "not returned"}`,
      title: "Drag, or use the arrow keys",
      onkeydown: (event) => keys(event, where, i, change),
      onpointerdown: (event) => drag(event, where, i, change),
    },
    "⠿",
  );
  const box = el("input", {
    class: "name",
    value: row.name,
    maxlength: 40,
    "aria-label": `name of document ${i + 1}`,
    "data-focus": `${where}${i}-name`,
    onchange: () => setRow({ name: box.value }),
  });
  const rank = where === "list" ? el("span", { class: "rank" }, String(i + 1)) : el("span", { class: "rank" }, "–");
  const drop = el(
    "button",
    {
      type: "button",
      class: "quiet drop",
      "aria-label": `Remove ${row.name}`,
      onclick: () => change({ [where]: state.play[where].filter((_, j) => j !== i) }, `${row.name} removed`),
    },
    "✕",
  );
  const bench =
    where === "list"
      ? el(
          "button",
          {
            type: "button",
            class: "quiet drop",
            title: "Not returned",
            "aria-label": `Do not return ${row.name}`,
            onclick: () => shift("list", i, "bench", state.play.bench.length, change),
          },
          "↓",
        )
      : el(
          "button",
          {
            type: "button",
            class: "quiet drop",
            title: "Return it",
            "aria-label": `Return ${row.name}`,
            onclick: () => shift("bench", i, "list", state.play.list.length, change),
          },
          "↑",
        );
  return el(
    "tr",
    { "data-name": row.name, "data-where": where },
    el("td", { class: "grip" }, handle, rank),
    el("td", {}, box),
    cells,
    el("td", { class: "tail" }, bench, drop),
  );
}

/** Move a document to another place, within the list or between list and bench. */
function shift(from, i, to, j, change) {
  const rows = { list: [...state.play.list], bench: [...state.play.bench] };
  const [row] = rows[from].splice(i, 1);
  rows[to].splice(j, 0, row);
  change(
    rows,
    to === "list" ? `${row.name} is now at rank ${j + 1} of ${rows.list.length}` : `${row.name} is not returned`,
  );
}

function keys(event, where, i, change) {
  const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (!step) return;
  event.preventDefault();
  const to = i + step;
  if (to >= 0 && to < state.play[where].length) shift(where, i, where, to, change);
}

/** Drag with the pointer: the row moves as soon as the pointer passes another row, and the metrics are updated. */
function drag(event, where, start, change) {
  if (event.button !== 0) return;
  event.preventDefault();
  const place = event.target.closest(".play-table"),
    { name } = state.play[where][start];
  let at = start;
  const mark = () =>
    place.querySelector(`tr[data-where="${where}"][data-name="${CSS.escape(name)}"]`)?.classList.add("dragged");
  mark();
  const move = (moved) => {
    const rows = [...place.querySelectorAll(`tr[data-where="${where}"]`)];
    const to = rows.filter((row, j) => j !== at && middle(row) < moved.clientY).length;
    if (to === at) return;
    shift(where, at, where, to, change);
    at = to;
    mark();
  };
  const end = () => {
    document.removeEventListener("pointermove", move);
    place.querySelector(".dragged")?.classList.remove("dragged");
  };
  document.addEventListener("pointermove", move);
  document.addEventListener("pointerup", end, { once: true });
  document.addEventListener("pointercancel", end, { once: true });
}

function middle(row) {
  const box = row.getBoundingClientRect();
  return box.top + box.height / 2;
}

/** The stronger the relevance, the stronger the cell. */
function recolour(place) {
  for (const cell of place.querySelectorAll("td.r")) {
    const r = Math.min(1, Math.max(0, Number(cell.firstChild.value)));
    cell.style.setProperty("background", `color-mix(in srgb, var(--want) ${Math.round(62 * r)}%, var(--paper))`);
  }
}
