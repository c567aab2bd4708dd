"""`make bench`, third part: the commands where people wait, compared with version 2.0.0 in the same session.

Both versions run in alternation with the same libraries, each with its own cache of verdicts, which the first round
fills. A target is the ratio to 2.0.0 that the job should have. The judgments are those of the TREC Web Track 2011 if
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
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from measure import ENVIRONMENT, HERE, Cost, build_version, cost_of, least, say
from workload import HUNDRED, WEB

BEFORE = "5f561c2"  # version 2.0.0
TWENTY = [f"{name}@{k}" for name in ("RBU", "alpha_nDCG", "ERR_IA", "Dsharp_nDCG", "StRecall") for k in (5, 10, 20, 50)]
RANGES = "RBU(p=0.6..0.99,e=0..0.1)@20"
CELLS = ["RBU", "alpha_nDCG", "ERR_IA", "NRBP", "EU", "CT", "AP_IA", "nDCG_IA"]


@dataclass(frozen=True)
class Job:
    """A command of both versions, and by how much it should be cheaper than in 2.0.0."""

    name: str
    words: Sequence[str | Path]
    target: float
    rounds: int = 2
    cold: bool = False  # an empty cache of verdicts each time
    before: Sequence[str | Path] = ()  # the words in 2.0.0, if others


def options(metrics: Sequence[str]) -> list[str]:
    return [word for metric in metrics for word in ("-m", metric)]


def jobs(out: Path) -> list[Job]:
    """The jobs and the ratios that the times in people's hands call for."""
    folder = Path(os.environ.get("DIVEVAL_REALDATA", HERE.parents[1] / "shared" / "data")) / "web2011"
    web: list[str | Path] = [folder / "qrels.diversity.txt", folder / "runs"]
    if not folder.exists():
        subprocess.run([sys.executable, HERE / "workload.py", WEB.name], check=True)
        web = [WEB.qrels, *WEB.runs]
    subprocess.run([sys.executable, HERE / "workload.py", HUNDRED.name], check=True)
    hundred = [HUNDRED.qrels, *HUNDRED.runs]
    page = ["-o", out / "page.html"]
    return [
        Job("--version", ["--version"], 0.07 / 0.06, 5),
        Job("one small run", ["evaluate", HUNDRED.qrels, HUNDRED.runs[0], "-m", "RBU@20"], 0.30 / 0.20, 5),
        Job("report, 22 runs × 50 topics", ["report", *web, *page], 6.7 / 2),
        Job("report, 100 runs × 20 metrics", ["report", *hundred, *options(TWENTY), *page], 71 / 20, 1),
        Job("choose", ["choose", *web], 3.6 / 1.2),
        Job("meta", ["meta", *web, "--output", out / "meta"], 10.1 / 3),
        Job("violations, RBU and ERR-IA", ["violations", *web, *options(["RBU@20", "ERR_IA@20"])], 2.2 / 0.8),
        Job("conclusions over p and e", ["conclusions", *web, "-m", RANGES], 1.7 / 0.8),
        Job("conclusions, p, e and labels", ["conclusions", *web, "-m", RANGES, "--unjudged", "any"], 59 / 8, 1),
        Job("axiom cells without cache", ["axioms", *CELLS, "-f", "csv"], 2, 1, cold=True),
    ]


def measure(job: Job, sources: dict[str, Path | None], caches: Path) -> dict[str, list[Cost]]:
    """The costs by version; the first of several rounds fills the cache."""
    costs: dict[str, list[Cost]] = {}
    for _ in range(job.rounds + (job.rounds == 1 and not job.cold)):
        for version, source in sources.items():
            cache = caches / version
            if job.cold:
                shutil.rmtree(cache, ignore_errors=True)
            os.environ["XDG_CACHE_HOME"] = str(cache)
            words = job.before if job.before and version == "2.0.0" else job.words
            cost = cost_of([sys.executable, "-m", "diveval", *words], source)
            costs.setdefault(version, []).append(cost)
            say(
                f"{job.name:32} {version:6} CPU {cost.cpu:7.2f} s  {cost.megabytes:5.0f} MB  load {os.getloadavg()[0]:.1f}"
            )
    return costs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--only", default="", help="part of the names of the jobs to run")
    args = parser.parse_args()
    building = Path(tempfile.mkdtemp(prefix="diveval-bench-"))
    os.environ.update(ENVIRONMENT)
    sources = {"now": HERE.parent / "src", "2.0.0": build_version(BEFORE, building / "before")}
    if sources["2.0.0"] is None:
        raise SystemExit("the jobs have no other peer than 2.0.0")
    rows = []
    for job in jobs(building):
        if args.only in job.name:
            costs = measure(job, sources, building / "caches")
            now, before = (least(costs[version], "cpu") for version in ("now", "2.0.0"))
            rows.append((job.name, before, now, before / now, job.target))
    shutil.rmtree(building)
    lines = [
        f"{datetime.date.today():%Y-%m-%d}, {os.cpu_count()} cores of {platform.machine()}, load at the end"
        f" {os.getloadavg()[0]:.1f}. CPU seconds.",
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
