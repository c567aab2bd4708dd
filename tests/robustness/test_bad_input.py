"""Bad input gets one clear line, exit code 2, no traceback, nothing on standard output, no file left."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from diveval.cli import main
from robustness.bad_input import CASES, Q, R
from support.facts import missing

# With the fast scanner, and with the plain reader where a run is read.
TRIED = [(*case, plain) for case in CASES for plain in (False, True) if "evaluate" in case[2] or not plain]


@pytest.mark.parametrize(
    ("files", "words", "says", "plain"),
    [case[1:] for case in TRIED],
    ids=[f"{case[0]}-{'plain' if case[4] else 'scanner'}" for case in TRIED],
)
def test_one_clear_line(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    files: Any,
    words: Any,
    says: Any,
    plain: Any,
) -> None:
    """What is wrong, where, and what to do, in one line on standard error; the fast scanner and the plain reader alike."""
    monkeypatch.setenv("DIVEVAL_PLAIN_READER", "1" if plain else "")
    paths = {"dir": str(tmp_path)}
    for name, content in {"Q": Q, "R": R, **files}.items():
        path = tmp_path / name
        made = content() if callable(content) else content
        path.write_bytes(made if isinstance(made, bytes) else made.encode())
        paths[name] = str(path)
    typed = list(words)
    for name, path in paths.items():
        typed = [word.replace("{" + name + "}", path) for word in typed]
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    code = main(typed)
    out, err = capsys.readouterr()
    lines = [line for line in err.splitlines() if not line.startswith(("diveval: warning:", "Terms", "TREC"))]
    assert code == 2, f"exit code {code}: {out}{err}"
    assert out == ""
    assert len(lines) == 1 and lines[0].startswith("diveval: "), err
    assert "Traceback" not in err and "\x1b" not in err
    for fragment in says:
        lacking = missing(lines[0], fragment.replace("{bad}", paths.get("bad", "")))
        assert lacking == [], f"{lacking} of {fragment!r} is not in {lines[0]!r}"
    left = {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file() and "__pycache__" not in str(path)}
    assert left == before


def test_the_catalogue_is_large_and_its_cases_are_distinct() -> None:
    """At least 150 cases, each with a name of its own and something it must say."""
    names = [case[0] for case in CASES]
    assert len(names) >= 150 and len(set(names)) == len(names)
    assert all(case[3] for case in CASES)
