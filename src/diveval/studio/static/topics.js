/* Topic × system for the chosen metric: a grid one walks with the arrow keys; a cell opens the inspector. */
import { app, attempt, el, fixed, heat, id, scores } from "./app.js";
import { newest } from "./api.js";
import { set, state } from "./state.js";

export const topics = {
  title: "Topics", needs: true,
  what: "Every topic for every system by the chosen metric, best system first. Choose a cell, with the mouse or with the arrow keys and Enter, to inspect that ranking.",
  draw(place) {
    const grid = el("table", { id: "heat", role: "grid", "aria-label": "Scores by topic and system", onkeydown: keys });
    const readout = el("output", { class: "readout" }), key = el("span", { class: "key" }), name = el("strong", {});
    place.append(el("div", { class: "controls" }, name, key, readout), el("div", { class: "scroll tall", tabindex: -1 }, grid));
    let runs = [], cells = [], at = [0, 0];

    function move(t, r) {
      const [row, column] = [Math.min(cells.length - 1, Math.max(0, t)), Math.min(runs.length - 1, Math.max(0, r))];
      cells[at[0]][at[1]].tabIndex = -1;
      at = [row, column];
      cells[row][column].tabIndex = 0;
      cells[row][column].focus();
    }

    function keys(event) {
      const [t, r] = at;
      const steps = { ArrowUp: [t - 1, r], ArrowDown: [t + 1, r], ArrowLeft: [t, r - 1], ArrowRight: [t, r + 1], Home: [t, 0], End: [t, runs.length - 1] };
      if (steps[event.key]) move(...steps[event.key]);
      else if (event.key === "Enter" || event.key === " ") cells[t][r].click();
      else return;
      event.preventDefault();
    }

    function cell(topic, run, value, reach, wide) {
      const text = `topic ${topic}, ${run}: ${value === undefined ? "not counted" : fixed(value)}`;
      const show = () => { readout.textContent = text; };
      const look = value === undefined || value === null ? { class: "none" } : { style: heat(value, -reach, reach) };
      return el("td", { role: "gridcell", tabindex: -1, "aria-label": text, "data-topic": topic, "data-run": run, onmouseenter: show, onfocus: show, onclick: () => set({ view: "inspector", topic, run }), ...look }, wide >= 44 && Number.isFinite(value) ? fixed(value, 2) : null);
    }

    const refresh = newest(() => attempt(async () => {
      const metric = state.chosen;
      const [{ [metric]: table }, { [metric]: mean }] = await Promise.all([scores([metric], true), scores([metric])]);
      runs = [...app.collection.runs].sort((a, b) => mean[b] - mean[a] || (a < b ? -1 : 1));
      const all = Object.values(table).flatMap((row) => Object.values(row)).filter(Number.isFinite);
      const least = all.reduce((a, b) => Math.min(a, b), 0), most = all.reduce((a, b) => Math.max(a, b), 0);
      // One scale on both sides of zero, so that equal strength means equal size.
      const reach = Math.max(most, -least, 1e-12), wide = Math.min(64, Math.max(23, Math.floor((place.clientWidth - 90) / runs.length)));
      grid.style.setProperty("--cell", wide + "px");
      const focused = grid.contains(document.activeElement);
      cells = app.collection.topics.map((topic) => runs.map((run) => cell(topic, run, table[run][topic], reach, wide)));
      const head = el("tr", {}, el("th", {}), runs.map((run) => el("th", { scope: "col" }, id(run))));
      grid.replaceChildren(el("thead", {}, head), el("tbody", {}, app.collection.topics.map((topic, t) => el("tr", {}, el("th", { scope: "row" }, id(topic)), cells[t]))));
      at = [Math.min(at[0], cells.length - 1), Math.min(at[1], runs.length - 1)];
      cells[at[0]][at[1]].tabIndex = 0;
      if (focused) cells[at[0]][at[1]].focus();
      const stops = [least, 0, most].map((value) => `${heat(value, -reach, reach).background} ${(100 * (value - least)) / (most - least || 1)}%`);
      key.replaceChildren(fixed(least, 2), el("span", { class: "ramp", style: { background: `linear-gradient(to right, ${stops})` } }), fixed(most, 2));
      name.textContent = metric;
    }));

    return { update: () => refresh() };
  },
};
