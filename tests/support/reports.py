"""Reports without the process that decides axioms beside them, for tests of everything else on the page."""

from __future__ import annotations

from typing import NoReturn

import pytest

from diveval.errors import UsageError
from diveval.report import axiom_section


def leave_axioms_out(patch: pytest.MonkeyPatch) -> None:
    """As where z3 is not installed: the page has no matrix, and a note says why."""

    def missing(*_: object) -> NoReturn:
        raise UsageError("left out")

    patch.setattr(axiom_section, "need", missing)
