"""`make bench`: measure diveval and other tools on the same files, in alternation, and compare their values.

Every tool runs in a process of its own, measured from outside and including start-up. The targets are ratios within one
session on one machine; each is printed with the measured value. Results go to benchmarks/results.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from measure import ENVIRONMENT, HERE, Cost, cost_of, least, say, spread, tool
from workload import FULL, QUICK, SMALL, Workload

RESULTS = HERE / "results"
PEERS = ["pyndeval", "ir_measures", "pytrec_eval", "ranx"]
SAME = {"pyndeval": "diveval", "ir_measures": "diveval", "pytrec_eval": "diveval-ad-hoc", "ranx": "diveval-ad-hoc"}
AGREE = 1e-9


@dataclass(frozen=True)
class Target:
    """A target, the measured value and whether it is met; None if this workload is too small to tell."""

    promise: str
    found: str
    kept: bool | None


class Session:
    """One benchmark session: costs by tool and number of run files."""

    def __init__(self, workload: Workload, repeats: int, peer_repeats: int, peers: list[str]) -> None:
        self.workload, self.repeats, self.peer_repeats, self.peers = workload, repeats, peer_repeats, peers
        self.costs: dict[str, list[Cost]] = {}
        self.series: dict[str, dict[int, list[Cost]]] = {}
        self.targets: list[Target] = []
        self.agreements: list[str] = []
        self.building = Path(tempfile.mkdtemp(prefix="diveval-bench-"))
        self.bare = self.building / "bare_scanner"
        subprocess.run(["cc", "-O3", "-o", self.bare, HERE / "bare_scanner.c"], check=True)

    # --- measuring ------------------------------------------------------------------------------------------------

    def alternate(self) -> None:
        """Run every tool once per round, so that a slow phase of the machine affects all of them."""
        load, ours = self.workload, ["diveval", "diveval-2", "diveval-100", "diveval-ad-hoc"]
        commands = {name: tool(name, load.qrels, load.runs) for name in [*ours, *self.peers]}
        commands["bare scanner"] = [self.bare, load.qrels, *load.runs]
        commands["cat"] = ["cat", *load.runs]
        for turn in range(max(self.repeats, self.peer_repeats)):
            for name, command in commands.items():
                if turn < (self.peer_repeats if name in self.peers else self.repeats):
                    cost = cost_of(command)
                    self.costs.setdefault(name, []).append(cost)
                    spent = f"CPU {cost.cpu:8.2f} s  wall {cost.wall:8.2f} s  {cost.megabytes:7.0f} MB"
                    say(f"round {turn + 1}  {name:15} {spent}")

    def scale(self) -> None:
        """Time by number of lines: more and more run files; the list repeats when it is used up."""
        count = self.workload.systems
        peers = [2, 4, 8, 16] if count > 10 else [1, 2, 5, count]
        ours = [*dict.fromkeys([*peers, count, 2 * count, 4 * count])]
        for name in ["diveval", *self.peers, "bare scanner"]:
            for size in ours if name == "diveval" else peers:
                runs = (self.workload.runs * 4)[:size]
                command = tool(name, self.workload.qrels, runs)
                if name == "bare scanner":
                    command = [self.bare, self.workload.qrels, *runs]
                times = self.repeats if name in ("diveval", "bare scanner") else 1
                found = [cost_of(command) for _ in range(times)]
                self.series.setdefault(name, {})[size] = found
                say(f"{name:15} {size:3} files  CPU {least(found, 'cpu'):8.2f} s  {least(found, 'megabytes'):7.0f} MB")
            if name in self.costs:
                self.series[name].setdefault(count, self.costs[name])

    def agree(self) -> None:
        """Compare every peer's values with ours, per topic."""
        few = self.workload.runs[:2]
        tables = {}
        for name in dict.fromkeys([*self.peers, *(SAME[peer] for peer in self.peers)]):
            output = self.building / f"{name}.json"
            cost_of(tool(name, self.workload.qrels, few, output))
            tables[name] = json.loads(output.read_text())
        for peer in self.peers:
            ours, theirs = tables[SAME[peer]], tables[peer]
            gaps = [
                abs(ours[run][metric][topic] - value)
                for run, metrics in theirs.items()
                for metric, topics in metrics.items()
                for topic, value in topics.items()
            ]
            self.agreements.append(f"{peer}: {len(gaps)} values, largest difference {max(gaps):.1e}")
            self.promise(f"agrees with {peer} on every topic", f"{max(gaps):.1e}", max(gaps) <= AGREE)

    # --- judging --------------------------------------------------------------------------------------------------

    def promise(self, promise: str, found: str, kept: bool | None) -> None:
        self.targets.append(Target(promise, found, kept))
        say(f"{mark(kept):12} {promise}: {found}")

    def cpu(self, name: str) -> float:
        return least(self.costs[name], "cpu")

    def check_targets(self) -> None:
        """The targets on the full workload; on a small one, start-up time dominates."""
        judged = self.workload is FULL

        def ratio(promise: str, value: float, kept: bool) -> None:
            self.promise(promise, f"{value:.2f}×", kept if judged else None)

        for peer, factor in (("pyndeval", 15), ("ir_measures", 25)):
            if peer in self.peers:
                value = self.cpu(peer) / self.cpu("diveval")
                ratio(f"{factor}× less CPU than {peer}", value, value >= factor)
        value = self.cpu("diveval") / self.cpu("bare scanner")
        ratio("CPU within 1.5× of the bare scanner", value, value <= 1.5)
        value = self.cpu("diveval-100") / self.cpu("diveval")
        ratio("100 variants within 2× of six metrics", value, value <= 2)
        peak = max(cost.megabytes for cost in [*self.costs["diveval"], *self.costs["diveval-2"]])
        self.promise("peak memory under 120 MB", f"{peak:.0f} MB", peak < 120)
        sizes = self.series["diveval"]
        peaks = {size: max(cost.megabytes for cost in costs) for size, costs in sorted(sizes.items())}
        found = ", ".join(f"{peak:.0f} MB for {size}" for size, peak in peaks.items())
        count = self.workload.systems
        flat = peaks[4 * count] <= 1.05 * peaks[count]  # 32 runs are held at a time: with more, memory must not grow
        self.promise("peak memory independent of the number of runs", found, flat if judged else None)
        steps = [
            (small, large, least(sizes[large], "cpu") / least(sizes[small], "cpu"))
            for small in sizes
            for large in sizes
            if large == 2 * small
        ]
        found = ", ".join(f"{small}→{large} files {value:.2f}×" for small, large, value in steps)
        self.promise("twice the lines cost at most 2.1×", found, all(value <= 2.1 for _, _, value in steps))

    def scoring(self) -> None:
        """Scoring time alone, with the data in memory."""
        load = self.workload
        seconds = min(seconds_of([sys.executable, HERE / "in_memory.py", "diveval", load.qrels, *load.runs]))
        self.promise("scoring 100 variants × runs × topics under 0.4 s", f"{seconds:.3f} s", seconds < 0.4)
        if "ranx" in self.peers:
            theirs = min(seconds_of([sys.executable, HERE / "in_memory.py", "ranx", load.qrels, *load.runs]))
            found = f"{theirs:.1f} s / {seconds:.3f} s = {theirs / seconds:.0f}×"
            kept = theirs / seconds > 20 if load is FULL else None
            self.promise("100 variants in a twentieth of ranx's five, in memory", found, kept)

    def unanimity(self) -> None:
        text = output_of([sys.executable, HERE / "bench_unanimity.py"])
        slowest = max(float(s) for s in re.findall(r"^(?:related|random|equal)\s+([0-9.]+)", text, re.MULTILINE))
        peak = float(re.search(r"([0-9.]+) MB", text)[1])  # type: ignore[index]
        found = f"{slowest:.2f} s, {peak:.0f} MB"
        self.promise("unanimity of 120 × 100 × 250 under 5 s and 500 MB", found, slowest < 5 and peak < 500)

    def start_up(self) -> None:
        """Wall time of new processes, the minimum of many."""
        program = shutil.which("diveval", path=str(Path(sys.executable).parent)) or "diveval"
        commands: dict[str, list[str | Path]] = {
            "numpy": [sys.executable, "-c", "import numpy"],
            "diveval": [sys.executable, "-c", "import diveval"],
            "evaluate": [program, "evaluate", SMALL.qrels, *SMALL.runs, "-m", "RBU(p=0.99,e=0.05)@20"],
        }
        costs: dict[str, list[Cost]] = {name: [] for name in commands}
        for _ in range(15):
            for name, command in commands.items():
                costs[name].append(cost_of(command))
        numpy, diveval, evaluate = (least(costs[name], "wall") for name in commands)
        found = f"{1000 * diveval:.0f} ms / {1000 * numpy:.0f} ms = {diveval / numpy:.2f}×"
        self.promise("import diveval within 1.3× of import numpy", found, diveval <= 1.3 * numpy)
        found = f"{1000 * evaluate:.0f} ms / {1000 * numpy:.0f} ms = {evaluate / numpy:.2f}×"
        self.promise("diveval evaluate on a small file within 2× of that", found, evaluate <= 2 * numpy)

    def compressed(self) -> None:
        """gzip input compared with gzip itself."""
        load, pairs = self.workload, []
        for _ in range(self.repeats):
            pairs.append(
                (cost_of(["gzip", "-dc", *load.compressed]), cost_of(tool("diveval", load.qrels, load.compressed)))
            )
        gzip, ours = least([pair[0] for pair in pairs], "cpu"), least([pair[1] for pair in pairs], "cpu")
        found = f"{ours:.2f} s / {gzip:.2f} s = {ours / gzip:.2f}×"
        self.promise("gz input within 1.3× of gzip -dc", found, ours <= 1.3 * gzip if load is FULL else None)

    # --- writing --------------------------------------------------------------------------------------------------

    def write(self, name: str) -> None:
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / f"{name}.json").write_text(json.dumps(self.facts(), indent=1))
        (RESULTS / f"{name}.md").write_text(self.table())
        subprocess.run([sys.executable, HERE / "plot.py", RESULTS / f"{name}.json", RESULTS / name], check=True)

    def facts(self) -> dict[str, object]:
        load = self.workload
        return {
            "machine": {"cpu": cpu_name(), "cores": os.cpu_count(), "python": platform.python_version()},
            "workload": {**asdict(load), "lines": load.lines},
            "tools": {name: [asdict(cost) for cost in costs] for name, costs in self.costs.items()},
            "series": {
                name: [
                    {"lines": size * load.topics * load.depth, **asdict(cost)}
                    for size, costs in sorted(sizes.items())
                    for cost in costs
                ]
                for name, sizes in self.series.items()
            },
            "agreement": self.agreements,
            "targets": [asdict(target) for target in self.targets],
        }

    def table(self) -> str:
        load = self.workload
        out = [
            f"{load.systems} runs × {load.topics} topics × {load.depth} documents = {load.lines / 1e6:g} million lines;"
            f" {cpu_name()}, {os.cpu_count()} cores. Files to scores per topic, start-up included; the minimum of"
            " all rounds, and how far the maximum was above it.",
            "",
            "| tool | CPU s | spread | wall s | peak MB | rounds |",
            "|---|---:|---:|---:|---:|---:|",
        ]
        for name, costs in sorted(self.costs.items(), key=lambda pair: least(pair[1], "cpu")):
            cpu, wall, peak = least(costs, "cpu"), least(costs, "wall"), max(cost.megabytes for cost in costs)
            out.append(
                f"| {name} | {cpu:.2f} | {100 * spread(costs, 'cpu'):.0f} % | {wall:.2f} | {peak:.0f} | {len(costs)} |"
            )
        out += ["", "| target | found | |", "|---|---|---|"]
        out += [f"| {target.promise} | {target.found} | {mark(target.kept)} |" for target in self.targets]
        return "\n".join([*out, ""])


def mark(kept: bool | None) -> str:
    return "not judged" if kept is None else "pass" if kept else "FAIL"


def output_of(command: Iterable[str | Path]) -> str:
    words = [str(word) for word in command]
    done = subprocess.run(words, env={**os.environ, **ENVIRONMENT}, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"failed: {done.stderr[-600:]}")
    return done.stdout


def seconds_of(command: Iterable[str | Path]) -> list[float]:
    seconds: list[float] = json.loads(output_of(command).splitlines()[-1])
    return seconds


def cpu_name() -> str:
    try:
        found = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    except OSError:
        found = None
    return found[1] if found else platform.processor() or platform.machine()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--quick", action="store_true", help="a small workload, on which most ratios are not judged")
    parser.add_argument("--peers", default=None, help="peers, separated by commas (default: all that are fast enough)")
    parser.add_argument("--repeats", type=int, default=None)
    args = parser.parse_args()
    workload = QUICK if args.quick else FULL
    # In a child process: memory that this process holds would count towards the peak of every later child.
    subprocess.run([sys.executable, HERE / "workload.py", workload.name, SMALL.name], check=True)
    usual = PEERS[:3] if args.quick else PEERS  # ranx compiles for most of a minute
    peers = usual if args.peers is None else [name for name in args.peers.split(",") if name]
    session = Session(workload, args.repeats or 5, 1, peers)  # peers take half a minute or more and vary little
    steps: list[Callable[[], None]] = [
        session.agree,
        session.alternate,
        session.scale,
        session.check_targets,
        session.scoring,
        session.unanimity,
        session.start_up,
        session.compressed,
    ]
    for step in steps:
        say(f"== {step.__name__.replace('_', ' ')}")
        step()
    session.write("quick" if args.quick else "full")
    shutil.rmtree(session.building)
    say(session.table())
    if any(target.kept is False for target in session.targets):
        raise SystemExit("some targets were missed")


if __name__ == "__main__":
    main()
