"""A studio with a small collection with hostile ids, and its page in a browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from support.late import late_or_skip

late_or_skip("uvicorn", reason="the studio needs uvicorn")
late_or_skip("starlette", reason="the studio needs starlette")

from diveval import evaluate, parse
from diveval.datasets import make_collection
from diveval.studio.session import Studio
from support.pages import cleared
from support.studio_page import HOSTILE, METRICS, Served, ready


@pytest.fixture(scope="session")
def collection(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """A small collection in which a run, a topic, an aspect and a document have names that are markup."""
    folder = make_collection(tmp_path_factory.mktemp("studio"), topics=6, systems=6, depth=40, seed=5)
    runs = sorted((folder / "runs").glob("*.run"))
    weights = folder / "weights.txt"
    first = runs[0].read_text().split()
    for path in [folder / "qrels.txt", weights, *runs]:
        text = re.sub(r"(?m)^101 ", HOSTILE.replace("1", "2") + " ", path.read_text())
        if path.parent == folder:
            text = re.sub(
                rf"(?m)^({re.escape(HOSTILE.replace('1', '2'))}) 1 ", rf"\1 {HOSTILE.replace('1', '3')} ", text
            )
        path.write_text(text.replace(f" {first[2]} ", f" {HOSTILE.replace('1', '4')} "))
    evil = runs[0].with_name("<b onclick=hacked=5>.run")
    runs[0].rename(evil)
    return {"judgments": folder / "qrels.txt", "weights": weights, "runs": [evil, *runs[1:]]}


@pytest.fixture(scope="session")
def served(collection: dict[str, Any]) -> Iterator[Served]:
    """The studio with that collection given on the command line."""
    metrics = [parse(name) for name in METRICS]
    studio = Served(
        Studio([collection["judgments"], *collection["runs"]], weights=collection["weights"], metrics=metrics)
    )
    yield studio
    studio.close()


@pytest.fixture(scope="session")
def scores(collection: dict[str, Any]) -> Any:
    """The library's scores of that collection."""
    return evaluate(collection["judgments"], collection["runs"], METRICS, weights=collection["weights"])


@pytest.fixture(scope="package")
def desk(standing: Any, served: Served) -> Any:
    """The studio's page, shared by tests."""
    return ready(standing.open(served.address))


@pytest.fixture
def page(desk: Any, quiet: None) -> Any:
    """The studio's page in its initial state, for one test; it keeps the answers of earlier tests."""
    return cleared(desk)
