"""Which labels to buy next: topics by people or the model, and documents, against brute force over labels."""

from __future__ import annotations

import copy
import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import diveval
from diveval.cli import main
from diveval.errors import DivevalError
from diveval.judging.judges import Judges
from support.judged import Labels, codes_of_warnings, make_labels, make_runs, quietly, spoil

METRICS = ["RBU(p=0.9,e=0.01)@4", "ERR_IA@4"]
TRUTH = make_labels(24, documents=8)
RUNS = make_runs(list(TRUTH))
MODEL = spoil(TRUTH, 0.4)


def _people(unjudged: int) -> Labels:
    """Six topics, of which as many documents as asked have no label."""
    chosen = {topic: copy.deepcopy(TRUTH[topic]) for topic in list(TRUTH)[::4]}
    for topic, by_aspect in list(chosen.items())[:3]:
        for labels in by_aspect.values():
            for d in range(unjudged):
                labels.pop(f"d{(d + int(topic[1:])) % 8}")
            if not any(
                labels.values()
            ):  # a label of any document would make an aspect without relevant documents count
                labels[next(iter(labels))] = 1.0
    return chosen


def _judge(people: Labels, prices: Any, metrics: list[str] = METRICS) -> Judges:
    return quietly(lambda: diveval.judges(people, MODEL, RUNS, metrics, prices=prices, resamples=200))


def _lead(people: Labels, metric: str, better: str, worse: str) -> float:
    scores = diveval.evaluate(people, {name: RUNS[name] for name in (better, worse)}, [metric]).mean()
    return float(scores[better][metric] - scores[worse][metric])


@pytest.mark.parametrize("unjudged", [1, 3])
def test_documents_are_those_whose_labels_reduce_the_lead(unjudged: int) -> None:
    """Their number is that of unjudged documents with a label that lowers the lead in `evaluate`, if a reversal is possible."""
    people = _people(unjudged)
    result = _judge(people, (100.0, 1.0, 0.5))
    assert {one.metric for one in result.next} == set(METRICS)
    for one in result.next:
        pair = one.run, one.other
        better, worse = pair if _lead(people, one.metric, *pair) > 0 else pair[::-1]
        lead, count, most = _lead(people, one.metric, better, worse), 0, copy.deepcopy(people)
        for topic, by_aspect in people.items():
            for d in [f"d{i}" for i in range(8) if f"d{i}" not in by_aspect["a"]]:
                lowest = lead
                for grades in product((0.0, 1.0, 2.0), repeat=2):
                    trial = copy.deepcopy(people)
                    trial[topic]["a"][d], trial[topic]["b"][d] = grades
                    lowest = min(lowest, _lead(trial, one.metric, better, worse))
                count += lowest < lead - 1e-12
                if d in RUNS[worse][topic][:4] and d not in RUNS[better][topic][:4]:
                    most[topic]["a"][d] = most[topic]["b"][d] = 2.0
        needed = count if one.reversible else 0
        assert one.documents == needed and one.cost_documents == needed * 0.5
        if _lead(most, one.metric, better, worse) < 0:
            assert one.reversible


def test_the_cheapest_label_has_the_lowest_price() -> None:
    """Of topics, and documents that could reverse the order, the cheapest costs least; the table lists all three."""
    people = _people(3)
    seen = set()
    for prices in ((100.0, 100.0, 1e-6), (1e-6, 1000.0, 1000.0), (1000.0, 1e-9, 1000.0)):
        result = _judge(people, prices)
        text = result.to_text()
        for one in result.next:
            costs = {"people": one.cost_people, "model": one.cost_model}
            if one.reversible:
                costs["documents"] = one.cost_documents
            known = {kind: cost for kind, cost in costs.items() if cost is not None}
            assert one.cheapest is not None and known[one.cheapest] == min(known.values())
            seen.add(one.cheapest)
            lines = [
                line for line in text.splitlines() if line.startswith(one.metric) and f"{one.run}, {one.other}" in line
            ]
            assert len(lines) == 3
            assert any(f"{one.documents} " in line for line in lines)
    assert "documents" in seen and "people" in seen


def test_without_unjudged_documents_no_document_is_needed() -> None:
    """Where people judged everything, no document can change the order: 0, not reversible, never the cheapest."""
    for one in _judge(_people(0), (100.0, 100.0, 0.0)).next:
        assert (one.documents, one.reversible, one.cost_documents) == (0, False, 0.0)
        assert one.cheapest != "documents"


def test_a_metric_without_bounds_is_left_out_with_a_warning() -> None:
    """Where labels have no bound there is a warning, and topics are compared all the same."""
    with codes_of_warnings() as codes:
        result = diveval.judges(_people(2), MODEL, RUNS, ["nDCG@4"], prices=(1.0, 1.0, 1.0), resamples=200)
    assert "documents-not-compared" in codes
    assert result.next and all(one.documents is None for one in result.next)


def test_the_command_takes_the_price_of_a_document(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--document-price adds documents to `next`; without --prices it is refused."""
    for name, labels in (("people.txt", _people(2)), ("model.txt", MODEL)):
        rows = [f"{t} {a} {d} {g:g}\n" for t, by in labels.items() for a, of in by.items() for d, g in of.items()]
        (tmp_path / name).write_text("".join(rows))
    for name, ranked in RUNS.items():
        rows = [f"{t} Q0 {d} {i} {9 - i} {name}\n" for t, docs in ranked.items() for i, d in enumerate(docs, 1)]
        (tmp_path / f"{name}.run").write_text("".join(rows))
    files = [str(tmp_path / name) for name in ("people.txt", "model.txt", "A.run", "B.run", "C.run")]
    words = ["judges", *files, "-m", METRICS[0], "-f", "json", "--resamples", "200"]
    assert main([*words, "--prices", "10", "1", "--document-price", "0.5"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["next"]
    (expected,) = _judge(_people(2), (10.0, 1.0, 0.5), METRICS[:1]).next
    assert (found["documents"], found["reversible"]) == (expected.documents, expected.reversible)
    assert main([*words, "--document-price", "1"]) == 2
    with pytest.raises(DivevalError) as caught:
        _judge(_people(2), (1.0, 1.0, -1.0))
    assert caught.value.code == "out-of-range"
