"""The example track with every export, and one parser for all tests of a module."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from diveval import cli
from support.tracks import EXPORTS, example, track


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The example track with every export, before release."""
    place = example(tmp_path_factory.mktemp("exports"))
    for what in EXPORTS:
        track("export", what, place)
    return place


@pytest.fixture(scope="module", autouse=True)
def one_parser() -> Iterator[None]:
    """Build the parser of `diveval track` once: building it takes longer than most commands on a small track."""
    make, parser = cli._parser, cli._parser(["track"])

    def cached(words: Sequence[str]) -> argparse.ArgumentParser:
        return parser if words[:1] == ["track"] else make(words)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cli, "_parser", cached)
        yield
