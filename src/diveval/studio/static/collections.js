/* The collection: open one, add to it, or drop files on the page; the server guesses the role of each file. */
import { get, remove, upload } from "./api.js";
import { attempt, followed, forget, say, session } from "./app.js";
import { button, countOf, el, select } from "./base.js";
import { assume, set, state } from "./state.js";

const place = document.getElementById("collection");
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

async function load(sources, replace = false) {
  const done = await attempt(() => followed(place, "/api/collection", { ...sources, options: state.options }));
  if (!done) return;
  say(done.notes.join(" "));
  forget();
  drawn = null;
  open(done.result, replace);
}

let drawn = null; // the files whose roles are being chosen

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
    el("h3", {}, "Collection"),
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
    ...(drawn ? [rolesTable()] : []),
  );
}

/** Upload dropped or picked files, and let the user correct the role of each. Roles chosen before stay. */
export async function take(files) {
  say("");
  const kept = [];
  for (const [i, file] of files.entries()) {
    say(`Taking ${file.name} (${i + 1} of ${files.length})`);
    if (file.size > session.limits.upload) {
      say(`${file.name} is larger than ${session.limits.upload} bytes; give it on the command line.`, "error");
      continue;
    }
    const known = await attempt(() => upload(file));
    if (known) kept.push(known);
  }
  if (kept.length) drawn = [...(drawn || []), ...kept];
  drawCollection();
}

const of = (role) => drawn.filter((file) => file.role === role).map((file) => file.id);

function rolesTable() {
  const drop = async (file) => {
    await attempt(() => remove("/api/files/" + file.id));
    drawn = drawn.filter((other) => other !== file);
    if (!drawn.length) drawn = null;
    drawCollection();
  };
  const rows = drawn.map((file) =>
    el(
      "tr",
      {},
      el("td", {}, el("span", { class: "id" }, file.name)),
      el(
        "td",
        {},
        select(
          "",
          ROLES,
          file.role,
          (role) => {
            file.role = role;
            drawCollection();
          },
          { "aria-label": "what " + file.name + " is" },
        ),
      ),
      el(
        "td",
        {},
        button("✕", () => drop(file), { class: "quiet", "aria-label": "remove " + file.name }),
      ),
    ),
  );
  const sources = () => ({
    judgments: of("judgments")[0] ?? null,
    runs: of("run"),
    weights: of("weights")[0] ?? null,
    topics: of("topics")[0] ?? null,
    docs: of("docs")[0] ?? null,
  });
  const fresh = of("judgments").length === 1 && of("run").length > 0,
    more = session.collection && of("judgments").length === 0;
  const hint =
    fresh || more
      ? ""
      : of("judgments").length > 1
        ? "Say which one file holds the judgments."
        : "Name judgments and at least one run.";
  return el(
    "div",
    { id: "roles" },
    el("table", { class: "files" }, el("tbody", {}, rows)),
    el(
      "div",
      { class: "buttons" },
      more
        ? button("Add to what is open", () => load({ ...sources(), add_to: session.collection.id }), {
            class: "primary",
            id: "add-files",
          })
        : null,
      button("Open as a new collection", () => load(sources()), {
        class: more ? null : "primary",
        id: "load",
        disabled: !fresh,
      }),
      button(
        "Not now",
        () => {
          drawn = null;
          drawCollection();
        },
        { class: "quiet" },
      ),
    ),
    hint && !more ? el("p", { class: "muted small" }, hint) : null,
  );
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
