"""Bad input gives one clear line, exit code 2, no traceback, no standard output, and no new file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from diveval.cli import main
from robustness.bad_input import CASES, Q, R
from support.facts import missing

# With the compiled scanner, and with the Python reader where a run is read.
VARIANTS = [(*case, plain) for case in CASES for plain in (False, True) if "evaluate" in case[2] or not plain]


@pytest.mark.parametrize(
    ("files", "words", "fragments", "plain"),
    [case[1:] for case in VARIANTS],
    ids=[f"{case[0]}-{'plain' if case[4] else 'scanner'}" for case in VARIANTS],
)
def test_one_clear_line(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    files: Any,
    words: Any,
    fragments: Any,
    plain: Any,
) -> None:
    """Standard error is one line with what is wrong, where, and what to do, for both readers."""
    monkeypatch.setenv("DIVEVAL_PLAIN_READER", "1" if plain else "")
    paths = {"dir": str(tmp_path)}
    for name, content in {"Q": Q, "R": R, **files}.items():
        path = tmp_path / name
        data = content() if callable(content) else content
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        paths[name] = str(path)
    typed = list(words)
    for name, path in paths.items():
        typed = [word.replace("{" + name + "}", path) for word in typed]
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    code = main(typed)
    out, err = capsys.readouterr()
    lines = [line for line in err.splitlines() if not line.startswith(("diveval: warning[", "Terms", "TREC"))]
    assert code == 2, f"exit code {code}: {out}{err}"
    assert out == ""
    assert len(lines) == 1 and lines[0].startswith("diveval: "), err
    assert "Traceback" not in err and "\x1b" not in err
    for fragment in fragments:
        lacking = missing(lines[0], fragment.replace("{bad}", paths.get("bad", "")))
        assert lacking == [], f"{lacking} of {fragment!r} is not in {lines[0]!r}"
    left = {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file() and "__pycache__" not in str(path)}
    assert left == before


def test_the_catalogue_is_large_and_its_cases_are_distinct() -> None:
    """There are at least 150 cases, each with a unique name and expected fragments."""
    names = [case[0] for case in CASES]
    assert len(names) >= 150 and len(set(names)) == len(names)
    assert all(case[3] for case in CASES)
