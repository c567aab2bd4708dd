"""A user who owns nothing: the same numbers where the cache cannot be written, and one line where the output cannot."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support.refusals import is_refusal
from support.shared import THOROUGH

# Reading everything is left to the other user, because Python itself may be in root's home.
CHANGE = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
CHANGE += ["--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"]
pytestmark = pytest.mark.skipif(
    getattr(os, "geteuid", lambda: 1)() != 0 or shutil.which("setpriv") is None, reason="needs root and setpriv"
)

COMMANDS = [
    "evaluate q a b -m RBU@20 -m alpha_nDCG@20 -q -f csv",
    "compare q a b -m ERR_IA@20 -f csv",
    "violations q a b -m P@20 -m RBU@20 -f csv",
    "conclusions q a b -f csv",
    "axioms P@5 --axiom Pri --axiom Conf -f csv",
    "check q a b",
    "why q a b -m RBU@20 -m P@20 --no-axioms",
    "choose q a b --need Conf -m RBU@20 -m P@20",
    "meta unanimity q a b -m RBU@20 -m P@20 --bootstrap 20 -f csv",
]
QUICK = 6  # commands outside of the thorough suite


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Judgments and two runs of root, a folder of the other user, and a cache that only root can write."""
    documents = [(t, d) for t in range(6) for d in range(8)]
    (tmp_path / "q").write_text("".join(f"{t} {'ab'[d % 2]} d{d} {(d + t) % 3}\n" for t, d in documents))
    for name, step in (("a", 1), ("b", 3)):
        rows = (f"{t} Q0 d{(d * step + t) % 8} {d + 1} {-d} {name}\n" for t, d in documents)
        (tmp_path / name).write_text("".join(rows))
    (tmp_path / "own").mkdir()
    os.chown(tmp_path / "own", 65534, 65534)
    (tmp_path / "cache").mkdir(mode=0o755)
    return tmp_path


def run(words: str, folder: Path, change: list[str], cache: Path | None) -> subprocess.CompletedProcess[str]:
    """Run a command, as another user if `change` says so; without a cache folder, home is a folder that is not there."""
    kept = {
        name: value for name, value in os.environ.items() if name not in ("DIVEVAL_CACHE", "XDG_CACHE_HOME", "HOME")
    }
    own = {"HOME": "/nonexistent"} if cache is None else {"DIVEVAL_CACHE": str(cache), "HOME": "/nonexistent"}
    return subprocess.run(
        [*change, sys.executable, "-m", "diveval", *words.split()],
        cwd=folder,
        env=kept | own | {"PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
@pytest.mark.parametrize("words", COMMANDS if THOROUGH else COMMANDS[:QUICK])
def test_the_numbers_need_no_cache(words: str, folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A cache folder that cannot be written, and one below a home that is not there: the same output, and no traceback."""
    expected = run(words, folder, [], tmp_path_factory.mktemp("cache"))
    assert expected.returncode == 0 and expected.stdout
    for cache in (folder / "cache", None):
        found = run(words, folder, CHANGE, cache)
        assert (found.returncode, found.stdout) == (0, expected.stdout), found.stderr
        assert "Traceback" not in found.stderr and list((folder / "cache").iterdir()) == []


@pytest.mark.parametrize("words", ["evaluate q a -f csv -o {}", "report q a b -m P@5 -o {}", "data convert run a {}"])
def test_an_output_that_cannot_be_written_is_refused(words: str, folder: Path) -> None:
    """One message that names the file, exit code 2 and nothing left; in a folder of one's own the command succeeds."""
    (folder / "others").mkdir(mode=0o755)
    done = run(words.format("others/out.html"), folder, CHANGE, folder / "cache")
    assert done.returncode == 2 and is_refusal(done.stderr, "cannot-write", "others/out.html"), done.stderr
    assert "Traceback" not in done.stderr and list((folder / "others").iterdir()) == []
    done = run(words.format("own/out.html"), folder, CHANGE, folder / "cache")
    assert done.returncode == 0 and (folder / "own" / "out.html").stat().st_uid == 65534, done.stderr
