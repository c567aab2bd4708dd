/* Start of the page: token, session, settings, and one view at a time. The views are those of the report. */
import { get, takeToken } from "./api.js";
import { app, attempt, catalogue, copy, metric, say, session } from "./app.js";
import { axioms } from "./axioms.js";
import { button, el } from "./base.js";
import { bump } from "./bump.js";
import { loadFirst, open } from "./collections.js";
import { conclusions } from "./conclusions.js";
import { inspector } from "./inspector.js";
import { judging } from "./judging.js";
import { leaderboard } from "./leaderboard.js";
import { metricsView } from "./metrics.js";
import { parameters } from "./parameters.js";
import { playground } from "./playground.js";
import { playSituation } from "./playstate.js";
import { entitle } from "./sentences.js";
import { settings } from "./settings.js";
import { anchor, assume, encoded, follow, listen, set, state, undo } from "./state.js";
import { sheets } from "./table.js";
import { scrolling, theme, tooltips } from "./page.js";
import { topics } from "./topics.js";
import { verdict } from "./verdict.js";
import { whatif } from "./whatif.js";

const VIEWS = Object.fromEntries(
  [
    verdict,
    leaderboard,
    bump,
    conclusions,
    topics,
    inspector,
    metricsView,
    axioms,
    parameters,
    judging,
    whatif,
    playground,
  ].map((view) => [view.name, view]),
);
const place = document.getElementById("view");

/** Draw the view again if another view or collection was chosen; else pass it what changed. */
let current = null;

function draw(patch) {
  // Back has led to another collection, which is drawn when the server has sent its contents (`otherCollection`).
  if (session.collection && state.collection && state.collection !== session.collection.id) return;
  const fresh = current === null || "view" in patch || "collection" in patch;
  if (fresh) {
    const view = VIEWS[state.view] || leaderboard;
    for (const link of document.querySelectorAll("#views a"))
      link.setAttribute("aria-current", link.dataset.view === view.name ? "page" : "false");
    inSight(document.querySelector("#views a[aria-current=page]"));
    document.title = `${view.title} · diveval studio`;
    place.replaceChildren(el("h2", { id: "finding" }, view.title), el("p", { class: "what" }, view.what));
    if (view.needs && !session.collection) {
      place.append(
        el("p", { class: "note" }, "Load a collection first: the built-in one is a click away in the settings."),
      );
      current = { update() {} };
      return;
    }
    current = view.draw(place, app);
  }
  current.update(patch);
  nameFinding();
}

/** The finding of the view as its title, as soon as there is one. */
function nameFinding() {
  const view = VIEWS[state.view] || leaderboard;
  entitle(document.getElementById("finding"), app.titleOf(view.name), view.title);
}

/** On a narrow page the list of views scrolls: move the current one to the middle. */
function inSight(link) {
  const row = link.parentElement.getBoundingClientRect(),
    own = link.getBoundingClientRect();
  link.parentElement.scrollLeft += (own.left + own.right - row.left - row.right) / 2;
}

function navigation() {
  const link = (view) =>
    el(
      "a",
      {
        href: "#" + view.name,
        "data-view": view.name,
        onclick: (event) => {
          event.preventDefault();
          set({ view: view.name });
        },
      },
      view.title,
    );
  document.getElementById("views").append(...Object.values(VIEWS).map(link));
  document.getElementById("skip").addEventListener("click", (event) => {
    event.preventDefault();
    place.focus();
  });
  document.getElementById("link").addEventListener("click", () => {
    history.replaceState(
      history.state,
      "",
      "#" + encoded({ ...state, collection: "", decisions: { ...state.decisions, model: undefined } }),
    );
    copy(location.href, "The link is copied; it holds everything but the files.");
  });
  document.getElementById("undo").addEventListener("click", undo);
  document.addEventListener("undoable", (event) => {
    document.getElementById("undo").hidden = event.detail === 0;
  });
  document.addEventListener("themechange", () => current?.update({ theme: true }));
  document.addEventListener("answered", nameFinding);
  document.addEventListener("notes", (event) => say(event.detail.join(" ")));
  document.addEventListener("reopen", () =>
    attempt(async () => {
      const now = await get("/api/session");
      document.getElementById("gone").replaceChildren();
      if (now.collection) open(now.collection, true);
      else await loadFirst();
    }),
  );
}

/** The metrics of the address, else those of the session, as the server writes them. */
async function readMetrics() {
  const wanted = state.metrics.length ? state.metrics : session.metrics;
  const read = await Promise.all(wanted.map((text) => attempt(() => metric(text))));
  state.metrics = [...new Set(read.filter(Boolean).map((found) => found.name))];
  if (!state.metrics.length) state.metrics = [(await metric(session.walk)).name];
  assume({ metrics: state.metrics });
}

/** Back may lead to another collection: show it again if the server still has it. */
async function otherCollection(patch) {
  if (!("collection" in patch) || !patch.collection || patch.collection === session.collection?.id) return;
  await attempt(async () => {
    const found = await get("/api/collections/" + encodeURIComponent(patch.collection));
    if (state.collection !== found.id) return; // the user has gone further back meanwhile
    open(found, true);
    draw({ collection: state.collection });
  });
}

/** What the address says, for a person to read. */
function spoken() {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return location.hash.slice(1);
  }
}

/**
 * Wait for a click if the address is one that this page has not written: any page may open one here, so what it asks for
 * is shown, and computed only when the user agrees. Addresses that this page wrote have a state in the history.
 */
function agree() {
  document.getElementById("asked")?.remove();
  const words = spoken();
  if (history.state || !words) return Promise.resolve();
  if (words.startsWith("token=") && document.documentElement.dataset.ready) {
    location.reload(); // an address as `diveval studio` prints it, of a studio that was started again
    return new Promise(() => {});
  }
  document.documentElement.dataset.asked = "yes";
  return new Promise((done) => {
    const end = (hash) => {
      history.replaceState({ depth: 0 }, "", location.pathname + hash);
      delete document.documentElement.dataset.asked;
      panel.remove();
      done();
    };
    const panel = el(
      "div",
      { id: "asked", class: "note", role: "alert" },
      el("p", {}, "A link has opened this address. Nothing is computed until you agree."),
      el("p", {}, el("code", {}, words.slice(0, 1000))),
      el("button", { type: "button", class: "yes", onclick: () => end(location.hash) }, "Open it"),
      " ",
      el("button", { type: "button", class: "no", onclick: () => end("") }, "Ignore it"),
    );
    place.before(panel);
  });
}

/** The first screen: what the studio is for, above a small ranking to play with. It goes away when another view opens. */
function welcome(confidence) {
  const panel = el(
    "div",
    { id: "welcome", role: "region", "aria-label": "What the studio is for" },
    el(
      "p",
      {},
      el("strong", {}, "Compare rankings, and the metrics that score them. "),
      "Below, two documents about nothing are one click away: which metrics notice what wastes a reader’s time? " +
        "Change the ranking, and see.",
    ),
    button("Compare systems of the built-in collection", () => set({ view: "leaderboard" }), { class: "primary" }),
    button("Open my files…", () => document.getElementById("pick").click()),
  );
  place.before(panel);
  set({ view: "playground", play: playSituation(confidence) }, { replace: true });
  listen((patch) => {
    if ("view" in patch) panel.remove();
  });
}

async function start() {
  await takeToken();
  await agree();
  const first = !location.hash;
  follow(agree);
  theme();
  tooltips();
  scrolling();
  sheets();
  navigation();
  Object.assign(session, await get("/api/session"));
  for (const entry of await get("/api/metrics")) catalogue.set(entry.name, entry);
  app.play = (situation) => set({ view: "playground", play: playSituation(situation) });
  if (state.collection && session.collection?.id !== state.collection) {
    const found = await attempt(() => get("/api/collections/" + encodeURIComponent(state.collection)));
    if (found) session.collection = found;
  }
  if (first && session.given && session.metrics.length > 1) state.view = "verdict"; // which metric to trust comes first
  if (!VIEWS[state.view]) state.view = "leaderboard";
  await readMetrics();
  if (session.collection) open(session.collection, true);
  settings();
  listen((patch) => {
    otherCollection(patch);
  });
  listen(draw);
  draw({ view: state.view });
  if (first && !session.given) welcome((await get("/api/presets")).find((one) => one.key === "Conf"));
  if (!session.collection) await loadFirst();
  anchor(); // the first entry names metrics and collection too: undo leads back to it
  document.documentElement.dataset.ready = "yes";
}

start().catch((error) => {
  place.replaceChildren(el("p", { class: "note error" }, error.message));
  document.documentElement.dataset.ready = "failed";
  if (error.constructor.name !== "Refused") throw error;
});
