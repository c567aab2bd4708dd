/* Tables: plain ones, grids with arrow keys, and sheets for print. */
import { el } from "./base.js";

/** A plain table: the first column is text, the others are numbers unless `text` names them. */
export function plain(head, rows, { name = null, text = [0] } = {}) {
  const kind = (i) => (text.includes(i) ? null : "n");
  return el(
    "table",
    { class: "plain", id: name },
    el(
      "thead",
      {},
      el(
        "tr",
        {},
        head.map((word, i) => (word ? el("th", { scope: "col", class: kind(i) }, word) : el("td", {}))),
      ),
    ),
    el(
      "tbody",
      {},
      rows.map((row) =>
        el(
          "tr",
          {},
          row.map((cell, i) => el("td", { class: kind(i), "data-value": cell?.dataset?.value }, cell)),
        ),
      ),
    ),
  );
}

/** The numbers behind a picture as a table, for screen readers and for exact values. */
export function behind(head, rows, title = "The numbers as a table") {
  const place = el("details", { class: "behind" }, el("summary", {}, title));
  place.addEventListener("toggle", () => {
    if (place.open && !place.querySelector("table")) place.append(el("div", { class: "scroll" }, plain(head, rows)));
  });
  return place;
}

/** A frame that scrolls, with a shadow at each edge beyond which there is more. */
export function cued(frame) {
  const place = el(
    "div",
    { class: "cued" },
    frame,
    ["below", "right"].map((edge) => el("i", { class: "cue " + edge, "aria-hidden": "true" })),
  );
  const look = () => {
    const { scrollLeft, scrollTop, clientWidth, clientHeight, scrollWidth, scrollHeight } = frame;
    place.classList.toggle("more-below", scrollTop + clientHeight < scrollHeight - 2);
    place.classList.toggle("more-right", scrollLeft + clientWidth < scrollWidth - 2);
    place.style.setProperty("--seen-width", clientWidth + "px");
    place.style.setProperty("--seen-height", clientHeight + "px");
  };
  frame.addEventListener("scroll", look, { passive: true });
  const sizes = new ResizeObserver(look);
  const watch = () => {
    for (const one of [frame, ...frame.children]) sizes.observe(one);
  };
  new MutationObserver(watch).observe(frame, { childList: true });
  watch();
  return place;
}

/** Elements by key, created again only if their signature differs: an element that stays is not laid out again, and a
 * click that began on it is not lost. */
export function keeper() {
  const nodes = new Map();
  const kept = (key, sign, make) => {
    const old = nodes.get(key);
    if (old?.sign === sign) return old.node;
    const node = make();
    nodes.set(key, { sign, node });
    return node;
  };
  /** Remove elements that are not on the page, if there are more than `most`. */
  kept.trim = (most) => {
    if (nodes.size > most) for (const [key, { node }] of nodes) if (!node.isConnected) nodes.delete(key);
  };
  return kept;
}

/** Replace only the children that differ: the others are neither laid out nor painted again. */
export function sync(parent, wanted) {
  const keep = new Set(wanted);
  wanted.forEach((child, i) => {
    const there = parent.childNodes[i];
    if (there === child) return;
    if (there && !keep.has(there)) there.replaceWith(child);
    else parent.insertBefore(child, there || null);
  });
  while (parent.childNodes.length > wanted.length) parent.lastChild.remove();
}

/** The text of a table's cells by row, for export. */
export function textOf(table) {
  const cell = (one) => (one.dataset.value ?? one.textContent).trim();
  return [...table.rows].filter((row) => row.cells.length > 1).map((row) => [...row.cells].map(cell));
}

/** Arrow keys, Home and End walk over a table's cells of `selector`; one of them is in the order of the Tab key. */
export function walkable(table, selector, enter = null) {
  const grid = () => [...table.rows].map((row) => [...row.querySelectorAll(selector)]).filter((cells) => cells.length);
  const start = table.querySelector(selector);
  for (const cell of table.querySelectorAll(selector)) if (cell.getAttribute("tabindex") !== "-1") cell.tabIndex = -1;
  if (start) start.tabIndex = 0;
  const walked = (table.dataset.walkable || "").split("|");
  if (walked.includes(selector)) return;
  table.dataset.walkable = [...walked, selector].join("|");
  table.addEventListener("keydown", (event) => {
    const here = event.target.closest(selector);
    if (!here) return;
    const rows = grid(),
      y = rows.findIndex((cells) => cells.includes(here)),
      x = rows[y].indexOf(here);
    const steps = {
      ArrowUp: [y - 1, x],
      ArrowDown: [y + 1, x],
      ArrowLeft: [y, x - 1],
      ArrowRight: [y, x + 1],
      Home: [y, 0],
      End: [y, rows[y].length - 1],
      PageUp: [y - 10, x],
      PageDown: [y + 10, x],
    };
    if (steps[event.key]) {
      const [to, column] = steps[event.key];
      const cells = rows[Math.min(rows.length - 1, Math.max(0, to))];
      const cell = cells[Math.min(cells.length - 1, Math.max(0, column))];
      here.tabIndex = -1;
      cell.tabIndex = 0;
      cell.focus();
    } else if (enter && (event.key === "Enter" || event.key === " ")) enter(here);
    else return;
    event.preventDefault();
  });
}

/**
 * For print a wide table becomes several: each repeats the first columns and has as many others as fit on a sheet.
 * `data-keep` is how many columns are repeated, `data-sheet` how many others fit.
 */
export function sheets() {
  window.addEventListener("beforeprint", () => {
    for (const table of document.querySelectorAll("table[data-sheet]")) {
      table.dispatchEvent(new Event("whole"));
      const keep = Number(table.dataset.keep || 1),
        most = Number(table.dataset.sheet);
      const columns = Math.max(0, ...[...table.rows].map((row) => row.cells.length));
      const made = [];
      for (let from = keep; from < columns; from += most) {
        const sheet = table.cloneNode(true);
        sheet.removeAttribute("id");
        // Browsers repeat a table's head on the next page without the buttons in it: replace them by text.
        for (const one of sheet.tHead?.querySelectorAll("button") ?? [])
          one.replaceWith(el("span", { class: "head" }, one.textContent));
        for (const row of [...sheet.rows])
          if (row.cells.length > 1)
            for (const cell of [...row.cells].filter((_, i) => i >= keep && (i < from || i >= from + most)))
              cell.remove();
        made.push(sheet);
      }
      table.classList.add("unprinted");
      table.after(el("div", { class: "sheets" }, made));
    }
  });
  window.addEventListener("afterprint", () => {
    for (const one of document.querySelectorAll(".sheets")) one.remove();
    for (const one of document.querySelectorAll(".unprinted")) one.classList.remove("unprinted");
  });
}
