/* The collection: open one, add to it, or drop files on the page; the server guesses the role of each file, and a dialog
   shows what was found before anything is opened. */
import { Refused, remove, upload } from "./api.js";
import { attempt, followed, forget, say, session } from "./app.js";
import { button, countOf, el, select } from "./base.js";
import { assume, set, state } from "./state.js";

const place = document.getElementById("collection"),
  dialog = document.getElementById("import");
const ROLES = [
  ["judgments", "judgments"],
  ["run", "run"],
  ["weights", "weights"],
  ["topics", "topics’ text"],
  ["docs", "documents’ text"],
  ["", "leave out"],
];

/** Show a collection of the server. */
export function open(collection, replace = false) {
  session.collection = collection;
  assume({ collection: collection.id });
  const { runs, topics } = collection,
    keep = (name, list) => (list.includes(name) ? name : "");
  const whatif = {
    ...state.whatif,
    run: keep(state.whatif.run, runs) || runs[0],
    other: keep(state.whatif.other, runs) || runs[1] || runs[0],
  };
  const patch = {
    collection: collection.id,
    topic: keep(state.topic, topics),
    run: keep(state.run, runs),
    other: keep(state.other, runs),
    whatif,
  };
  if (state.collection === collection.id) Object.assign(state, patch);
  else set(patch, { replace });
  drawCollection();
}

/** At the start: the files of the command line, else the built-in collection. */
export async function loadFirst() {
  await load(session.given ? { given: true } : { builtin: true }, true);
}

const request = (where, sources) => followed(where, "/api/collection", { ...sources, options: state.options });

async function load(sources, replace = false) {
  const done = await attempt(() => request(place, sources));
  if (done) show(done, replace);
}

function show(done, replace = false) {
  say(done.notes.join(" "));
  forget();
  open(done.result, replace);
}

let listed = []; // the files in the dialog, each with its role, or with what is wrong with it

export function drawCollection() {
  const found = session.collection;
  const lacking = found ? Object.keys(found.absent).length : 0;
  const about = found
    ? [
        el("p", { class: "big", "data-tip": found.name }, found.name.split("/").pop()),
        el(
          "p",
          { class: "muted" },
          `${countOf(found.runs.length, "run")}, ${countOf(found.topics.length, "topic")}, up to ${countOf(found.aspects, "aspect")}`,
        ),
        lacking
          ? el(
              "p",
              { class: "muted" },
              el("span", { class: "badge" }, String(lacking)),
              lacking === 1 ? " run lacks judged topics" : " runs lack judged topics",
            )
          : null,
      ]
    : [el("p", { class: "muted" }, "Nothing loaded yet.")];
  const pick = el("input", {
    type: "file",
    multiple: true,
    class: "hidden",
    id: "pick",
    "aria-label": "Files",
    onchange: () => take([...pick.files]),
  });
  place.replaceChildren(
    el("h2", {}, "Collection"),
    ...about.filter(Boolean),
    el(
      "div",
      { class: "buttons" },
      button("Built-in", () => load({ builtin: true })),
      session.given ? button("As given", () => load({ given: true })) : null,
      button("Open files…", () => pick.click()),
      pick,
    ),
    el("p", { class: "muted small" }, "or drop judgments and runs anywhere on the page"),
  );
}

/** Upload dropped or picked files, and show in the dialog what they are. Roles chosen before stay. */
export async function take(files) {
  for (const [i, file] of files.entries()) {
    say(`Taking ${file.name} (${i + 1} of ${files.length})`);
    listed = [...listed.filter((other) => other.name !== file.name || other.id), await known(file)];
  }
  say("");
  drawDialog();
}

/** A file as the server knows it, or with the reason why it cannot be used. */
async function known(file) {
  if (file.size > session.limits.upload)
    return {
      name: file.name,
      role: "",
      fault: `larger than ${session.limits.upload} bytes; give it on the command line`,
    };
  try {
    return { ...(await upload(file)), fault: "" };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { name: file.name, role: "", fault: error.message };
  }
}

const of = (role) => listed.filter((file) => file.id && file.role === role).map((file) => file.id);

/** What is found, such as `1 judgments, 12 runs, 1 problem`. */
function sumUp() {
  const counts = [
    [of("judgments").length, "judgments"],
    [of("run").length, of("run").length === 1 ? "run" : "runs"],
    ...["weights", "topics", "docs"].map((role) => [of(role).length, ROLES.find(([one]) => one === role)[1]]),
  ];
  const problems = listed.filter((file) => file.fault).length;
  return [
    ...counts.filter(([count], i) => count > 0 || i < 2).map(([count, name]) => `${count} ${name}`),
    ...(problems ? [countOf(problems, "problem")] : []),
  ].join(", ");
}

function closeDialog() {
  listed = [];
  dialog.close();
}

/** Open the files, or add them to what is open; what is refused is shown beside its file. */
async function openFiles(sources, where) {
  for (const file of listed) if (file.id) file.fault = "";
  try {
    const done = await request(where, sources);
    closeDialog();
    show(done);
  } catch (error) {
    if (error.name === "AbortError") return;
    if (!(error instanceof Refused)) throw error;
    const about = listed.find((file) => error.message.includes(file.name));
    if (about) about.fault = error.message;
    drawDialog(about ? "" : error.message);
  }
}

function drawDialog(fault = "") {
  const drop = async (file) => {
    if (file.id) await attempt(() => remove("/api/files/" + file.id));
    listed = listed.filter((other) => other !== file);
    if (listed.length) drawDialog();
    else closeDialog();
  };
  const choose = (file) => (role) => {
    Object.assign(file, { role, fault: "" });
    drawDialog();
  };
  const rows = listed.map((file) =>
    el(
      "tr",
      {},
      el("td", {}, el("span", { class: "id" }, file.name), file.fault ? el("p", { class: "fault" }, file.fault) : null),
      el(
        "td",
        {},
        file.id ? select("", ROLES, file.role, choose(file), { "aria-label": "what " + file.name + " is" }) : null,
      ),
      el(
        "td",
        {},
        button("✕", () => drop(file), { class: "quiet", "aria-label": "remove " + file.name }),
      ),
    ),
  );
  const sources = {
    judgments: of("judgments")[0] ?? null,
    runs: of("run"),
    weights: of("weights")[0] ?? null,
    topics: of("topics")[0] ?? null,
    docs: of("docs")[0] ?? null,
  };
  const judged = of("judgments").length,
    more = session.collection && judged === 0,
    ready = more || (judged === 1 && of("run").length > 0);
  const hint =
    judged > 1
      ? "Only one file can be the judgments: say which."
      : judged
        ? "Add at least one run."
        : "Add the judgments.";
  const working = el("div", { class: "working" });
  const act = () => openFiles(more ? { ...sources, add_to: session.collection.id } : sources, working);
  dialog.replaceChildren(
    el("h2", { id: "import-title" }, sumUp()),
    el("div", { id: "roles" }, el("table", { class: "files" }, el("tbody", {}, rows))),
    ...(fault ? [el("p", { class: "fault", role: "alert" }, fault)] : []),
    ...(ready ? [] : [el("p", { class: "muted" }, hint)]),
    working,
    el(
      "div",
      { class: "buttons" },
      button(more ? "Add to what is open" : "Open as a new collection", act, {
        class: "primary",
        id: more ? "add-files" : "load",
        disabled: !ready,
      }),
      button("Cancel", closeDialog, { class: "quiet" }),
    ),
  );
  if (!dialog.open) dialog.showModal();
}

/** Files can be dropped anywhere on the page. */
export function dropping() {
  document.addEventListener("dragover", (event) => {
    if (event.dataTransfer.types.includes("Files")) event.preventDefault();
  });
  document.addEventListener("drop", (event) => {
    if (!event.dataTransfer.files.length) return;
    event.preventDefault();
    take([...event.dataTransfer.files]);
  });
}
