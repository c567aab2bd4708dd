/* The ten constraints against the chosen metrics: each cell opens its evidence, each counterexample the playground. */
import { attempt, el, follow } from "./app.js";
import { playSituation, remember } from "./playstate.js";
import { set, state } from "./state.js";

const MARKS = { holds: ["✓", "yes", "holds"], fails: ["✗", "no", "fails"], region: ["◐", "open", "holds for some parameters"], "not-applicable": ["–", "open", "does not apply"], unknown: ["?", "open", "not decided"] };

export const axioms = {
  title: "Axioms", needs: false,
  what: "Ten constraints that a good diversity metric satisfies. ✓ is proved, ✗ has a counterexample, ◐ holds for some parameters. Choose a cell to see why.",
  draw(place) {
    const controls = el("div", { class: "controls" }), working = el("div", { class: "working" }), matrix = el("table", { id: "matrix" });
    const evidence = el("div", { id: "evidence", class: "evidence", role: "region", "aria-live": "polite", "aria-label": "Evidence" });
    place.append(controls, working, el("div", { class: "scroll" }, matrix), evidence);
    let stopping = null, waiting = 0;
    const readings = { charitable: "charitably", "as-written": "as written" };

    function drawControls() {
      const box = el("select", { id: "reading", onchange: () => set({ reading: box.value }) }, Object.entries(readings).map(([name, words]) => el("option", { value: name, selected: name === state.reading }, words)));
      controls.replaceChildren(el("label", {}, "The paper is read ", box));
    }

    async function refresh() {
      if (stopping) stopping.abort();
      stopping = new AbortController();
      const done = await attempt(() => follow(working, "/api/axioms", { metrics: state.metrics, reading: state.reading }, stopping.signal));
      if (!done) return;
      remember(done.result.cells);
      drawMatrix(done.result);
    }

    function drawMatrix({ metrics, axioms: constraints, cells }) {
      const head = el("tr", {}, el("th", {}), constraints.map((one) => el("th", { scope: "col", title: `${one.title}: ${one.says}` }, el("span", {}, one.title))));
      const rows = metrics.map((metric, m) => el("tr", {}, el("th", { scope: "row" }, metric), constraints.map((one, a) => {
        const cell = cells[m * constraints.length + a], [mark, kind, words] = MARKS[cell.verdict];
        const open = (event) => {
          for (const other of matrix.querySelectorAll("button[aria-pressed=true]")) other.setAttribute("aria-pressed", "false");
          event.currentTarget.setAttribute("aria-pressed", "true");
          drawEvidence(metric, one, cell);
        };
        return el("td", {}, el("button", { type: "button", class: kind, "aria-pressed": "false", "aria-label": `${metric}, ${one.title}: ${words}`, "data-cell": `${metric}/${one.name}`, onclick: open }, mark));
      })));
      matrix.replaceChildren(el("thead", {}, head), el("tbody", {}, rows));
      evidence.replaceChildren();
    }

    function drawEvidence(metric, one, cell) {
      const found = cell.counterexample, [, , words] = MARKS[cell.verdict];
      const ranking = (title, rows, score) => el("figure", {}, el("figcaption", {}, el("h3", {}, title), "score ", el("span", { class: "score" }, score)),
        el("table", {}, el("tbody", {}, rows.map((row, i) => el("tr", {}, el("td", { class: "muted" }, String(i + 1)), row.map((r) => el("td", {}, r)))))));
      const proof = cell.proof ? cell.proof.steps.map((step) => el("li", {}, `${step.claim} (${step.by})`)) : [];
      evidence.replaceChildren(
        el("h3", {}, `${metric}, ${one.title}: ${words}`), el("p", { class: "what" }, `${one.why} `, el("span", { class: "muted" }, one.says)),
        el("p", {}, cell.evidence || cell.note || ""), ...(cell.region ? [el("p", {}, `It holds where ${cell.region.formula}.`)] : []),
        ...(proof.length ? [el("ul", {}, proof)] : []),
        ...(found ? [el("div", { class: "two" }, ranking("should be better", found.better, found.decimals[0]), ranking("should be worse", found.worse, found.decimals[1]))] : []),
        ...(cell.situation ? [el("button", { type: "button", class: "primary", id: "play-it", onclick: () => set({ view: "playground", play: playSituation(cell.situation) }) }, "Open in the playground")] : []));
    }

    return { update(patch) {
      if (!["view", "collection", "metrics", "reading"].some((name) => name in patch)) return;
      drawControls();
      clearTimeout(waiting);
      waiting = setTimeout(() => refresh(), "metrics" in patch ? 400 : 0);
    } };
  },
};
