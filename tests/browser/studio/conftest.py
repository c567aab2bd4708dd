"""A studio with a small collection whose ids are hostile, and its page in a browser."""

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
    made = make_collection(tmp_path_factory.mktemp("studio"), topics=6, systems=6, depth=40, seed=5)
    runs = sorted((made / "runs").glob("*.run"))
    weights = made / "weights.txt"
    first = runs[0].read_text().split()
    for path in [made / "qrels.txt", weights, *runs]:
        text = re.sub(r"(?m)^101 ", HOSTILE.replace("1", "2") + " ", path.read_text())
        if path.parent == made:
            text = re.sub(
                rf"(?m)^({re.escape(HOSTILE.replace('1', '2'))}) 1 ", rf"\1 {HOSTILE.replace('1', '3')} ", text
            )
        path.write_text(text.replace(f" {first[2]} ", f" {HOSTILE.replace('1', '4')} "))
    evil = runs[0].with_name("<b onclick=hacked=5>.run")
    runs[0].rename(evil)
    return {"judgments": made / "qrels.txt", "weights": weights, "runs": [evil, *runs[1:]]}


@pytest.fixture(scope="session")
def served(collection: dict[str, Any]) -> Iterator[Served]:
    """The studio with that collection as its files of the command line."""
    metrics = [parse(name) for name in METRICS]
    held = Served(
        Studio([collection["judgments"], *collection["runs"]], weights=collection["weights"], metrics=metrics)
    )
    yield held
    held.close()


@pytest.fixture(scope="session")
def scores(collection: dict[str, Any]) -> Any:
    """The library's own answer."""
    return evaluate(collection["judgments"], collection["runs"], METRICS, weights=collection["weights"])


@pytest.fixture(scope="package")
def desk(standing: Any, served: Served) -> Any:
    """The studio's page, come up and left open."""
    return ready(standing.open(served.address))


@pytest.fixture
def page(desk: Any, quiet: None) -> Any:
    """The studio's page as it comes up, for one test; it remembers answers that it got before."""
    return cleared(desk)
