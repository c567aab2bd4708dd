/* The headline: what the numbers say, each clause a link to its evidence, with the test it rests on as its tooltip. */
import { el } from "./base.js";
import { encoded, set, state } from "./state.js";

/** What the server calls `sort` is the chosen metric here. */
const patchOf = ({ sort, ...rest }) => ({ ...rest, ...(sort ? { chosen: sort, ascending: false } : {}) });

export function sentences(list) {
  const clause = ({ text, test, open }) => {
    if (!open) return text;
    const patch = patchOf(open), lead = /^[\s.;,:]*/.exec(text)[0];
    const go = (event) => {
      event.preventDefault();
      set(patch);
      document.dispatchEvent(new CustomEvent("opened", { detail: patch.view }));
    };
    return [lead, el("a", { href: "#" + encoded({ ...state, ...patch }), "data-tip": test || null, "data-view": patch.view, onclick: go }, text.slice(lead.length))];
  };
  return list.map((sentence) => el("p", {}, sentence.map(clause)));
}

export function drawHeadline(place, list) {
  place.replaceChildren(...sentences(list));
}
