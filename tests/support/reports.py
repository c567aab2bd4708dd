"""Reports without axioms, for tests of everything else on the page."""

from __future__ import annotations

from typing import NoReturn

import pytest

from diveval.errors import UsageError
from diveval.report import axiom_section


def leave_axioms_out(patch: pytest.MonkeyPatch) -> None:
    """Make reports without axioms, as where z3 is not installed."""

    def missing(*_: object) -> NoReturn:
        raise UsageError("missing-extra", "left out")

    patch.setattr(axiom_section, "need", missing)
