/* The page comes up: token, session, settings, and one view at a time. A view is { title, needs, draw(place) }. */
import { get, takeToken } from "./api.js";
import { app, attempt, copy, el, metric, say } from "./app.js";
import { load } from "./charts.js";
import { leaderboard } from "./leaderboard.js";
import { topics } from "./topics.js";
import { inspector } from "./inspector.js";
import { metricsView } from "./metrics.js";
import { axioms } from "./axioms.js";
import { parameters } from "./parameters.js";
import { whatif } from "./whatif.js";
import { playground } from "./playground.js";
import { loadFirst, present, settings } from "./settings.js";
import { decoded, encoded, listen, set, state } from "./state.js";

const VIEWS = { leaderboard, topics, inspector, metrics: metricsView, axioms, parameters, whatif, playground };
const place = document.getElementById("view");

/** Draw the view anew when another one, another collection or other options are wanted; else tell it what changed. */
let current = null;

function draw(patch) {
  const fresh = current === null || "view" in patch || "collection" in patch;
  if (fresh) {
    const view = VIEWS[state.view];
    for (const link of document.querySelectorAll("#views a")) link.setAttribute("aria-current", link.dataset.view === state.view ? "page" : "false");
    document.title = `${view.title} · diveval studio`;
    place.replaceChildren(el("h2", {}, view.title), el("p", { class: "what" }, view.what));
    if (view.needs && !app.collection) {
      place.append(el("p", { class: "note" }, "Load a collection first: the built-in one is a click away in the settings."));
      current = { update() {} };
      return;
    }
    current = view.draw(place);
  }
  current.update(patch);
}

function navigation() {
  const link = ([name, view]) => el("a", { href: "#", "data-view": name, onclick: (event) => { event.preventDefault(); set({ view: name }); } }, view.title);
  document.getElementById("views").append(...Object.entries(VIEWS).map(link));
  document.getElementById("skip").addEventListener("click", (event) => { event.preventDefault(); place.focus(); });
  document.getElementById("link").addEventListener("click", () => {
    history.replaceState(null, "", "#" + encoded());
    copy(location.href, "The link is copied; it holds everything but the files.");
  });
  document.addEventListener("notes", (event) => say(event.detail.join(" ")));
  window.addEventListener("hashchange", () => location.reload());
}

async function start() {
  takeToken();
  diveval.theme();
  navigation();
  app.session = await get("/api/session");
  for (const entry of await get("/api/metrics")) app.catalogue.set(entry.name, entry);
  app.collection = app.session.collection;
  const linked = decoded(location.hash);
  if (linked) Object.assign(state, linked);
  if (!VIEWS[state.view]) state.view = "leaderboard";
  const wanted = state.metrics.length ? state.metrics : app.session.metrics;
  const read = await Promise.all(wanted.map((text) => attempt(() => metric(text))));
  state.metrics = [...new Set(read.filter(Boolean).map((found) => found.name))];
  if (!state.metrics.length) state.metrics = [(await metric(app.session.walk)).name];
  if (!state.metrics.includes(state.chosen)) state.chosen = state.metrics[0];
  if (!state.metrics.includes(state.sort.metric)) state.sort.metric = state.chosen;
  if (app.collection) Object.assign(state, present());
  settings();
  listen(draw);
  draw({ view: state.view });
  await loadFirst();
  document.documentElement.dataset.ready = "yes";
  load(); // charts will want it; the first time takes a moment
}

start().catch((error) => {
  place.replaceChildren(el("p", { class: "note error" }, error.message));
  document.documentElement.dataset.ready = "failed";
  if (error.constructor.name !== "Refused") throw error;
});
