"""`diveval.board`: possible ranks over judges, metrics and parameters, from `compare` and `conclude`."""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path

import pytest

import diveval
from diveval.cli import main
from diveval.judging.boards import Board
from support.judged import make_labels, make_runs, quietly, spoil

TRUTH = make_labels(25, documents=6)
JUDGES = [TRUTH, spoil(TRUTH, 0.2, seed=4)]
RANDOM = make_runs(list(TRUTH), ["A", "B"], documents=6)
METRICS = ["RBP(p=0.5..0.8)@5", "P@3"]


def _order(best_first: bool) -> dict[str, list[str]]:
    grades = {t: {d: sum(by[d] for by in aspects.values()) for d in aspects["a"]} for t, aspects in TRUTH.items()}
    return {t: sorted(of, key=lambda d: of[d], reverse=best_first) for t, of in grades.items()}


RUNS = {**RANDOM, "good": _order(True), "bad": _order(False)}


def _board(metrics: list[str], judges: int = 2) -> Board:
    return quietly(lambda: diveval.board(JUDGES[0], RUNS, metrics, judges=JUDGES[1:judges]))


@pytest.mark.parametrize(("metrics", "judges"), [(METRICS, 2), (METRICS[:1], 1), (["P@3"], 2)])
def test_statuses_follow_from_compare_and_conclude(metrics: list[str], judges: int) -> None:
    """A pair is significant if proved for all and significant in every comparison, proved if only that, else open."""
    result = _board(metrics, judges)
    proved = quietly(lambda: diveval.conclude(JUDGES[0], RUNS, metrics, judges=JUDGES[1:judges])).edges()
    from diveval.conclusions.ranges import as_ranged

    reference = [as_ranged(name).metric.name for name in metrics]
    winners = []
    for judge in JUDGES[:judges]:
        scores = diveval.evaluate(judge, RUNS, reference)
        for name in scores.metrics:
            rows = quietly(lambda scores=scores, name=name: scores.compare(name).rows)  # type: ignore[misc]
            winners.append({(r.run, r.other) for r in rows if r.significant})
    everywhere = set.intersection(*winners)
    for pair in result.pairs:
        names = pair.better, pair.worse
        expected = "open" if names not in proved else "significant" if names in everywhere else "proved"
        assert pair.status == expected
    assert len(result.pairs) == 6 and {pair.status for pair in result.pairs} - {"open"}


def test_ranks_are_those_of_all_orders_that_respect_the_pairs() -> None:
    """Each set of ranks contains every rank that the system has in an order of systems with the decided pairs."""
    result = _board(METRICS)
    for kinds, ends in (
        (("significant",), ("best", "worst")),
        (("significant", "proved"), ("best_proved", "worst_proved")),
    ):
        decided = [(p.better, p.worse) for p in result.pairs if p.status in kinds]
        orders = [o for o in permutations(RUNS) if all(o.index(a) < o.index(b) for a, b in decided)]
        for row in result.rows:
            ranks = {order.index(row.run) + 1 for order in orders}
            assert (getattr(row, ends[0]), getattr(row, ends[1])) == (min(ranks), max(ranks))


def test_the_command_prints_the_board(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`conclusions --board` has the rows of the function; it excludes pictures of pairs."""
    files = []
    for i, judge in enumerate(JUDGES):
        rows = [f"{t} {a} {d} {g:g}\n" for t, by in judge.items() for a, of in by.items() for d, g in of.items()]
        (tmp_path / f"j{i}.txt").write_text("".join(rows))
        files.append(str(tmp_path / f"j{i}.txt"))
    for name, ranked in RUNS.items():
        lines = [f"{t} Q0 {d} {i} {9 - i} {name}\n" for t, docs in ranked.items() for i, d in enumerate(docs, 1)]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    words = [files[0], *(str(tmp_path / f"{name}.run") for name in RUNS), "--judgments", files[1], "-m", METRICS[0]]
    assert main(["conclusions", *words, "--board", "-f", "json"]) == 0
    shape = json.loads(capsys.readouterr().out)
    assert [row["run"] for row in shape["rows"]] == [row.run for row in _board(METRICS[:1]).rows]
    assert main(["conclusions", *words, "--board"]) == 0
    assert main(["conclusions", *words, "--board", "--graph", str(tmp_path / "g.svg")]) == 2


def test_the_report_takes_metrics_for_the_board(tmp_path: Path) -> None:
    """`report --board METRIC` writes a page with the board's figure; a metric that does not exist is refused before any work."""
    rows = [f"{t} {a} {d} {g:g}\n" for t, by in TRUTH.items() for a, of in by.items() for d, g in of.items()]
    (tmp_path / "qrels.txt").write_text("".join(rows))
    for name, ranked in RUNS.items():
        lines = [f"{t} Q0 {d} {i} {9 - i} {name}\n" for t, docs in ranked.items() for i, d in enumerate(docs, 1)]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    files = [str(tmp_path / "qrels.txt"), *(str(tmp_path / f"{name}.run") for name in RUNS)]
    words = ["report", *files, "-m", "P@3", "--conclusions", "none", "--axiom-seconds", "0", "-o"]
    board = [word for name in METRICS for word in ("--board", name)]
    assert quietly(lambda: main([*words, str(tmp_path / "page.html"), *board])) == 0
    assert (tmp_path / "page.html").is_file()
    assert main([*words, str(tmp_path / "none.html"), "--board", "Nonsense@3"]) == 2
    assert not (tmp_path / "none.html").exists()


def test_the_sentence_counts_the_pairs() -> None:
    """Significant, proved and open pairs are those of the board."""
    result = _board(METRICS)
    (said,) = result.statements
    for status in ("significant", "proved", "open"):
        assert said.facts[status] == sum(pair.status == status for pair in result.pairs)
    assert (said.facts["pairs"], said.facts["judges"], said.facts["topics"]) == (6, 2, len(TRUTH))
