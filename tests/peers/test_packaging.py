"""The package as distributed: built, installed in an empty environment, and used."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

from support.console import complaints
from support.late import late_or_skip
from support.wheel import ROOT, build, build_both, install, run, unpacked

late_or_skip("setuptools")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The sdist, and the wheel built from it."""
    return build_both(tmp_path_factory.mktemp("sources"))


def test_the_wheel_has_every_data_file(built: Any) -> None:
    """Whatever lies beside the modules is installed with them: programs of exports, styles, tables."""
    sources = [path for path in (ROOT / "src/diveval").rglob("*") if path.is_file()]
    data = {p.relative_to(ROOT / "src").as_posix() for p in sources if p.suffix not in (".py", ".pyc", ".so", ".pyd")}
    with zipfile.ZipFile(built[1]) as archive:
        assert data <= set(archive.namelist())


def test_every_export_works_from_the_wheel(built: Any, tmp_path: Path) -> None:
    """The kit and the bundles for all platforms are made by the installed package, not by the sources."""
    installed, place = tmp_path / "installed", tmp_path / "example"
    with zipfile.ZipFile(built[1]) as archive:
        archive.extractall(installed)
    shutil.copytree(ROOT / "tests/unit/tracks/example", place)
    for what in ("kit", "codabench", "evalai", "tira"):
        words = [sys.executable, "-m", "diveval", "track", "export", what, place]
        run(*words, cwd=tmp_path, environment={"PYTHONPATH": str(installed)})
    assert (place / "export/tira/evaluator/Dockerfile").read_bytes()


def test_the_wheel_is_complete(built: Any) -> None:
    """It has types, every package, the data files, entry points and extras, and no tests."""
    _, wheel = built
    assert "-cp310-abi3-" in wheel.name  # one wheel for every CPython from 3.10 on
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        description = archive.read(next(n for n in names if n.endswith("METADATA"))).decode()
        entry_points = archive.read(next(n for n in names if n.endswith("entry_points.txt"))).decode()
    assert "diveval/py.typed" in names
    modules = {str(p.relative_to(ROOT / "src")) for p in (ROOT / "src" / "diveval").rglob("*.py")}
    assert modules <= set(names)
    data = {
        str(p.relative_to(ROOT / "src"))
        for kind in ("css", "js", "html", "csv")
        for p in (ROOT / "src" / "diveval").rglob(f"*.{kind}")
    }
    assert data <= set(names)
    assert not any(name.startswith(("tests/", "benchmarks/")) for name in names)
    assert "diveval = diveval.launch:program" in entry_points
    assert "[pyterrier.modules]\ndiveval = diveval.integrations.pyterrier:load" in entry_points
    for extra in ("report", "studio", "spark", "axioms", "all", "frames", "arrow", "ir-measures"):
        assert f"Provides-Extra: {extra}" in description
    assert "Description-Content-Type: text/markdown" in description
    assert not re.search(r"\]\((?!https?:|#)", description), (
        "links in the description must be absolute: a package index has no other files"
    )
    assert [line for line in description.splitlines() if line.startswith("Requires-Dist") and "extra" not in line] == [
        "Requires-Dist: numpy>=1.24"
    ]


def test_the_sdist_can_be_built_again(built: Any) -> None:
    """It contains the sources of the compiled scanner too (the wheel is built from it)."""
    sdist, _ = built
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "setup.py", "LICENSE", "CITATION.cff", "CHANGELOG.md", "src/diveval/__init__.py"} <= names
    assert any(name.startswith("csrc/") and name.endswith(".c") for name in names)


def test_without_a_compiler_the_wheel_is_pure(built: Any, tmp_path: Path) -> None:
    """Its name does not claim the compiled scanner, and the build prints one warning."""
    source = unpacked(built[0], tmp_path / "unpacked")
    wheel, printed = build("wheel", source, tmp_path / "dist", CC="/bin/false")
    assert wheel.name.endswith("-py3-none-any.whl")
    assert not any(name.endswith((".so", ".pyd")) for name in zipfile.ZipFile(wheel).namelist())
    assert printed.count("without the compiled scanner") == 1


@pytest.fixture(scope="module")
def empty(built: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new environment with the wheel and the numpy of the tests only."""
    return install(built[1], tmp_path_factory.mktemp("empty") / "env", "numpy")


def test_the_wheel_works_with_numpy_alone(empty: Any, tmp_path: Path) -> None:
    """The command evaluates, explains, converts and completes with numpy alone."""
    (tmp_path / "q").write_text("1 a x 2\n1 b y 1\n")
    (tmp_path / "r").write_text("1 Q0 x 1 2.0 t\n1 Q0 y 2 1.0 t\n")
    assert run(empty / "diveval", "--version").stdout.startswith("diveval ")
    scored = run(
        empty / "diveval", "evaluate", tmp_path / "q", tmp_path / "r", "-m", "StRecall@1", "-f", "csv", cwd=tmp_path
    )
    assert "r,StRecall@1,all,0.5" in scored.stdout
    assert "Rank-biased utility" in run(empty / "diveval", "metrics", "RBU").stdout
    assert (
        run(empty / "diveval", "data", "convert", "qrels", tmp_path / "q", "-", "--to", "ntcir").stdout
        == "1 a x L2\n1 b y L1\n"
    )
    assert "_diveval()" in run(empty / "diveval", "completion", "bash").stdout
    assert "usage: diveval" in run(empty / "diveval", "--help").stdout
    listed = run(
        empty / "python", "-c", "from importlib.metadata import distributions as d; print(sorted(x.name for x in d()))"
    )
    assert listed.stdout.strip() == "['diveval', 'numpy']"


@pytest.fixture(scope="module")
def ranking(built: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new environment with what the extra `track` installs."""
    return install(built[1], tmp_path_factory.mktemp("ranking") / "env", "numpy", "scipy", "pyyaml")


@pytest.mark.slow(seconds=5)
@pytest.mark.parametrize("page", ["shared-task", "assessment"])
def test_a_track_is_played_from_the_wheel(ranking: Any, tmp_path: Path, page: str) -> None:
    """From the empty folder to the archive, and a pool with two assessors and their labels: each page literally."""
    wrong = complaints(
        ROOT / f"docs/howto/{page}.md", tmp_path, python=["env", "-u", "PYTHONPATH", str(ranking / "python")]
    )
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("program", "extra"),
    [
        ("import diveval.integrations.ir_measures", "ir-measures"),
        ("from diveval.integrations.ir_datasets import judgments; judgments('x')", "ir-datasets"),
        ("from diveval.scoring.shards import evaluate_parquet; evaluate_parquet(__file__, __file__, 'RBU')", "arrow"),
        ("import diveval; diveval.evaluate({'1': {'a': {'d': 1}}}, {'1': {'d': 1.0}}, 'RBU').to_arrow()", "arrow"),
        (
            "from diveval.integrations.spark import evaluate; evaluate(judgments=None, runs=None, metrics='RBU')",
            "spark",
        ),
    ],
)
def test_a_missing_extra_gives_the_install_command(empty: Any, tmp_path: Path, program: str, extra: str) -> None:
    """The error has the command that installs the extra."""
    (tmp_path / "p.py").write_text(program)
    finished = subprocess.run([empty / "python", tmp_path / "p.py"], capture_output=True, text=True, cwd=tmp_path)
    assert finished.returncode == 1
    assert f"pip install 'diveval[{extra}]'" in finished.stderr
