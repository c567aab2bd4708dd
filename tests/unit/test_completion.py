"""Completion offers what the command line accepts, tested in a real shell where one is installed."""

from __future__ import annotations

import shutil
import subprocess
from typing import Any

import pytest

from diveval.cli import main
from diveval.cli.commands import RENAMED, SUMMARY
from diveval.cli.completion import bash, commands, fish, zsh
from diveval.metrics import entries


@pytest.fixture(scope="module")
def declared() -> Any:
    """Every command, as the parsers declare it."""
    return list(commands())


@pytest.fixture(scope="module")
def script(declared: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The bash script in a file."""
    path = tmp_path_factory.mktemp("completion") / "diveval.bash"
    path.write_text(bash(declared, sorted(entries())))
    return path


def offered(script: Any, *words: str) -> set[str]:
    """What bash offers for the last of these words."""
    line = " ".join(f"'{word}'" for word in ("diveval", *words))
    program = (
        f"source {script}; COMP_WORDS=({line}); COMP_CWORD={len(words)}; _diveval; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    )
    done = subprocess.run(
        ["bash", "--norc", "-c", program], capture_output=True, text=True, check=True, cwd=script.parent
    )
    return set(done.stdout.split())


def test_every_command_is_completed(declared: Any) -> None:
    """Completion covers every command and subcommand."""
    words = {command.words for command in declared}
    assert {tuple(name.split()) for name in SUMMARY} <= words
    assert {("data", "convert", "run"), ("track", "add")} <= words
    assert not {first for first, *_ in words} & set(RENAMED)


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_bash_completes_commands_options_choices_and_metrics(script: Any, declared: Any) -> None:
    """Bash completes commands, their options, the choices of an option, the names of metrics, and files."""
    assert {name.split()[0] for name in SUMMARY} <= offered(script, "")
    assert not set(RENAMED) & offered(script, "")
    assert {"unanimity", "agreement"} <= offered(script, "meta", "")
    assert "--leave-family-out" in offered(script, "meta", "unanimity", "--")
    assert offered(script, "eval") == {"evaluate"}
    evaluate = next(command for command in declared if command.words == ("evaluate",))
    assert {flag for option in evaluate.options for flag in option.option_strings} <= offered(script, "evaluate", "-")
    assert offered(script, "evaluate", "q", "r", "--gain", "") == {"exponential", "linear", "binary", "identity"}
    assert "RBU" in offered(script, "evaluate", "q", "r", "-m", "RB")
    assert {"qrels", "run"} <= offered(script, "data", "convert", "")
    assert offered(script, "data", "convert", "run", "a", "--to", "par") == {"parquet"}
    assert offered(script, "completion", "fi") == {"fish"}
    assert script.name in offered(script, "evaluate", "div")


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_get_every_flag(declared: Any, shell: str) -> None:
    """The script contains each flag of each command; where the shell is installed, it parses the script."""
    text = {"zsh": zsh, "fish": fish}[shell](declared, sorted(entries()))
    for command in declared:
        assert command.words[-1] in text
        for option in command.options:
            for flag in option.option_strings:
                assert flag in text or f"-l {flag[2:]}" in text or f"-s {flag[1:]}" in text
    if shutil.which(shell):
        assert subprocess.run([shell, "-n"], input=text, text=True).returncode == 0


def test_the_command_prints_a_script(capsys: pytest.CaptureFixture[str]) -> None:
    """`diveval completion bash` prints the script."""
    assert main(["completion", "bash"]) == 0
    assert "complete " in capsys.readouterr().out
