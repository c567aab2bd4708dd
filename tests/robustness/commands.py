"""Every command that writes: its arguments on a small collection, and which file it writes last."""

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
    """A command: its arguments, with `{out}` for the output and `{c}` for the collection.

    A killed command leaves the complete old or the complete new version of every file that it writes. For a folder,
    `last` names the file that appears only when all others are new, so that it marks a complete folder (`-` where there
    is none). Temporary files that remain begin with a dot (`.part` for a download) and are not results.
    """

    words: str
    last: str = ""  # set for folders
    keeps: bool = True  # may replace the output of an earlier call
    name: str = "out"
    quick: bool = False  # takes under a second: the suite kills these, `make kills` all


COLLECTION = "{c}/qrels.txt {c}/runs/*.run"
WRITERS = {
    "evaluate": Writer(f"evaluate {COLLECTION} -q -f csv -o {{out}}", quick=True),
    "evaluate-parquet": Writer("evaluate {c}/qrels.parquet {c}/runs.parquet -m RBU@20 -f parquet --jobs 1 -o {out}"),
    "stop": Writer(f"evaluate {COLLECTION} --stop -f csv -o {{out}}"),
    "metrics": Writer("metrics -f json -o {out}"),
    "compare": Writer(f"compare {COLLECTION} -m RBU@20 -f csv -o {{out}}"),
    "unanimity": Writer(f"meta unanimity {COLLECTION} --bootstrap 20 -f csv -o {{out}}"),
    "axioms": Writer("axioms P@k --axiom Pri --jobs 1 -f csv -o {out}"),
    "explain": Writer("axioms P@k Pri -o {out}"),
    "regions": Writer("axioms P@k --regions --axiom Pri -o {out}"),
    "advise": Writer("axioms --need Pri -o {out}"),
    "reproduce": Writer("data reproduce table3 --data {c} --bootstrap 0 -f csv -o {out}"),
    "convert-qrels": Writer("data convert qrels {c}/qrels.txt {out} --to evall", quick=True),
    "convert-parquet": Writer("data convert run {c}/runs/*.run {out} --to parquet"),
    "convert-runs": Writer("data convert run {c}/runs/*.run {out} --to evall", last="-", quick=True),
    "report": Writer(f"report {COLLECTION} -m RBU@20 -m StRecall@20 --axiom-seconds 300 -o {{out}}"),
    "plot": Writer(f"plot topics {COLLECTION} -m RBU@20 -o {{out}}", name="out.svg"),
    "simulate": Writer(
        f"data simulate {COLLECTION} --grades --truncate 20 -o {{out}}", last="README.txt", keeps=False, quick=True
    ),
    "meta": Writer(f"meta {COLLECTION} -m RBU@20 -m P@20 -m StRecall@20 --with agreement -o {{out}}", last="index.md"),
    "data-make": Writer("data make {out} --topics 3 --systems 5 --depth 60", last="systems.csv", quick=True),
    "data-get": Writer("data get trec-dd-2016 --from {c}/dd --to {out} --accept-terms", last="-", keeps=False),
    "demo": Writer("demo --topics 3 --systems 4 --depth 30 -o {out}", last="report.html"),
}


def collection(folder: Path) -> Path:
    """A small collection, in text and in parquet."""
    root = make_collection(folder, topics=5, systems=4, depth=60, seed=2)
    for kind, source in (("qrels", [f"{root}/qrels.txt"]), ("run", sorted(map(str, (root / "runs").iterdir())))):
        target = "qrels.parquet" if kind == "qrels" else "runs.parquet"
        assert main(["data", "convert", kind, *source, str(root / target)]) == 0
    (root / "dd").mkdir()
    for name in ("qrels.txt.gz", "truth.xml.gz"):  # files without a published checksum
        (root / "dd" / name).write_bytes(gzip.compress((root / "qrels.txt").read_bytes(), mtime=0))
    return root


def words_of(name: str, folder: Path, target: Path) -> list[str]:
    """The command line of a writer."""
    out: list[str] = []
    for word in WRITERS[name].words.split():
        if word.endswith("*.run"):
            out += [str(path) for path in sorted((folder / "runs").glob("*.run"))]
        else:
            out.append(word.format(c=folder, out=target))
    return out


# An interruption can leave coverage.py's lock locked for ever, so a process that will be interrupted is not measured.
NO_COVERAGE = {"COVERAGE_PROCESS_CONFIG": "", "COVERAGE_PROCESS_START": ""}


def start(words: list[str], **environment: str) -> subprocess.Popen[bytes]:
    """Start diveval in a process group of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "diveval", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        env={**os.environ, **environment},
    )


def die(*_: object) -> None:
    """Kill this process, as the system does with a worker that needs too much memory."""
    os.kill(os.getpid(), signal.SIGKILL)
