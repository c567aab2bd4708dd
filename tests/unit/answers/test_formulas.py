"""The tools' formulas and ours, reimplemented from their definitions in fractions, on random files."""

from __future__ import annotations

import random
import statistics
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from diveval.answers import evaluate
from support.answer_files import quietly, write
from support.shared import times

HALF = Fraction(1, 2)
LABELS = ["support", "partial_support", "not_support", "failed", " Support", "established", None]
IMPORTANCES = ["vital", "okay", "Vital", "failed", ""]
CREDIT = {"2": Fraction(1), "1": HALF, "0": Fraction(0)}


def random_line(rng: random.Random, query: Any, run: Any) -> dict[str, Any]:
    """A line of assignments with the omissions and odd labels of real track files."""
    nuggets = [
        {"text": f"n{rng.randrange(3)}-{i}", "importance": rng.choice(IMPORTANCES), "assignment": rng.choice(LABELS)}
        for i in range(rng.randrange(5))
    ]
    more = {"answer_text": "A b.", "response_length": rng.choice([2, None]), "extra": {"x": [1]}}
    return {"qid": query, "run_id": run, "nuggets": nuggets, **(more if rng.random() < 0.8 else {})}


def worth(label: Any, how: str, *, strict: bool) -> Fraction:
    """1, ½ or 0 for a label, read exactly or after trimming and lower-casing."""
    text = label if isinstance(label, str) else ""
    text = text if how == "exact" else text.strip().lower()
    return Fraction(1) if text == "support" else HALF if text == "partial_support" and not strict else Fraction(0)


def share(line: dict[str, Any], how: str, of: str, *, strict: bool) -> Fraction | None:
    """Σ w·s / Σ w; None where no nugget counts."""
    exact = how != "own"
    above = below = Fraction(0)
    for item in line["nuggets"]:
        importance = item["importance"] if exact else item["importance"].strip().lower()
        weight = {"vital": Fraction(1), "okay": HALF}.get(importance, Fraction(0))
        weight = {"all": Fraction(1), "vital": Fraction(importance == "vital"), "W": weight}[of]
        above += weight * worth(item["assignment"], "exact" if how == "nuggetizer" else "trimmed", strict=strict)
        below += weight
    return above / below if below else None


@pytest.mark.parametrize("seed", range(times(12, 40)))
def test_nuggets(tmp_path: Path, seed: int) -> None:
    """Scores under nuggetizer's and RAGDoll's names equal the definition on every line, and so do their means."""
    rng = random.Random(seed)
    queries = [rng.choice([q, str(q)]) for q in range(1 + rng.randrange(6))]
    runs = {run: [random_line(rng, q, run) for q in queries] for run in ("a", 7)}
    lines = [line for each in runs.values() for line in each]
    path = write(tmp_path / "x.jsonl", *lines, form=rng.choice(["lines", "array"]))
    for strict in (False, True):
        for of in ("all", "vital", "W"):
            name = f"strict_{of}" if strict else of
            tools = ["nuggetizer"] if of == "W" else ["nuggetizer", "ragdoll"]
            scores, _ = quietly(evaluate, [path], [f"{tool}.{name}" for tool in tools])
            for run, own in runs.items():
                for tool in tools:
                    found = scores.per_topic(str(run), f"{tool}.{name}")
                    exact = [share(line, tool, of, strict=strict) or Fraction(0) for line in own]
                    digits = 6 if tool == "ragdoll" else 99  # not rounded
                    assert [round(found[str(line["qid"])], digits) for line in own] == [
                        round(float(value), digits) for value in exact
                    ]
                    mean = (
                        statistics.fmean(map(float, exact)) if tool == "ragdoll" else statistics.mean(map(float, exact))
                    )
                    assert scores.mean()[str(run)][f"{tool}.{name}"] == round(mean, digits)


@pytest.mark.parametrize("seed", range(times(12, 40)))
def test_own_rules(tmp_path: Path, seed: int) -> None:
    """An absent answer scores 0, a query in which nothing counts is left out, and a failed label scores 0 with a
    residual."""
    rng = random.Random(1000 + seed)
    lines = [random_line(rng, q, "r") for q in range(1 + rng.randrange(6))]
    bank = [
        {"qid": str(x["qid"]), "nuggets": [{k: n[k] for k in ("text", "importance")} for n in x["nuggets"]]}
        for x in lines
    ]
    answered = [line for line in lines if rng.random() < 0.8]
    files = [write(tmp_path / "n.jsonl", *bank), write(tmp_path / "r.jsonl", *answered)] if answered else []
    for of, name in (("all", "Coverage"), ("vital", "Coverage_vital"), ("W", "Coverage_weighted")):
        expected = {}
        for line in lines:
            value = share(line, "own", of, strict=False)
            if value is not None:
                expected[str(line["qid"])] = value if line in answered else Fraction(0)
        if not any(str(line["qid"]) in expected for line in answered):
            continue  # a metric without any value is refused, see test_odd_files
        scores, _ = quietly(evaluate, files, [name], residuals=True)
        found = scores.per_topic("r", name)
        assert found.keys() == expected.keys()
        assert found == pytest.approx({query: float(value) for query, value in expected.items()}, abs=1e-12)
        for line in answered:
            optimistic = [
                {**n, "assignment": "support" if n["assignment"] == "failed" else n["assignment"]}
                for n in line["nuggets"]
            ]
            best = share({**line, "nuggets": optimistic}, "own", of, strict=False)
            if best is not None:
                rise = scores.per_topic("r", f"{name}+residual")[str(line["qid"])]
                assert rise == pytest.approx(float(best - expected[str(line["qid"])]), abs=1e-12)


@pytest.mark.parametrize("seed", range(times(12, 40)))
def test_support(tmp_path: Path, seed: int) -> None:
    """Citation precision and recall by first citation, by all judged citations, and hard, equal the definition."""
    rng = random.Random(2000 + seed)
    labels = [
        [
            [rng.choice(["2", "1", "0", "-1"]) for _ in range(rng.choice([0, 1, 1, 2, 3]))]
            for _ in range(rng.randrange(5))
        ]
        for _ in range(1 + rng.randrange(4))
    ]
    topics = [
        {
            "topic_id": t,
            "run_id": "r",
            "sentences": [
                {
                    "text": "s",
                    "citations": [
                        {"reference": f"d{c}", "support": rng.choice([x, int(x)])} for c, x in enumerate(cited)
                    ],
                }
                for cited in sentences
            ],
        }
        for t, sentences in enumerate(labels)
    ]
    path = write(tmp_path / "s.jsonl", *topics)
    forms = {
        "weighted_{}_first_citation": (1, False),
        "weighted_{}_all_judged_citations": (None, False),
        "hard_{}": (1, True),
    }
    for form, (many, hard) in forms.items():
        scores, _ = quietly(evaluate, [path], [f"ragdoll.{form.format(what)}" for what in ("precision", "recall")])
        for t, sentences in enumerate(labels):
            gained, judged, unjudged = Fraction(0), 0, 0
            for cited in sentences:
                credits = [CREDIT[x] for x in cited[:many] if x in CREDIT]
                credits = [Fraction(c == 1) for c in credits] if hard else credits
                judged += bool(credits)
                unjudged += bool(cited) and not credits
                gained += sum(credits, Fraction(0)) / max(len(credits), 1)
            for what, below in (("precision", judged), ("recall", len(sentences) - unjudged)):
                exact = float(gained / below) if below else 0.0
                assert scores.per_topic("r", f"ragdoll.{form.format(what)}")[str(t)] == pytest.approx(exact, abs=5.1e-7)


@pytest.mark.parametrize("seed", range(times(12, 40)))
def test_argue(tmp_path: Path, seed: int) -> None:
    """ARGUE's ratios per topic, as means and over summed counts, equal the definition."""
    rng = random.Random(3000 + seed)
    banks, reports = [], []
    counts: dict[str, dict[str, int]] = {}
    for t in range(1 + rng.randrange(3)):
        bank, counted = (
            {},
            dict.fromkeys(("cited", "right", "citations", "attested", "relevant", "nuggets", "found"), 0),
        )
        sentences: list[dict[str, Any]] = [
            {"text": "S.", "citations": [], "judgments": []} for _ in range(rng.randrange(4))
        ]
        for q in range(1 + rng.randrange(3)):
            kind, answers = rng.choice(["OR", "AND"]), [f"a{i}" for i in range(1 + rng.randrange(3))]
            kept = [a for a in answers if rng.random() < 0.8]  # answers without references are dropped
            bank[f"q{q}"] = {
                "question": f"q{q}",
                "aggregator_type": kind,
                "answers": {a: {"answer": a, "references": [{"doc_id": "d"}] if a in kept else []} for a in answers},
            }
            matched: set[str] = set()
            for sentence in sentences:
                answered = [a for a in kept if rng.random() < 0.4]
                matched |= set(answered)
                found = [{"question_text": f"q{q}", "matched_answer": answered}] if answered else []
                sentence["judgments"].append(
                    {"judgment_type_id": "SENTENCE_ANSWERS_QUESTION", "response": {"matched_nuggets": found}}
                )
            counted["nuggets"] += bool(kept)
            counted["found"] += bool(matched) and (kind == "OR" or matched == set(kept))
        for sentence in sentences:
            marks = []
            for c in range(rng.randrange(3)):
                sentence["citations"].append({"doc_id": f"d{c}", "text": ""})
                for kind, key in (("SENTENCE_ATTESTED", "is_attested"), ("CITED_DOCUMENT_RELEVANCE", "is_relevant")):
                    positive = rng.random() < 0.6
                    counted["attested" if key == "is_attested" else "relevant"] += positive
                    marks += [positive] if key == "is_attested" else []
                    sentence["judgments"].append(
                        {"judgment_type_id": kind, "response": {key: positive}, "provenance": {"doc_id": f"d{c}"}}
                    )
            counted["citations"] += len(marks)
            counted["cited"] += bool(marks)
            counted["right"] += bool(marks) and all(marks)
        banks.append({"query_id": t, "nugget_bank": bank})
        report = {"metadata": {"topic_id": str(t), "run_id": "r"}, "responses": None}
        reports.append({"report": report, "judgments": sentences})
        counts[str(t)] = counted
    files = [write(tmp_path / "b.jsonl", *banks), write(tmp_path / "j.jsonl", *reports)]
    ratios = {
        "nugget_coverage": ("found", "nuggets"), "sentence_support": ("right", "cited"),
        "citation_support": ("attested", "citations"), "citation_relevance": ("relevant", "citations"),
    }  # fmt: skip
    names = [f"argue.{name}{end}" for name in (*ratios, "f1") for end in ("", "_micro")]
    scores, _ = quietly(evaluate, files, names)

    def value(name: str, counted: dict[str, int]) -> float:
        if name == "f1":
            a, b = value("sentence_support", counted), value("nugget_coverage", counted)
            return 2 * a * b / (a + b) if a + b else 0.0
        above, below = ratios[name]
        return counted[above] / counted[below] if counted[below] else 0.0

    sums = {key: sum(counted[key] for counted in counts.values()) for key in next(iter(counts.values()))}
    for name in (*ratios, "f1"):
        expected = {topic: value(name, counted) for topic, counted in counts.items()}
        assert scores.per_topic("r", f"argue.{name}") == expected
        assert scores.mean()["r"][f"argue.{name}"] == pytest.approx(statistics.fmean(expected.values()), abs=1e-15)
        assert scores.mean()["r"][f"argue.{name}_micro"] == value(name, sums)
