"""Generate the reference pages from the code at every build of the site, so that they match the program.

`python docs/generate.py` writes into docs/_generated/, which is not kept in the repository.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import generate_axioms
import generate_cli
import generate_formats
import generate_metrics
import generate_notebook

from diveval.views import assets

SCRIPTS = ("jaguar.js", "browser.js")  # what the pages run, each with all it imports


def pages() -> dict[str, str | bytes]:
    """All generated files by their path below docs/_generated."""
    matrix = generate_axioms.matrix()
    return {
        **generate_metrics.pages(matrix),
        **generate_axioms.pages(matrix),
        **generate_cli.pages(),
        **generate_formats.pages(),
        **generate_notebook.pages(HERE / "tour.ipynb"),
        **{f"scripts/{name}": assets.script(name) for name in SCRIPTS},
    }


def write(folder: Path) -> None:
    """Write only changed files and remove obsolete ones, so that a second build is fast."""
    wanted = {folder / name: text if isinstance(text, bytes) else text.encode() for name, text in pages().items()}
    for path, content in wanted.items():
        if not path.exists() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    for path in [p for p in folder.rglob("*") if p.is_file() and p not in wanted]:
        path.unlink()
    for path in sorted((p for p in folder.rglob("*") if p.is_dir() and not any(p.iterdir())), reverse=True):
        shutil.rmtree(path)


if __name__ == "__main__":
    write(HERE / "_generated")
