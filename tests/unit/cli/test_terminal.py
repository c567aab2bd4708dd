"""Output on a terminal: short and long help, errors in three lines, and the questions of `choose`."""

from __future__ import annotations

import ast
import io
import json
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import diveval
from diveval.cli import choose, main, parse
from diveval.cli.commands import SUMMARY
from diveval.cli.parsing import EXAMPLES, format_error
from diveval.errors import InputError, UsageError, close_names, suggestion
from diveval.metrics.names import as_metrics


class Terminal(io.StringIO):
    """A stream whose `isatty` is true."""

    def isatty(self) -> bool:
        return True


def help_of(capsys: pytest.CaptureFixture[str], *words: Any) -> Any:
    """The help text of a command."""
    with pytest.raises(SystemExit) as exit_info:
        main(list(words))
    assert exit_info.value.code == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("command", list(SUMMARY))
def test_short_help_is_a_part_of_the_long_one(capsys: pytest.CaptureFixture[str], command: Any) -> None:
    """`-h` names every option of `--help` in no more lines, with examples before options."""
    short, long = help_of(capsys, *command.split(), "-h"), help_of(capsys, *command.split(), "--help")
    assert len(short.splitlines()) <= len(long.splitlines())
    options = [
        word for line in long.splitlines() for word in line.split()[:2] if line.startswith("  -") and "--" in word
    ]
    assert all(option.strip(",") in short for option in options)
    assert short.index("examples:") < short.index("options:")
    assert (
        len(short[short.index("examples:") : short.index("options:")].split("\n\n")) > 1
    )  # examples and a description


@pytest.mark.parametrize(
    ("error", "parts"),
    [
        (
            InputError("wrong-columns", "expected 4 columns, got 3", hint="add one", source="q.txt", line=7),
            ["error[wrong-columns]", "q.txt:7", "add one"],
        ),
        (
            InputError("wrong-columns", "expected 4 columns, got 3", source="q.txt", line=7),
            ["error[wrong-columns]", "q.txt:7", "diveval check"],
        ),
        (
            UsageError("unknown-metric", "no metric is called 'x'", hint="did you mean AP?"),
            ["error[unknown-metric]", "AP?"],
        ),
    ],
)
def test_an_error_is_three_lines_on_a_terminal_and_one_in_a_pipe(error: Any, parts: list[str]) -> None:
    """On a terminal, fault, location and hint are on separate lines; in a pipe the error is one line."""
    lines = format_error(error, Terminal()).splitlines()
    assert len(lines) == len(parts)
    assert all(part in line for part, line in zip(parts, lines, strict=True))
    assert len(format_error(error, io.StringIO()).splitlines()) == 1


def test_a_misspelt_file_gets_a_suggestion(tmp_path: Path) -> None:
    """The error for a missing file suggests the file with the most similar name in its folder."""
    (tmp_path / "bm25.run").write_text("1 Q0 d 1 1.0 r\n")
    error = InputError("cannot-read", "cannot be read: No such file", source=str(tmp_path / "bm52.run"))
    assert str(tmp_path / "bm25.run") in format_error(error, Terminal())
    elsewhere = InputError("cannot-read", "cannot be read: No such file", source=str(tmp_path / "none" / "x.run"))
    assert len(format_error(elsewhere, Terminal()).splitlines()) == 3


def test_choose_repeats_questions_and_uses_the_answers(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An invalid answer repeats the question, and a need that is declined is not used."""
    monkeypatch.setattr(choose, "_is_interactive", lambda: True)
    monkeypatch.setattr(sys, "stdin", io.StringIO("wob\nweb\nyes\nmaybe\nn\nno\n\nmany\n0\n5\n"))
    assert main(["choose", "--time-limit", "5", "-m", "AP", "-m", "RR", "-f", "json"]) == 0
    printed = capsys.readouterr()
    found = json.loads(printed.out)
    assert found["task"] == "web"
    assert "redundancy" not in found["needs"] and "grades" in found["needs"]
    assert printed.err.count("?") == 10  # six questions; two are repeated once and one twice


def test_only_close_names_are_suggested() -> None:
    """A misspelt word gets similar names; a word without a similar name gets the list instead."""
    known = ["alpha_nDCG", "alpha_DCG", "RBU"]
    assert close_names("alpha_ndgc", known)[0] == "alpha_nDCG"
    assert "RBU" not in suggestion("alpha_ndgc", known)
    assert close_names("zzz", known) == []
    assert all(name in suggestion("zzz", known) for name in known) and "?" not in suggestion("zzz", known)
    assert suggestion("zzz", known, "see the list") == "see the list"


def test_no_error_message_ends_with_the_given_value() -> None:
    """The text after the last semicolon is shown as a hint on terminals, so it must not be `got …`."""
    source = Path(diveval.__file__).parent
    codes = [path.read_text(encoding="utf-8") for path in source.rglob("*.py")]
    texts = [text for code in codes if "Error(" in code for text in _messages(ast.parse(code))]
    assert len(texts) > 300
    assert [text for text in texts if text.rpartition("; ")[2].startswith("got ") and "; " in text] == []


def _messages(tree: ast.AST) -> Iterator[str]:
    """The constant parts of the message of every error that a file creates."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id.endswith("Error"):
            parts = [part for argument in node.args for part in ast.walk(argument) if isinstance(part, ast.Constant)]
            yield "".join(part.value for part in parts if isinstance(part.value, str))


def test_an_invalid_choice_gets_choices_and_a_suggestion(capsys: pytest.CaptureFixture[str]) -> None:
    """The error names the option, its choices and the most similar choice."""
    with pytest.raises(SystemExit) as exit_info:
        main(["choose", "--task", "recomendation"])
    assert exit_info.value.code == 2
    first = capsys.readouterr().err.splitlines()[0]
    assert "--task" in first and "mobile" in first and first.endswith("recommendation?")
    with pytest.raises(SystemExit):
        main(["help"])
    assert "--help" in capsys.readouterr().err.splitlines()[0]


@pytest.mark.parametrize("example", [line for lines in EXAMPLES.values() for line in lines])
def test_every_example_of_the_help_parses(example: str) -> None:
    """Commands, options and metrics of the examples exist."""
    words = shlex.split(example)[1:]
    parsed = parse(words)
    assert example.startswith(f"diveval {parsed.command}") and callable(parsed.run)
    if hasattr(parsed, "qrels"):  # axioms take rows of the paper's table, answers their own metrics
        assert all(".." in name or as_metrics(name) for name in getattr(parsed, "metrics", None) or [])
