"""The benchmark files, generated from a seed and kept in benchmarks/data: workload W and smaller ones."""

from __future__ import annotations

import gzip
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

DATA = Path(__file__).parent / "data"
SEED = 5


@dataclass(frozen=True)
class Workload:
    """Runs × topics × documents, every list with its full depth."""

    name: str
    systems: int
    topics: int
    depth: int

    @property
    def folder(self) -> Path:
        return DATA / self.name

    @property
    def lines(self) -> int:
        return self.systems * self.topics * self.depth

    @property
    def qrels(self) -> Path:
        return self.folder / "qrels.txt"

    @property
    def runs(self) -> list[Path]:
        return sorted(self.folder.glob("runs/*.run"))

    @property
    def compressed(self) -> list[Path]:
        """Ten of the runs as gzip files."""
        return sorted(self.folder.glob("packed/*.run.gz"))

    def make(self) -> None:
        """Write the files, unless they exist."""
        from diveval.datasets.synthetic import make_collection

        if not (self.folder / "made").exists():
            make_collection(
                self.folder, topics=self.topics, systems=self.systems, depth=self.depth, seed=SEED, full=True
            )
            (self.folder / "packed").mkdir(exist_ok=True)
            for run in self.runs[:10]:
                (self.folder / "packed" / f"{run.name}.gz").write_bytes(gzip.compress(run.read_bytes(), 6))
            (self.folder / "made").touch()


FULL = Workload("W", 30, 50, 10_000)
QUICK = Workload("quick", 10, 50, 2_000)
SMALL = Workload("small", 1, 5, 20)
THIRTY = Workload("thirty", 30, 50, 1_000)
WEB = Workload("web", 22, 50, 1_000)
HUNDRED = Workload("hundred", 100, 50, 100)
BUILT_IN = Workload("built-in", 30, 50, 200)  # as large as the studio's own collection


def narrow(count: int) -> tuple[Path, Path]:
    """The files of N (narrow.py), written on first use."""
    folder = DATA / f"N{count}"
    if not (folder / "made").exists():
        subprocess.run([sys.executable, Path(__file__).with_name("narrow.py"), folder, str(count)], check=True)
        (folder / "made").touch()
    return folder / "qrels.txt", folder / "n.run"


def made(workload: Workload) -> Workload:
    """The workload with its files, which a process of its own writes: what this one holds would count towards the peak of
    every later child."""
    subprocess.run([sys.executable, __file__, workload.name], check=True)
    return workload


if __name__ == "__main__":
    for workload in (FULL, QUICK, SMALL, THIRTY, WEB, HUNDRED, BUILT_IN):
        if workload.name in sys.argv[1:]:
            workload.make()
