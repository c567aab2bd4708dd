"""The extra `table`: rich shows a progress bar on a terminal."""

import io
import sys
from types import SimpleNamespace

from diveval.cli.axioms import progress_bar


class Terminal(io.StringIO):
    """A stream that claims to be a terminal."""

    def isatty(self) -> bool:
        return True


sys.stderr = Terminal()
with progress_bar() as show:
    assert show is not None
    show(1, 2, SimpleNamespace(metric="RBU", axiom="Pri"))
