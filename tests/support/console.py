"""Run every `console` block of a page in one folder, and compare the output with the page.

`python tests/support/console.py PAGE …` updates the output in the pages.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # for running this file as a program
from support.facts import facts
from support.warm import start

ROOT = Path(__file__).parents[2]
_BLOCK = re.compile(r"^(?P<indent> *)```console\n(?P<body>.*?)^ *```", re.MULTILINE | re.DOTALL)
_WORD = re.compile(r"(?<!\S)[a-z]{2,}(?=[\s.,;:)]|$)")  # a word of a sentence
_DECIMAL = re.compile(r"\d\.\d")
_STEP = re.compile(r"( *)(\[[a-z0-9, ]+\] [^:…]+):")  # of a proof: `[z3, induction] sum: …`
_ANY = r"(?:[^\n]*\n)*"  # lines
_MARK = "--8<-- end of command, exit code "


@dataclass
class Command:
    """A command (after `$ `, and `> ` on further lines), and the output that the page shows."""

    line: int
    text: str
    shown: list[str] = field(default_factory=list)


def commands(document: str) -> list[Command]:
    """Every command of a document's console blocks, in order."""
    out: list[Command] = []
    for block in _BLOCK.finditer(document):
        first = document[: block.start("body")].count("\n") + 1
        open_line = False
        for number, raw in enumerate(block["body"].splitlines(), first):
            line = raw.removeprefix(block["indent"])
            if line.startswith("$ "):
                out.append(Command(number, line[2:]))
            elif line.startswith("> ") or line == ">" or open_line:
                out[-1].text += "\n" + (line[2:] if line.startswith(">") else line)
            else:
                out[-1].shown.append(line.rstrip())
            open_line = not out[-1].shown and out[-1].text.endswith("\\")
    return out


def run(document: str, folder: Path, *, python: Sequence[str] = ()) -> list[tuple[Command, str, int]]:
    """Run all commands in one bash in the folder: each with its output (both streams) and its exit code.

    `python` are the words that start Python; by default commands are forked from a process with the libraries loaded.
    """
    listed = commands(document)
    environment = environment_of(folder)
    _install(folder / ".bin", python or start(environment))
    script = "".join(f"{command.text}\necho; echo '{_MARK}'$?\n" for command in listed)
    done = subprocess.run(
        ["bash"],
        input=script,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        timeout=300,
    )
    answers = re.findall(rf"(.*?)\n?{re.escape(_MARK)}(\d+)\n", done.stdout, re.DOTALL)
    assert len(answers) == len(listed), f"bash stopped early:\n{done.stdout[-2000:]}"
    return [(command, text, int(code)) for command, (text, code) in zip(listed, answers, strict=True)]


def agrees(shown: list[str], printed: str) -> bool:
    """Whether a page shows what was printed: lines of data exactly, sentences by their facts (numbers, names, options),
    so that rewording a sentence fails no test."""
    loose = "".join(_ANY if token == "…" else _with_gaps(token) for token in _tokens(shown))
    return (
        is_shown(shown, printed)
        or re.fullmatch(loose, "".join(map("{}\n".format, _tokens(printed.splitlines())))) is not None
    )


def is_shown(shown: list[str], printed: str) -> bool:
    """Whether a page shows exactly this text. A line `…` stands for any lines, `…` in a line for any text."""
    lines = [line.rstrip() for line in printed.rstrip("\n").splitlines()]
    pattern = "".join(_ANY if line.strip() == "…" else _with_gaps(line) for line in shown)
    return re.fullmatch(pattern or r"\s*", "\n".join([*lines, ""])) is not None


def _with_gaps(line: str) -> str:
    return r"[^\n]*".join(re.escape(part) for part in line.split("…")) + r"\n"


def _tokens(lines: Iterable[str]) -> Iterator[str]:
    """What must agree: lines of data except for their spaces, and the facts of sentences.

    A sentence has at least five words, three if it has no decimal number, or continues the line before; a row of a table
    has a gap between its columns. The facts of an error or warning may be in any order, and so may the steps of a proof,
    which are identified by their names and invariants.
    """
    sentence = False
    steps: list[str] = []
    indent = ""
    for line in [*lines, ""]:
        words = " ".join(line.split())
        step = _STEP.match(line)
        if step:
            steps.append(step[2])
            indent = step[1] + " "
            continue
        if steps and line.startswith(indent):  # its invariant
            steps[-1] += "; ".join(sorted(words.removeprefix("invariant: ").split("; ")))
            continue
        yield from sorted(steps)
        steps = []
        least = 5 if _DECIMAL.search(line) else 3
        sentence = len(_WORD.findall(line)) >= least or (sentence and bool(words) and "  " not in line.strip())
        if "…" in line:
            yield "…"
        elif sentence:
            yield from sorted(facts(line)) if line.startswith("diveval: ") else facts(line)
        elif words:
            yield words


def complaints(path: Path, folder: Path, *, python: Sequence[str] = ()) -> list[str]:
    """A message for each command that fails or prints something else than the page shows."""
    out = []
    for command, printed, code in run(path.read_text(encoding="utf-8"), folder, python=python):
        error_shown = any(line.startswith("diveval: ") for line in command.shown)
        if code != 0 and not error_shown:
            out.append(f"{path.name}:{command.line}: `{command.text}` ended with {code}:\n{printed}")
        elif not agrees(command.shown, printed):
            out.append(f"{path.name}:{command.line}: `{command.text}` printed:\n{printed}")
    return out


def rewritten(path: Path, folder: Path) -> str:
    """The page with the actual output of its commands; output that already agrees keeps its `…`."""
    lines = path.read_text(encoding="utf-8").split("\n")
    for command, printed, _ in reversed(run("\n".join(lines), folder)):
        if not is_shown(command.shown, printed):
            start = command.line + command.text.count("\n")
            lines[start : start + len(command.shown)] = [line.rstrip() for line in printed.rstrip("\n").split("\n")]
    return "\n".join(lines)


def _install(folder: Path, python: Sequence[str]) -> None:
    """`diveval` and `python` as commands, whatever environment the tests run in."""
    folder.mkdir()
    typed = shlex.join(python)
    for name, words in (("diveval", "-m diveval "), ("python", "")):
        program = folder / name
        program.write_text(f'#!/bin/sh\nexec {typed} {words}"$@"\n', encoding="utf-8")
        program.chmod(0o755)


def environment_of(folder: Path) -> dict[str, str]:
    """The environment of the commands."""
    path = os.pathsep.join([str(folder / ".bin"), os.environ.get("PATH", "")])
    return {
        **os.environ,
        "PATH": path,
        "PYTHONUNBUFFERED": "1",
        "PYTHONPATH": str(ROOT / "src"),
        "COLUMNS": "80",
        "LC_ALL": "C.UTF-8",
        "PYTHONUTF8": "1",
        "NO_COLOR": "1",
    }


if __name__ == "__main__":
    for name in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as empty:
            page = Path(name)
            page.write_text(rewritten(page, Path(empty)), encoding="utf-8")
