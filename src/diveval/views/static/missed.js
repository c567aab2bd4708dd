/* The nuggets of RAG answers that systems miss most, over all queries. */
import { el, fixed } from "./base.js";
import { saving } from "./save.js";
import { plain } from "./table.js";

const HEADS = ["query", "nugget", "importance", "missed", "partly", "mean"];

export const missed = {
  name: "missed",
  title: "Missed nuggets",
  needs: false,
  what:
    "The least supported nuggets first: how many systems miss each, how many support it partly, and the mean grade. " +
    "A nugget that everybody misses may be hard to find, or wrong.",
  draw(place, app) {
    const cells = app.missed.map((row) => [
      row.query,
      row.nugget,
      String(row.importance ?? ""),
      `${row.missed} of ${row.systems}`,
      String(row.partial),
      fixed(row.mean),
    ]);
    const table = el("div", { class: "scroll" }, plain(HEADS, cells, { name: "missed nuggets" }));
    place.append(
      el(
        "div",
        { class: "controls" },
        saving("missed", table, async () => [HEADS, ...cells]),
      ),
      table,
    );
    return { update() {} };
  },
};
