/* Two systems on one topic, side by side: read down as a user would. */
import { app, attempt, el, fixed, metric, select } from "./app.js";
import { newest, post } from "./api.js";
import { drawCurve, legend, panel, reach } from "./ranking.js";
import { set, state } from "./state.js";

/** The chosen metric if it is one of gain and effort over aspects, else the usual RBU. */
async function walked() {
  const found = await metric(state.chosen);
  return ["RBU", "EU", "evall.RBU"].includes(found.family) ? found.name : app.session.walk;
}

export const inspector = {
  title: "Inspector", needs: true,
  what: "Read down as a user would. Each column is an aspect; its tint is how much of it is still unsatisfied. A square is a relevant document: the larger, the more relevant; vivid where the aspect was still wanted, pale where the user already had it. Stop where utility is highest.",
  draw(place) {
    const controls = el("div", { class: "controls" }), readout = el("output", { class: "readout" }), panels = el("div", { class: "panels" });
    place.append(controls, readout, panels);
    let depth = 20;
    const more = el("button", { type: "button", class: "more", onclick: () => { depth = depth === 20 ? 100 : 20; refresh(); } });
    place.append(more);

    function drawControls() {
      const { topics, runs } = app.collection;
      controls.replaceChildren(
        select("Topic", topics, state.topic, (topic) => set({ topic }), { id: "inspect-topic" }),
        select("System", runs, state.run, (run) => set({ run }), { id: "inspect-left" }),
        select("beside", runs, state.other, (other) => set({ other }), { id: "inspect-right" }), legend());
    }

    const refresh = newest(() => attempt(async () => {
      const name = await walked();
      const ask = (run) => post("/api/ranking", { run, topic: state.topic, metric: name, options: state.options, depth });
      const runs = [...new Set([state.run, state.other])];
      const found = await Promise.all(runs.map(ask));
      const span = reach(found.map((data) => data.curve));
      const drawn = found.map((data) => panel(data, (i) => {
        readout.textContent = `${data.run}, rank ${i + 1}: gain ${fixed(data.curve.gain[i])} − effort ${fixed(data.curve.effort[i])} = utility ${fixed(data.curve.utility[i])}`;
      }));
      panels.replaceChildren(...drawn);
      const longest = Math.max(...found.map((data) => data.length));
      more.hidden = longest <= 20;
      more.textContent = depth === 20 ? `Show ${Math.min(100, longest)} ranks` : "Show the first 20 ranks";
      await Promise.all(found.map((data, i) => {
        const curve = drawn[i].querySelector(".curve");
        return curve && drawCurve(curve, data.curve, data.stop.rank, span);
      }));
    }));

    return { update() { drawControls(); refresh(); } };
  },
};
