"""The documentation is correct: its commands print what the page shows, and its links resolve."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from diveval.cli.commands import SUMMARY
from support.console import ROOT, agrees, commands, complaints, environment_of, is_shown
from support.programs import load
from support.warm import start

DOCS = ROOT / "docs"
PAGES = sorted(
    path for path in [*ROOT.glob("*.md"), *DOCS.rglob("*.md")] if not {"_build", "_generated"} & set(path.parts)
)
# Their commands start new processes: they are a reader's first commands, or show what Python has loaded.
IN_NEW_PROCESSES = [ROOT / "README.md", DOCS / "claims.md"]
# Commands of all other pages are forked from a process that has the libraries loaded.
OTHERS = [DOCS / "tutorial.md", DOCS / "rag-nuggets.md", DOCS / "integrations.md"]
OTHERS += [path for folder in ("howto", "explain") for path in sorted((DOCS / folder).glob("*.md"))]
RUN = [*IN_NEW_PROCESSES, *OTHERS]
NAMES = [str(path.relative_to(ROOT)) for path in PAGES]
LINK = re.compile(r"(?<!`)!?\[[^\]]*\]\(([^)\s]+)(?:\s+\"[^\"]*\")?\)")
CODE = re.compile(r"^ *```.*?^ *```|`[^`\n]*`", re.MULTILINE | re.DOTALL)


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """All documents, run two at a time, each in its own folder: path → complaints."""
    python = {path: [sys.executable] for path in IN_NEW_PROCESSES}
    with ThreadPoolExecutor(2) as threads:
        yield {
            path: threads.submit(complaints, path, tmp_path_factory.mktemp("page"), python=python.get(path, ()))
            for path in RUN
        }


@pytest.mark.slow
@pytest.mark.parametrize("path", RUN, ids=[str(path.relative_to(ROOT)) for path in RUN])
def test_every_command_prints_what_the_page_shows(path: Any, answers: Any) -> None:
    """Every command of a page prints what the page shows."""
    wrong = answers[path].result()
    assert not wrong, "\n".join(wrong)


def _slug(heading: str) -> str:
    """The anchor of a heading, as GitHub and MyST generate it."""
    plain = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", lambda m: m[1] or "", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


def _anchors(path: Path) -> set[str]:
    without_code = re.sub(r"^ *```.*?^ *```", "", text_of(path), flags=re.MULTILINE | re.DOTALL)
    return {_slug(heading) for heading in re.findall(r"^#{1,6} +(.+)$", without_code, re.MULTILINE)}


@pytest.mark.parametrize("path", PAGES, ids=NAMES)
def test_links_between_documents_resolve(path: Any) -> None:
    """A relative link names an existing file and an existing heading."""
    for target in LINK.findall(CODE.sub("", text_of(path))):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        linked = (path.parent / file).resolve() if file else path
        assert "_generated" in linked.parts or linked.exists(), f"{path.name}: no file {target}"
        if anchor and linked.suffix == ".md" and linked.exists():
            assert anchor in _anchors(linked), f"{path.name}: {file or path.name} has no heading #{anchor}"


def test_every_command_is_documented() -> None:
    """A page shows each command in use."""
    written = "\n".join(map(text_of, PAGES))
    missing = [name for name in SUMMARY if not re.search(rf"\bdiveval {re.escape(name)}\b", written)]
    assert not missing, f"no page shows: {', '.join(missing)}"


def test_documents_contain_no_local_paths() -> None:
    """No page mentions a folder of the machine it was written on."""
    for path in PAGES:
        assert not re.search(r"/(work|tmp|root|home)/", CODE.sub("", text_of(path))), path


@pytest.fixture(scope="module")
def generator() -> Iterator[ModuleType]:
    """docs/generate_metrics.py as a module, with the other modules of docs/ importable."""
    sys.path.insert(0, str(DOCS))
    try:
        yield load(DOCS / "generate_metrics.py")
    finally:
        sys.path.remove(str(DOCS))


def test_pages_are_compared_by_numbers_not_sentences() -> None:
    """A reworded sentence agrees, wherever its lines break; another number, name or row of data does not."""
    page = ["run     mean", "sys1  0.2500", "", "Of all 20 topics RBU orders the runs like the others", "in 3."]
    other = "run mean\nsys1 0.2500\n\nThe runs stand as the others put them, under RBU: {} of the\n20 topics, but not in {}.\n"
    assert not is_shown(page, other.format("all", "3")) and not agrees(page, other.format("all", "3"))  # another order
    same = "run   mean\nsys1  0.2500\n\nWhat the others say of these 20 topics RBU says too, except in\nexactly 3.\n"
    assert agrees(page, same) and not is_shown(page, same)
    for wrong in (same.replace("0.2500", "0.2501"), same.replace("20", "21"), same.replace("sys1", "sys2")):
        assert not agrees(page, wrong)


def test_pages_are_compared_by_the_steps_of_a_proof_not_their_words() -> None:
    """Steps may be reworded and reordered; a missing step or another invariant fails the comparison."""
    page = ["  [z3] effort: 2 cost more than 1", "  [z3, induction] sum: over m", "      invariant: F > 0; S > 1"]
    same = "  [z3, induction] sum: for every m\n      invariant: S > 1; F > 0\n  [z3] effort: two documents cost more\n"
    assert agrees(page, same) and not is_shown(page, same)
    for wrong in (
        same.replace("F > 0", "F > 1"),
        same.replace("[z3] effort", "[exact] effort"),
        same.split("  [z3] ", maxsplit=1)[0],
    ):
        assert not agrees(page, wrong)


def test_pages_are_compared_by_the_facts_of_an_error() -> None:
    """The place and the quoted text of an error must agree; the words around them may change."""
    page = ["diveval: bad.run:1: expected a score in column 5, got 'oops'"]
    assert agrees(page, "diveval: bad.run:1: 'oops' cannot be the score of column 5\n")
    assert not agrees(page, "diveval: bad.run:2: 'oops' cannot be the score of column 5\n")


def test_hand_written_tables_cover_every_metric(generator: Any) -> None:
    """Each metric of ours has a range, and each tool's prefix has its rules; nothing else is listed."""
    from diveval.metrics import entries

    own = {name for name in entries() if "." not in name}
    assert {row["metric"] for row in generator.read_csv("ranges.csv")} == own
    assert {row["metric"] for row in generator.read_csv("peers.csv")} <= own
    prefixes = {name.split(".")[0] for name in entries() if "." in name}
    assert {row["prefix"] for row in generator.read_csv("tools.csv")} == prefixes


def test_ranges_on_the_metric_pages_hold(generator: Any) -> None:
    """The values of random rankings lie in the range that a metric's page gives."""
    import numpy as np

    from diveval.metrics import entries

    draws = np.random.default_rng(7)
    for row in generator.read_csv("ranges.csv"):
        entry = entries()[row["metric"]]
        metric = entry.metric({}, 5 if entry.cutoffs == "needed" else None)
        if not metric.formula.has_exact:
            continue
        for _ in range(60):
            documents, aspects = draws.integers(1, 9), draws.integers(1, 4)
            relevance = draws.random((documents, aspects)) * (draws.random((documents, aspects)) < 0.6)
            value = metric(relevance.tolist())
            assert not row["low"] or value >= float(row["low"]) - 1e-12, (metric.name, relevance)
            assert not row["high"] or value <= float(row["high"]) + 1e-12, (metric.name, relevance)


def test_pictures_of_the_constraints_are_current(generator: Any) -> None:
    """In each picture RBU prefers the better ranking and the other metric does not; the stored files are current."""
    from diveval.axioms.specification.constraints import AXIOMS

    pictures = load(DOCS / "generate_constraints.py")
    assert [picture.name for picture in pictures.PICTURES] == list(AXIOMS)
    for picture in pictures.PICTURES:
        better, worse = picture.values(pictures.SEES)
        assert better > worse, picture.name
        better, worse = picture.values(picture.blind)
        assert better <= worse if picture.strict else better < worse, picture.name
        assert (pictures.FOLDER / f"{picture.name}.svg").read_text(encoding="utf-8") == pictures.drawn(picture)


def test_every_metric_and_command_has_a_reference_page(tmp_path: Path) -> None:
    """The generated reference covers the catalogue and the command line."""
    from diveval.metrics import entries

    program = (
        "import sys, json; sys.path.insert(0, sys.argv[1])\n"
        "import generate_cli, generate_metrics\n"
        "print(json.dumps(sorted([*generate_cli.pages(), *generate_metrics.pages({})])))"
    )
    out = subprocess.run([sys.executable, "-c", program, str(DOCS)], capture_output=True, text=True, check=True)
    written = set(json.loads(out.stdout))
    assert {f"metrics/{name}.md" for name in entries()} <= written
    assert {f"cli/{name.replace(' ', '-')}.md" for name in SUMMARY} <= written


def test_the_comparison_can_fail() -> None:
    """A different, missing or additional line fails; `…` stands for any lines or any text in a line."""
    assert agrees(["a", "…", "d"], "a\nb\nc\nd\n")
    assert agrees(["took … s"], "took 3.1 s\n")
    assert agrees([], "\n")
    assert not agrees([], "a\n")
    assert not agrees(["a"], "b\n")
    assert not agrees(["a"], "a\nb\n")
    assert not agrees(["a", "…", "d"], "a\nb\n")


def test_commands_are_read_as_a_shell_reads_them() -> None:
    """`$ ` begins a command, `> ` or a backslash continues it, and all other lines are output."""
    page = "```console\n$ cat <<E\n> x\n> E\nx\n$ ls \\\n    -l\nout\n```\ntext\n```text\n$ not this\n```\n"
    assert [(c.text, c.shown) for c in commands(page)] == [("cat <<E\nx\nE", ["x"]), ("ls \\\n    -l", ["out"])]


ECHO = "import os, sys; print(sys.argv, sys.path[0], os.getcwd(), os.environ['ASKED'], sys.stdin.read())"


def _done(folder: Path, *words: str, python: Sequence[str] = (), **more: str) -> tuple[int, str, str]:
    """Exit code and both streams of a Python command, which is forked unless `python` is given."""
    environment = {**environment_of(folder), "ASKED": "α"}
    done = subprocess.run(
        [*(python or start(environment)), *words],
        cwd=folder,
        env={**environment, **more},
        input="given\n",
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("-m", "diveval", "evaluate", "q", "x.run", "-m", "P@5", "-f", "csv"),
        ("-m", "diveval", "evaluate", "q", "none"),
        ("-m", "diveval", "axioms", "P@k", "--axiom", "Pri", "--jobs", "2", "--no-cache", "-f", "csv"),
        ("-m", "diveval"),
        ("-c", ECHO, "a b", "ü"),
        ("program.py", "a"),
        ("-c", "raise SystemExit('why')"),
        ("-c", "import sys; sys.exit(300)"),
        ("-c", "import threading, time; threading.Thread(target=lambda: (time.sleep(0.1), print('late'))).start()"),
    ],
)
def test_a_forked_command_behaves_like_a_new_process(words: tuple[str, ...], tmp_path: Path) -> None:
    """A forked command prints the same and has the same exit code as a new Python process."""
    (tmp_path / "q").write_text("1 a d1 1\n")
    (tmp_path / "x.run").write_text("1 Q0 d1 1 2.0 x\n")
    (tmp_path / "program.py").write_text(ECHO + "\nsys.exit(3)\n")
    assert _done(tmp_path, *words) == _done(tmp_path, *words, python=[sys.executable])


def test_settings_read_at_start_get_a_new_process(tmp_path: Path) -> None:
    """A command with another hash seed or a Python option runs in a new process; others are forked."""
    pytest.importorskip("scipy")
    loaded = ("-c", "import sys; print('scipy' in sys.modules)")
    if len(start(environment_of(tmp_path))) > 1:
        assert _done(tmp_path, *loaded)[1] == "True\n"
    assert _done(tmp_path, *loaded, PYTHONHASHSEED="7")[1] == "False\n"
    assert _done(tmp_path, "-O", "-c", "print(__debug__)")[1] == "False\n"


def test_a_forked_command_with_an_uncaught_error_ends_with_1(tmp_path: Path) -> None:
    """The exit code is 1, and the traceback is on standard error."""
    code, out, error = _done(tmp_path, "-c", "1/0")
    assert (code, out) == (1, "") and error.splitlines()[-1] == "ZeroDivisionError: division by zero"


def test_a_forked_command_that_is_killed_is_an_error(tmp_path: Path) -> None:
    """A killed command has an exit code other than 0."""
    assert _done(tmp_path, "-c", "import os; os.kill(os.getpid(), 9)")[0] != 0
