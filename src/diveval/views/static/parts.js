/* Small pictures that several views show inside their tables. */
import { el, whole } from "./base.js";

/** A share as a bar with its counts, "54 of 231": the whole width is the whole. */
export function share(count, of, kind = "") {
  return el(
    "span",
    { class: "share " + kind },
    el(
      "i",
      { class: "track", "aria-hidden": "true" },
      el("i", { style: { width: `${of ? (100 * count) / of : 0}%` } }),
    ),
    `${whole(count)} of ${whole(of)}`,
  );
}
