"""The pages of the documentation that compute: the jaguar ranking, and the evaluation in the browser, from disk."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import diveval
from diveval.views import assets
from support.accessible import MOST_STOPS, count_stops, find_violations
from support.pages import settled
from support.shared import THOROUGH

ROOT = Path(__file__).parents[2]
JUDGMENTS = "1 1 d1 2\n1 2 d2 1\n2 1 d1 1\n2 2 d3 1\n"
RUNS = {
    "one": "1 Q0 d1 1 3 x\n1 Q0 d2 2 2 x\n2 Q0 d3 1 3 x\n2 Q0 d1 2 2 x\n",
    "two": "1 Q0 d9 1 3 x\n1 Q0 d2 2 2 x\n2 Q0 d3 1 3 x\n2 Q0 d8 2 2 x\n",
}


def page_of(folder: Path, name: str) -> str:
    """A page from disk with the element and the script that the documentation has."""
    (folder / f"{name}.js").write_text(assets.script(f"{name}.js"), encoding="utf-8")
    path = folder / f"{name}.html"
    path.write_text(
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>t</title><div id="{name}"></div>'
        f'<script defer src="{name}.js"></script></html>',
        encoding="utf-8",
    )
    return path.as_uri()


@pytest.fixture
def jaguar(watched: Any, tmp_path: Path) -> Any:
    """The page with the jaguar ranking, without a network."""
    page = watched.open(page_of(tmp_path, "jaguar"), offline=True)
    page.wait_for_selector(".play-both")
    return page


def values(page: Any) -> dict[str, tuple[float, float]]:
    """By metric, the scores of the given and of the changed ranking."""
    rows = page.locator(".play-both > div:nth-child(2) tbody tr").all()
    cells = [row.locator("th, td").all_inner_texts() for row in rows]
    return {name: (float(given), float(own)) for name, given, own, _ in cells}


def scores_of(rows: list[tuple[str, int, int, int]], pool: list[tuple[str, int, int, int]]) -> dict[str, float]:
    """The five metrics of a ranking by `evaluate`, with every document of `pool` and of the ranking judged."""
    judged = {title: grades for title, *grades in [*pool, *rows]}
    judgments = {"1": {str(a): {t: g[a] for t, g in judged.items()} for a in range(3)}}
    run = {"1": {title: float(len(rows) - i) for i, (title, *_) in enumerate(rows)}}
    triples = [("1", a, d, g) for a, documents in judgments["1"].items() for d, g in documents.items()]
    names = ["RBU", "alpha_nDCG", "ERR_IA", "Dsharp_nDCG", "StRecall@3"]
    return dict(zip(names, diveval.evaluate(triples, run, names).means[0].tolist(), strict=True))


GIVEN = [
    ("Jaguars of the Amazon", 2, 0, 0),
    ("The big cats: jaguar, lion, tiger", 1, 0, 0),
    ("Jaguar E-Type, 1961–1974", 0, 2, 0),
    ("Fender Jaguar: a history", 0, 0, 1),
]


def test_the_five_metrics_are_those_of_evaluate(jaguar: Any) -> None:
    """With the car second, the scores of both rankings are the library's."""
    jaguar.locator("button", has_text="Show the car second").click()
    changed = [GIVEN[0], GIVEN[2], GIVEN[1], GIVEN[3]]
    expected = [scores_of(rows, GIVEN).values() for rows in (GIVEN, changed)]
    shown = list(values(jaguar).values())
    for (given, own), before, after in zip(shown, *expected, strict=True):
        assert (given, own) == (pytest.approx(before, abs=6e-4), pytest.approx(after, abs=6e-4))


def test_two_metrics_disagree_at_first_and_a_click_changes_the_scores(jaguar: Any) -> None:
    """At first one metric prefers each ranking; a click on a mark changes the document and the scores."""
    signs = {(own > given) - (own < given) for given, own in values(jaguar).values()}
    assert {1, -1} <= signs
    assert jaguar.locator(".play-why").inner_text()
    before = values(jaguar)
    jaguar.locator("[data-key=g0-1]").click()
    assert values(jaguar) != before


def test_the_given_ranking_ties_with_itself(jaguar: Any) -> None:
    """Nothing is better or worse, and the page says so instead of naming two metrics."""
    jaguar.locator("button", has_text="As given").click()
    assert all(given == own for given, own in values(jaguar).values())
    assert jaguar.locator(".play-apart").count() == 0


def test_files_are_evaluated_on_the_page_without_a_network(watched: Any, tmp_path: Path) -> None:
    """Judgments and runs give the table of `evaluate`, sorted by the first metric, and no request is sent."""
    page = watched.open(page_of(tmp_path, "browser"), offline=True)
    sent = len(watched.requests)
    files = [("qrels.txt", JUDGMENTS), *((f"{name}.run", text) for name, text in RUNS.items())]
    for name, text in files:
        (tmp_path / name).write_text(text)
    page.set_input_files("#browser-files", [tmp_path / name for name, _ in files])
    page.wait_for_selector("#browser-board")
    rows = [row.locator("th, td").all_inner_texts() for row in page.locator("#browser-board tbody tr").all()]
    names = ["RBU@20", "alpha_nDCG@20", "ERR_IA@20", "Dsharp_nDCG@20", "StRecall@20"]
    expected = diveval.evaluate(tmp_path / "qrels.txt", [tmp_path / f"{name}.run" for name in RUNS], names)
    order = sorted(range(2), key=lambda r: -expected.means[r, 0])
    assert [row[0] for row in rows] == [expected.runs[r].removesuffix(".run") for r in order]
    for row, r in zip(rows, order, strict=True):
        assert [float(text) for text in row[1:]] == pytest.approx(expected.means[r].tolist(), abs=6e-5)
    assert page.locator("#browser-ranks tbody tr").count() == 2
    assert watched.requests[sent:] == []


def test_a_bad_file_is_refused_with_its_place(watched: Any, tmp_path: Path) -> None:
    """The message names file, line and code, and goes away with a good file."""
    page = watched.open(page_of(tmp_path, "browser"), offline=True)
    for name, text in (("bad.txt", "1 1 d1 1\n1 1 d2\n"), ("qrels.txt", JUDGMENTS), ("one.run", RUNS["one"])):
        (tmp_path / name).write_text(text)
    page.set_input_files("#browser-files", tmp_path / "bad.txt")
    page.wait_for_selector(".refused")
    assert all(fact in page.locator(".refused").inner_text() for fact in ("bad.txt", "2", "wrong-columns"))
    page.set_input_files("#browser-files", [tmp_path / "qrels.txt", tmp_path / "one.run"])
    page.wait_for_selector("#browser-board")
    assert settled(page).locator(".refused").count() == 0


@pytest.fixture(scope="session")
def documentation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The documentation, built."""
    pytest.importorskip("sphinx", reason="sphinx builds the documentation")
    folder = tmp_path_factory.mktemp("documentation")
    subprocess.run([sys.executable, "-m", "sphinx", "-q", "-b", "html", ROOT / "docs", folder], check=True)
    return folder


@pytest.mark.skipif(not THOROUGH, reason="building the documentation takes a minute")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_of_the_documentation_have_no_violation(watched: Any, documentation: Path, scheme: str) -> None:
    """axe finds nothing on any page; the Tab key reaches the content soon."""
    made = {"genindex.html", "py-modindex.html", "search.html"}  # of Sphinx, without text of ours
    pages = [path for path in documentation.rglob("*.html") if path.name not in made and "_modules" not in path.parts]
    assert len(pages) > len(list((ROOT / "docs").rglob("*.md")))
    page = watched.open((documentation / "index.html").as_uri(), color_scheme=scheme)
    for path in pages:
        page.goto(path.as_uri())
        assert find_violations(page) == [], path.name
        assert count_stops(page, "article h1") <= MOST_STOPS, path.name
