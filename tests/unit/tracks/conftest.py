"""The example track with all that can be exported of it."""

from __future__ import annotations

from typing import Any

import pytest

from support.tracks import EXPORTS, example, track


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The example track with every export, before release."""
    place = example(tmp_path_factory.mktemp("exports"))
    for what in EXPORTS:
        track("export", what, place)
    return place
