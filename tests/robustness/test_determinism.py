"""The same input gives the same bytes: whatever the jobs, hash seed, locale, time zone, order of rows, or reader."""

from __future__ import annotations

import os
import random
import subprocess
import sys

import pytest

from diveval.datasets import make_collection

METRICS = ["RBU(p=0.99,e=0.05)", "alpha_nDCG@20", "D#-nDCG@10", "AP_IA", "nRBU@10", "ndeval.nERR_IA@20", "trec_eval.map"]


@pytest.fixture(scope="module")
def collection(tmp_path_factory):
    """A small synthetic collection with ties in its scores."""
    folder = make_collection(tmp_path_factory.mktemp("c"), topics=6, systems=6, depth=120, seed=5)
    for run in sorted((folder / "runs").glob("*.run"))[:3]:
        lines = [line.split() for line in run.read_text().splitlines()]
        run.write_text("".join(" ".join([*f[:4], f"{float(f[4]):.1f}", f[5]]) + "\n" for f in lines))
    return folder


def evaluate(folder, *words, environment=None):
    """Standard output of an evaluation in a process of its own."""
    runs = [str(path) for path in sorted((folder / "runs").glob("*.run"))]
    asked = [word for metric in METRICS for word in ("-m", metric)]
    command = [sys.executable, "-m", "diveval", "evaluate", f"{folder}/qrels.txt", *runs, "--weights", f"{folder}/weights.txt"]
    done = subprocess.run(
        [*command, *asked, "-q", "-f", "csv", *words],
        capture_output=True, check=True, env={**os.environ, **(environment or {})},
    )  # fmt: skip
    return done.stdout


@pytest.fixture(scope="module")
def expected(collection):
    """What the plainest call prints."""
    return evaluate(collection, "--jobs", "1")


@pytest.mark.parametrize(
    ("words", "environment"),
    [
        (["--jobs", "2"], {}), (["--jobs", "7"], {}), ([], {"PYTHONHASHSEED": "0"}), ([], {"PYTHONHASHSEED": "4242"}),
        ([], {"LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8"}), ([], {"LC_ALL": "C"}), ([], {"TZ": "Pacific/Chatham"}),
        ([], {"DIVEVAL_PLAIN_READER": "1"}), ([], {"PYTHONOPTIMIZE": "2"}),
    ],
)  # fmt: skip
def test_the_surroundings_change_no_byte(collection, expected, words, environment):
    """Jobs, hash seeds, locales, time zones, optimisation and the choice of reader leave the output alone."""
    assert evaluate(collection, *words, environment=environment) == expected


def test_the_order_of_rows_changes_no_byte(collection, expected, tmp_path):
    """Shuffled judgments, weights and run lines print the same."""
    rng = random.Random(3)
    (tmp_path / "runs").mkdir()
    for path in [collection / "qrels.txt", collection / "weights.txt", *(collection / "runs").glob("*.run")]:
        lines = path.read_text().splitlines(keepends=True)
        rng.shuffle(lines)
        (tmp_path / path.relative_to(collection)).write_text("".join(lines))
    shuffled = evaluate(tmp_path)
    assert shuffled == expected
