/* Computed sentences: each is a link to the view that shows it, and opens the facts and rows that it follows from. */
import { cut, el, fixed } from "./base.js";
import { encoded, set, state } from "./state.js";
import { plain } from "./table.js";

/** The server's `sort` is the chosen metric of the state. */
const patchOf = ({ sort, ...rest }) => ({ ...rest, ...(sort ? { chosen: sort, ascending: false } : {}) });

const shown = (value) =>
  typeof value === "number"
    ? String(Number(value.toPrecision(6)))
    : value === null || value === undefined
      ? "–"
      : typeof value === "object"
        ? JSON.stringify(value)
        : String(value);

/** The facts and rows behind a sentence's statements, written when they are opened. */
export function evidenceOf(statements) {
  const place = el(
    "details",
    { class: "behind evidence-of", "data-kinds": statements.map((one) => one.kind).join(" ") },
    el("summary", {}, "Evidence"),
  );
  const table = (rows) => {
    const head = [...new Set(rows.flatMap(Object.keys))];
    const text = head.map((_, i) => i).filter((i) => rows.some((row) => typeof row[head[i]] !== "number"));
    return el(
      "div",
      { class: "scroll short", tabindex: 0, role: "region", "aria-label": "Rows" },
      plain(
        head,
        rows.map((row) => head.map((name) => shown(row[name]))),
        { text },
      ),
    );
  };
  place.addEventListener("toggle", () => {
    if (!place.open || place.children.length > 1) return;
    place.append(
      ...statements.flatMap(({ kind, text, test, facts, evidence }) => [
        el("p", { class: "said", "data-kind": kind }, text.replace(/^[\s.;,:]+/, "")),
        test ? el("p", { class: "muted" }, test) : "",
        el(
          "dl",
          { class: "facts" },
          Object.entries(facts).map(([name, value]) => [el("dt", {}, name), el("dd", {}, cut(shown(value), 600))]),
        ),
        evidence.length ? table(evidence) : el("p", { class: "muted" }, "No rows: there is none to name."),
      ]),
    );
  });
  return place;
}

const WORDINGS = {};

/** Declare how statements of a kind are printed: a function of the facts, so that it sees nothing else. */
export function wordings(by) {
  Object.assign(WORDINGS, by);
}

/** A sentence that the page computes itself: kind, facts and rows, and its text from the facts only. */
export const say = (kind, facts, evidence) => ({ kind, facts, evidence, text: WORDINGS[kind](facts) });

/** Sentences, each with its clauses as links that have their test as the tooltip, and with its evidence. */
export function sentencesOf(list, tag = "div") {
  const clause = ({ text, test, open }) => {
    if (!open) return text;
    const patch = patchOf(open),
      lead = /^[\s.;,:]*/.exec(text)[0];
    const go = (event) => {
      event.preventDefault();
      set(patch);
      document.dispatchEvent(new CustomEvent("opened", { detail: patch.view }));
    };
    return [
      lead,
      el(
        "a",
        { href: "#" + encoded({ ...state, ...patch }), "data-tip": test || null, "data-view": patch.view, onclick: go },
        text.slice(lead.length),
      ),
    ];
  };
  return list.map((sentence) => {
    const known = sentence.filter((one) => one.kind);
    return el(tag, { class: "told" }, el("p", {}, sentence.map(clause)), known.length ? evidenceOf(known) : null);
  });
}

/** The title of a view states its finding, with the evidence behind it; without one it is the view's name. */
export function entitle(heading, title, name) {
  const text = title?.text ?? name;
  if (!heading || heading.textContent === text) return;
  heading.textContent = text;
  if (heading.nextElementSibling?.matches(".evidence-of")) heading.nextElementSibling.remove();
  if (title) heading.after(evidenceOf([title]));
}
