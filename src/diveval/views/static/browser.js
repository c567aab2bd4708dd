/* Evaluate in the browser: judgments and runs are read and scored on this page; no byte leaves the machine. */
import { el, fixed, select } from "./base.js";
import { METRICS } from "./catalogue.js";
import { evaluate, rankingIn } from "./evaluate.js";
import { rankingOf, steps } from "./scoring.js";
import { Refusal, readJudgments, readRun, textOfFile } from "./trec.js";

const SHOWN = 5; // metrics that are chosen at first
const DEPTH = 20;

/** The file's name without folders and endings of compression and runs. */
const nameOf = (file) => file.name.replace(/\.gz$/, "").replace(/\.(run|txt)$/, "");

/** A line of judgments has four fields; a file whose first line has six is a run. */
function isJudgments(text) {
  const line = text.split("\n").find((one) => one.trim() && !one.trim().startsWith("#")) ?? "";
  return line.trim().split(/\s+/).length < 6;
}

/** Judgments and runs from files that were given together: two of a kind that must be one are refused. */
async function readAll(files) {
  const read = { judgments: null, runs: [] };
  for (const file of files) {
    const bytes = await file.arrayBuffer().catch(() => {
      throw new Refusal("cannot-read", "cannot be read; a folder is not read, so choose the files in it", {
        file: file.name,
      });
    });
    const text = await textOfFile(file.name, bytes);
    if (!isJudgments(text)) {
      const name = nameOf(file);
      if (read.runs.some((run) => run.name === name))
        throw new Refusal("duplicate-run", `another file is also called ${name}; rename one`, { file: file.name });
      read.runs.push({ name, run: readRun(text, file.name) });
    } else if (read.judgments)
      throw new Refusal("conflicting-options", `${read.judgments.name} has judgments too; choose one of them`, {
        file: file.name,
      });
    else read.judgments = { name: file.name, ...readJudgments(text, file.name) };
  }
  return read;
}

export function browser(place) {
  let judgments = null,
    runs = [],
    found = null,
    chosen = METRICS.slice(0, SHOWN);
  const message = el("p", { class: "browser-message", role: "status" }),
    board = el("div", {}),
    inspector = el("div", {});
  const input = el("input", {
    type: "file",
    multiple: true,
    id: "browser-files",
    onchange: () => take([...input.files]),
  });
  const zone = el(
    "div",
    {
      class: "browser-drop",
      ondragover: (event) => event.preventDefault(),
      ondrop: (event) => {
        event.preventDefault();
        take([...event.dataTransfer.files]);
      },
    },
    el("label", { for: "browser-files" }, "Drop judgments and runs here (TREC’s format, .gz too), or choose files: "),
    input,
  );

  async function take(files) {
    message.className = "browser-message";
    try {
      const read = await readAll(files),
        before = [judgments, runs];
      judgments = read.judgments ?? judgments;
      runs = [...new Map([...runs, ...read.runs].map((one) => [one.name, one])).values()];
      try {
        compute();
      } catch (fault) {
        [judgments, runs] = before; // what was shown before these files is still shown
        throw fault;
      }
    } catch (fault) {
      if (!(fault instanceof Refusal)) throw fault;
      message.className = "browser-message refused";
      message.textContent = `${fault.message} (${fault.code})`;
    }
  }

  function compute() {
    if (!judgments || !runs.length) {
      message.textContent = judgments ? "Now the runs." : "Now the judgments (topic aspect document grade).";
      return;
    }
    const start = performance.now();
    found = evaluate(judgments, runs, chosen);
    const seconds = (performance.now() - start) / 1000;
    message.textContent = `${runs.length} runs, ${found.topics.length} topics, scored in ${seconds.toFixed(2)} s on this machine. ${[...new Set(found.notes)].join(" ")}`;
    drawBoard();
    drawInspector();
  }

  function drawBoard() {
    const order = runs.map((_, r) => r).sort((a, b) => found.means[b][0] - found.means[a][0]);
    const best = chosen.map((_, m) => Math.max(...found.means.map((means) => means[m])));
    board.replaceChildren(
      el(
        "details",
        {},
        el("summary", {}, "Metrics"),
        METRICS.map((metric) =>
          el(
            "label",
            { class: "browser-metric" },
            el("input", {
              type: "checkbox",
              checked: chosen.includes(metric),
              onchange: (event) => {
                const next = METRICS.filter((one) => (one === metric ? event.target.checked : chosen.includes(one)));
                if (next.length) chosen = next;
                compute();
              },
            }),
            " " + metric.label,
          ),
        ),
      ),
      el(
        "table",
        { class: "play", id: "browser-board" },
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            el("th", { scope: "col" }, "run"),
            chosen.map((metric) => el("th", { scope: "col", title: metric.name }, metric.label)),
          ),
        ),
        el(
          "tbody",
          {},
          order.map((r) =>
            el(
              "tr",
              {},
              el("th", { scope: "row" }, runs[r].name),
              found.means[r].map((mean, m) => el("td", {}, el(mean === best[m] ? "b" : "span", {}, fixed(mean, 4)))),
            ),
          ),
        ),
      ),
    );
  }

  let looked = { topic: "", run: "" };
  function drawInspector() {
    const topic = found.topics.includes(looked.topic) ? looked.topic : found.topics[0],
      run = runs.find((one) => one.name === looked.run) ?? runs[0];
    const about = found.about.get(topic),
      list = run.run.lists.get(topic) ?? null,
      shown = (list ?? []).slice(0, DEPTH);
    const ranking = list
      ? rankingIn(about, shown)
      : rankingOf([], { weights: about.aspects.map(() => 1 / about.aspects.length) });
    const metric = METRICS.find((one) => one.name.startsWith("RBU")),
      gains = list ? steps({ ...metric.formula, cutoff: null }, ranking) : [];
    const look = (patch) => {
      looked = { topic, run: run.name, ...patch };
      drawInspector();
    };
    inspector.replaceChildren(
      el("h3", {}, `Topic ${topic} of ${run.name}, rank by rank`),
      select("Topic", found.topics, topic, (name) => look({ topic: name })),
      " ",
      select(
        "Run",
        runs.map((one) => one.name),
        run.name,
        (name) => look({ run: name }),
      ),
      el(
        "table",
        { class: "play", id: "browser-ranks" },
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            ["rank", "document", ...about.aspects.map((aspect) => `aspect ${aspect}`), "adds to RBU"].map((name) =>
              el("th", { scope: "col" }, name),
            ),
          ),
        ),
        el(
          "tbody",
          {},
          shown.map((document, i) =>
            el(
              "tr",
              {},
              el("td", {}, String(i + 1)),
              el("td", {}, about.documents.has(document) ? document : `${document} (not judged)`),
              ranking.relevance[i].map((r) => el("td", {}, r > 0 ? fixed(r, 3) : "·")),
              el("td", {}, fixed(gains[i], 4)),
            ),
          ),
        ),
      ),
    );
  }

  place.replaceChildren(zone, message, board, inspector);
}

const place = typeof document === "undefined" ? null : document.getElementById("browser");
if (place) browser(place);
