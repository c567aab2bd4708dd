"""The extra `fast`: compressed files."""

import gzip
from pathlib import Path

from diveval.cli import main

Path("q").write_text("1 a d 1\n")
Path("r.gz").write_bytes(gzip.compress(b"1 Q0 d 1 1.0 t\n"))
assert main(["evaluate", "q", "r.gz", "-m", "StRecall@1"]) == 0
