/* RAG answers sentence by sentence: which nuggets each adds or repeats, what it cites, what it costs, and where the
   answer should have ended. */
import { el, fixed, id, newest, select } from "./base.js";
import { metricOf, pairOf, topicOf } from "./choice.js";
import { saving } from "./save.js";
import { say, sentencesOf, wordings } from "./sentences.js";
import { set } from "./state.js";

const GRADES = { 1: "full", 0.5: "partial" };
const graded = (grade) => GRADES[grade] || fixed(grade, 2);

/** A nugget by its number; the text in the tooltip. */
function chip(answer, place, kind, text) {
  const nugget = answer.nuggets[place];
  return el(
    "span",
    {
      class: `nugget ${kind}`,
      "data-tip": `${nugget.text} (${nugget.importance ?? "no importance"})`,
      "data-nugget": place,
    },
    `${place + 1} ${text}`,
  );
}

/** What a sentence cites; nothing where the whole answer has no citation. */
function citations(answer, sentence) {
  if (!answer.sentences.some((one) => one.citations.length)) return null;
  if (!sentence.citations.length) return el("span", { class: "cites none" }, "cites nothing");
  return el(
    "span",
    { class: "cites" },
    "cites ",
    sentence.citations.map((one, i) => [
      i ? ", " : "",
      el(
        "span",
        { class: "cite " + one.support.replace(" ", "-"), "data-tip": `support: ${one.support}` },
        id(one.document),
      ),
    ]),
  );
}

function sentenceRow(answer, sentence, i) {
  const ends = answer.stop === i + 1 && i + 1 < answer.sentences.length;
  const brought = sentence.brought.map((one) =>
    chip(
      answer,
      one.nugget,
      one.before > 0 ? "better" : "new",
      one.before > 0 ? `${graded(one.before)} → ${graded(one.grade)}` : graded(one.grade),
    ),
  );
  const repeated = sentence.repeated.map((place) => chip(answer, place, "again", "again"));
  const cost =
    sentence.gain === null
      ? null
      : el(
          "td",
          { class: "number", "data-tip": `${sentence.tokens} tokens; utility so far ${fixed(sentence.utility)}` },
          (sentence.gain < 0 ? "−" : "+") + fixed(Math.abs(sentence.gain), 3),
        );
  return el(
    "tr",
    { class: [sentence.past_the_end ? "past" : "", ends ? "ends" : ""].join(" ").trim() || null },
    el("td", { class: "rank" }, String(i + 1)),
    el(
      "td",
      { class: "sentence" },
      el("p", {}, sentence.text || "(no text)"),
      el(
        "p",
        { class: "meta" },
        brought,
        repeated,
        brought.length + repeated.length ? null : el("span", { class: "nugget nothing" }, "no nugget"),
        " ",
        citations(answer, sentence),
      ),
    ),
    cost,
  );
}

function nuggetList(answer) {
  const mark = (grade) => (grade === 1 ? "✓" : grade > 0 ? "◐" : "–");
  return el(
    "ol",
    { class: "nuggets" },
    answer.nuggets.map((nugget) =>
      el(
        "li",
        { class: nugget.grade === 1 ? "has" : nugget.grade > 0 ? "part" : "lacks" },
        el("b", {}, mark(nugget.grade)),
        " " + nugget.text,
        el("small", {}, ` ${nugget.importance ?? ""}`),
      ),
    ),
  );
}

wordings({
  "answer-score": ({ coverage, utility, stop, sentences, utility_at_stop, whole }) => {
    const parts = [`covers ${fixed(coverage, 3)}`];
    if (utility !== null) parts.push(`utility ${fixed(utility, 3)}`);
    if (stop === 0) parts.push("no sentence is worth its effort");
    else if (stop !== null && stop < sentences)
      parts.push(`should have ended after sentence ${stop} of ${sentences}: utility ${fixed(utility_at_stop, 3)}`);
    else if (stop !== null) parts.push("ends where it should");
    if (whole) parts.push("labels are of the whole answer, so where it should end is not known");
    return parts.join("; ") + ".";
  },
});

function summary(answer) {
  const names = ["coverage", "utility", "stop", "utility_at_stop", "whole"];
  const facts = {
    ...Object.fromEntries(names.map((name) => [name, answer[name]])),
    sentences: answer.sentences.length,
  };
  const rows = answer.nuggets.map(({ text, importance, grade }) => ({ nugget: text, importance, grade }));
  return el("div", { class: "sum" }, sentencesOf([[say("answer-score", facts, rows)]]));
}

export const answers = {
  name: "answers",
  title: "Answers",
  needs: true,
  what:
    "Each answer as it is read. " +
    "A sentence shows the nuggets it brought (new, or better supported than before), those it repeated, and what it cites; " +
    "the number at its right is what it added to RBU after the effort of reading it. " +
    "The line marks where the answer should have ended: what follows costs more than it brings.",
  draw(place, app) {
    const controls = el("div", { class: "controls" }),
      panels = el("div", { class: "panels answers", id: "answer-panels" });
    place.append(controls, panels);
    let rows = [["system", "sentence", "text", "brought", "repeated", "cites", "gain"]];

    function panel(name, answer) {
      if (!answer)
        return el(
          "div",
          { class: "panel", "data-run": name },
          el("h3", {}, id(name)),
          el("p", { class: "empty" }, "This system has no labelled answer to this query."),
        );
      answer.sentences.forEach((one, i) =>
        rows.push([
          name,
          i + 1,
          one.text,
          one.brought.map((b) => b.nugget + 1).join(" "),
          one.repeated.map((n) => n + 1).join(" "),
          one.citations.map((c) => c.document).join(" "),
          one.gain ?? "",
        ]),
      );
      return el(
        "div",
        { class: "panel", "data-run": name },
        el("h3", {}, id(name)),
        summary(answer),
        el(
          "table",
          { class: "answer" },
          el(
            "tbody",
            {},
            answer.sentences.map((one, i) => sentenceRow(answer, one, i)),
          ),
        ),
        el("h4", {}, "Nuggets"),
        nuggetList(answer),
      );
    }

    const refresh = newest(() =>
      app.attempt(async () => {
        const query = topicOf(app),
          means = await app.means([metricOf(app)]),
          pair = pairOf(app, means[metricOf(app)]);
        const found = await app.answers(query);
        rows = rows.slice(0, 1);
        controls.replaceChildren(
          select("Query", app.topics, query, (topic) => set({ topic }), { id: "answer-query" }),
          select("System", app.runs, pair[0], (run) => set({ run, ...(run === pair[1] ? { other: pair[0] } : {}) }), {
            id: "answer-left",
          }),
          select(
            "beside",
            app.runs,
            pair[1],
            (other) => set({ other, ...(other === pair[0] ? { run: pair[1] } : {}) }),
            { id: "answer-right" },
          ),
          saving("answers", panels, async () => rows),
        );
        panels.replaceChildren(...[...new Set(pair)].map((run) => panel(run, found[app.runs.indexOf(run)])));
      }),
    );

    return {
      update(patch) {
        if (!panels.childNodes.length || ["topic", "run", "other", "chosen"].some((name) => name in patch)) refresh();
      },
    };
  },
};
