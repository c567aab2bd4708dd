"""Extreme settings and hostile texts: every request is answered, or refused with one line, in little time and memory."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from diveval.studio.session import Studio
from support.shared import times

LONG = "9" * 90
METRICS = (
    "RBU(e=1e308)@20",
    "RBU(p=0.5,e=1e308)@1",
    f"RBU(p={LONG}/1{LONG})@20",
    f"RBU(p=0.{LONG}{LONG})@1000000000",
    "nDCG@1000000000",
    "EU(e=0.1)@1000000000",
    "EU(e=1e308)",
    "nRBU(e=1e308)@5",
    "CT(limit=1e-308)@5",
    "RBU(p=1,e=1e308)@5",
)
RUNS = ("constructor", "toString", "__proto__")


@pytest.fixture
def studio(client_of: Callable[[Studio], Any], tmp_path: Path) -> Any:
    """A studio with runs named like parts of JavaScript's objects, one without a topic, and half a surrogate pair."""
    (tmp_path / "qrels").write_text("1 a d1 1\n1 b d2 2\n2 a d1 1\n3 a d9 0\n4 a d1 1\n", encoding="utf-8")
    for name in RUNS:
        rows = "".join(f"{t} Q0 d{i} {i} {9 - i} x\n" for t in "123" for i in range(1, 6))
        (tmp_path / name).write_text(rows, encoding="utf-8")
    (tmp_path / "topics.jsonl").write_text('{"topic": "1", "query": "a\\ud800b"}\n', encoding="utf-8")
    (tmp_path / "docs.jsonl").write_text('{"docno": "d1", "title": "\\udfff"}\n', encoding="utf-8")
    files = [tmp_path / name for name in ("qrels", *RUNS)]
    client = client_of(Studio(files, topics=tmp_path / "topics.jsonl", docs=tmp_path / "docs.jsonl"))
    assert client.job("/api/collection", {"given": True})["state"] == "done"
    return client


def test_half_a_surrogate_pair_is_answered(studio: Any) -> None:
    """A text that UTF-8 cannot represent arrives as it was, and the session answers as before."""
    shown = studio.post("/api/walk", {"runs": RUNS[:1], "topic": "1", "metrics": ["P@5"]})
    assert shown.status_code == 200 and r"\udfff" in json.dumps(shown.json())
    assert studio.get("/api/session").status_code == 200


@pytest.mark.parametrize("metric", METRICS[: times(5, len(METRICS))])
def test_extreme_settings_are_answered_or_refused(studio: Any, metric: str) -> None:
    """No request fails inside the studio or takes long, whatever the cutoff and the parameters."""
    ranking = {"relevance": [[0.5, 1], [1, 0]], "weights": [1, 1]}
    for path, body in (
        ("/api/metric", {"text": metric}),
        ("/api/scores", {"metrics": [metric]}),
        ("/api/ranking", {"run": RUNS[0], "topic": "1", "metric": metric, "depth": 200}),
        ("/api/walk", {"runs": RUNS[:2], "topic": "1", "metric": metric, "metrics": [metric], "depth": 200}),
        ("/api/playground", {"metrics": [metric], "rankings": [ranking], "walk": metric}),
    ):
        started = time.thread_time()
        answer = studio.post(path, body)
        assert answer.status_code < 500 and answer.status_code != 202, (path, answer.text)
        assert "NaN" not in answer.text and "Infinity" not in answer.text
        assert time.thread_time() - started < 5


def test_axioms_at_a_huge_cutoff_end(studio: Any) -> None:
    """A job about rankings that are too long to expand ends by itself."""
    state = studio.job("/api/axioms", {"metrics": ["RBU@100000"]})
    assert state["state"] == "done", state
