"""A small collection on disk, and a studio that has loaded it, called without a network."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from diveval.datasets import make_collection
from diveval.studio.fields import record
from diveval.studio.limits import Limits
from diveval.studio.metric_forms import Catalogue
from diveval.studio.playground import play, request
from diveval.studio.session import Studio
from support.studio_client import Client


def play_request(body: dict[str, Any]) -> dict[str, Any]:
    """The answer of the playground."""
    return dict(play(record(request(Limits())).read(body, ""), Catalogue().find, Limits()))


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Judgments, weights and five runs of a synthetic collection."""
    folder = make_collection(tmp_path_factory.mktemp("collection"), topics=6, systems=5, depth=30, seed=3)
    return {
        "judgments": folder / "qrels.txt",
        "weights": folder / "weights.txt",
        "runs": sorted((folder / "runs").glob("*.run")),
    }


@pytest.fixture(scope="session")
def loaded(files: dict[str, Any]) -> Iterator[Client]:
    """A studio with the collection; tests that use it leave it unchanged."""
    studio = Studio([files["judgments"], *files["runs"]], weights=files["weights"])
    client = Client(studio)
    assert client.job("/api/collection", {"given": True})["state"] == "done"
    yield client
    studio.close()


@pytest.fixture
def client_of() -> Iterator[Callable[[Studio], Client]]:
    """Makes a client for any studio, which is closed at the end."""
    studios: list[Studio] = []

    def make(studio: Studio) -> Client:
        studios.append(studio)
        return Client(studio)

    yield make
    for studio in studios:
        studio.close()


@pytest.fixture
def fresh() -> Iterator[Client]:
    """A studio started without files."""
    studio = Studio()
    yield Client(studio)
    studio.close()


@pytest.fixture
def small_files(tmp_path: Path) -> list[Path]:
    """Judgments and one run small enough to check manually; the run repeats a document."""
    qrels, run = tmp_path / "qrels.txt", tmp_path / "one.run"
    qrels.write_text("1 a d1 1\n1 a d2 1\n1 b d3 1\n1 b d9 0\n2 a d1 1\n2 b d2 1\n")
    run.write_text(
        "1 Q0 d1 1 9 r\n1 Q0 d1 2 8 r\n1 Q0 d2 3 7 r\n1 Q0 dx 4 6 r\n1 Q0 d3 5 5 r\n2 Q0 d9 1 3 r\n2 Q0 d2 2 2 r\n"
    )
    return [qrels, run]


@pytest.fixture
def process(tmp_path: Path, files: dict[str, Any]) -> Iterator[Any]:
    """`diveval studio` with the collection, in its own process."""
    from .test_studio_server import Process

    started = Process(str(files["judgments"]), *map(str, files["runs"]), folder=tmp_path)
    yield started
    started.process.kill()
    started.process.communicate()
