"""`verify` names the file in which one byte was changed, in a track and in its published data."""

from __future__ import annotations

import io
import json
import random
import shutil
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from diveval.cli import main
from support.shared import THOROUGH, times
from support.tracks import answer, filled, judge, ranked, run_text, scored, send, small, track

PLACES = (0.0, 0.37, 0.999)
# Files that the record does not cover: inbox files are copied when they are received.
UNRECORDED = (".gitignore", "inbox/")


@pytest.fixture(scope="module")
def full_track(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A released track with two scorings, a site, a preview, pages for teams and every export; tests change copies."""
    folder = tmp_path_factory.mktemp("everything")
    image = ('image = ""', 'image = "registry.example.org/diveval:2"')
    place = filled(folder, image, ('baseline_link = ""', 'baseline_link = "https://example.org/baseline"'))
    scored(place)
    track("site", place)
    send(place, "gamma", "gamma-2", run_text("gamma-2", shift=5))
    scored(place)
    track("decide", "release", "--track", place, "--reason", "done")
    for what in ("kit", "codabench", "evalai", "tira"):
        track("export", what, place)
    track("site", place)
    track("site", place, "--private")
    return place


def files(place: Path) -> list[str]:
    names = (path.relative_to(place).as_posix() for path in sorted(place.rglob("*")) if path.is_file())
    return [name for name in names if not name.startswith(UNRECORDED)]


def verified(place: Path) -> tuple[int, str]:
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(out):
        code = main(["track", "verify", str(place), "--json"])
    return code, out.getvalue()


def flip_a_bit(path: Path, at: float) -> None:
    """Change one bit of the byte at a fraction of the file's length."""
    data = bytearray(path.read_bytes())
    data[min(len(data) - 1, int(at * len(data)))] ^= 1
    path.chmod(0o644)
    path.write_bytes(bytes(data))


@pytest.mark.slow
def test_a_flipped_byte_anywhere_is_named(full_track: Path, tmp_path: Path) -> None:
    """Whatever the file, the exit code is not 0 and the file is named.

    A sample of files with their first, middle or last byte; `make thorough` tries all three in every file.
    """
    place = Path(shutil.copytree(full_track, tmp_path / "track"))
    code, text = verified(place)
    assert code == 0, text
    names = files(place)
    assert len(names) > 80
    changes = [(name, at) for name in names for at in PLACES]
    if not THOROUGH:
        changes = random.sample(changes, len(names) // 12)
    for name, at in changes:
        path = place / name
        before = path.read_bytes()
        if not before:  # the lock file is empty
            path.write_bytes(b"x")
        else:
            flip_a_bit(path, at)
        code, text = verified(place)
        assert code in (1, 2, 3), name
        assert _named(name, place, text), (name, text)
        path.chmod(0o644)
        path.write_bytes(before)
    assert verified(place)[0] == 0


def _named(name: str, place: Path, text: str) -> bool:
    """Whether the answer names the file, by its path or by what the file contains."""
    answered = json.loads(text[text.index("{") :]) if "{" in text else {}
    bad = [item for item in answered.get("items", []) if item["result"] == "differs"]
    reported = " ".join(f"{item['what']} {item.get('why', '')}" for item in bad) + answered.get("error", "")
    contents = {"private/judged": "of event", "private/secret": "secret"}
    content = next((what for start, what in contents.items() if name.startswith(start)), name)
    return name in reported or content in reported or str(place / name) in reported


@pytest.mark.slow
def test_a_flipped_byte_in_published_data_is_named(full_track: Path, tmp_path: Path) -> None:
    """A changed byte in a copy of site/data is named too: a sixth of the files, all in `make thorough`."""
    copy = Path(shutil.copytree(full_track / "site/data", tmp_path / "copy"))
    assert verified(copy)[0] == 0
    names = files(copy)
    for name in random.sample(names, times(len(names) // 6, len(names))):
        before = (copy / name).read_bytes()
        flip_a_bit(copy / name, 0.5)
        code, text = verified(copy)
        assert code in (1, 2, 3), name
        assert name in text, (name, text)
        (copy / name).write_bytes(before)


def test_deleted_and_erased_files_are_distinguished(tmp_path: Path) -> None:
    """Derived files may be deleted; a run may not, unless its team withdrew it with --erase."""
    place = filled(tmp_path)
    track("score", place)
    shutil.rmtree(place / "verdicts")
    assert {item["result"] for item in answer("verify", place)["items"]} == {"same"}
    track("decide", "withdraw", "S0002", "--erase", "--track", place, "--reason", "personal data")
    results = {item["what"]: item["result"] for item in answer("verify", place)["items"]}
    assert results["run of S0002"] == "erased"


def test_an_erased_run_leaves_a_track_that_can_be_published_and_rebuilt(tmp_path: Path) -> None:
    """Scorings that include the erased run are reported as erased; later ones are rebuilt and verify."""
    place = ranked(tmp_path)
    track("decide", "withdraw", "S0002", "--erase", "--track", place, "--reason", "personal data")
    scored(place)
    track("decide", "release", "--track", place, "--reason", "the workshop is over")
    track("site", place)
    track("verify", place / "site/data")
    for name in ("verdicts", "scores", "boards", "site"):
        shutil.rmtree(place / name)
    scored(place)
    track("site", place)
    for copy in (place, place / "site/data"):
        results = {item["what"]: item["result"] for item in answer("verify", copy)["items"]}
        assert results["scores/R0001/scores.csv"] == results["boards/R0001.json"] == "erased"
        assert results["scores/R0002/scores.csv"] == results["boards/R0002.json"] == "same"


def test_a_receipt_shows_that_the_end_of_the_record_is_missing(tmp_path: Path) -> None:
    """`verify --head` with the hash of a receipt fails on a truncated record, whose chain alone is valid."""
    place = small(tmp_path)
    receipt = send(place, "alpha", "one", run_text("one"))
    judge(place)
    lines = (place / "record.jsonl").read_bytes().splitlines(keepends=True)
    track("verify", place, "--head", receipt["hash"])
    (place / "record.jsonl").write_bytes(b"".join(lines[:2]))
    assert receipt["hash"] in track("verify", place, "--head", receipt["hash"], code=1)
