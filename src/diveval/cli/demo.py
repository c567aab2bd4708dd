"""`diveval demo`: a tour of the commands in a minute, on a synthetic collection."""

from __future__ import annotations

import argparse
import shlex
from importlib.util import find_spec
from pathlib import Path

from diveval.cli import common
from diveval.errors import count_of


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `diveval demo`."""
    parser.add_argument("-o", "--output", default="demo", metavar="DIR", help="where to write (default: demo)")
    for name, default, what in (
        ("topics", 20, "topics of the collection"),
        ("systems", 12, "systems whose runs are made"),
        ("depth", 200, "documents per topic, at most"),
        ("seed", 1, "seed of all random draws"),
    ):
        common.add_number(parser, f"--{name}", default=default, help=what)
    parser.add_argument("--open", dest="open_page", action="store_true", help="open the page in a browser")


def run(arguments: argparse.Namespace) -> int:
    """Make a collection, then print and run the commands that a new user would try first."""
    from diveval.datasets import make_collection

    folder = Path(arguments.output)
    made = make_collection(
        folder / "collection",
        topics=arguments.topics,
        systems=arguments.systems,
        depth=arguments.depth,
        seed=arguments.seed,
    )
    runs = [str(path) for path in sorted((made / "runs").glob("*.run"))]
    common.say(
        f"A synthetic collection: {count_of(arguments.topics, 'topic')}, {count_of(arguments.systems, 'system')}, in {made}\n"
    )
    collection = [f"{made}/qrels.txt", *runs, "--weights", f"{made}/weights.txt"]
    _say_and_run("1. How good is each system?", ["evaluate", *collection])
    _say_and_run("2. Where should a reader stop?", ["evaluate", *collection, "--stop"])
    scores = str(folder / "scores.csv")
    _say_and_run("3. Every number, for your own tools.", ["evaluate", *collection, "-q", "-f", "csv", "-o", scores])
    common.say(f"Written: {scores}\n")
    if all(find_spec(library) for library in ("altair", "vl_convert", "scipy")):
        page = str(folder / "report.html")
        _say_and_run("4. See it all.", ["report", *collection, "--axiom-seconds", "30", "-o", page])
        _end(Path(page).resolve(), arguments.open_page)
    else:
        common.say("4. To see it all as a page: pip install 'diveval[report]'")
    return 0


def _end(page: Path, open_page: bool) -> None:
    """Open the page, or print how to."""
    import webbrowser

    if open_page and webbrowser.open(page.as_uri()):
        common.say(f"Opened {page.as_uri()}")
        return
    hint = "no browser could be started here" if open_page else "`diveval demo --open` does so"
    common.say(f"Open the page in a browser: {page.as_uri()}\n({hint})")


def _say_and_run(title: str, words: list[str]) -> None:
    from diveval.cli import main
    from diveval.errors import DivevalError

    runs = [word for word in words if word.endswith(".run")]
    printed = [word for word in words if not word.endswith(".run")]
    if runs:
        printed.insert(2, str(Path(runs[0]).parent / "*.run"))
    common.say(f"{title}\n$ diveval {' '.join(w if w.endswith('*.run') else shlex.quote(w) for w in printed)}\n")
    if main(words) != 0:
        raise DivevalError("no-run-scored", "the demo cannot continue", hint="the line above says why")
    common.say("")
