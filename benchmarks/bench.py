"""`make bench`: what people wait for, beside peers, version 2.0.0 and limits measured in the same run.

Every job runs in a process of its own, measured from outside and including start-up, in alternation with what it is
compared with. Each row of the result has its target. Results go to benchmarks/results/bench.json, from which publish.py
writes the tables and figures of README and docs.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import bench_jobs
import bench_recommend
from measure import (
    ENVIRONMENT,
    HERE,
    Command,
    FailedCommandError,
    Word,
    answer_of,
    build_version,
    cost_of,
    least,
    peak,
    say,
    tool,
)
from session import Session, read_results, write_results
from tools import OURS
from workload import FULL, HUNDRED, QUICK, SMALL, THIRTY, made, narrow

SIX, AD_HOC = list(OURS.values()), ["nDCG@20", "AP", "RR"]
ENOUGH = 18  # minutes after which no further section starts: the whole must end within twenty
AGREE = 1e-9
# Peers with the one of our tools that computes the same.
SAME = {"pyndeval": "diveval", "ir_measures": "diveval", "pytrec_eval": "diveval-ad-hoc", "ranx": "diveval-ad-hoc"}


def inside(what: str, *given: Word) -> dict[str, float]:
    answer: dict[str, float] = answer_of([sys.executable, HERE / "inside.py", what, *given])
    return answer


def evaluate(qrels: Path, runs: Sequence[Path], metrics: Sequence[str], out: Path) -> list[Word]:
    named = [word for metric in metrics for word in ("-m", metric)]
    own: list[Word] = [sys.executable, "-m", "diveval", "evaluate", qrels]
    return [*own, *runs, *named, "-q", "-f", "csv", "-o", out, "--jobs", "1"]


# --- files ------------------------------------------------------------------------------------------------------------


def start(session: Session) -> None:
    """Imports; the commands' own start is among the jobs."""
    imports = {name: [sys.executable, "-c", f"import {name}"] for name in ("numpy", "diveval")}
    costs = session.alternate(imports, 10)
    session.within("import diveval", least(costs["diveval"], "cpu"), "import numpy", least(costs["numpy"], "cpu"), 1.3)


def agreement(session: Session) -> None:
    """Every peer's values beside ours, per topic."""
    load, tables = made(SMALL if session.quick else THIRTY), {}
    for name in dict.fromkeys([*SAME, *SAME.values()]):
        output = session.building / f"{name}.json"
        cost_of(tool(name, load.qrels, load.runs[:2], output))
        tables[name] = json.loads(output.read_text())
    for peer, own in SAME.items():
        pairs = [
            (tables[own][run][metric][topic], value)
            for run, metrics in tables[peer].items()
            for metric, topics in metrics.items()
            for topic, value in topics.items()
        ]
        gap = max(abs(ours - theirs) for ours, theirs in pairs)
        session.limit(f"largest difference from {peer}", gap, f"in {len(pairs)} values", AGREE)


def many_topics(session: Session) -> None:
    """N: many small topics, from files to a CSV of values per topic."""
    out, peer = session.building / "n.csv", session.building / "peer.csv"
    small, large = (5_000, 20_000) if session.quick else (50_000, 500_000)
    for topics, target, rounds in ((small, 7, 0), (large, 8, 1)):
        qrels, run = narrow(topics)
        commands: dict[str, Any] = {
            "diveval": evaluate(qrels, [run], SIX, out),
            "pyndeval": [sys.executable, HERE / "tools.py", "pyndeval", qrels, peer, run],
        }
        costs = session.alternate(commands, rounds)
        job = f"{topics:,} topics × 20, six ndeval metrics, files to CSV"
        session.race(job, costs["diveval"], "pyndeval", costs["pyndeval"], target)
        session.limit(f"{job}: memory", peak(costs["diveval"]), "MB", 0.0025 * topics + 60)
    qrels, run = narrow(small)
    commands = {
        "diveval": evaluate(qrels, [run], AD_HOC, out),
        "pytrec_eval": [sys.executable, HERE / "tools.py", "pytrec_eval-fast", qrels, peer, run],
    }
    costs = session.alternate(commands)
    job = f"{small:,} topics × 20, nDCG, AP and RR, files to CSV"
    session.race(job, costs["diveval"], "pytrec_eval", costs["pytrec_eval"], 6)


def in_memory(session: Session) -> None:
    """The same from shapes in memory, without start-up and reading; parquet with tiny row groups."""
    qrels, run = narrow(5_000 if session.quick else 50_000)
    files = inside("tables", "files", qrels, run)["seconds"]
    for kind in ("polars", "pandas", "arrow"):
        spent = inside("tables", kind, qrels, run)["seconds"]
        session.within(f"50,000 topics from {kind} in memory", spent, "files", files, 1.3)
    ours, theirs = (inside(*what, qrels, run)["seconds"] for what in (("tables", "tuples"), ("tuples-ir_measures",)))
    session.faster("50,000 topics from ir_measures' own tuples", ours, "ir_measures", theirs, 1.5)
    found = inside("small-groups", qrels, run, session.building)
    job = "parquet with row groups of one row, `evaluate_parquet`"
    session.within(job, found["seconds"], "evaluate", found["evaluate"], 3)


def long_lists(session: Session) -> None:
    """W: 15 million lines, 30 runs × 50 topics × 10,000 documents."""
    load = made(QUICK if session.quick else FULL)
    out, bare = session.building / "w.csv", session.building / "bare_scanner"
    subprocess.run(["cc", "-O3", "-o", bare, HERE / "bare_scanner.c"], check=True)
    ours: dict[str, Any] = {
        "diveval": evaluate(load.qrels, load.runs, SIX, out),
        "100 variants": tool("diveval-100", load.qrels, load.runs),
        "four times the runs": evaluate(load.qrels, load.runs * 4, SIX, out),
        "bare scanner": [bare, load.qrels, *load.runs],
        "ten runs, gz": tool("diveval", load.qrels, load.compressed),
        "gzip -dc of ten": ["gzip", "-dc", *load.compressed],
    }
    if session.before:
        ours["2.0.0"] = (evaluate(load.qrels, load.runs, SIX, out), session.before)
    costs = session.alternate(ours)
    peers = {name: tool(name, load.qrels, load.runs) for name in ("pyndeval", "ir_measures")}
    costs |= session.alternate(peers, 1)
    own, job = costs["diveval"], f"{load.lines / 1e6:g} million lines, six ndeval metrics"
    session.race(job, own, "pyndeval", costs["pyndeval"], 55)
    session.race(job, own, "ir_measures", costs["ir_measures"], 90)
    if session.before:
        session.race(job, own, "2.0.0", costs["2.0.0"], 0.77 / 0.55)
    session.limit(f"{job}: memory", peak(own), "MB", 80)
    cpu = least(own, "cpu")
    session.within(job, cpu, "bare scanner", least(costs["bare scanner"], "cpu"), 1.5)
    session.within("100 variants", least(costs["100 variants"], "cpu"), "six metrics", cpu, 2)
    session.within("four times the runs", least(costs["four times the runs"], "cpu"), "once", cpu, 4.2)
    session.within("four times the runs: memory", peak(costs["four times the runs"]), "once", peak(own), 1.1, unit="MB")  # fmt: skip
    gz = least(costs["ten runs, gz"], "cpu")
    session.within("ten runs compressed with gzip", gz, "gzip -dc", least(costs["gzip -dc of ten"], "cpu"), 1.3)


def measures(session: Session) -> None:
    """Every measure of ir_measures beside its own providers; a hundred variants beside ranx; unanimity."""
    thirty = made(SMALL if session.quick else THIRTY)
    small = 500 if session.quick else 10_000  # ir_measures takes 4 ms for each topic
    qrels, run = narrow(small)
    for name, judged, runs, target in (
        (f"{small:,} topics × 20", qrels, [run], 5),
        (f"{thirty.systems} runs × {thirty.topics} topics × {thirty.depth:,}", thirty.qrels, thirty.runs, 10),
    ):
        out, kinds = session.building / "m.csv", {"diveval": "diveval-measures", "ir_measures": "ir_measures-all"}
        commands = {who: tool(kind, judged, runs, out) for who, kind in kinds.items()}
        costs = session.alternate(commands, 1)
        session.race(f"{name}, all of ir_measures' measures", costs["diveval"], "ir_measures", costs["ir_measures"], target)  # fmt: skip
    ours, theirs = (inside(what, thirty.qrels, *thirty.runs)["seconds"] for what in ("variants", "variants-ranx"))
    session.faster("100 variants of 30 runs in memory", ours, "five in ranx", theirs, 20)
    found = inside("unanimity", "120", "100", "250")
    session.limit("unanimity, 120 metrics × 100 runs × 250 topics", found["seconds"], "CPU s", 5)
    session.limit("unanimity: memory", found["megabytes"], "MB", 500)


def recommenders(session: Session) -> None:
    bench_recommend.measure_all(session)


def jobs(session: Session) -> None:
    """The commands where people wait, beside 2.0.0."""
    if session.quick:
        return
    if session.before is None:
        session.section.lacks.append(f"{bench_jobs.BEFORE} is not in this clone's history")
        return
    sources = {"now": HERE.parent / "src", "2.0.0": session.before}
    for job in bench_jobs.jobs(session.building):
        if session.job not in job.name:
            continue
        try:
            if job.words[0] == "track":
                bench_jobs.make_tracks(session.building, sources)
            costs = bench_jobs.measure(job, sources, session.building / "caches")
        except (FailedCommandError, OSError) as error:  # the other jobs are measured all the same
            session.section.lacks.append(f"{job.name}: {error}")
            continue
        session.race(job.name, costs["now"], "2.0.0", costs["2.0.0"], job.target)
        if job.page is not None:
            page = session.building / bench_jobs.PAGE.replace("{version}", "now")
            session.limit(f"{job.name}: the page", page.stat().st_size / 1e6, "MB", job.page)


# --- with BENCH=full --------------------------------------------------------------------------------------------------


def parquet(session: Session) -> None:
    """Q: parquet that does not fit in memory; the figures of docs/scale.md."""
    rows = 10**6 if session.quick else 10**8
    command = [sys.executable, HERE / "bench_scale.py", "--rows", str(rows), "--jobs", "2"]
    found = answer_of(command)
    job = f"{rows / 1e6:g} million rows of parquet, two processes"
    session.limit(job, found["processor seconds"], "CPU s", 50 * rows / 1e8)
    both = max(found["peak MB of the main process"], found["peak MB of a worker"])
    session.limit(f"{job}: memory of the larger", both, "MB", 500)


def spark(session: Session) -> None:
    """`local[2]`: ten million rows beside the local path; a billion rows, from some of their pieces."""
    rows = 2 * 10**5 if session.quick else 10**7
    found = answer_of([sys.executable, HERE / "bench_spark.py", "--rows", str(rows), "--local"])
    job, local = f"Spark, {rows / 1e6:g} million rows with a shuffle", found["CPU s, local path"]
    session.limit(f"{job}: values with other bits than locally", found["values that differ"], f"of {found['values']:,}", 0)  # fmt: skip
    session.within(f"{job}: Python workers", found["CPU s, python workers"], "locally", local, 2)
    log, pieces = session.building / "pieces.jsonl", 2 if session.quick else 10
    found = answer_of([sys.executable, HERE / "billion.py", "--rows", str(10**7 * pieces), "--log", log])
    spent = [
        line["CPU s, spark"] + line["CPU s, python workers"] for line in map(json.loads, log.read_text().splitlines())
    ]
    first, others = spent[0], spent[1:]  # the first one has the start of the JVM and of its workers
    whole = first + 99 * sum(others) / len(others)
    note = f"from {pieces} of 100 pieces: the first, and 99 times the mean of the others"
    session.limit("Spark, a billion rows without a shuffle", whole, "CPU s", 500, note=note)
    session.limit("Spark: values with other bits than `evaluate`", found["differ"], f"of {found['checked']:,}", 0)


def growth(session: Session) -> None:
    """CPU at 1, 2, 4 and 8 times the work: the largest of the three steps, as a multiple of the growth of the work."""
    out, page = session.building / "n.csv", session.building / "page.html"
    base = 2_000 if session.quick else 25_000
    hundred, wide = made(HUNDRED), made(QUICK if session.quick else FULL)
    own, ranges = [sys.executable, "-m", "diveval"], ["-m", bench_jobs.RANGES]
    runs: dict[str, Callable[[int], Command]] = {
        "evaluate, by runs": lambda k: evaluate(wide.qrels, (wide.runs * 3)[: 3 * k], SIX, out),
        "report, by runs": lambda k: [*own, "report", hundred.qrels, *hundred.runs[: 10 * k], "-o", page],
        "choose, by runs": lambda k: [*own, "choose", hundred.qrels, *hundred.runs[: 10 * k]],
        "violations, by runs": lambda k: [*own, "violations", hundred.qrels, *hundred.runs[: 10 * k], "-m", "RBU@20"],
    }
    _grow(session, "evaluate, by topics", lambda k: evaluate(*_pair(base * k), SIX, out))
    for name, command in runs.items():
        _grow(session, name, command)
    pairs: Callable[[int], Command] = lambda k: [*own, "conclusions", hundred.qrels, *hundred.runs[: 10 * k], *ranges]  # noqa: E731
    _grow(session, "conclusions, by pairs of runs", pairs, lambda k: 10 * k * (10 * k - 1) / 2)


def _pair(topics: int) -> tuple[Path, list[Path]]:
    qrels, run = narrow(topics)
    return qrels, [run]


def _grow(session: Session, job: str, command: Callable[[int], Command], work: Callable[[int], float] = float) -> None:
    sizes = (1, 2, 4, 8)
    costs = {k: least(session.alternate({f"{job} × {k}": command(k)}, 2)[f"{job} × {k}"], "cpu") for k in sizes}
    steps = {2 * k: (costs[2 * k] / costs[k]) / (work(2 * k) / work(k)) for k in sizes[:-1]}
    note = ", ".join(f"{costs[k]:.2f}" for k in sizes) + " s"
    session.limit(f"growth: {job}", max(steps.values()), "times the growth of the work", 1.1, note=note)


def suite(session: Session) -> None:
    """`make test` in this clone, its environment being installed."""
    wall = cost_of(["make", "-C", HERE.parent, "test"]).wall
    session.limit("make test", wall, "s of wall time", 480)


ALWAYS = [start, jobs, many_topics, long_lists, recommenders, in_memory, measures, agreement]
FULLY = [parquet, growth, spark, suite]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    sections = {step.__name__: step for step in [*ALWAYS, *FULLY]}
    parser.add_argument("--quick", action="store_true", help="small workloads, on which no target is judged")
    parser.add_argument("--full", action="store_true", help=f"also {', '.join(step.__name__ for step in FULLY)}")
    parser.add_argument("--only", nargs="+", default=[], choices=sections, help="these sections")
    parser.add_argument("--job", default="", help="with `--only jobs`: those whose names contain this")
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    chosen = args.only or [step.__name__ for step in (ALWAYS + FULLY if args.full else ALWAYS)]
    begun, results = time.perf_counter(), {} if args.quick else read_results()
    os.environ.update(ENVIRONMENT)
    building = Path(tempfile.mkdtemp(prefix="diveval-bench-"))
    before = None if args.quick else build_version(bench_jobs.BEFORE, building / "before")
    made(SMALL)
    session = Session(building, before, quick=args.quick, rounds=1 if args.quick else args.rounds, job=args.job)
    late, bad = [], []
    for name in chosen:
        if not args.full and time.perf_counter() - begun > 60 * ENOUGH:
            late.append(name)
            continue
        say(f"== {name.replace('_', ' ')}")
        results[name] = section = session.measure(sections[name])
        bad += [*(row.job for row in section.rows if row.verdict == "FAIL"), *section.lacks]
        if not args.quick and not args.job:
            write_results(results)
    shutil.rmtree(building)
    if not args.quick and not args.job:
        subprocess.run([sys.executable, HERE / "publish.py"], check=True)
    say(f"{(time.perf_counter() - begun) / 60:.1f} minutes")
    for name in late:
        say(f"not measured, for lack of time: {name.replace('_', ' ')}")
    for job in bad:
        say(f"missed: {job}")
    if bad or late:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
