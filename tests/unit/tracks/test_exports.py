"""Exports: what is in them, what their programs compute, and what they refuse."""

from __future__ import annotations

import gzip
import io
import json
import runpy
import subprocess
import sys
import zipfile
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from diveval.errors import DivevalError
from diveval.tracks.kit import unpack
from support.present import present
from support.tracks import EXAMPLE, EXPORTS, answer, example, filled, run_text, track
from support.wording import wording


def inner(data: bytes) -> dict[str, bytes]:
    """Every file in an archive, and in archives in it."""
    found = {}
    for name, content in unpack(data).items():
        found[name] = content
        if name.endswith(".zip"):
            found |= {f"{name}/{below}": more for below, more in inner(content).items()}
    return found


def everything(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, archives opened."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            name, data = path.relative_to(folder).as_posix(), path.read_bytes()
            found[name] = data
            if path.suffix == ".zip":
                found |= {f"{name}/{below}": content for below, content in inner(data).items()}
    return found


# --- held-back judgments ------------------------------------------------------------------------------------------


def secrets_of(place: Path) -> list[bytes]:
    """Lines of judgments and weights of held-back topics."""
    held = (place / "private/held-back.txt").read_text().split()
    lines = []
    for name in ("qrels.txt", "weights.txt"):
        path = place / "private" / name
        if path.exists():
            lines += [line.encode() for line in path.read_text().splitlines() if line.split()[0] in held]
    return lines


def test_nothing_written_before_release_holds_a_held_back_line(tmp_path: Path) -> None:
    """Site, exports, verdicts and JSON answers are searched for every line of held-back judgments and every value."""
    place = example(tmp_path)
    said = [track("site", place), track("verify", place)]
    for what in EXPORTS:
        said.append(track("export", what, place))
    said += [track("rank", place), track("rank", place, "--json"), track("score", place, "--json")]
    said.append(track("score", place, "--only", "S0002"))
    values = [
        line.rsplit(",", 1)[1]
        for line in (place / "scores/R0001/scores.csv").read_text().splitlines()[1:]
        if line.split(",")[-2] in ("3", "4", "all")
    ]
    hidden = [*secrets_of(place), *(value.encode() for value in values if len(value) > 6)]
    assert len(hidden) > 40
    written = {**{f"site/{n}": d for n, d in everything(place / "site").items()}}
    written |= {f"export/{n}": d for n, d in everything(place / "export").items()}
    written |= {f"said {i}": text.encode() for i, text in enumerate(said)}
    assert len(written) > 40
    assert not any("held-back" in name for name in written)
    for name, data in written.items():
        for line in hidden:
            assert line not in data, (name, line)


def test_the_search_would_find_a_line(tmp_path: Path) -> None:
    """The same search finds held-back lines where they are asked for: in EvalAI's and TIRA's bundle."""
    place = example(tmp_path)
    line = b"3 1 doc-301"
    for what in ("evalai", "tira"):
        track("export", what, place)
        assert not any(line in data for data in everything(place / "export" / what).values())
        track("export", what, place, "--with-held-back")
        assert any(line in data for data in everything(place / "export" / what).values())
    for what in ("codabench", "kit"):
        track("export", what, place, "--with-held-back", code=2)


# --- the kit ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["S0001", "S0002", "S0003", "S0004"])
def test_the_kit_gives_the_verdict_of_the_organisers(exported: Any, name: str) -> None:
    """`validate` with kit.zip says what the recorded verdict says, but for the id."""
    expected = json.loads((EXAMPLE / "verdicts" / f"{name}.json").read_text())
    path = EXAMPLE / "inbox" / expected["team"] / expected["file"]["name"]
    code = int(expected["verdict"] == "rejected")
    kit = exported / "export/kit/kit.zip"
    got = answer("validate", path, "--track", kit, "--team", expected["team"], code=code)["verdicts"][0]
    assert got == {**expected, "submission": None}


def test_archives_depend_on_their_content_alone(exported: Any, tmp_path: Path) -> None:
    """Sorted names, one date, no folder inside, and the same bytes on the second day."""
    again = example(tmp_path)
    for what in EXPORTS:
        track("export", what, again)
    first = {p.relative_to(exported): p.read_bytes() for p in (exported / "export").rglob("*") if p.is_file()}
    second = {p.relative_to(again): p.read_bytes() for p in (again / "export").rglob("*") if p.is_file()}
    assert first == second
    for data in (d for name, d in first.items() if name.suffix == ".zip"):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            assert archive.namelist() == sorted(archive.namelist())
            assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


# --- programs -----------------------------------------------------------------------------------------------------

OPEN = {"rbu": 0.6930248175000001, "ndcg": 1.0}  # what the specification's scoring program printed for alpha-1


def run(*words: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *map(str, words)], capture_output=True, text=True, cwd=cwd, check=False)


def refused(monkeypatch: pytest.MonkeyPatch, program: Path, *words: object) -> tuple[int, str, str]:
    """A program in this process, which ends by itself: its exit code, and what it printed to both streams."""
    out, err = io.StringIO(), io.StringIO()
    with monkeypatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setattr(sys, "argv", [str(program), *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            runpy.run_path(str(program), run_name="__main__")
    assert isinstance(ended.value.code, int)
    return ended.value.code, out.getvalue(), err.getvalue()


def codabench_folder(exported: Path, folder: Path) -> Path:
    bundle = unpack((exported / "export/codabench/codabench.zip").read_bytes())
    for name, target in (("scoring_program.zip", "program"), ("reference_data.zip", "input/ref")):
        for file, data in unpack(bundle[name]).items():
            (folder / target).mkdir(parents=True, exist_ok=True)
            (folder / target / file).write_bytes(data)
    (folder / "input/res/__MACOSX").mkdir(parents=True)
    (folder / "input/res/metadata").write_text("the worker adds this")
    (folder / "input/res/__MACOSX/._x").write_text("")
    return folder


@pytest.mark.slow
def test_the_codabench_program_scores_and_refuses(
    exported: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every column, or exit code 1, one line, and nothing written."""
    folder = codabench_folder(exported, tmp_path)
    words = (folder / "program/score.py", folder / "input", folder / "output")
    (folder / "input/res/alpha-1.txt").write_bytes((EXAMPLE / "inbox/alpha/alpha-1.txt").read_bytes())
    done = run(*words)
    assert done.returncode == 0, done.stderr
    scores = json.loads((folder / "output/scores.json").read_text())
    assert scores == {"rbu_20": OPEN["rbu"], "alpha_ndcg_20": OPEN["ndcg"]}
    (folder / "output/scores.json").unlink()
    (folder / "input/res/alpha-1.txt").unlink()
    (folder / "input/res/gamma-1.txt").write_bytes((EXAMPLE / "inbox/gamma/gamma 1.txt").read_bytes())
    code, _, said = refused(monkeypatch, *words)
    assert code == 1
    assert len(said.splitlines()) == 1
    assert "L01" in said
    assert not (folder / "output/scores.json").exists()
    (folder / "input/res/second.txt").write_text("x")
    assert "expected one run file" in refused(monkeypatch, *words)[2]


def test_the_evalai_program_scores_and_fails(exported: Any, tmp_path: Path) -> None:
    """`evaluate` of the package returns the splits; a faulty run raises with its faults; the worker prints the fields."""
    bundle = unpack((exported / "export/evalai/evalai.zip").read_bytes())
    (tmp_path / "test.zip").write_bytes(bundle["annotations/test.zip"])
    for name in ("worker.py", "evaluate.py"):
        (tmp_path / name).write_bytes((exported / "export/evalai" / name).read_bytes())
    good = tmp_path / "0a1b2c.txt"  # EvalAI renames what was sent
    good.write_bytes((EXAMPLE / "inbox/alpha/alpha-1.txt").read_bytes())
    done = run("worker.py", "test.zip", good, 7, 12, cwd=tmp_path)
    fields = json.loads(done.stdout)
    assert done.returncode == 0
    assert fields["submission_status"] == "FINISHED"
    entries = json.loads(fields["result"])
    assert entries == [
        {
            "split": "open",
            "show_to_participant": True,
            "accuracies": {"RBU@20": OPEN["rbu"], "alpha_nDCG@20": OPEN["ndcg"]},
        }
    ]
    bad = tmp_path / "bad.txt"
    bad.write_text(run_text("x", topics=(1, 2)))
    done = run("worker.py", "test.zip", bad, 7, 13, cwd=tmp_path)
    assert done.returncode == 1
    assert "T01" in json.loads(done.stdout)["stderr"]


@pytest.mark.slow
def test_the_tira_evaluator_writes_what_tira_reads(
    exported: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`evaluation.prototext` is read by TIRA's client; a fault is one line on standard output and exit code 1."""
    folder = exported / "export/tira"
    (tmp_path / "run").mkdir()
    alpha = (EXAMPLE / "inbox/alpha/alpha-1.txt").read_bytes()
    (tmp_path / "run/run.txt.gz").write_bytes(gzip.compress(alpha))
    words = (
        folder / "evaluator/evaluate.py",
        "--run",
        tmp_path / "run",
        "--truths",
        folder / "truths",
        "--output",
        tmp_path / "out",
    )
    done = run(*words)
    assert done.returncode == 0, done.stdout + done.stderr
    io_utils = pytest.importorskip("tira.io_utils")
    read = {m["key"]: m["value"] for m in io_utils.parse_prototext_key_values(tmp_path / "out/evaluation.prototext")}
    assert read == {"RBU@20": OPEN["rbu"], "alpha_nDCG@20": OPEN["ndcg"]}
    (tmp_path / "run/run.txt.gz").unlink()
    code, said, _ = refused(monkeypatch, *words)
    assert code == 1
    assert said.startswith("not evaluated: expected run.txt")


def test_held_back_splits_have_the_scores_of_record(tmp_path: Path) -> None:
    """With held-back topics, the means of both splits are those of the scoring of record, to the last bit."""
    from diveval.tracks.grading import grade
    from diveval.tracks.scorings import read_scores

    place = filled(tmp_path)
    track("score", place)
    track("export", "evalai", place, "--with-held-back")
    bundle = unpack((place / "export/evalai/evalai.zip").read_bytes())
    folder = tmp_path / "reference"
    folder.mkdir()
    for name, data in unpack(bundle["annotations/test.zip"]).items():
        (folder / name).write_bytes(data)
    scores = present(read_scores((place / "scores/R0001/scores.csv").read_bytes(), "scores.csv"))
    means = grade(folder, place.parent / "beta-1.txt")
    for split, topics in (("open", ["1", "2"]), ("held_back", ["3", "4"])):
        expected = scores.select(topics=topics, runs=["S0003"]).means[0]
        assert list(means[split].values()) == [float(mean) for mean in expected]


def test_another_version_refuses_to_score(exported: Any, tmp_path: Path) -> None:
    """Numbers come from the version that is named in the bundle."""
    from diveval.tracks.grading import grade

    for name, data in unpack(
        unpack((exported / "export/codabench/codabench.zip").read_bytes())["reference_data.zip"]
    ).items():
        (tmp_path / name).write_bytes(data)
    rules = json.loads((tmp_path / "rules.json").read_text())
    (tmp_path / "rules.json").write_text(json.dumps({**rules, "diveval": "0.1"}))
    with pytest.raises(DivevalError, match=wording(r"needs diveval==0\.1")):
        grade(tmp_path, EXAMPLE / "inbox/alpha/alpha-1.txt")


# --- refusals -------------------------------------------------------------------------------------------------------


def test_exports_say_what_they_lack(tmp_path: Path) -> None:
    """No image, no judgments, all topics held back, a label that is too long: one line, nothing written."""
    place = filled(tmp_path, ('image = ""', 'image = "registry.example.org/diveval:2"'), held_back="1\n2\n3\n4\n")
    assert "held back" in track("export", "codabench", place, code=2)
    from support.tracks import edit, small

    (tmp_path / "other").mkdir()
    bare = small(tmp_path / "other")
    assert "decide judged" in track("export", "evalai", bare, code=4)
    assert "export.image" in track("export", "codabench", bare, code=2)
    assert not (bare / "export").exists()
    (place / "private/held-back.txt").write_text("3\n")
    track("decide", "judged", "--track", place, "--reason", "fewer topics are held back")
    assert "baseline_link" in track("export", "tira", place, code=2)
    edit(place, ("[scoring.labels]", '[scoring.labels]\n"alpha_nDCG@20" = "a: b"'), reason="a label with a colon")
    assert "scoring.labels" in track("export", "codabench", place, code=2)
