"""Exports: their contents, the results of their programs, and what they refuse."""

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

from diveval.tracks.kit import unpack
from support.present import present
from support.refusals import is_refusal, refuses
from support.tracks import EXAMPLE, EXPORTS, answer, edit, example, filled, run_text, small, track


def unpacked(data: bytes) -> dict[str, bytes]:
    """Every file in an archive and in the archives inside it."""
    files = {}
    for name, content in unpack(data).items():
        files[name] = content
        if name.endswith(".zip"):
            files |= {f"{name}/{below}": more for below, more in unpacked(content).items()}
    return files


def all_files(folder: Path) -> dict[str, bytes]:
    """Every file below a folder and inside its archives."""
    files = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            name, data = path.relative_to(folder).as_posix(), path.read_bytes()
            files[name] = data
            if path.suffix == ".zip":
                files |= {f"{name}/{below}": content for below, content in unpacked(data).items()}
    return files


# --- held-back judgments ------------------------------------------------------------------------------------------


def secrets_of(place: Path) -> list[bytes]:
    """The lines of judgments and weights of held-back topics."""
    held = (place / "private/held-back.txt").read_text().split()
    lines = []
    for name in ("qrels.txt", "weights.txt"):
        path = place / "private" / name
        if path.exists():
            lines += [line.encode() for line in path.read_text().splitlines() if line.split()[0] in held]
    return lines


def test_nothing_written_before_release_contains_held_back_judgments(tmp_path: Path) -> None:
    """Site, exports and printed output contain no line of held-back judgments and no value of a held-back topic."""
    place = example(tmp_path)
    printed = [track("site", place), track("verify", place)]
    for what in EXPORTS:
        printed.append(track("export", what, place))
    printed += [track("rank", place), track("rank", place, "--json"), track("score", place, "--json")]
    printed.append(track("score", place, "--only", "S0002"))
    values = [
        line.rsplit(",", 1)[1]
        for line in (place / "scores/R0001/scores.csv").read_text().splitlines()[1:]
        if line.split(",")[-2] in ("3", "4", "all")
    ]
    hidden = [*secrets_of(place), *(value.encode() for value in values if len(value) > 6)]
    assert len(hidden) > 40
    written = {f"site/{n}": d for n, d in all_files(place / "site").items()}
    written |= {f"export/{n}": d for n, d in all_files(place / "export").items()}
    written |= {f"printed {i}": text.encode() for i, text in enumerate(printed)}
    assert len(written) > 40
    assert not any("held-back" in name for name in written)
    for name, data in written.items():
        for line in hidden:
            assert line not in data, (name, line)


def test_with_held_back_exports_held_back_judgments(tmp_path: Path) -> None:
    """--with-held-back puts held-back judgments into the bundles of EvalAI and TIRA, and is refused for the others."""
    place = example(tmp_path)
    line = b"3 1 doc-301"
    for what in ("evalai", "tira"):
        track("export", what, place)
        assert not any(line in data for data in all_files(place / "export" / what).values())
        track("export", what, place, "--with-held-back")
        assert any(line in data for data in all_files(place / "export" / what).values())
    for what in ("codabench", "kit"):
        track("export", what, place, "--with-held-back", code=2)


# --- the kit ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["S0001", "S0002", "S0003", "S0004"])
def test_the_kit_gives_the_recorded_verdict(exported: Any, name: str) -> None:
    """`validate` with kit.zip gives the recorded verdict, except for the id."""
    expected = json.loads((EXAMPLE / "verdicts" / f"{name}.json").read_text())
    path = EXAMPLE / "inbox" / expected["team"] / expected["file"]["name"]
    code = int(expected["verdict"] == "rejected")
    kit = exported / "export/kit/kit.zip"
    got = answer("validate", path, "--track", kit, "--team", expected["team"], code=code)["verdicts"][0]
    assert got == {**expected, "submission": None}


def test_archives_are_reproducible(exported: Any, tmp_path: Path) -> None:
    """The same track gives the same bytes: names in archives are sorted and all have one date."""
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

OPEN = {"rbu": 0.6930248175000001, "ndcg": 1.0}  # printed by the specification's scoring program for alpha-1


def run(*words: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *map(str, words)], capture_output=True, text=True, cwd=cwd, check=False)


def refused(monkeypatch: pytest.MonkeyPatch, program: Path, *words: object) -> tuple[int, str, str]:
    """Run a program in this process until it exits: its exit code, standard output and standard error."""
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
    """The program writes every column; for a faulty run it prints one line, exits with code 1 and writes nothing."""
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
    code, _, error = refused(monkeypatch, *words)
    assert code == 1
    assert len(error.splitlines()) == 1
    assert "L01" in error
    assert not (folder / "output/scores.json").exists()
    (folder / "input/res/second.txt").write_text("x")
    assert refused(monkeypatch, *words)[0] == 1


def test_the_evalai_program_scores_and_fails(exported: Any, tmp_path: Path) -> None:
    """The worker prints the scores of each split; for a faulty run it prints the faults and exits with code 1."""
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
    """TIRA's client reads `evaluation.prototext`; a missing run is one line on standard output and exit code 1."""
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
    code, printed, _ = refused(monkeypatch, *words)
    assert (code, len(printed.splitlines())) == (1, 1)
    assert "run.txt" in printed


def test_splits_have_the_recorded_scores(tmp_path: Path) -> None:
    """With held-back topics, the means of both splits equal those of the recorded scoring, to the last bit."""
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
    """A bundle made by one version of diveval cannot be scored by another."""
    from diveval.tracks.grading import grade

    for name, data in unpack(
        unpack((exported / "export/codabench/codabench.zip").read_bytes())["reference_data.zip"]
    ).items():
        (tmp_path / name).write_bytes(data)
    rules = json.loads((tmp_path / "rules.json").read_text())
    (tmp_path / "rules.json").write_text(json.dumps({**rules, "diveval": "0.1"}))
    with refuses("wrong-version", "diveval==0.1"):
        grade(tmp_path, EXAMPLE / "inbox/alpha/alpha-1.txt")


# --- refusals -------------------------------------------------------------------------------------------------------


def test_exports_name_what_is_missing(tmp_path: Path) -> None:
    """Held-back topics only, no judgments, no image, no baseline, an unusable label: refused, and nothing is written."""
    place = filled(tmp_path, ('image = ""', 'image = "registry.example.org/diveval:2"'), held_back="1\n2\n3\n4\n")
    assert is_refusal(track("export", "codabench", place, code=2), "no-judgment")
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
