"""Open RAG Eval, RAGDoll's counts, rubrics, UDCG and citations: plain loops from their definitions, on random odd files."""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from diveval.answers import evaluate
from support.answer_files import quietly, write
from support.refusals import refuses
from support.shared import times

LABELS = ["support", "partial_support", "not_support", "failed", " Support", "established"]
IMPORTANCES = ["vital", "vital", "okay", "Vital", "other"]
QUERIES = ["1", "10", "9", "é", "nan", "x" * 60]
VERDICTS = {"satisfied": 1.0, "partially_satisfied": 0.5, "not_satisfied": 0.0, "SATISFIED": 1.0, "odd": 0.0}


def mean(values: Iterable[float]) -> float:
    """The mean, 0 of nothing."""
    listed = list(values)
    return sum(listed) / len(listed) if listed else 0.0


def compare(path: Path, expected: dict[str, dict[str, float | None]], digits: int = 12) -> None:
    """Hold every value per query and, where all queries have one, the mean to those expected; None: the query has none.

    A metric that no query has a value of is refused.
    """
    for name, values in expected.items():
        defined = {query: value for query, value in values.items() if value is not None}
        if not defined:
            with refuses("missing-labels"):
                quietly(evaluate, [path], [name])
            continue
        scores, _ = quietly(evaluate, [path], [name])
        assert scores.per_topic("r", name) == pytest.approx(defined, abs=10.0**-digits), name
        assert scores.mean()["r"][name] == pytest.approx(mean(defined.values()), abs=10.0**-digits), name


@pytest.mark.parametrize("seed", range(times(40, 1000)))
def test_nuggets_of_open_rag_eval(tmp_path: Path, seed: int) -> None:
    """Open RAG Eval reads labels unchanged, and counts at least one vital and one okay nugget below the line."""
    rng = random.Random(seed)
    lines, expected = list[Any](), dict[str, dict[str, float | None]]()
    for query in rng.sample(QUERIES, rng.randint(1, 6)):
        listed = [(rng.choice(IMPORTANCES), rng.choice(LABELS)) for _ in range(rng.choice([0, 1, 2, 7]))]
        listed += [] if lines else [("vital", "support")]  # a file without a known label is refused
        nuggets = [{"text": f"n{i}", "importance": w, "assignment": x} for i, (w, x) in enumerate(listed)]
        lines.append({"qid": query, "run_id": "r", "nuggets": nuggets, "answer_text": "A."})
        for strict, prefix in ((False, ""), (True, "strict_")):
            worth = {"support": 1.0, "partial_support": 0.0 if strict else 0.5}
            points = [(w, worth.get(x, 0.0)) for w, x in listed]
            vital, okay = ([s for w, s in points if w == kind] for kind in ("vital", "okay"))
            weighed = (sum(vital) + sum(okay) / 2) / (max(len(vital), 1) + max(len(okay), 1) / 2)
            values = {"all": mean(s for _, s in points), "vital": mean(vital), "W": weighed}
            for name, value in values.items():
                expected.setdefault(f"openrageval.{prefix}{name}", {})[query] = value
        label = [x.strip().lower() for _, x in listed]
        counts = {"nugget": len(listed), "failed": label.count("failed"), "vital": sum(w == "vital" for w, _ in listed)}
        for name, number in counts.items():
            expected.setdefault(f"ragdoll.{name}_count", {})[query] = number
    compare(write(tmp_path / "n.jsonl", *lines), expected, 6)


@pytest.mark.parametrize("seed", range(times(40, 1000)))
def test_citations(tmp_path: Path, seed: int) -> None:
    """Open RAG Eval's means over passages and sentences, RAGDoll's, and ours, which have no value where nothing was judged."""
    rng = random.Random(5000 + seed)
    lines, expected = [], dict[str, dict[str, float | None]]()
    for query in rng.sample(QUERIES, rng.randint(1, 6)):
        answer = [
            [(f"d{rng.randrange(4)}", rng.choice([2, 1, 0, -1])) for _ in range(rng.choice([0, 1, 1, 2, 3]))]
            for _ in range(rng.choice([0, 1, 3, 5]))
        ]
        answer = [list(dict(cited).items()) for cited in answer]  # a document once per sentence
        sentences = [{"text": "s", "citations": [{"reference": d, "support": x} for d, x in c]} for c in answer]
        lines.append({"topic_id": query, "run_id": "r", "sentences": sentences})
        documents = sorted({d for cited in answer for d, _ in cited})
        precision = mean(mean(max(x, 0) / 2 for cited in answer for d, x in cited if d == one) for one in documents)
        recall = mean(mean(max(x, 0) / 2 for _, x in cited) for cited in answer)
        f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        values: dict[str, float | None] = {
            "openrageval.weighted_precision": precision,
            "openrageval.weighted_recall": recall,
            "openrageval.f1": f1,
            "ragdoll.sentences": len(answer),
        }
        judged = [[x for _, x in cited if x >= 0] for cited in answer]
        count = sum(map(len, answer))
        values["CitationsJudged"] = sum(map(len, judged)) / count if count else None
        first = [[x for _, x in cited[:1] if x >= 0] for cited in answer]
        for suffix, listed, hard in (("", first, False), ("_all", judged, False), ("_hard", first, True)):
            credits = [mean(float(x == 2) if hard else x / 2 for x in own) for own in listed if own]
            unjudged = sum(bool(cited) and not own for cited, own in zip(answer, listed, strict=True))
            nothing = unjudged > 0 and not credits
            known = [own for own in first if own]
            lost = (
                unjudged
                if suffix == "_all"
                else sum(bool(cited) and not own for cited, own in zip(answer, first, strict=True))
            )
            nothing = lost > 0 and not (credits if suffix == "_all" else known)
            values[f"CitationPrecision{suffix}"] = None if nothing else mean(credits)
            below = len(answer) - unjudged
            empty = lost > 0 and lost == len(answer)
            values[f"CitationRecall{suffix}"] = None if empty else sum(credits) / below if below else 0.0
        for name, value in values.items():
            expected.setdefault(name, {})[query] = value
    compare(write(tmp_path / "s.jsonl", *lines), expected, 6)


@pytest.mark.parametrize("seed", range(times(40, 1000)))
def test_rubrics(tmp_path: Path, seed: int) -> None:
    """Σ w v over the sum of the positive weights, also with negative weights and with none positive."""
    rng = random.Random(9000 + seed)
    lines, expected = [], dict[str, dict[str, float | None]]()
    for query in rng.sample(QUERIES, rng.randint(1, 6)):
        criteria: list[dict[str, Any]] = [
            {
                "text": f"c{i}",
                "tier": rng.choice(["mandatory", "optional", "other"]),
                "type": "explicit",
                "weight": rng.choice([-5, -1, 0, 0.5, 1, 2, 1e6, 1e-9]),
                "verdict": rng.choice(list(VERDICTS)) if i else "SATISFIED",
            }
            for i in range(rng.choice([0, 1, 2, 8]))
        ]
        lines.append({"qid": query, "run_id": "r", "response_length": 3, "criteria": criteria})
        positive = sum(c["weight"] for c in criteria if c["weight"] > 0)
        for binary, names in (
            (False, ("Rubric", "ragdoll.ternary_score")),
            (True, ("Rubric_binary", "ragdoll.binary_score")),
        ):
            gained = sum(c["weight"] * _verdict(c, binary=binary) for c in criteria)
            for name in names:
                expected.setdefault(name, {})[query] = gained / positive if positive else None
        failed = [c for c in criteria if c["tier"] == "mandatory" and _verdict(c, binary=True) == 0]
        expected.setdefault("ragdoll.n_mandatory_fail", {})[query] = len(failed)
        expected.setdefault("ragdoll.n_criteria", {})[query] = len(criteria)
    compare(write(tmp_path / "g.jsonl", *lines), expected, 5)


def _verdict(criterion: dict[str, Any], *, binary: bool) -> float:
    value = VERDICTS[criterion["verdict"]]
    return float(value == 1) if binary else value


def question(number: int, rng: random.Random) -> dict[str, Any]:
    """A question of ARGUE's bank; an answer without a reference does not count."""
    answers = [f"a{i}" for i in range(rng.randint(1, 3))]
    return {
        "question": f"q{number}",
        "aggregator_type": rng.choice(["OR", "AND"]),
        "importance": rng.choice(["vital", "okay", None]),
        "answers": {a: {"answer": a, "references": [{"doc_id": "d"}] * rng.choice([0, 1, 1])} for a in answers},
    }


@pytest.mark.parametrize("seed", range(times(40, 1000)))
def test_argue_with_sentences_that_need_citations(tmp_path: Path, seed: int) -> None:
    """All counts of ARGUE, their ratios with and without weights, and characters, also of empty reports."""
    rng = random.Random(13_000 + seed)
    banks, reports, counts = [], [], dict[str, dict[str, int]]()
    for query in rng.sample(QUERIES, rng.randint(1, 4)):
        bank = [question(i, rng) for i in range(rng.choice([1, 1, 3]))]
        sentences, n = [], dict.fromkeys(("sentences", "needing", "right", "citations", "relevant", "attested"), 0)
        answered: dict[str, set[str]] = {q["question"]: set() for q in bank}
        characters = 0
        for _ in range(rng.choice([0, 1, 2, 4])):
            cited, judgments, support = [f"d{c}" for c in range(rng.choice([0, 0, 1, 2]))], [], []
            for document in cited:
                relevant, attested = rng.random() < 0.6, rng.random() < 0.6
                support.append(attested)
                n["citations"] += 1
                n["relevant"] += relevant
                n["attested"] += attested
                about: Any = {"provenance": {"doc_id": document}}
                said = {"is_relevant": relevant}
                judgments.append({"judgment_type_id": "CITED_DOCUMENT_RELEVANCE", "response": said, **about})
                said = {"is_attested": attested}
                judgments.append({"judgment_type_id": "SENTENCE_ATTESTED", "response": said, **about})
            for q in bank:
                found = [a for a in (*q["answers"], "elsewhere") if rng.random() < 0.3]
                answered[q["question"]] |= set(found)
                matched = [{"question_text": q["question"], "matched_answer": found}] if found else []
                said = {"matched_nuggets": matched}  # type: ignore[dict-item]
                judgments.append({"judgment_type_id": "SENTENCE_ANSWERS_QUESTION", "response": said})
            needs, first = rng.choice([True, False, None]), rng.choice([True, False, None])
            if not cited:
                judgments.append({"judgment_type_id": "REQUIRES_CITATION", "response": {"requires_citation": needs}})
                judgments.append({"judgment_type_id": "FIRST_INSTANCE", "response": {"is_first_instance": first}})
            text = "é" * rng.randint(1, 9)
            characters += len(text)
            n["sentences"] += 1
            n["needing"] += bool(cited) or (needs is True and first is not False)
            n["right"] += bool(cited) and all(support)
            places = [{"doc_id": document, "text": ""} for document in cited]
            sentences.append({"text": text, "citations": places, "judgments": judgments})
        kept = {q["question"]: {a for a, x in q["answers"].items() if x["references"]} for q in bank}
        n["characters"] = characters
        for q in bank:
            wanted = kept[q["question"]]
            weight = {"vital": 2, "okay": 1}.get(q["importance"], 1)
            got = answered[q["question"]] & wanted
            right = got == wanted if q["aggregator_type"] == "AND" else bool(got)
            for name, amount in (("nuggets", 1), ("weighted", weight)):
                n[name] = n.get(name, 0) + amount * bool(wanted)
                n[f"correct {name}"] = n.get(f"correct {name}", 0) + amount * (bool(wanted) and right)
        counts[query] = n
        banks.append({"query_id": query, "nugget_bank": {q["question"]: q for q in bank}})
        heading = {"metadata": {"topic_id": query, "run_id": "r"}, "responses": None}
        reports.append({"report": heading, "judgments": sentences})
    files = [write(tmp_path / "b.jsonl", *banks), write(tmp_path / "j.jsonl", *reports)]
    names = {
        "sentences": "sentences",
        "sentences_with_citations_or_requiring_citations": "needing",
        "correctly_cited_sentences": "right",
        "citations": "citations",
        "relevant_citations": "relevant",
        "supporting_citations": "attested",
        "nuggets": "nuggets",
        "correct_nuggets": "correct nuggets",
        "nuggets_weighted": "weighted",
        "correct_nuggets_weighted": "correct weighted",
        "character_count": "characters",
    }
    ratios = {
        "sentence_support": ("right", "needing"),
        "nugget_coverage": ("correct nuggets", "nuggets"),
        "nugget_coverage_weighted": ("correct weighted", "weighted"),
        "citation_support": ("attested", "citations"),
        "citation_relevance": ("relevant", "citations"),
    }

    def ratio(name: str, n: dict[str, int]) -> float:
        if name.startswith("f1"):
            a, b = ratio("sentence_support", n), ratio(name.replace("f1", "nugget_coverage"), n)
            return 2 * a * b / (a + b) if a + b else 0.0
        above, below = ratios[name]
        return n[above] / n[below] if n[below] else 0.0

    every = [*ratios, "f1", "f1_weighted"]
    more = ["character_count_median", "character_count_max"]
    scores, _ = quietly(
        evaluate, files, [f"argue.{x}" for x in (*names, *more, *every, *(f"{y}_micro" for y in every))]
    )
    means = scores.mean()["r"]
    for name, key in names.items():
        assert scores.per_topic("r", f"argue.{name}") == {q: n[key] for q, n in counts.items()}, name
        total = sum(n[key] for n in counts.values())
        assert means[f"argue.{name}"] == (total / len(counts) if name == "character_count" else total), name
    lengths = [n["characters"] for n in counts.values()]
    assert means["argue.character_count_median"] == statistics.median(lengths)
    assert means["argue.character_count_max"] == max(lengths)
    sums = {key: sum(n[key] for n in counts.values()) for key in next(iter(counts.values()))}
    for name in every:
        assert scores.per_topic("r", f"argue.{name}") == pytest.approx({q: ratio(name, n) for q, n in counts.items()})
        assert means[f"argue.{name}_micro"] == pytest.approx(ratio(name, sums))


@pytest.mark.parametrize("seed", range(times(30, 500)))
def test_contexts(tmp_path: Path, seed: int) -> None:
    """UDCG is the logistic of the mean utility: 1 of a relevant passage, less of another, times the chance of an answer."""
    rng = random.Random(17_000 + seed)
    examples, expected, irrelevant = [], dict[str, float](), rng.choice([-1 / 3, 0.0, -1.0])
    for query in rng.sample(QUERIES, rng.randint(1, 6)):
        passages, utility = [], 0.0
        for i in range(rng.choice([1, 2, 6])):
            relevant, abstains = rng.random() < 0.5, rng.choice([0.0, 1.0, rng.random()])
            utility += (1.0 if relevant else irrelevant) * (1 - abstains)
            info = {"judge": {"no_res_prob": abstains}}
            passages.append({"doc_id": f"d{i}", "text": "x", "is_relevant": relevant, "models_info": info})
        examples.append({"example_id": query, "question": "q", "passages": passages})
        expected[query] = 1 / (1 + math.exp(-utility / len(passages)))
    path = write(tmp_path / "u.json", *examples, form="array")
    scores, _ = quietly(evaluate, [path], [f"udcg.UDCG(irrelevant={irrelevant})"])
    assert scores.per_topic(scores.runs[0], scores.metrics[0]) == pytest.approx(expected, abs=1e-12)
