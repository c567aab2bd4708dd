"""`python -m diveval` is `diveval`."""

import os
import sys
from contextlib import suppress
from pathlib import Path

# `python -m` puts the working folder first on the path: a `numpy.py` beside downloaded data would run.
with suppress(OSError):  # the folder may be gone
    here = Path.cwd()
    if sys.path and sys.path[0] in ("", os.fspath(here)) and here != Path(__file__).resolve().parents[1]:
        del sys.path[0]

from diveval.launch import program

raise SystemExit(program())
