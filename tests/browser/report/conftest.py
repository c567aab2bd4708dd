"""Reports of a small collection with hostile names, texts and a run that lacks a topic, and of many runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from support.late import late_or_skip

late_or_skip("scipy", reason="the report's tests of significance need scipy")

from diveval.axioms.proof.scheduler import Background
from diveval.collection.judgments import Judgments
from diveval.collection.runs import Run
from diveval.datasets import synthesize
from diveval.errors import capture_warnings
from diveval.metrics import as_metrics
from diveval.reading.texts import DocumentText, Texts, TopicText
from diveval.report import axiom_section
from diveval.report.contents import contents
from diveval.report.page import page
from diveval.scoring.evaluate import rank_all
from diveval.scoring.study import Evaluation, metrics_to_read
from diveval.settings import Options
from diveval.views import board
from diveval.views.survival import Doubts
from support.pages import PHONE, cleared, settled
from support.shared import made_once

RBU = "RBU(p=0.99,e=0.05)@20"
METRICS = [RBU, "ERR_IA@20", "StRecall@20"]  # the axiom engine decides each in a second or two
TWENTY = [
    RBU,
    "RBU(p=0.9,e=0.01)@20",
    "alpha_nDCG@20",
    "ERR_IA@20",
    "NRBP@20",
    "StRecall@20",
    "Dsharp_nDCG@20",
    "D_nDCG@20",
    "EU@20",
    "AP_IA@20",
    "P_IA@20",
    "nDCG_IA@20",
    "RBP_IA@20",
    "iRBU@20",
    "CT@20",
    "P@20",
    "AP@20",
    "nDCG@20",
    "RR@20",
    "DCG@20",
]
HOSTILE = {
    "run": "</script><script>hacked=1</script>",
    "topic": "<img src=x onerror=hacked=2>",
    "document": '"><img src=x onerror="hacked=3">',
    "aspect": "<svg onload=hacked=4>",
    "query": "<b>a query</b>",
}
MANY = 45
LACKING = "103"  # the topic that the last run lacks


def make_study(
    names: dict[str, str], *, topics: int, systems: int, depth: int, metrics: list[str], run: str = "{}"
) -> Evaluation:
    """A synthetic collection with some ids replaced; its last run lacks a topic."""
    source = synthesize(topics=topics, systems=systems, depth=depth, seed=3)
    listed, first = list(source.rankings), source.topics[0].name
    top = source.run(listed[0])[first][0][0]
    changed = {listed[1]: names["run"], first: names["topic"], top: names["document"]} if names else {}

    def new(text: str) -> str:
        return changed.get(text, text)

    def aspect(topic: str, text: str) -> str:
        return names["aspect"] if names and (topic, text) == (first, "1") else text

    rows = [(new(t), aspect(t, a), new(d), float(g)) for t, a, d, g in source.judgments()]
    weights = {(new(t), aspect(t, a)): w for t, given in source.weights.items() for a, w in given.items()}
    judgments = Judgments.from_rows(rows, weights=weights)
    runs = []
    for name in listed:
        lists = {t: some for t, some in source.run(name).items() if name != listed[-1] or t != LACKING}
        runs.append(
            Run.from_rows(
                [(new(t), new(d), s) for t, some in lists.items() for d, s in some], name=run.format(new(name))
            )
        )
    options, wanted = Options.of(), as_metrics(metrics)
    with capture_warnings() as notes:
        rankings = rank_all(judgments, runs, metrics_to_read(wanted), options, keep_documents=True)
    texts = Texts({"102": TopicText("two words", "What they mean.", {"1": "the first aspect"})}, {})
    if names:
        words = {new(first): TopicText(names["query"], "", {names["aspect"]: "<i>an aspect</i>"})}
        texts = Texts({**texts.topics, **words}, {names["document"]: DocumentText("<u>A title</u>", "A snippet.")})
    return Evaluation(judgments, rankings, wanted, options, notes=[str(note) for note in notes], texts=texts)


@pytest.fixture(scope="session")
def study() -> Evaluation:
    """A small collection in which a run, a topic, a document and an aspect have hostile names."""
    return make_study(HOSTILE, topics=5, systems=6, depth=60, metrics=METRICS)


@pytest.fixture(scope="session")
def address(study: Evaluation, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The report of that collection, on disk."""

    def make(path: Path) -> None:
        data = contents(study, title="A <b>bold</b> title", command=["diveval", "report"], axiom_seconds=60)
        path.write_text(page(data), encoding="utf-8")

    return made_once(tmp_path_factory, "report.html", make).as_uri()


def report_of_twenty_metrics(factory: pytest.TempPathFactory, name: str, systems: int, run: str = "{}") -> str:
    """A report of many runs and twenty metrics, with few topics, resamples and ranks, one parameter in doubt and no
    decided axiom, which would take a minute and are tested elsewhere."""

    def make(path: Path) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(board, "QUICK_RESAMPLES", 200)
            patch.setattr(axiom_section, "Background", lambda cells, limits: Background([], limits))
            study = make_study({}, topics=5, systems=systems, depth=25, metrics=TWENTY, run=run)
            data = contents(study, axiom_seconds=60, conclusions=Doubts("RBU(p=0.9,e=0..0.1)@5"))
        path.write_text(page(data), encoding="utf-8")

    return made_once(factory, f"{name}.html", make).as_uri()


@pytest.fixture(scope="session")
def large(tmp_path_factory: pytest.TempPathFactory) -> str:
    """More runs than fit on a screen or a sheet, or are drawn with wide rows."""
    return report_of_twenty_metrics(tmp_path_factory, "large", MANY)


@pytest.fixture(scope="session")
def alike(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Runs whose names differ in the middle only."""
    return report_of_twenty_metrics(tmp_path_factory, "alike", 8, run="reinforced-{}_allanchors")


def opened(watched: Any, address: str, **context: Any) -> Any:
    """Open a report without a network and wait until it is drawn."""
    return drawn(watched.open(address, **{"offline": True, **context}))


def drawn(page: Any) -> Any:
    """Wait until a report is completely drawn."""
    page.wait_for_selector("html[data-ready=yes]", state="attached")
    page.wait_for_selector("#panels .curve svg")
    return settled(page)


@pytest.fixture(scope="package")
def desk(standing: Any, address: str) -> Any:
    """The report on a desktop screen, shared by tests."""
    return opened(standing, address)


@pytest.fixture
def report(desk: Any, quiet: None) -> Any:
    """The report on a desktop screen in its initial state, for one test."""
    return cleared(desk)


@pytest.fixture(scope="package")
def pocket(standing: Any, address: str) -> Any:
    """The report on a phone, shared by tests; a page of its own, since pictures keep the width of their first drawing."""
    return opened(standing, address, viewport=PHONE)


@pytest.fixture
def phone(pocket: Any, quiet: None) -> Any:
    """The report on a phone in its initial state, for one test."""
    return cleared(pocket, PHONE)


def shown(page: Any, selector: str) -> list[str]:
    """The text of everything that matches."""
    texts: list[str] = page.locator(selector).all_inner_texts()
    return texts


def table(page: Any, name: str) -> list[list[str]]:
    """The body of a table as text."""
    script = "t => [...t.tBodies[0].rows].map(r => [...r.cells].map(c => c.innerText.trim()))"
    rows: list[list[str]] = page.locator(f"#{name}").evaluate(script)
    return rows
