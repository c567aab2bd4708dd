"""The extra `zstd`: files compressed with zstandard."""

from pathlib import Path

import zstandard

from diveval.cli import main

Path("q").write_text("1 a d 1\n")
Path("r.zst").write_bytes(zstandard.ZstdCompressor().compress(b"1 Q0 d 1 1.0 t\n"))
assert main(["evaluate", "q", "r.zst", "-m", "StRecall@1"]) == 0
