"""`--evidence` of every command that has it: each sentence that the command prints, with its facts and rows."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from diveval.cli import commands, main
from diveval.datasets import make_collection

COMMANDS = {
    "evaluate": ["-m", "RBU(p=0.9,e=0.3)@5", "-m", "ERR_IA@5"],
    "compare": ["-m", "RBU@5"],
    "choose": ["--task", "web", "-m", "RBU@5", "-m", "P@5"],
    "conclusions": ["-m", "RBU(p=0.8..0.95)@5"],
    "violations": ["-m", "α-nDCG@5"],
    "why": ["-m", "RBU@5", "-m", "P@5", "--no-axioms"],
    "why --losses": ["-m", "RBU@5"],
    "judges": ["-m", "RBU@5", "--resamples", "100"],
    "plan": ["-m", "RBU@5", "--difference", "0.05"],
    "gate": ["-m", "RBU@5", "--margin", "0.05"],
    "paper": ["-m", "RBU@5", "-m", "P@5"],
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """A small collection of 12 topics as the arguments QRELS RUN …"""
    folder = make_collection(tmp_path_factory.mktemp("files"), topics=12, systems=3, depth=20, seed=2)
    return [str(folder / "qrels.txt"), *map(str, sorted((folder / "runs").glob("*.run")))]


def parts(text: str) -> list[tuple[str, str, int, int]]:
    """Kind, sentence, and the numbers of facts and rows of each part of an evidence."""
    out = []
    for block in re.split(r"\n\n(?=\[)", text.strip())[1:]:
        head, *lines = block.split("\n")
        kind, sentence = re.fullmatch(r"\[([a-z-]+)\] (.*)", head, re.DOTALL).groups()  # type: ignore[union-attr]
        out.append((kind, sentence, sum(" = " in x for x in lines), sum(x.startswith("    - ") for x in lines)))
    return out


@pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
@pytest.mark.parametrize("command", list(COMMANDS))
def test_every_sentence_has_facts_and_rows(
    command: str, files: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """A sentence of the evidence is one that the command prints, and no sentence is without rows."""
    name, *flags = command.split()
    runs = files[1:3] if name == "why" else files[1:]
    labels = [files[0], files[0]] if name == "judges" else [files[0]]  # a model that agrees with people
    given = [name, *labels, *runs, *COMMANDS[command], *flags]
    if name == "paper":
        assert main([*given, "--evidence", "-o", str(tmp_path / "paper")]) == 0
        told = (tmp_path / "paper" / "evidence.txt").read_text()
        printed = "\n".join(one.read_text() for one in (tmp_path / "paper").glob("*.tex"))
    else:
        codes = [main([*given, "--evidence"])]
        told = capsys.readouterr().out
        codes.append(main(given))
        assert codes[0] == codes[1]
        printed = capsys.readouterr().out
    found = parts(told)
    assert found
    shown = " ".join(printed.split())
    for kind, sentence, facts, rows in found:
        assert rows and (facts or kind == "default-metrics"), kind
        assert name == "paper" or " ".join(sentence.split())[:60] in shown, (kind, sentence)


def test_commands_that_write_sentences_have_the_option() -> None:
    """The table above names every command with --evidence."""
    parsers = commands.declare_all()
    having = {name for name, one in parsers.items() for a in one._actions if "--evidence" in a.option_strings}
    assert having == {command.split()[0] for command in COMMANDS}


def test_evidence_of_a_table_without_notes(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Where nothing is said, there is no evidence, and other formats have no notes to give evidence for."""
    assert main(["evaluate", *files, "-m", "StRecall@5", "--evidence"]) == 0
    assert parts(capsys.readouterr().out) == []
    refused: Any = main(["evaluate", *files, "--evidence", "-f", "csv"])
    assert refused == 2 and "conflicting-options" in capsys.readouterr().err
