/* The report: all views on one page, with its data embedded; rankings are decompressed when they are shown. */
import { $, button, copy, el, id, notes, whenIdle } from "./base.js";
import { answers } from "./answers.js";
import { axioms } from "./axioms.js";
import { bump } from "./bump.js";
import { conclusions } from "./conclusions.js";
import { inspector } from "./inspector.js";
import { judging } from "./judging.js";
import { leaderboard } from "./leaderboard.js";
import { metricsView } from "./metrics.js";
import { missed } from "./missed.js";
import { scrolling, theme, tooltips } from "./page.js";
import { parameters } from "./parameters.js";
import { entitle, evidenceOf } from "./sentences.js";
import { follow, listen, set, state, undo } from "./state.js";
import { plain, sheets } from "./table.js";
import { topics } from "./topics.js";
import { verdict } from "./verdict.js";

/** How a report was made: command, versions, rules, files; and all numbers to copy. */
const made = {
  name: "made",
  title: "How made",
  needs: false,
  what: "",
  draw(place, app) {
    const data = app.made,
      copied = el("output", { id: "copied", role: "status" });
    const copying = (form, title) =>
      button(
        `Copy the numbers as ${title}`,
        async () => {
          await copy(data[form]);
          copied.textContent = `Copied as ${title}.`;
        },
        { "data-copy": form },
      );
    place.append(
      el(
        "dl",
        { id: "facts" },
        data.facts.map(([name, text]) => [
          el("dt", {}, name),
          el("dd", {}, name === "Command" ? el("code", {}, text) : text),
        ]),
      ),
      el("h3", {}, "Files"),
      el(
        "div",
        { class: "scroll" },
        plain(
          ["File", "bytes", "SHA-256"],
          data.files.map((file) => [file.path, String(file.bytes), id(file.sha256)]),
          { name: "files" },
        ),
      ),
      el("div", { class: "controls" }, copying("csv", "CSV"), copying("latex", "LaTeX"), copied),
      notes(data.notes),
    );
    return { update() {} };
  },
};

/* Views that need data of their own are shown only if the page has it: rankings have walks, RAG answers have answers. */
const NEEDS = {
  answers: "answers",
  missed: "missed",
  inspector: "walks",
  axioms: "axioms",
  parameters: "parameters",
  conclusions: "conclusions",
  judging: "judging",
  verdict: "verdict",
};
const VIEWS = [
  verdict,
  leaderboard,
  bump,
  conclusions,
  topics,
  answers,
  missed,
  inspector,
  metricsView,
  axioms,
  parameters,
  judging,
  made,
];

/** JSON that was compressed with deflate and encoded as base64. */
async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (mark) => mark.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

/** Records that were stored by column, anywhere in a value. */
function byRow(value) {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.some((one) => typeof one === "object") ? value.map(byRow) : value;
  const named = Object.entries("#" in value ? value.of : value).map(([key, one]) => [key, byRow(one)]);
  if (!("#" in value)) return Object.fromEntries(named);
  return Array.from({ length: value["#"] }, (_, r) =>
    Object.fromEntries(named.map(([key, column]) => [key, column[r]])),
  );
}

/** The same data source as in the studio (app.js), answered from the page's data. */
function source(data) {
  const columns = new Map(data.leaderboard.columns.map((column) => [column.metric, column]));
  const by = (names, value) => Object.fromEntries(names.map((name) => [name, value(name)]));
  const test = data.leaderboard.test;
  const opened = new Map();
  const topic = async (name) => {
    const at = data.topics.indexOf(name);
    if (!opened.has(at)) opened.set(at, await unpacked(data.walks.topics[at]));
    return opened.get(at);
  };
  return {
    single: false,
    readings: false,
    runs: data.runs,
    topics: data.topics,
    absent: data.absent,
    texts: data.texts,
    marks: data.marks,
    made: data.made,
    missed: data.missed,
    judging: async () => data.judging,
    verdict: data.verdict && (async () => ({ found: data.verdict, notes: [] })),
    walkNote: data.walks?.note,
    metrics: () => data.metrics,
    heading: (name) => data.headings[data.metrics.indexOf(name)] ?? [name, ""],
    means: async (names) => by(names, (name) => columns.get(name).mean),
    values: async (names) => by(names, (name) => data.values[data.metrics.indexOf(name)]),
    sureNow: (name) => columns.get(name),
    whenSure: () => {},
    boardNotes: () => [
      test && `Letters and ranks: ${test.words}, per metric. Intervals: Student’s t, of each mean alone.`,
      ...data.leaderboard.notes,
    ],
    headline: (draw) => draw(data.headline),
    judged: async () => data.judged,
    agreementNow: () => data.judged.agreement,
    axioms: async () => data.axioms,
    parameters: async () => data.parameters,
    conclusions: async () => data.conclusions,
    async walk(name, runs) {
      const found = await topic(name);
      return { about: data.walks, topic: found, runs: runs.map((run) => found.runs[data.runs.indexOf(run)]) };
    },
    answers: (name) => unpacked(data.answers[data.topics.indexOf(name)]),
    entitle: (view, title) =>
      entitle($(view + "-h"), title, $("views").querySelector(`[data-view=${view}]`).textContent),
    attempt: (work) => work(),
    soon: (_, work) => work(),
    // Views above may be drawn anew for what was chosen, and change their height.
    reveal(view) {
      $(view)?.scrollIntoView();
      whenIdle(() => $(view)?.scrollIntoView());
    },
  };
}

function sections(app, shown, titles) {
  const drawn = [];
  for (const view of shown) {
    const section = el(
      "section",
      { id: view.name, "aria-labelledby": view.name + "-h" },
      el("h2", { id: view.name + "-h" }, titles[view.name]?.text || view.title),
      titles[view.name] ? evidenceOf([titles[view.name]]) : null,
      view.what ? el("p", { class: "what" }, view.what) : null,
    );
    $("main").append(section);
    drawn.push([view, section]);
    $("views").append(
      el(
        "a",
        {
          href: "#" + view.name,
          "data-view": view.name,
          onclick: (event) => {
            event.preventDefault();
            set({ view: view.name });
            app.reveal(view.name);
          },
        },
        view.title,
      ),
    );
  }
  return drawn.map(
    ([view, section]) =>
      () =>
        view.draw(section, app),
  );
}

async function start() {
  const data = JSON.parse($("data").textContent);
  if (data.packed) Object.assign(data, byRow(await unpacked(data.packed)));
  const app = source(data);
  follow();
  theme();
  tooltips();
  scrolling();
  sheets();
  $("title").textContent = data.title;
  $("summary").textContent = data.summary;
  const shown = VIEWS.filter((view) => !(view.name in NEEDS) || data[NEEDS[view.name]] !== undefined);
  const drawings = sections(app, shown, { ...data.titles, verdict: data.verdict?.title }),
    views = [];
  const update = (patch) => views.forEach((view) => view.update(patch));
  const drawNext = () => {
    const view = drawings[views.length]();
    views.push(view);
    view.update({});
  };
  const drawRest = () => {
    while (views.length < drawings.length) drawNext();
  };
  listen(update);
  listen((patch) => {
    if ("view" in patch) app.reveal(shown.some((view) => view.name === patch.view) ? patch.view : "leaderboard");
  });
  document.addEventListener("themechange", () => update({ theme: true }));
  $("undo").addEventListener("click", undo);
  document.addEventListener("undoable", (event) => {
    $("undo").hidden = event.detail === 0;
  });
  document.addEventListener("opened", (event) => {
    if ($(event.detail)) app.reveal(event.detail);
  });
  // Draw the first view at once and the others one by one, so that the page reacts meanwhile.
  drawNext();
  window.addEventListener("beforeprint", drawRest);
  const go = () => {
    if (views.length < drawings.length) {
      drawNext();
      setTimeout(go);
      return;
    }
    if (location.hash && $(state.view)) requestAnimationFrame(() => app.reveal(state.view));
    document.documentElement.dataset.ready = "yes";
  };
  requestAnimationFrame(() => setTimeout(go));
}

start();
