"""Every command that writes: how it is called on a small collection, and which file it puts in place last."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from diveval.cli import main
from diveval.datasets import make_collection


@dataclass(frozen=True)
class Writer:
    """A command: its words, with `{out}` for what it writes and `{c}` for the collection.

    A command that writes one file has the old file or the new one under its name, whole. One that writes a folder has
    that for every file in it, and `last` names the file that appears only when all the others are new: whoever finds
    it finds the whole (`-` where no file has that part). What a killed process leaves beside them begins with a dot (a `.part` for a download), and is
    never taken for a result.
    """

    words: str
    last: str = ""  # set for folders
    keeps: bool = True  # may write over what an earlier call wrote
    name: str = "out"
    quick: bool = False  # under a second, and one of each kind: the suite kills these, `make kills` all


COLLECTION = "{c}/qrels.txt {c}/runs/*.run"
WRITERS = {
    "evaluate": Writer(f"evaluate {COLLECTION} -q -f csv -o {{out}}", quick=True),
    "evaluate-parquet": Writer("evaluate {c}/qrels.parquet {c}/runs.parquet -m RBU@20 -f parquet --jobs 1 -o {out}"),
    "cutoff": Writer(f"cutoff {COLLECTION} -f csv -o {{out}}"),
    "metrics": Writer("metrics -f json -o {out}"),
    "compare": Writer(f"compare {COLLECTION} -m RBU@20 -f csv -o {{out}}"),
    "unanimity": Writer(f"unanimity {COLLECTION} --bootstrap 20 -f csv -o {{out}}"),
    "axioms": Writer("axioms P@k --axiom Pri --jobs 1 -f csv -o {out}"),
    "explain": Writer("explain P@k Pri -o {out}"),
    "regions": Writer("regions P@k --axiom Pri -o {out}"),
    "advise": Writer("advise --need Pri -o {out}"),
    "reproduce": Writer("reproduce table3 --data {c} --bootstrap 0 -f csv -o {out}"),
    "convert-qrels": Writer("convert qrels {c}/qrels.txt {out} --to evall", quick=True),
    "convert-parquet": Writer("convert run {c}/runs/*.run {out} --to parquet"),
    "convert-runs": Writer("convert run {c}/runs/*.run {out} --to evall", last="-", quick=True),
    "report": Writer(f"report {COLLECTION} -m RBU@20 -m StRecall@20 --axiom-seconds 300 -o {{out}}"),
    "plot": Writer(f"plot topics {COLLECTION} -m RBU@20 -o {{out}}", name="out.svg"),
    "simulate": Writer(
        f"simulate {COLLECTION} --grades --truncate 20 -o {{out}}", last="README.txt", keeps=False, quick=True
    ),
    "meta": Writer(f"meta {COLLECTION} -m RBU@20 -m P@20 -m StRecall@20 --with agreement -o {{out}}", last="index.md"),
    "data-make": Writer("data make {out} --topics 3 --systems 5 --depth 60", last="systems.csv", quick=True),
    "data-get": Writer("data get trec-dd-2016 --from {c}/dd --to {out} --accept-terms", last="-", keeps=False),
    "demo": Writer("demo --topics 3 --systems 4 --depth 30 -o {out}", last="report.html"),
}


def collection(folder: Path) -> Path:
    """A small collection, in text and in parquet."""
    made = make_collection(folder, topics=5, systems=4, depth=60, seed=2)
    for kind, source in (("qrels", [f"{made}/qrels.txt"]), ("run", sorted(map(str, (made / "runs").iterdir())))):
        target = "qrels.parquet" if kind == "qrels" else "runs.parquet"
        assert main(["convert", kind, *source, str(made / target)]) == 0
    (made / "dd").mkdir()
    for name in ("qrels.txt.gz", "truth.xml.gz"):  # files for which no sum is published
        (made / "dd" / name).write_bytes(gzip.compress((made / "qrels.txt").read_bytes(), mtime=0))
    return made


def words_of(name: str, made: Path, target: Path) -> list[str]:
    """What is typed."""
    out: list[str] = []
    for word in WRITERS[name].words.split():
        if word.endswith("*.run"):
            out += [str(path) for path in sorted((made / "runs").glob("*.run"))]
        else:
            out.append(word.format(c=made, out=target))
    return out


# coverage.py holds a lock of its own for moments in which an interruption would leave it locked for ever: a process that
# is to be interrupted is not counted.
UNCOUNTED = {"COVERAGE_PROCESS_CONFIG": "", "COVERAGE_PROCESS_START": ""}


def start(words: list[str], **environment: str) -> subprocess.Popen[bytes]:
    """diveval in a process and a group of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "diveval", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        env={**os.environ, **environment},
    )


def die(*_: object) -> None:
    """What a worker does that is killed from outside, by the machine's memory keeper for example."""
    os.kill(os.getpid(), signal.SIGKILL)
