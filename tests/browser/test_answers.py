"""The report on RAG answers in a real browser: sentences with their nuggets, and hostile texts as text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import pytest

from diveval.cli import main

NUGGETS = [
    {
        "qid": "<b>q</b>",
        "nuggets": [
            {"text": "<img src=x onerror=alert(1)>", "importance": "vital"},
            {"text": "two", "importance": "okay"},
        ],
    }
]
LABELS = [
    {"qid": "<b>q</b>", "run_id": run, "sentences": sentences}
    for run, sentences in (
        (
            "one",
            [
                {"text": "First <script>alert(1)</script>.", "tokens": 4, "nuggets": {"0": "partial_support"}},
                {"text": "Second.", "tokens": 4, "nuggets": {"0": "support", "1": "support"}},
                {"text": "Third, long.", "tokens": 300, "nuggets": {"0": "support"}},
            ],
        ),
        ("two", [{"text": "Nothing.", "tokens": 5, "nuggets": {}}]),
    )
]


SHARES = {"support": 1.0, "partial_support": 0.5}
NAMES = ("coverage", "utility", "stop", "utility_at_stop", "sentences")


def expected_score(run: str) -> dict[str, float]:
    """The facts of `answer-score`, by hand: weighted coverage, and RBU(p=0.9,e=0.01) with 20 tokens costing e."""
    (sentences,) = [cast("list[dict[str, Any]]", one["sentences"]) for one in LABELS if one["run_id"] == run]
    weights, left = [1.0, 0.5], [1.0, 1.0]  # a vital nugget and an okay one
    rows = [[SHARES.get(one["nuggets"].get(str(n), ""), 0.0) for n in range(2)] for one in sentences]
    utility = [0.0]
    for i, (row, one) in enumerate(zip(rows, sentences, strict=True), 1):
        gain = sum(w * r * rest for w, r, rest in zip(weights, row, left, strict=True)) / sum(weights)
        utility.append(utility[-1] + 0.9**i * (gain - 0.01 * one["tokens"] / 20))
        left = [rest * (1 - r) for rest, r in zip(left, row, strict=True)]
    best = max(utility)
    covered = sum(w * max(column) for w, column in zip(weights, zip(*rows, strict=True), strict=True)) / sum(weights)
    found = (covered, utility[-1], utility.index(best), best, len(sentences))
    return dict(zip(NAMES, found, strict=True))


def score_of(page: Any, run: str) -> dict[str, float]:
    """The same facts as the page states them behind the sentence."""
    evidence = page.locator(f"#answers .panel[data-run={run}] details.evidence-of").first
    evidence.evaluate("one => { one.open = true; }")
    pairs = evidence.locator("dl").first.evaluate(
        "one => [...one.querySelectorAll('dt')].map((name) => [name.textContent, name.nextSibling.textContent])"
    )
    return {name: float(value) for name, value in pairs if name in NAMES}


def test_missed_nuggets_are_a_table(watched: Any, tmp_path: Path) -> None:
    """The nuggets that systems miss, with their texts as text; both are missed by the second system only."""
    for name, records in (("nuggets.jsonl", NUGGETS), ("labels.jsonl", LABELS)):
        (tmp_path / name).write_text("\n".join(map(json.dumps, records)))
    page_file = tmp_path / "r.html"
    assert main(["report", str(tmp_path / "nuggets.jsonl"), str(tmp_path / "labels.jsonl"), "-o", str(page_file)]) == 0
    page = watched.open(page_file.as_uri())
    page.wait_for_selector("#missed tbody tr")
    cells = [
        [c.inner_text() for c in row.query_selector_all("td, th")]
        for row in page.query_selector_all("#missed tbody tr")
    ]
    assert [row[1:4] for row in cells] == [
        ["<img src=x onerror=alert(1)>", "vital", "1 of 2"],
        ["two", "okay", "1 of 2"],
    ]


def test_an_answer_is_shown_sentence_by_sentence(watched: Any, tmp_path: Path) -> None:
    """Each sentence shows its new, better and repeated nuggets, and the answer is marked where it should have ended."""
    for name, records in (("nuggets.jsonl", NUGGETS), ("labels.jsonl", LABELS)):
        (tmp_path / name).write_text("\n".join(map(json.dumps, records)))
    page_file = tmp_path / "r.html"
    assert main(["report", str(tmp_path / "nuggets.jsonl"), str(tmp_path / "labels.jsonl"), "-o", str(page_file)]) == 0
    page = watched.open(page_file.as_uri())
    page.wait_for_selector("#answers table.answer tr")
    rows = page.query_selector_all("#answers .panel[data-run=one] table.answer tr")
    assert [row.query_selector(".sentence p").inner_text() for row in rows] == [
        "First <script>alert(1)</script>.",
        "Second.",
        "Third, long.",
    ]
    kinds = [[chip.get_attribute("class").split()[1] for chip in row.query_selector_all(".nugget")] for row in rows]
    assert kinds == [["new"], ["better", "new"], ["again"]]
    assert [row.get_attribute("class") for row in rows] == [None, "ends", "past"]
    assert "2 of 3" in page.inner_text("#answers .panel[data-run=one] .sum")
    for run in ("one", "two"):
        assert score_of(page, run) == pytest.approx(expected_score(run), abs=1e-5)
    assert page.query_selector("#answers .panel[data-run=two] .nugget.nothing")
    assert not page.query_selector("#inspector")
