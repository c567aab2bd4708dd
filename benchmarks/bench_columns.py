"""`make bench`, second half: many small topics (N), frames (F), parquet (Q) and Spark, compared with peers and with 1.0.0.

Every ratio is between processes measured from outside in one session, in alternation. 1.0.0 is built from its commit in a
folder of its own; if the history lacks it, comparisons with it are left out. The load of the machine is recorded.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from measure import HERE, Cost, build_version, cost_of, least, say
from tools import OURS
from workload import DATA, FULL, SMALL, THIRTY

ROOT = HERE.parent
FIRST = "3b499e7"  # version 1.0.0
SIX = list(OURS.values())
AD_HOC = ["nDCG@20", "AP", "RR"]


class Session:
    """Measured costs and targets."""

    def __init__(self, repeats: int, quick: bool) -> None:
        self.repeats, self.quick = repeats, quick
        self.costs: dict[str, list[Cost]] = {}
        self.rows: list[tuple[str, str, str, bool | None]] = []
        self.building = Path(tempfile.mkdtemp(prefix="diveval-bench-"))
        self.first = build_version(FIRST, self.building / "first")

    def alternate(self, commands: dict[str, tuple[Sequence[str | Path], Path | None]], repeats: int = 0) -> None:
        """Run each command once per round; its source folder, if any, precedes all others on Python's path."""
        for _ in range(repeats or self.repeats):
            for name, (command, source) in commands.items():
                cost = cost_of(command, source)
                self.costs.setdefault(name, []).append(cost)
                say(
                    f"{name:42} CPU {cost.cpu:8.2f} s  wall {cost.wall:8.2f} s  {cost.megabytes:6.0f} MB  load {os.getloadavg()[0]:.1f}"
                )

    def cpu(self, name: str) -> float:
        return least(self.costs[name], "cpu")

    def peak(self, name: str) -> float:
        return max(cost.megabytes for cost in self.costs[name])

    def promise(self, workload: str, target: str, found: str, kept: bool | None) -> None:
        kept = None if self.quick else kept  # start-up time dominates small sizes
        self.rows.append((workload, target, found, kept))
        say(f"{'not judged' if kept is None else 'pass' if kept else 'FAIL':10} {workload}: {target}: {found}")

    def ratio(self, workload: str, slower: str, faster: str, least_ratio: float) -> None:
        value = self.cpu(slower) / self.cpu(faster)
        found = f"{self.cpu(slower):.2f} s / {self.cpu(faster):.2f} s = {value:.1f}×"
        self.promise(workload, f"≥ {least_ratio:g}× less CPU than {slower}", found, value >= least_ratio)

    def keep(self, before: dict[str, Any]) -> None:
        """Add the results of an earlier session for workloads that this one did not run."""
        self.costs = {n: [Cost(**c) for c in costs] for n, costs in before["costs"].items()} | self.costs
        kept = {tuple(row[:2]): tuple(row) for row in before["targets"]} | {row[:2]: row for row in self.rows}
        self.rows = list(kept.values())

    # --- workloads ------------------------------------------------------------------------------------------------

    def narrow(self, topics: int, repeats: int) -> None:
        """N: from files to a CSV of values per topic."""
        qrels, run = narrow_files(topics)
        out, n = self.building / "n.csv", f"N {topics}"
        peer = [sys.executable, HERE / "tools.py", "pyndeval", qrels, self.building / "peer.csv", run]
        commands = {f"{n} diveval": (evaluate(qrels, [run], SIX, out), None), f"{n} pyndeval": (peer, None)}
        self.alternate(commands, repeats)
        if self.first and topics <= 50_000:
            self.alternate({f"{n} 1.0.0": (evaluate(qrels, [run], SIX, out), self.first)}, 1)
        self.ratio(n, f"{n} pyndeval", f"{n} diveval", 4 if topics <= 50_000 else 5)

    def ad_hoc(self, topics: int) -> None:
        """N with the metrics of pytrec_eval, which gets dicts that a plain loop reads."""
        qrels, run = narrow_files(topics)
        peer = [sys.executable, HERE / "tools.py", "pytrec_eval-fast", qrels, self.building / "peer.csv", run]
        ours = evaluate(qrels, [run], AD_HOC, self.building / "n.csv")
        self.alternate({"N ad hoc diveval": (ours, None), "N ad hoc pytrec_eval": (peer, None)})
        self.ratio("N, nDCG@20, AP, RR", "N ad hoc pytrec_eval", "N ad hoc diveval", 3)

    def measures(self, topics: int) -> None:
        """Every measure of ir_measures by its own providers, on many small topics and on thirty long runs."""
        qrels, run = narrow_files(topics)
        THIRTY.make()
        for name, judged, runs, target in (("N", qrels, [run], 5), ("30 × 50 × 1,000", THIRTY.qrels, THIRTY.runs, 10)):
            kinds = {"diveval": "diveval-measures", "ir_measures": "ir_measures-all"}
            commands = {
                f"{name}, all measures, {who}": (
                    [sys.executable, HERE / "tools.py", kind, judged, self.building / "m.csv", *runs],
                    None,
                )
                for who, kind in kinds.items()
            }
            self.alternate(commands, 1 if name != "N" else 0)
            self.ratio(
                f"{name}, all measures", f"{name}, all measures, ir_measures", f"{name}, all measures, diveval", target
            )

    def million(self, topics: int, small: int) -> None:
        """CPU per topic and memory at the largest size."""
        qrels, run = narrow_files(topics)
        name, less = f"N {topics} diveval", f"N {small} diveval"
        if name not in self.costs:
            self.alternate({name: (evaluate(qrels, [run], SIX, self.building / "n.csv"), None)}, 1)
        each, before = self.cpu(name) / topics, self.cpu(less) / small
        found = f"{1e6 * each:.1f} µs / {1e6 * before:.1f} µs = {each / before:.2f}×"
        self.promise(f"N {topics}", f"CPU per topic ≤ 1.2× that at {small}", found, each <= 1.2 * before)
        self.promise(f"N {topics}", "memory ≤ 2 GB", f"{self.peak(name):.0f} MB", self.peak(name) <= 2048)

    def frames(self, topics: int) -> None:
        """F: the same from frames in memory; each process prints the cost of its evaluation alone."""
        qrels, run = narrow_files(topics)
        spent: dict[str, list[float]] = {}
        for _ in range(self.repeats):
            for kind in ("files", "polars", "pandas", "arrow"):
                command = [sys.executable, HERE / "frames.py", kind, qrels, run]
                done = subprocess.run([str(w) for w in command], capture_output=True, text=True, check=True)
                spent.setdefault(kind, []).append(float(done.stdout.split()[-1]))
        files = min(spent.pop("files"))
        for kind, costs in spent.items():
            found = f"{min(costs):.2f} s / {files:.2f} s = {min(costs) / files:.2f}×"
            self.promise(f"F {kind}", "≤ 1.3× the CPU from files", found, min(costs) <= 1.3 * files)

    def parquet(self, rows: int) -> None:
        """Q: as docs/scale.md describes it."""
        command = [sys.executable, HERE / "bench_scale.py", "--rows", str(rows), "--jobs", "2"]
        done = subprocess.run([str(w) for w in command], capture_output=True, text=True, check=True)
        result = json.loads(done.stdout)
        peak = max(result["peak MB of the main process"], result["peak MB of a worker"])
        allowed = 100 * rows / 100e6
        found = f"{result['processor seconds']:.1f} s for {rows / 1e6:g} M rows"
        self.promise("Q", f"≤ {allowed:g} CPU s (100 for 100 M rows)", found, result["processor seconds"] <= allowed)
        self.promise("Q", "≤ 500 MB per process", f"{peak} MB", peak <= 500)

    def spark(self, rows: int) -> None:
        """Spark with local[2]: equal bits, and the cost of its Python workers."""
        command = [sys.executable, HERE / "bench_spark.py", "--rows", str(rows), "--local"]
        done = subprocess.run([str(w) for w in command], capture_output=True, text=True, check=True)
        result = next(json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"piece"'))
        name, workers, local = (
            f"Spark {rows / 1e6:g} M rows",
            result["CPU s, python workers"],
            result["CPU s, local path"],
        )
        self.promise(name, "equal bits", f"{result['values']} values", result["values that differ"] == 0)
        found = f"{workers:.1f} s / {local:.1f} s = {workers / local:.2f}×"
        kept = workers <= 2 * local if rows >= 10**7 else None  # start-up time dominates few rows
        self.promise(name, "CPU of Python workers ≤ 2× the local path", found, kept)

    def small(self) -> None:
        """30 runs × 50 topics: 100 variants, unanimity, a report and the import, compared with 1.0.0."""
        if not self.first:
            return
        subprocess.run([sys.executable, HERE / "workload.py", THIRTY.name], check=True)
        page, files = self.building / "page.html", [THIRTY.qrels, *THIRTY.runs]
        own = [sys.executable, "-m", "diveval"]
        steps: dict[str, list[str | Path]] = {
            "100 variants": [sys.executable, HERE / "tools.py", "diveval-100", THIRTY.qrels, "-", *THIRTY.runs],
            "unanimity": [*own, "meta", "unanimity", *files, "-o", self.building / "u.txt"],
            "report": [*own, "report", *files, "-o", page],
            "import": [sys.executable, "-c", "import diveval"],
        }
        for name, command in steps.items():
            self.alternate({f"{name} diveval": (command, None), f"{name} 1.0.0": (command, self.first)})
            now, before = self.cpu(f"{name} diveval"), self.cpu(f"{name} 1.0.0")
            found = f"{now:.2f} s, 1.0.0 {before:.2f} s"
            self.promise(
                f"30 × 50, {name}",
                "no more CPU than 1.0.0 (5 % and 0.02 s allowed for noise)",
                found,
                now <= 1.05 * before + 0.02,
            )

    def wide(self) -> None:
        """W, compared with 1.0.0 and pyndeval."""
        subprocess.run([sys.executable, HERE / "workload.py", FULL.name, SMALL.name], check=True)
        commands = {"W diveval": (evaluate(FULL.qrels, FULL.runs, SIX, self.building / "w.csv"), None)}
        if self.first:
            commands["W 1.0.0"] = (evaluate(FULL.qrels, FULL.runs, SIX, self.building / "w.csv"), self.first)
        self.alternate(commands)
        peer = [sys.executable, HERE / "tools.py", "pyndeval", FULL.qrels, self.building / "peer.csv", *FULL.runs]
        self.alternate({"W pyndeval": (peer, None)}, 1)
        if self.first:
            self.ratio("W", "W 1.0.0", "W diveval", 1.5)
        self.ratio("W", "W pyndeval", "W diveval", 30)
        self.promise("W", "memory ≤ 80 MB", f"{self.peak('W diveval'):.0f} MB", self.peak("W diveval") <= 80)

    def series(self) -> dict[str, list[dict[str, float]]]:
        """The costs of N by size, one series per tool, for plot.py."""
        out: dict[str, list[dict[str, float]]] = {}
        for name, costs in self.costs.items():
            words = name.split(" ", 2)
            if words[0] == "N" and words[1].isdigit():
                point = {"lines": 20 * int(words[1]), "cpu": least(costs, "cpu")}
                out.setdefault(words[2], []).append(point)
        return out

    def table(self) -> str:
        lines = [
            f"Load of the machine at the end: {', '.join(f'{x:.1f}' for x in os.getloadavg())} on {os.cpu_count()} cores.",
            "",
            "| workload | target | found | |",
            "|---|---|---|---|",
        ]
        marks = {None: "not judged", True: "pass", False: "FAIL"}
        lines += [f"| {w} | {target} | {found} | {marks[kept]} |" for w, target, found, kept in self.rows]
        return "\n".join([*lines, ""])


def narrow_files(topics: int) -> tuple[Path, Path]:
    """The files of N, written on first use."""
    folder = DATA / f"N{topics}"
    if not (folder / "made").exists():
        subprocess.run([sys.executable, HERE / "narrow.py", str(folder), str(topics)], check=True)
        (folder / "made").touch()
    return folder / "qrels.txt", folder / "n.run"


def evaluate(qrels: Path, runs: Sequence[Path], metrics: Sequence[str], out: Path) -> list[str | Path]:
    options = [word for metric in metrics for word in ("-m", metric)]
    return [
        sys.executable,
        "-m",
        "diveval",
        "evaluate",
        qrels,
        *runs,
        *options,
        "-q",
        "-f",
        "csv",
        "-o",
        out,
        "--jobs",
        "1",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--quick", action="store_true", help="small sizes; a few minutes")
    parser.add_argument("--full", action="store_true", help="100 M rows of parquet and 10 M rows in Spark as well")
    parser.add_argument(
        "--only",
        default="",
        help="steps, separated by commas: narrow, ad_hoc, measures, million, frames, parquet, spark, wide, small",
    )
    parser.add_argument("--repeats", type=int, default=None)
    args = parser.parse_args()
    session = Session(args.repeats or (2 if args.quick else 5), args.quick)
    base, large, largest = (5_000, 20_000, 20_000) if args.quick else (50_000, 500_000, 1_000_000)
    steps = {
        "narrow": lambda: (session.narrow(base, session.repeats), session.narrow(large, min(3, session.repeats))),
        "ad_hoc": lambda: session.ad_hoc(base),
        "measures": lambda: session.measures(base),
        "million": lambda: session.million(largest, base),
        "frames": lambda: session.frames(base),
        "parquet": lambda: session.parquet(10**6 if args.quick else 10**8 if args.full else 2 * 10**7),
        "spark": lambda: session.spark(2 * 10**5 if args.quick else 10**7 if args.full else 10**6),
        "wide": session.wide,
        "small": session.small,
    }
    for name, step in steps.items():
        if (not args.only or name in args.only.split(",")) and not (args.quick and name == "wide"):
            say(f"== {name}")
            step()
    results = HERE / "results"
    results.mkdir(exist_ok=True)
    name = "columns-quick" if args.quick else "columns"
    if args.only and (results / f"{name}.json").exists():
        session.keep(json.loads((results / f"{name}.json").read_text()))
    facts = {
        "costs": {k: [asdict(c) for c in v] for k, v in session.costs.items()},
        "targets": session.rows,
        "series": session.series(),
    }
    (results / f"{name}.json").write_text(json.dumps(facts, indent=1))
    if facts["series"]:
        subprocess.run([sys.executable, HERE / "plot.py", results / f"{name}.json", results / name], check=True)
    (results / f"{name}.md").write_text(session.table())
    shutil.rmtree(session.building)
    say(session.table())
    if any(kept is False for *_, kept in session.rows):
        raise SystemExit("some targets were missed")


if __name__ == "__main__":
    main()
