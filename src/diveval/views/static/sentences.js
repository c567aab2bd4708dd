/* Computed sentences: each clause is a link to its evidence, with the test behind it as the tooltip. */
import { el } from "./base.js";
import { encoded, set, state } from "./state.js";

/** The server's `sort` is the chosen metric of the state. */
const patchOf = ({ sort, ...rest }) => ({ ...rest, ...(sort ? { chosen: sort, ascending: false } : {}) });

/** The headline: each clause is a link to its evidence, with its test as the tooltip. */
export function headlineOf(list, tag = "p") {
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
  return list.map((sentence) => el(tag, {}, sentence.map(clause)));
}
