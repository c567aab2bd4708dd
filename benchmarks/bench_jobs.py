"""The jobs of `make bench` where people wait, each beside version 2.0.0 in the same session.

Both versions run in alternation with the same libraries, each with its own cache of verdicts, which the first round
fills. A target is the ratio to 2.0.0 that the job should have. The judgments are those of the TREC Web Track 2011 if
$DIVEVAL_REALDATA (or shared/data beside the project) has them, else a synthetic collection of the same shape.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from measure import HERE, Cost, cost_of, say
from workload import BUILT_IN, HUNDRED, WEB

BEFORE = "5f561c2"  # version 2.0.0
TWENTY = [f"{name}@{k}" for name in ("RBU", "alpha_nDCG", "ERR_IA", "Dsharp_nDCG", "StRecall") for k in (5, 10, 20, 50)]
RANGES = "RBU(p=0.6..0.99,e=0..0.1)@20"
PAGE = "page-{version}.html"
CELLS = ["RBU", "alpha_nDCG", "ERR_IA", "NRBP", "EU", "CT", "AP_IA", "nDCG_IA"]


@dataclass(frozen=True)
class Job:
    """A command of both versions, and by how much it should be cheaper than in 2.0.0."""

    name: str
    words: Sequence[str | Path]
    target: float
    rounds: int = 2
    cold: bool = False  # an empty cache of verdicts each time
    page: float | None = None  # megabytes of the page that it writes, at most


def options(metrics: Sequence[str]) -> list[str]:
    return [word for metric in metrics for word in ("-m", metric)]


def collection() -> list[str | Path]:
    """The judgments and runs of the Web Track 2011, or of the synthetic collection of its shape."""
    folder = Path(os.environ.get("DIVEVAL_REALDATA", HERE.parents[1] / "shared" / "data")) / "web2011"
    if folder.exists():
        return [folder / "qrels.diversity.txt", *sorted((folder / "runs").iterdir())]
    subprocess.run([sys.executable, HERE / "workload.py", WEB.name], check=True)
    return [WEB.qrels, *WEB.runs]


def jobs(out: Path) -> list[Job]:
    """The jobs and the ratios that the times in people's hands call for; `{version}` stands for one of the versions."""
    web = collection()
    for workload in (HUNDRED, BUILT_IN):
        subprocess.run([sys.executable, HERE / "workload.py", workload.name], check=True)
    hundred, built_in = [HUNDRED.qrels, *HUNDRED.runs], [BUILT_IN.qrels, *BUILT_IN.runs]
    weighted = ["--weights", BUILT_IN.folder / "weights.txt", "--any-weights", "--weight-order", "given"]
    page = ["-o", out / PAGE]
    track = ["--track", out / "{version}" / "track"]
    return [
        Job("--version", ["--version"], 0.07 / 0.06, 5),
        Job("one small run", ["evaluate", HUNDRED.qrels, HUNDRED.runs[0], "-m", "RBU@20"], 0.30 / 0.20, 5),
        Job("report, 22 runs × 50 topics", ["report", *web, *page], 6.7 / 2),
        Job("report, 100 runs × 20 metrics", ["report", *hundred, *options(TWENTY), *page], 71 / 20, 1, page=3),
        Job("choose", ["choose", *web], 3.6 / 1.2),
        Job("meta", ["meta", *web, "--output", out / "meta"], 10.1 / 3, 1),
        Job("violations, RBU and ERR-IA", ["violations", *web, *options(["RBU@20", "ERR_IA@20"])], 2.2 / 0.8),
        Job("conclusions over p and e", ["conclusions", *web, "-m", RANGES], 1.7 / 0.8),
        Job("conclusions, p, e and labels", ["conclusions", *web, "-m", RANGES, "--unjudged", "any"], 59 / 8, 0),
        Job("conclusions, studio's collection", ["conclusions", *built_in, "-m", RANGES, *weighted], 22 / 3, 0),
        Job("axiom cells without cache", ["axioms", *CELLS, "-f", "csv"], 2, 1, cold=True),
        Job("track with 100 runs: site", ["track", "site", *track], 45 / 10, 0),
        Job("track with 100 runs: verify", ["track", "verify", *track], 84 / 25, 0),
    ]


def make_tracks(out: Path, sources: Mapping[str, Path | None]) -> None:
    """The track of the jobs, by each version, unless it exists."""
    for version, source in sources.items():
        if not (out / version / "track").exists():
            (out / version).mkdir(exist_ok=True)
            cost_of([sys.executable, HERE / "hundred_track.py", out / version / "track"], source)


def run(job: Job, version: str, source: Path | None, caches: Path) -> Cost:
    """One run of a job by a version, with its own cache of verdicts."""
    cache = caches / version
    if job.cold:
        shutil.rmtree(cache, ignore_errors=True)
    os.environ["XDG_CACHE_HOME"] = str(cache)
    words = [str(word).replace("{version}", version) for word in job.words]
    cost = cost_of([sys.executable, "-m", "diveval", *words], source)
    say(f"{job.name:32} {version:6} CPU {cost.cpu:7.2f} s  {cost.megabytes:5.0f} MB  load {os.getloadavg()[0]:.1f}")
    return cost


def measure(job: Job, sources: Mapping[str, Path | None], caches: Path) -> dict[str, list[Cost]]:
    """The costs by version; the first of several rounds fills the cache. A job of 0 rounds runs once."""
    costs: dict[str, list[Cost]] = {version: [] for version in sources}
    for _ in range(max(job.rounds + (job.rounds == 1 and not job.cold), 1)):
        for version, source in sources.items():
            costs[version].append(run(job, version, source, caches))
    return costs
