"""Child processes run nothing from the working folder, and load no main module again."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Sequence
from multiprocessing import spawn, util
from pathlib import Path

import pytest

from diveval.system.processes import process_pool

pytest.importorskip("z3", reason="the axiom engine needs z3")
PLANTED = ("z3", "reprlib", "multiprocessing", "numpy", "diveval", "sitecustomize")
JUDGMENTS = "1 a d1 1\n1 b d2 1\n2 a d1 1\n2 b d3 1\n"
RUN = "1 Q0 d1 1 2 {0}\n1 Q0 d2 2 1 {0}\n2 Q0 d3 1 1 {0}\n"


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A folder with data, and modules that leave a mark when they are imported."""
    for name in PLANTED:
        (tmp_path / f"{name}.py").write_text(
            f"open({str(tmp_path / name)!r} + '.ran', 'w').close()\n", encoding="utf-8"
        )
    (tmp_path / "qrels.txt").write_text(JUDGMENTS, encoding="utf-8")
    for run in "ab":
        (tmp_path / f"{run}.run").write_text(RUN.format(run), encoding="utf-8")
    mine = "def score(ranking):\n    return sum(max(row) for row in ranking.relevance)\n"
    (tmp_path / "mine.py").write_text(mine, encoding="utf-8")
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ["axioms", "P@k", "--jobs", "2", "--no-cache"],
        ["axioms", "mine.py:score", "--axiom", "Pri", "--no-cache", "--time-limit", "5"],
        ["report", "qrels.txt", "a.run", "b.run", "-m", "P@5", "--conclusions", "none", "-o", "report.html"],
    ],
    ids=lambda words: words[0],
)
def test_children_run_nothing_from_the_working_folder(
    words: Sequence[str], hostile: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Modules planted beside the data are not imported by any process that a command starts."""
    program = tmp_path_factory.mktemp("bin") / "diveval"
    program.write_text("import sys\nfrom diveval.cli import main\nsys.exit(main())\n", encoding="utf-8")
    command = [sys.executable, str(program), *words]
    done = subprocess.run(command, cwd=hostile, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in hostile.glob("*.ran")) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "words", [["evaluate", "qrels.txt", "a.run", "b.run"], ["axioms", "P@k", "--jobs", "2", "--no-cache"]]
)
def test_the_module_as_a_program_runs_nothing_from_the_working_folder(words: Sequence[str], hostile: Path) -> None:
    """`python -m diveval` takes the working folder off the path, for itself and for its children; packages too."""
    for name in (
        "diveval",
        "sitecustomize",
        "reprlib",
        "multiprocessing",
    ):  # Python itself imports these before diveval runs
        (hostile / f"{name}.py").unlink()
    for name in ("pyarrow", "scipy", "argparse"):
        (hostile / name).mkdir()
        (hostile / name / "__init__.py").write_text(f"open({str(hostile / name)!r} + '.ran', 'w').close()\n")
    command = [sys.executable, "-m", "diveval", *words]
    done = subprocess.run(command, cwd=hostile, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in hostile.glob("*.ran")) == []


def test_a_script_without_a_guard_starts_once(tmp_path: Path) -> None:
    """Workers do not run the script that started them."""
    script = tmp_path / "script.py"
    script.write_text(
        "from diveval.system.processes import process_pool\n"
        "from math import sqrt\n"
        "print('started')\n"
        "with process_pool(1) as pool:\n"
        "    print(pool.submit(sqrt, 9.0).result())\n",
        encoding="utf-8",
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False, timeout=120)
    assert done.stdout.split() == ["started", "3.0"], done.stderr


def test_other_starts_are_not_changed() -> None:
    """What a program starts by itself, before, during or after, is started as multiprocessing does it."""
    before = util._args_from_interpreter_flags, spawn.get_preparation_data  # type: ignore[attr-defined]
    flags = util._args_from_interpreter_flags()  # type: ignore[attr-defined]
    seen = []
    with process_pool(1) as pool:
        other = threading.Thread(target=lambda: seen.append(util._args_from_interpreter_flags()))  # type: ignore[attr-defined]
        other.start()
        assert pool.submit(abs, -1).result() == 1
        other.join()
    assert seen == [flags]
    assert (util._args_from_interpreter_flags, spawn.get_preparation_data) == before  # type: ignore[attr-defined]
