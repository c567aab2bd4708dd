/* RBU over p × e: is the ranking of the systems the same, and who leads? A cell sets the sliders. */
import { app, attempt, el, fixed, follow, heat, metric } from "./app.js";
import { chart, intervals } from "./charts.js";
import { set, state } from "./state.js";

export const parameters = {
  title: "Parameters", needs: true,
  what: "RBU with other values of p, the chance of going on to the next document, and e, the effort of inspecting one. Each cell compares the ranking of the systems with that under the metric as it stands now (Kendall’s τ; 1 is the same ranking) and names the leader. Choose a cell to use its values.",
  draw(place) {
    const working = el("div", { class: "working" }), grid = el("table", { class: "grid wide-cells", id: "grid-tau" }), title = el("p", { class: "told" }), ranges = el("div", { class: "chart", id: "ranges" });
    place.append(title, working, el("div", { class: "scroll" }, grid),
      el("figure", { class: "gap" }, el("figcaption", {}, el("h3", {}, "How far can a system move?"), "Its rank under the metric as it stands, and its range over the whole grid."), ranges));
    let stopping = null, waiting = 0;

    async function reference() {
      const found = await metric(state.chosen);
      return ["RBU", "nRBU"].includes(found.family) ? found : metric(app.session.walk + "@20");
    }

    async function refresh() {
      if (stopping) stopping.abort();
      stopping = new AbortController();
      const found = await reference();
      const done = await attempt(() => follow(working, "/api/jobs", { kind: "parameters", metric: found.name, options: state.options }, stopping.signal));
      if (!done) return;
      drawGrid(done.result, found);
      const records = done.result.ranges.map((row) => ({ name: row.run, value: row.rank, low: row.best, high: row.worst }));
      await chart(ranges, intervals(records, "rank", Math.min(640, ranges.clientWidth)), "Rank of each system and its range over the parameters");
    }

    function drawGrid({ p, e, cells, metric: name }, found) {
      title.textContent = "Against " + name;
      const at = (x, y) => cells.find((cell) => cell.p === x && cell.e === y);
      const here = (x, y) => found.values.p === x && found.values.e === y;
      const cell = (x, y) => {
        const { tau, leader, metric: setting } = at(x, y);
        const look = tau === null ? {} : { style: heat(tau, -1, 1) };
        const use = () => set({ metrics: [...new Set(state.metrics.map((other) => (other === found.name ? setting : other)))], chosen: state.metrics.includes(found.name) ? setting : state.chosen });
        return el("td", { class: here(x, y) ? "chosen" : null, title: setting, ...look }, el("button", { type: "button", onclick: use, "aria-label": `use p ${x}, e ${y}` }, el("b", {}, fixed(tau, 2)), el("span", { class: "id" }, leader)));
      };
      grid.replaceChildren(
        el("thead", {}, el("tr", {}, el("th", {}, "p \\ e"), e.map((y) => el("th", { scope: "col" }, String(y))))),
        el("tbody", {}, p.map((x) => el("tr", {}, el("th", { scope: "row" }, String(x)), e.map((y) => cell(x, y))))));
    }

    return { update() {
      clearTimeout(waiting);
      waiting = setTimeout(() => attempt(refresh), 250);
    } };
  },
};
