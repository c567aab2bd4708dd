"""What-if analysis: an edited list scores as if the system had returned it."""

from __future__ import annotations

from typing import Any

import pytest

from diveval import evaluate, read_run
from diveval.studio.session import Studio

METRICS = ["RBU(p=0.9,e=0.05)@20", "alpha_nDCG(alpha=0.5)@10", "P@5", "AP"]


def lists(path: Any) -> dict[str, list[str]]:
    """The documents of a run by topic, in rank order."""
    run = read_run(path)
    from diveval.settings import OrderRule

    return {topic: [listed.documents[i] for i in listed.order(OrderRule())] for topic, listed in run.topics.items()}


def means(files: dict[str, Any], edited: dict[str, list[str]]) -> dict[str, float]:
    scores = evaluate(files["judgments"], {"edited": edited}, METRICS, weights=files["weights"], order="file")
    return scores.mean()["edited"]


def test_a_truncated_list_scores_as_a_short_one(loaded: Any, files: Any) -> None:
    """After a cut every metric scores the first documents only."""
    path = files["runs"][0]
    result = loaded.job(
        "/api/jobs", {"kind": "whatif", "edit": "cut", "run": path.stem, "depth": 4, "metrics": METRICS}
    )["result"]
    expected = means(files, {topic: documents[:4] for topic, documents in lists(path).items()})
    metrics = result["runs"][0]["metrics"]
    assert {name: row["after"] for name, row in metrics.items()} == pytest.approx(expected, abs=1e-12)
    assert {name: row["before"] for name, row in metrics.items()} == pytest.approx(means(files, lists(path)), abs=1e-12)
    assert result["removed"] == sum(max(0, len(documents) - 4) for documents in lists(path).values())
    assert all(row["rose"] + row["fell"] + row["same"] == 6 for row in metrics.values())


def test_swapped_tops_score_as_the_joined_lists(loaded: Any, files: Any) -> None:
    """Each system has the other's first documents before the rest of its own, each document once."""
    a, b = files["runs"][0], files["runs"][3]
    body = {"kind": "whatif", "edit": "swap", "run": a.stem, "other": b.stem, "depth": 3, "metrics": METRICS}
    result = loaded.job("/api/jobs", body)["result"]
    one, two = lists(a), lists(b)
    joined = {topic: list(dict.fromkeys([*two[topic][:3], *one[topic][3:]])) for topic in one}
    assert [row["run"] for row in result["runs"]] == [a.stem, b.stem]
    scores = {name: row["after"] for name, row in result["runs"][0]["metrics"].items()}
    assert scores == pytest.approx(means(files, joined), abs=1e-12)


def test_repeated_documents_are_removed(small_files: Any, client_of: Any) -> None:
    """The second d1 of topic 1 is removed, and documents below it move up."""
    client = client_of(Studio(small_files))
    client.job("/api/collection", {"given": True, "options": {"duplicates": "blank"}})
    body = {"kind": "whatif", "edit": "repeated", "run": "one", "metrics": ["AP"], "options": {"duplicates": "blank"}}
    result = client.job("/api/jobs", body)["result"]
    assert result["removed"] == 1
    row = result["runs"][0]["metrics"]["AP"]
    # Topic 1: relevant at ranks 1, 3, 5, then at 1, 2, 4. Topic 2: at rank 2 of two relevant ones.
    assert row["before"] == pytest.approx(((1 + 2 / 3 + 3 / 5) / 3 + 0.25) / 2)
    assert row["after"] == pytest.approx(((1 + 2 / 2 + 3 / 4) / 3 + 0.25) / 2)


def test_redundant_documents_are_removed(small_files: Any, client_of: Any) -> None:
    """d2 adds nothing to d1 on aspect a and is removed; d3, first on aspect b, and the unjudged dx stay."""
    client = client_of(Studio(small_files))
    client.job("/api/collection", {"given": True, "options": {"duplicates": "first"}})
    body = {
        "kind": "whatif",
        "edit": "redundant",
        "run": "one",
        "metrics": ["RR_IA"],
        "options": {"duplicates": "first"},
    }
    result = client.job("/api/jobs", body)["result"]
    assert result["removed"] == 1
    row = result["runs"][0]["metrics"]["RR_IA"]
    assert (row["rose"], row["fell"], row["same"]) == (1, 0, 1)
    assert row["after"] - row["before"] == pytest.approx((0.5 * (1 / 3 - 1 / 4)) / 2)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"edit": "melt", "run": "perfect"}, "invalid-choice"),
        ({"edit": "cut", "run": "perfect", "depth": -1}, "out-of-range"),
        ({"edit": "swap", "run": "perfect", "other": "perfect"}, "same-run-twice"),
        ({"edit": "swap", "run": "perfect"}, "wrong-type"),
        ({"edit": "cut", "run": "nobody"}, "unknown-run"),
    ],
)
def test_invalid_edits_are_errors(loaded: Any, body: Any, code: str) -> None:
    """An invalid field is refused at once, an edit that does not fit the collection fails as a job."""
    request = {"kind": "whatif", "metrics": ["P@5"], **body}
    answer = loaded.post("/api/jobs", request)
    refused = answer.json() if answer.status_code == 400 else loaded.job("/api/jobs", request)
    assert refused["code"] == code and "\n" not in refused["error"]
