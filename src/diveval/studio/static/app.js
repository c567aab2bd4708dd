/* The data source of the views in the studio: cached answers of the server, jobs with progress, and the status line. */
import { Gone, Refused, get, job, post } from "./api.js";
import { begin, button, copy as toClipboard, el, soon } from "./base.js";
import { MARGIN, metricOf } from "./choice.js";
import { showFault } from "./faults.js";
import { set, state } from "./state.js";

export const session = { limits: {}, settings: [], metrics: [], walk: "", given: false, collection: null };
export const catalogue = new Map();

/** Answers by question; the key contains collection and options, so an answer is never used for others. */
const kept = new Map();
const known = new Map();
let aborts = new Map();

export function forget() {
  kept.clear();
}

const keyOf = (question) => JSON.stringify([state.collection, state.options, question]);

/** Ask once. A Map keeps the order of insertion: putting an entry in again makes it the last to be evicted. */
function once(question, ask) {
  const key = keyOf(question),
    known = kept.get(key);
  const asked = known || { promise: ask(), found: null };
  kept.delete(key);
  kept.set(key, asked);
  if (!known)
    asked.promise.then(
      (found) => {
        asked.found = found;
        document.dispatchEvent(new Event("answered"));
      },
      () => {
        if (kept.get(key) === asked) kept.delete(key);
      },
    );
  return current(asked.promise);
}

/** Drop an answer that arrives after another collection was opened: its view is gone, and its systems are others. */
async function current(asked) {
  const { collection } = state,
    found = await asked;
  if (collection !== state.collection) throw new DOMException("another collection is open", "AbortError");
  return found;
}

/** The answer to a question if it is there already, else null. */
const held = (question) => kept.get(keyOf(question))?.found ?? null;

/** A metric as the server reads it, from its text or from { family, values, cutoff }: name, family, values, cutoff. */
export async function metric(wanted) {
  const body = typeof wanted === "string" ? { text: wanted } : wanted,
    key = JSON.stringify(body);
  if (!known.has(key)) {
    const read = await post("/api/metric", body);
    known.set(key, read);
    known.set(JSON.stringify({ text: read.name }), read);
  }
  return known.get(key);
}

/** A metric that was read before. */
const readBefore = (name) => known.get(JSON.stringify({ text: name }));
export const familyOf = (name) => readBefore(name)?.family ?? name;

let line = 0;

const READ = { error: 9000 }; // milliseconds that a message stays; others 2.5 seconds

/** The status line at the foot of the page: it goes away by itself, errors later and at a click. */
export function say(message, kind = "") {
  const place = document.getElementById("status");
  clearTimeout(line);
  place.className = kind;
  place.replaceChildren(message);
  place.onclick = () => say("");
  if (message) line = setTimeout(() => say(""), READ[kind] ?? 2500);
}

export async function copy(text, done) {
  await toClipboard(text);
  say(done);
}

/** Run a request; if it is refused, show why: at the field that asked for it (given by its id), else in the status line. */
export async function attempt(work, field = "") {
  const end = begin(),
    { collection } = state;
  try {
    const done = await work();
    if (field) showFault(field);
    return done;
  } catch (error) {
    if (error.name === "AbortError") return undefined;
    if (!(error instanceof Refused)) throw error;
    if (!(error instanceof Gone)) {
      if (field && document.getElementById(field)) showFault(field, error.message);
      else say(error.message, "error");
    } else if (collection === state.collection) gone(error.message);
    return undefined;
  } finally {
    end();
  }
}

/** Another tab has loaded so many collections that the server has dropped this one. */
function gone(message) {
  const reload = () => {
    forget();
    document.dispatchEvent(new Event("reopen"));
  };
  document
    .getElementById("gone")
    .replaceChildren(
      el("p", {}, message + " "),
      button("Load what is open now", reload, { class: "primary", id: "reload" }),
    );
}

/** What a job does, by its kind. */
const LABELS = {
  "/api/scores": "Scoring",
  "/api/collection": "Reading files",
  "/api/axioms": "Deciding axioms",
  "/api/walk": "Reading rankings",
  prepare: "Reading runs in another order",
  leaderboard: "Comparing systems",
  judged: "Comparing metrics",
  verdict: "Comparing metrics with the constraints",
  violations: "Counting situations in the runs",
  parameters: "Scoring other settings",
  conclusions: "Deciding conclusions",
  judging: "Judgments and topics",
  whatif: "Scoring the edit",
  lists: "Reading lists",
};

/** Seconds so far, and an estimate of the rest once a tenth is done. */
function tellTime(start, { done, total }) {
  const spent = (performance.now() - start) / 1000,
    left = total && done / total >= 0.1 ? spent * (total / done - 1) : 0;
  return `${Math.round(spent)} s${left >= 1 ? `, about ${Math.round(left)} s left` : ""}`;
}

/** A job with a progress bar and a button that cancels it, shown in `place` if it takes longer than a moment. */
export async function followed(place, path, body, name = path + (body.kind || "")) {
  aborts.get(name)?.abort();
  const stopping = new AbortController();
  aborts.set(name, stopping);
  const label = LABELS[body.kind] ?? LABELS[path] ?? "Working",
    bar = el("progress", { max: 1, "aria-label": label }),
    words = el("span", {}, `${label}…`),
    start = performance.now();
  const box = el(
    "div",
    { class: "progress", hidden: true },
    bar,
    words,
    button("Cancel", () => stopping.abort()),
  );
  const late = setTimeout(() => {
    box.hidden = false;
  }, 250);
  place?.append(box);
  const progress = (at) => {
    if (at.total) bar.value = at.done / at.total;
    const what = at.what && !label.toLowerCase().includes(at.what) ? `: ${at.what}` : "";
    words.textContent = `${label}${what} (${tellTime(start, at)})`;
  };
  try {
    return await job(path, body, { progress, signal: stopping.signal });
  } finally {
    clearTimeout(late);
    box.remove();
    if (aborts.get(name) === stopping) aborts.delete(name);
  }
}

const asked = (more) => ({ collection: state.collection, options: state.options, ...more });

/** Means or values by metric; the missing ones are fetched in one request. */
async function table(names, perTopic) {
  if (kept.size > 800) for (const old of [...kept.keys()].slice(0, 200)) kept.delete(old);
  const question = (name) => [perTopic ? "values" : "means", name],
    { runs, topics } = app;
  const missing = names.filter((name) => !kept.has(keyOf(question(name))));
  const answer = missing.length
    ? followed(
        document.getElementById("busy"),
        "/api/scores",
        asked({ metrics: missing, per_topic: perTopic, wait: 1 }),
        "scores" + perTopic + missing.join(),
      )
    : null;
  const column = ({ result }, name) =>
    perTopic
      ? runs.map((run) => topics.map((topic) => result.per_topic[run][name][topic] ?? null))
      : runs.map((run) => result.mean[run][name]);
  const found = await Promise.all(names.map((name) => once(question(name), async () => column(await answer, name))));
  return Object.fromEntries(names.map((name, i) => [name, found[i]]));
}

/** The RBU that the inspector and the map explain: the chosen metric if it is one, else the first, else the default. */
async function explained() {
  const names = [metricOf(app), ...state.metrics];
  const read = await Promise.all(names.map(metric));
  return read.find((found) => found.family === "RBU") || (await metric(session.walk));
}

let lastCutoff = null; // of the metric whose conclusions were asked for last
let lastMap = ""; // the metric whose map was asked for last
let apart = null; // the title of the inspector

/** What the view on labels asks, by the choices made in it. */
function decisionsAsked() {
  const { model, baseline, margin = MARGIN } = state.decisions;
  return {
    kind: "judging",
    metrics: state.metrics,
    ...(model ? { model: Number(model) } : {}),
    ...(app.runs.includes(baseline) ? { baseline, margin } : {}),
  };
}
let wanted = { key: "", then: null }; // the significance test that is running or planned

export const app = {
  single: true,
  readings: true,
  walkNote: null,
  doubts: ["usual", "as given", "in their order", "any"],
  get runs() {
    return session.collection?.runs || [];
  },
  get topics() {
    return session.collection?.topics || [];
  },
  get absent() {
    return session.collection?.absent || {};
  },
  get texts() {
    return session.collection?.texts || {};
  },
  get marks() {
    return session.marks;
  },
  metrics: () => state.metrics,
  heading: (name) => readBefore(name)?.heading ?? [name, ""],
  means: (names) => table(names, false),
  values: (names) => table(names, true),
  /** Intervals and letters of a metric, from its own test or that of all metrics, if one of them is done. */
  sureNow: (name) =>
    held(["sure", name]) ||
    held(["judged", state.metrics])?.leaderboard.columns.find((column) => column.metric === name) ||
    null,
  boardNotes: () => [],
  /** Letters need all pairs of systems compared, which takes long: they are computed when the slider has stopped. */
  whenSure(name, then) {
    const key = app.sureNow(name) ? "" : keyOf(["sure", name]),
      same = key === wanted.key;
    wanted = { key, then };
    if (same) return;
    aborts.get("/api/jobsleaderboard")?.abort(); // a test for an earlier position of the slider only delays its next step
    soon(
      "sure",
      key &&
        (() =>
          attempt(async () => {
            try {
              const found = await once(
                ["sure", name],
                async () =>
                  (
                    await followed(
                      document.getElementById("busy"),
                      "/api/jobs",
                      asked({ kind: "leaderboard", metric: name }),
                    )
                  ).result,
              );
              if (wanted.key === key && metricOf(app) === name) wanted.then(found);
            } finally {
              if (wanted.key === key) wanted = { key: "", then: null };
            }
          })),
      350,
    );
  },
  headline(draw, place) {
    if (!kept.has(keyOf(["judged", state.metrics]))) aborts.get("/api/jobsjudged")?.abort();
    soon(
      "headline",
      () =>
        attempt(async () => {
          const names = state.metrics,
            key = keyOf(names),
            found = await app.judged(names, place),
            { cutoff } = await explained();
          // Conclusions take seconds: they are computed when their view is opened, and shown here from then on.
          const sure = held(["conclusions", cutoff, state.doubts])?.sentence || [
            {
              text: "Which conclusions hold for every p and e?",
              test: "computed when it is opened",
              open: { view: "conclusions" },
            },
          ];
          if (key === keyOf(state.metrics))
            draw([found.headline[0], ...(app.runs.length > 1 ? [sure] : []), ...found.headline.slice(1)]);
        }),
      900,
    );
  },
  /** The finding of a view as its title, a statement, once its answer is there. */
  titleOf(view) {
    const asked = {
      verdict: () => held(["verdict", state.metrics])?.found,
      conclusions: () => held(["conclusions", lastCutoff, state.doubts]),
      parameters: () => held(["parameters", lastMap]),
      judging: () => held(["judging", decisionsAsked()]),
      inspector: () => ({ title: apart }),
    }[view];
    return (asked ? asked()?.title : held(["judged", state.metrics])?.titles[view]) || null;
  },
  /** What the inspector finds about the chosen systems and metrics, which only the page knows. */
  entitle(view, title) {
    apart = title;
    document.dispatchEvent(new Event("answered"));
  },
  agreementNow: () => held(["judged", state.metrics])?.agreement || null,
  judged: (names, place) =>
    once(["judged", names], async () => {
      const { result, notes } = await followed(
        place || document.getElementById("busy"),
        "/api/jobs",
        asked({ kind: "judged", metrics: names }),
      );
      return { ...result, notes: [...result.notes, ...notes] };
    }),
  /** Which metric to trust first; the constraints, the situations in the runs and the tests take seconds. */
  verdict: (place) =>
    once(["verdict", state.metrics], async () => {
      const { result, notes } = await followed(place, "/api/jobs", asked({ kind: "verdict", metrics: state.metrics }));
      return { ...result, notes: [...result.notes, ...notes] };
    }),
  /** The matrix metric by metric: `show` gets the rows decided so far; the rows of a cancelled request stay open. */
  async axioms(names, reading, place, show) {
    const all = { axioms: [], rows: names.map((name) => ({ metric: name, cells: [] })), reading, notes: [] };
    for (const [i, name] of names.entries()) {
      const found = await attempt(() =>
        once(
          ["axioms", name, reading],
          async () => (await followed(place, "/api/axioms", { metrics: [name], reading })).result,
        ),
      );
      if (!found || !place.isConnected) break; // cancelled, or the view was left
      Object.assign(all, { axioms: found.axioms, notes: [...new Set([...all.notes, ...(found.notes || [])])] });
      if (found.rows.length) all.rows[i] = found.rows[0];
      if (show) show({ ...all, rows: all.rows.slice(0, i + 1) });
    }
    if (session.collection && all.axioms.length && place.isConnected) {
      const counted = await attempt(() =>
        once(
          ["violations", names],
          async () => (await followed(place, "/api/jobs", asked({ kind: "violations", metrics: names }))).result,
        ),
      );
      if (counted) Object.assign(all, { violations: counted.violations, notes: [...all.notes, ...counted.notes] });
    }
    return {
      ...all,
      rows: all.axioms.length
        ? all.rows.map((row) => ({ ...row, cells: all.axioms.map((_, a) => row.cells[a] ?? null) }))
        : [],
    };
  },
  async parameters(place) {
    const { name } = await explained();
    lastMap = name;
    return once(
      ["parameters", name],
      async () => (await followed(place, "/api/jobs", asked({ kind: "parameters", metric: name }))).result,
    );
  },
  async conclusions(place) {
    const { name, cutoff } = await explained(),
      { p, e, weights } = state.doubts,
      words = weights === "usual" ? undefined : weights;
    lastCutoff = cutoff;
    // Conclusions are about all settings: of the chosen one only the cutoff matters.
    return once(
      ["conclusions", cutoff, state.doubts],
      async () =>
        (await followed(place, "/api/jobs", asked({ kind: "conclusions", metric: name, p, e, weights: words }))).result,
    );
  },
  /** The lists that an edit changes, from which the page scores them. */
  lists(edit, run, other, place) {
    const way = edit === "repeated" || edit === "swap" ? edit : "cut"; // the others read their list in the same way
    return once(["lists", way, run, other], async () => {
      const body = asked({ kind: "lists", edit: way, run, ...(other ? { other } : {}) });
      return (await followed(place, "/api/jobs", body)).result;
    });
  },
  /** The files of labels that could be a model's: number and name. */
  judgmentFiles: async () =>
    (await get("/api/files")).filter((file) => file.role === "judgments").map((file) => [String(file.id), file.name]),
  async judging(place) {
    const question = decisionsAsked();
    return once(["judging", question], async () => {
      const { result, notes } = await followed(place, "/api/jobs", asked(question));
      return { ...result, notes: [...new Set([...result.notes, ...notes])] };
    });
  },
  async walk(topic, runs, metrics, depth) {
    const { name } = await explained();
    return once(
      ["walk", topic, runs, metrics, name, depth],
      async () =>
        (
          await followed(
            document.getElementById("busy"),
            "/api/walk",
            asked({ topic, runs, metric: name, metrics: [...new Set([...metrics, name])], depth, wait: 1 }),
            "walk",
          )
        ).result,
    );
  },
  attempt,
  soon,
  reveal: () => {},
  /** Use other parameters of a metric everywhere. */
  use: (name, p, e) =>
    attempt(async () => {
      const { family, values, cutoff } = await metric(name);
      const next = (await metric({ family, values: { ...values, p, e }, cutoff })).name;
      const metrics = state.metrics.includes(name)
        ? state.metrics.map((other) => (other === name ? next : other))
        : [...state.metrics, next];
      set({ metrics: [...new Set(metrics)], chosen: next, p: null, e: null });
    }),
};
