"""`make bench`, third part: the commands where people wait, compared with version 2.0.0 in the same session.

Both versions run in alternation with the same libraries, each with its own cache of verdicts, which the first round
fills. A target is the ratio to 2.0.0 that the job should have; a size is that of the page that was written. With
--growth each job also runs on twice, four and eight times the work, in this version alone. The judgments are those of the TREC Web Track 2011 if
$DIVEVAL_REALDATA (or shared/data beside the project) has them, else a synthetic collection of the same shape.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from measure import ENVIRONMENT, HERE, Cost, build_version, cost_of, least, say
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


def jobs(out: Path, sources: Mapping[str, Path | None]) -> list[Job]:
    """The jobs and the ratios that the times in people's hands call for; `{track}` is the track of the version."""
    web = collection()
    subprocess.run([sys.executable, HERE / "workload.py", HUNDRED.name], check=True)
    subprocess.run([sys.executable, HERE / "workload.py", BUILT_IN.name], check=True)
    hundred, built_in = [HUNDRED.qrels, *HUNDRED.runs], [BUILT_IN.qrels, *BUILT_IN.runs]
    weighted = ["--weights", BUILT_IN.folder / "weights.txt", "--any-weights", "--weight-order", "given"]
    for version, source in sources.items():
        command = [sys.executable, HERE / "hundred_track.py", out / version / "track"]
        env = {**os.environ, "PYTHONPATH": str(source)}
        (out / version).mkdir()
        subprocess.run(command, check=True, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    page = ["-o", out / PAGE]
    track = ["--track", out / "{version}" / "track"]
    return [
        Job("--version", ["--version"], 0.07 / 0.06, 5),
        Job("one small run", ["evaluate", HUNDRED.qrels, HUNDRED.runs[0], "-m", "RBU@20"], 0.30 / 0.20, 5),
        Job("report, 22 runs × 50 topics", ["report", *web, *page], 6.7 / 2),
        Job("report, 100 runs × 20 metrics", ["report", *hundred, *options(TWENTY), *page], 71 / 20, 1, page=3.1),
        Job("choose", ["choose", *web], 3.6 / 1.2),
        Job("meta", ["meta", *web, "--output", out / "meta"], 10.1 / 3, 1),
        Job("violations, RBU and ERR-IA", ["violations", *web, *options(["RBU@20", "ERR_IA@20"])], 2.2 / 0.8),
        Job("conclusions over p and e", ["conclusions", *web, "-m", RANGES], 1.7 / 0.8),
        Job("conclusions, p, e and labels", ["conclusions", *web, "-m", RANGES, "--unjudged", "any"], 59 / 8, 0),
        Job("conclusions, studio's collection", ["conclusions", *built_in, "-m", RANGES, *weighted], 22 / 3, 1),
        Job("axiom cells without cache", ["axioms", *CELLS, "-f", "csv"], 2, 1, cold=True),
        Job("track with 100 runs: site", ["track", "site", *track], 45 / 10, 1),
        Job("track with 100 runs: verify", ["track", "verify", *track], 84 / 25, 1),
    ]


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


def print_growth(out: Path, source: Path | None, only: str) -> None:
    """CPU of each job on 1, 2, 4 and 8 times the runs; conclusions and letters are about pairs of runs, which grow with
    the square, and so are those of a report."""
    qrels, *runs = collection()
    say("\n| job | runs | pairs of runs | CPU s | per run | per pair |\n|---|---|---|---|---|---|")
    for name, words in GROWTH.items():
        if only not in name:
            continue
        for factor in (1, 2, 4, 8):
            some = runs[: len(runs) // 8 * factor]
            written = [str(out / "growth.html") if word == "PAGE" else word for word in words]
            cost = cost_of([sys.executable, "-m", "diveval", written[0], qrels, *some, *written[1:]], source)
            pairs = len(some) * (len(some) - 1) // 2
            each = f"{cost.cpu / len(some):.3f} | {cost.cpu / max(pairs, 1):.4f}"
            say(f"| {name} | {len(some)} | {pairs} | {cost.cpu:.2f} | {each} |")


GROWTH = {
    "report": ["report", "-o", "PAGE"],
    "choose": ["choose"],
    "violations": ["violations", *options(["RBU@20", "ERR_IA@20"])],
    "conclusions over p and e": ["conclusions", "-m", RANGES],
    "conclusions, p, e and labels": ["conclusions", "-m", RANGES, "--unjudged", "any"],
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--only", default="", help="part of the names of the jobs to run")
    parser.add_argument("--growth", action="store_true", help="also print CPU at 1, 2, 4 and 8 times the runs")
    args = parser.parse_args()
    building = Path(tempfile.mkdtemp(prefix="diveval-bench-"))
    os.environ.update(ENVIRONMENT)
    sources = {"now": HERE.parent / "src", "2.0.0": build_version(BEFORE, building / "before")}
    if sources["2.0.0"] is None:
        raise SystemExit("the jobs have no other peer than 2.0.0")
    rows = []
    for job in jobs(building, sources):
        if args.only in job.name:
            costs = measure(job, sources, building / "caches")
            now, before = (least(costs[version], "cpu") for version in ("now", "2.0.0"))
            rows.append((job.name, before, now, before / now, job.target))
            if job.page is not None:
                sizes = [(building / PAGE.replace("{version}", v)).stat().st_size / 1e6 for v in ("2.0.0", "now")]
                rows.append((f"{job.name}, MB", *sizes, sizes[0] / sizes[1], sizes[0] / job.page))
    if args.growth:
        print_growth(building, sources["now"], args.only)
    shutil.rmtree(building)
    lines = [
        f"{datetime.date.today():%Y-%m-%d}, {os.cpu_count()} cores of {platform.machine()}, load at the end"
        f" {os.getloadavg()[0]:.1f}. CPU seconds unless said.",
        "",
        "| job | 2.0.0 | now | ratio | target | |",
        "|---|---|---|---|---|---|",
        *(
            f"| {name} | {before:.2f} | {now:.2f} | {ratio:.1f}× | {target:.1f}× | {'pass' if ratio >= target else 'FAIL'} |"
            for name, before, now, ratio, target in rows
        ),
    ]
    say("\n".join(lines))
    if not args.only:
        (HERE / "results" / "jobs.md").write_text("\n".join([*lines, ""]))
        (HERE / "results" / "jobs.json").write_text(json.dumps(rows, indent=1))
    if any(ratio < target for *_, ratio, target in rows):
        raise SystemExit("some targets were missed")


if __name__ == "__main__":
    main()
