#!/usr/bin/env python3
# ruff: noqa
"""Makes data/synthetic/: small inputs in each tool's own format, from one seed. Standard library only.

    python make_synthetic.py [--out synthetic] [--seed 20250216]

All texts are invented. The same seed gives the same bytes.
"""

import argparse
import json
import random
from pathlib import Path

SUBJECTS = ["tram", "harbour", "orchard", "library", "reservoir", "bakery", "observatory", "ferry"]
FACTS = ["opened in {y}", "costs {n} crowns", "serves {n} people a day", "was rebuilt after {y}", "closes at {h}",
         "is run by {k} families", "has {k} branches", "loses {n} litres a week", "was painted green in {y}"]
IMPORTANCE, ASSIGNMENT = ("vital", "okay"), ("support", "partial_support", "not_support")


def fact(rng, subject):
    text = rng.choice(FACTS).format(y=rng.randint(1890, 2020), n=rng.randint(3, 900), h=rng.randint(16, 23), k=rng.randint(2, 9))
    return f"the {subject} {text}"


def dump(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def lines(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(row + "\n" for row in rows), encoding="utf-8")


# --- nuggetizer: nuggets, TREC 2024 answers, assignments of answers and of passages, and the odd cases ------------------


def nuggetizer(rng, out):
    nuggets, per_passage = [], []
    runs = {"run_a": (5, 2, 3), "run_b": (2, 2, 6)}
    answers, assigned = {run: [] for run in runs}, {run: [] for run in runs}
    for number, subject in enumerate(SUBJECTS, 1):
        qid, query = f"syn-{number}", f"what should a visitor know about the {subject}"
        facts = list(dict.fromkeys(fact(rng, subject) for _ in range(rng.randint(6, 14))))
        bank = [{"text": text, "importance": rng.choices(IMPORTANCE, (3, 2))[0]} for text in facts]
        nuggets.append({"query": query, "qid": qid, "nuggets": bank})
        passages = [f"p{number}-{k}" for k in range(1, 5)]
        for passage in passages:
            per_passage.append({
                "text": query, "qid": qid, "candidate_text": f"a passage about the {subject}", "docid": passage,
                "nuggets": [{**n, "assignment": rng.choices(ASSIGNMENT, (2, 1, 7))[0]} for n in bank],
            })
        for run, odds in runs.items():
            picked = rng.sample(facts, k=min(len(facts), rng.randint(2, 6)))
            sentences = [{"text": text[0].upper() + text[1:] + ".", "citations": sorted(rng.sample(range(4), rng.randint(0, 3)))}
                         for text in picked]
            if run == "run_b" and number == 8:
                continue  # this run has no answer for the last query
            answers[run].append({
                "run_id": run, "topic_id": qid, "topic": query, "references": passages,
                "response_length": sum(len(s["text"].replace(",", " ").replace(";", " ").split()) for s in sentences),
                "answer": sentences,
            })
            assigned[run].append({
                "query": query, "qid": qid, "answer_text": " ".join(s["text"] for s in sentences),
                "response_length": answers[run][-1]["response_length"], "run_id": run,
                "nuggets": [{**n, "assignment": rng.choices(ASSIGNMENT, odds)[0]} for n in bank],
            })
    # nuggetizer's `assign` writes a record for a query without an answer too: an empty text, labelled like any other
    last = nuggets[-1]
    assigned["run_b"].append({
        "query": last["query"], "qid": last["qid"], "answer_text": "", "response_length": 0, "run_id": "run_b",
        "nuggets": [{**n, "assignment": "not_support"} for n in last["nuggets"]],
    })
    dump(out / "nuggets.jsonl", nuggets)
    dump(out / "assignments.retrieval.jsonl", per_passage)
    for run in runs:
        dump(out / f"answers.{run}.jsonl", answers[run])
        dump(out / f"assignments.{run}.jsonl", assigned[run])

    def cell(qid, *labels, text="x", run="edge"):
        return {"query": "q", "qid": qid, "answer_text": text, "response_length": len(text.split()), "run_id": run,
                "nuggets": [{"text": t, "importance": i, "assignment": a} for t, i, a in labels]}

    dump(out / "edge.jsonl", [
        cell("mixed", ("a", "vital", "support"), ("b", "vital", "partial_support"), ("c", "okay", "support"), ("d", "okay", "not_support")),
        cell("no-nuggets"),
        cell("no-vital", ("a", "okay", "support"), ("b", "okay", "partial_support"), ("c", "okay", "not_support")),
        cell("no-okay", ("a", "vital", "support"), ("b", "vital", "not_support")),
        cell("empty-answer", ("a", "vital", "not_support"), ("b", "okay", "not_support"), text=""),
        cell("judge-failed", ("a", "vital", "failed"), ("b", "vital", "support"), ("c", "okay", "fail")),
        cell("odd-importance", ("a", "vital", "support"), ("b", "failed", "support"), ("c", "", "partial_support"), ("d", "not_relevant", "not_support")),
        cell("odd-assignment", ("a", "vital", "supported"), ("b", "vital", ""), ("c", "okay", "rooted_in_support"), ("d", "okay", "support")),
        cell("letter-case", ("a", "Vital", "support"), ("b", "vital", "Support"), ("c", "vital", " support "), ("d", "okay", "PARTIAL_SUPPORT")),
        cell("same-text-twice", ("a", "vital", "support"), ("a", "vital", "not_support"), ("b", "okay", "support")),
        cell("query-twice", ("a", "vital", "support")),
        cell("query-twice", ("a", "vital", "not_support"), ("b", "okay", "not_support")),
        cell("all-of-it", ("a", "vital", "support"), ("b", "okay", "support")),
    ])


# --- answers in the formats of the tracks ---------------------------------------------------------------------------------


def answers(rng, out):
    texts = ["Trams run till 23:00.", "Fares,fees;taxes are paid in crowns.", "  The ﬁrst line\u00a0opened in 1899.  ", "Ⅻ stops — none closed."]
    refs = [f"doc{n}" for n in range(1, 6)]
    cites = [[0, 2], [3, 1, 4], [], [2]]
    head = {"team_id": "team", "run_id": "syn", "type": "automatic", "narrative_id": "1", "narrative": "trams"}
    dump(out / "trec24.jsonl", [{
        "run_id": "syn", "topic_id": "1", "topic": "trams", "references": refs, "response_length": 20,
        "answer": [{"text": t, "citations": c} for t, c in zip(texts, cites)]}])
    dump(out / "trec25.format1.jsonl", [{"metadata": head, "references": refs,
         "answer": [{"text": t, "citations": c} for t, c in zip(texts, cites)]}])
    dump(out / "trec25.format2.jsonl", [{"metadata": {**head, "narrative_id": 1}, "references": refs,
         "answer": [{"text": t, "citations": [refs[i] for i in c]} for t, c in zip(texts, cites)]}])
    dump(out / "ragtime25.jsonl", [{
        "metadata": {"team_id": "team", "run_id": "syn", "topic_id": "1", "task": "english"}, "references": refs,
        "responses": [{"text": t, "citations": {refs[i]: s for i, s in zip(c, (40.0, 90.0, 65.0))}} for t, c in zip(texts, cites)]}])
    dump(out / "hltcoe-validator.jsonl", [{"metadata": {"team_id": "team", "run_id": "syn", "topic_id": "1"}, "references": refs,
         "responses": [{"text": t, "citations": [refs[i] for i in c]} for t, c in zip(texts, cites)]}])
    dump(out / "neuclir24.jsonl", [{"request_id": "1", "run_id": "syn", "collection_ids": ["c"],
         "sentences": [{"text": t, "citations": [refs[i] for i in c]} for t, c in zip(texts, cites)]}])
    dump(out / "out-of-range.jsonl", [{"metadata": head, "references": refs,
         "answer": [{"text": "x", "citations": [0, 7, -1]}, {"text": "y", "citations": [5]}]}])
    dump(out / "empty-answer.jsonl", [{"metadata": head, "references": [], "answer": []}])


# --- support of sentences by what they cite (RAGDoll) ----------------------------------------------------------------------


def support(rng, out):
    labels = {"FS": "Full Support", "PS": "Partial Support", "NS": "No Support"}
    answers, judged = [], []

    def judge(run, topic, s, c, label, **more):
        judged.append({"task_id": f"{run}:{topic}:s{s}:c{c}", "support_label": label, "raw_output": labels.get(label, ""),
                       "status": "completed", "metadata": {"topic_id": topic, "run_id": run, "sentence_index": s, "citation_index": c}, **more})

    for run in ("run_a", "run_b"):
        for topic in map(str, range(1, 6)):
            refs = [f"d{topic}{n}" for n in range(6)]
            sentences = []
            for s in range(rng.randint(3, 7)):
                cites = rng.sample(range(6), rng.randint(0, 3))
                sentences.append({"text": fact(rng, rng.choice(SUBJECTS)), "citations": cites})
                for c in range(len(cites)):
                    judge(run, topic, s, c, rng.choices(list(labels), (5, 3, 2) if run == "run_a" else (3, 3, 4))[0])
            answers.append({"metadata": {"team_id": "t", "run_id": run, "narrative_id": topic}, "references": refs, "answer": sentences})

    def edge(topic, sentences):
        answers.append({"metadata": {"team_id": "t", "run_id": "edge", "narrative_id": topic}, "references": ["d0", "d1", "d2"],
                        "answer": [{"text": f"s{i}", "citations": c} for i, c in enumerate(sentences)]})

    edge("empty-answer", [])
    edge("no-citations", [[], []])
    edge("unjudged-first", [[0, 1], [2]])  # first citation without a judgment, the second one judged
    judge("edge", "unjudged-first", 0, 1, "FS")
    judge("edge", "unjudged-first", 1, 0, "PS")
    edge("all-unjudged", [[0], [1]])
    edge("failed-and-raw", [[0], [1], [2]])
    judge("edge", "failed-and-raw", 0, 0, "FS", status="failed")
    judge("edge", "failed-and-raw", 1, 0, None, raw_output="I think this is Partial Support.")
    judge("edge", "failed-and-raw", 2, 0, None, raw_output="no idea")
    edge("out-of-range", [[9], [0]])
    judge("edge", "out-of-range", 0, 0, "NS")
    judge("edge", "out-of-range", 1, 0, "FS")
    dump(out / "answers.jsonl", answers)
    dump(out / "judgments.parsed.jsonl", judged)


def rubric(rng, out):
    def cell(qid, run, *criteria):
        return {"qid": qid, "run_id": run, "response_length": 100, "criteria": [
            {"text": f"c{i}", "tier": tier, "type": "explicit", "weight": w, "verdict": v} for i, (w, v, tier) in enumerate(criteria)]}

    verdicts = ("satisfied", "partially_satisfied", "not_satisfied")
    rows = [cell(f"r{q}", run, *[(rng.choice((5, 4, 3, 2, 1, -2, -4)), rng.choice(verdicts), rng.choice(("mandatory", "optional")))
                                for _ in range(rng.randint(4, 8))]) for run in ("run_a", "run_b") for q in range(1, 5)]
    rows += [
        cell("only-negative", "edge", (-3, "satisfied", "optional"), (-1, "not_satisfied", "optional")),
        cell("below-zero", "edge", (1, "not_satisfied", "mandatory"), (-3, "satisfied", "optional")),
        cell("odd-verdict", "edge", (2, "Partially Satisfied", "mandatory"), (2, "maybe", "mandatory"), (0, "satisfied", "optional")),
        {"qid": "no-criteria", "run_id": "edge", "response_length": 0, "criteria": []},
    ]
    dump(out / "graded.jsonl", rows)


# --- ARGUE: nugget banks (v3) and judged reports ----------------------------------------------------------------------------


def argue(rng, out):
    def question(qid, text, answers, kind="OR", importance=None):
        made = {"question": text, "query_id": qid, "aggregator_type": kind,
                "answers": {a: {"answer": a, "references": [{"doc_id": d} for d in docs]} for a, docs in answers.items()}}
        return {**made, "importance": importance} if importance else made

    def sentence(text, *cites, needs=None, first=None):
        """cites: (document, relevant, attested, {question: [answers]})"""
        judgments = []
        for doc, relevant, attested, matched in cites:
            where = {"doc_id": doc, "sentence": None, "run_id": None, "sent_id": None}
            judgments += [
                {"judgment_type_id": "CITED_DOCUMENT_RELEVANCE", "response": {"doc_id": doc, "is_relevant": relevant}, "provenance": where},
                {"judgment_type_id": "SENTENCE_ANSWERS_QUESTION", "response": {"matched_nuggets": [
                    {"question_text": q, "matched_answer": a, "importance": None} for q, a in matched.items()]}, "provenance": where},
                {"judgment_type_id": "SENTENCE_ATTESTED", "response": {"is_attested": attested}, "provenance": where},
            ]
        if not cites:  # the names of these two types are ours: no published file has one
            judgments += [{"judgment_type_id": "REQUIRES_CITATION", "response": {"requires_citation": needs}},
                          {"judgment_type_id": "FIRST_INSTANCE", "response": {"is_first_instance": first}}]
        return {"segment_type": "sentence", "text": text, "citations": [{"doc_id": c[0], "text": ""} for c in cites], "judgments": judgments}

    banks = {
        "A1": [question("A1", "When did it open?", {"1899": ["d1", "d2"], "19th century": ["d3"]}, "OR", "vital"),
               question("A1", "Who runs it?", {"the Novaks": ["d1"], "the Dvoraks": ["d4"]}, "AND", "vital"),
               question("A1", "What colour is it?", {"green": ["d5"]}, "OR", "okay"),
               question("A1", "What does it cost?", {"30 crowns": []}, "OR", "okay")],
        "A2": [question("A2", "Where is it?", {"by the harbour": ["d6"]}), question("A2", "How long is it?", {"12 km": ["d6", "d7"]})],
    }
    for qid, questions in banks.items():
        path = out / "nuggets" / f"nuggets_{qid}.v3.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"query_id": qid, "title_query": qid, "format_version": "v3",
                                    "nugget_bank": {q["question"]: q for q in questions}}, indent=1) + "\n", encoding="utf-8")
    reports = {
        "A1": [sentence("It opened in 1899.", ("d1", True, True, {"When did it open?": ["1899"]})),
               sentence("The Novaks run it.", ("d1", True, True, {"Who runs it?": ["the Novaks"]}), ("d9", False, False, {})),
               sentence("It is the best tram.", needs=False, first=None),
               sentence("It carries 900 people.", needs=True, first=True),
               sentence("It carries 900 people, as said.", needs=True, first=False),
               sentence("It is green.", ("d5", True, False, {"What colour is it?": ["green"]}))],
        "A2": [sentence("It is by the harbour.", ("d6", True, True, {"Where is it?": ["by the harbour"]})),
               sentence("It is 12 km long.", ("d7", True, True, {"How long is it?": ["12 km"]}), ("d6", True, True, {"How long is it?": ["12 km"]}))],
    }
    dump(out / "judgments.jsonl", [{
        "report": {"metadata": {"team_id": "t", "topic_id": qid, "run_id": "syn"},
                   "responses": [{"text": s["text"], "citations": {c["doc_id"]: 100.0 for c in s["citations"]}} for s in sentences],
                   "references": sorted({c["doc_id"] for s in sentences for c in s["citations"]})},
        "judgments": sentences} for qid, sentences in reports.items()])


# --- CRUX: ratings 0..5 of passages for sub-questions ------------------------------------------------------------------------


def crux(rng, out):
    judge, qrels, runs, texts, answers = [], [], {"dense": [], "sparse": []}, {}, []
    for number in range(1, 7):
        qid, width = f"c{number}", rng.randint(5, 10)
        docs = [f"{qid}:{k}#{k}" for k in range(14)]
        rows = {}
        for doc in docs:
            rows[doc] = [0 if j == 0 and number % 2 else rng.choices((0, 1, 2, 3, 4, 5), (60, 8, 8, 6, 10, 8))[0] for j in range(width)]
            texts[doc] = " ".join(rng.choice(SUBJECTS) for _ in range(rng.randint(20, 60)))
        for doc, row in rows.items():
            judge.append({"id": qid, "docid": doc, "rating": row})
            qrels += [f"{qid} {j} {doc} {int(r >= 3)}" for j, r in enumerate(row)]
        for run in runs:
            if run == "sparse" and number == 6:
                continue  # this run lacks the last query
            ranked = rng.sample(docs, 8) + [f"unjudged-{qid}-{k}" for k in range(4)]
            rng.shuffle(ranked)
            runs[run] += [f"{qid} Q0 {doc} {rank} {1 / rank:.6f} {run}" for rank, doc in enumerate(ranked, 1)]
        best = [max(row[j] for row in rows.values()) for j in range(width)]
        answers.append({"qid": qid, "response": " ".join(rng.choice(SUBJECTS) + (" [1]" if rng.random() < 0.2 else "") for _ in range(rng.randint(30, 90))),
                        "ratings_of_the_answer": [min(b, rng.choice((0, 2, 3, 4, 5))) for b in best]})
    dump(out / "judge.jsonl", judge)
    lines(out / "div_qrels-tau3.txt", qrels)
    for run, rows in runs.items():
        lines(out / f"{run}.run", rows)
    dump(out / "corpus.jsonl", [{"id": doc, "contents": text} for doc, text in texts.items()])
    dump(out / "answers.jsonl", answers)
    # density takes for its reference what has 3 in a file of usefulness: 3 required, 2 neutral, 1 redundant
    greedy = []
    for qid in sorted({row["id"] for row in judge}):
        rows, seen = {r["docid"]: r["rating"] for r in judge if r["id"] == qid}, set()
        for doc, row in rows.items():
            new = {j for j, r in enumerate(row) if r >= 3} - seen
            greedy.append(f"{qid} 0 {doc} {3 if new else 1}")
            seen |= new
    lines(out / "oracle_context.qrel", greedy)


# --- FreshStack --------------------------------------------------------------------------------------------------------------


def freshstack(rng, out):
    def made(ids, path):
        queries, run = [], []
        for qid in ids:
            docs = [f"repo/{qid}/f{k}.md" for k in range(30)]
            nuggets = []
            for j in range(rng.randint(3, 6)):
                picked = rng.sample(docs, rng.randint(1, 5))
                cut = len(picked) // 3
                nuggets.append({"_id": f"{qid}_{j}", "text": fact(rng, "module"), "relevant_corpus_ids": picked[cut:], "non_relevant_corpus_ids": picked[:cut]})
            if qid == ids[1]:
                nuggets[-1]["relevant_corpus_ids"] = []  # a nugget nothing supports
            queries.append({"query_id": qid, "query_title": "t", "query_text": "x", "answer_text": "a", "nuggets": nuggets})
            if qid != ids[-1]:  # the last query has no results
                ranked = rng.sample(docs, 25)
                run += [f"{qid} Q0 {doc} 0 {round(10 - rank // 2 * 0.25, 3)} syn" for rank, doc in enumerate(ranked)]  # ties in pairs
        dump(path / "queries.jsonl", queries)
        lines(path / "syn.run.trec", run)

    made(["7101", "8202", "9303", "6404", "5505"], out / "plain")
    made(["76", "7643", "81", "8155", "90"], out / "prefix")  # ids that begin with one another


def udcg(rng, out):
    model = "judge-model"

    def passage(k, relevant, abstains):
        made = {"doc_id": f"d{k}", "text": "x"}
        if relevant is not None:
            made["is_relevant"] = relevant
        return made if abstains is None else {**made, "models_info": {model: {"no_res_prob": abstains}}}

    rows = [{"example_id": f"u{q}", "question": "q", "passages": [passage(k, rng.random() < 0.4, round(rng.random(), 6)) for k in range(5)]} for q in range(6)]
    rows += [{"example_id": "none", "question": "q", "passages": []},
             {"example_id": "one-without-score", "question": "q", "passages": [passage(0, True, 0.1), passage(1, False, None)]},
             {"example_id": "one-without-label", "question": "q", "passages": [passage(0, True, 0.1), passage(1, None, 0.2)]},
             {"example_id": "only-distraction", "question": "q", "passages": [passage(0, False, 0.0), passage(1, False, 0.0)]}]
    path = out / "dataset.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


# --- an answer, sentence by sentence: what RBU needs --------------------------------------------------------------------------


def sentences(rng, out):
    rows = [
        {"qid": "s1", "run_id": "crisp", "sentences": [
            {"text": "a", "tokens": 12, "nuggets": {"n1": "support"}},
            {"text": "b", "tokens": 18, "nuggets": {"n2": "support", "n3": "partial_support"}},
            {"text": "c", "tokens": 20, "nuggets": {"n4": "support"}}]},
        {"qid": "s1", "run_id": "wordy", "sentences": [
            {"text": "a", "tokens": 45, "nuggets": {}},
            {"text": "b", "tokens": 60, "nuggets": {"n1": "partial_support", "n3": "partial_support"}},
            {"text": "c", "tokens": 80, "nuggets": {"n1": "partial_support", "n2": "support", "n3": "support"}},
            {"text": "d", "tokens": 30, "nuggets": {"n1": "support", "n4": "support"}}]},
        {"qid": "s2", "run_id": "crisp", "sentences": []},
        {"qid": "s2", "run_id": "wordy", "sentences": [{"text": "a", "tokens": 40, "nuggets": {"n2": "support"}}]},
        {"qid": "s3", "run_id": "crisp", "sentences": [{"text": "a", "tokens": 10, "nuggets": {"n1": "partial_support"}}]},
        {"qid": "s3", "run_id": "wordy", "sentences": [{"text": t, "tokens": 10, "nuggets": {"n1": "partial_support"}} for t in "ab"]},
    ]
    dump(out / "sentences.jsonl", rows)
    dump(out / "nuggets.jsonl", [
        {"query": "q", "qid": "s1", "nuggets": [{"id": "n1", "text": "n1", "importance": "vital"}, {"id": "n2", "text": "n2", "importance": "vital"},
                                                 {"id": "n3", "text": "n3", "importance": "okay"}, {"id": "n4", "text": "n4", "importance": "okay"}]},
        {"query": "q", "qid": "s2", "nuggets": [{"id": "n1", "text": "n1", "importance": "vital"}, {"id": "n2", "text": "n2", "importance": "okay"}]},
        {"query": "q", "qid": "s3", "nuggets": [{"id": "n1", "text": "n1", "importance": "vital"}, {"id": "n2", "text": "n2", "importance": "vital"}]}])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "synthetic")
    parser.add_argument("--seed", type=int, default=20250216)
    args = parser.parse_args()
    for make in (nuggetizer, answers, support, rubric, argue, crux, freshstack, udcg, sentences):
        make(random.Random(f"{args.seed}/{make.__name__}"), args.out / make.__name__)


if __name__ == "__main__":
    main()
