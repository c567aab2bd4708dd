"""`diveval track pool` and `diveval track labels`: from submissions to documents for assessors, and from labels to judgments."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from diveval.cli import common
from diveval.cli.track_parts import Answer, head_of, open_track
from diveval.errors import count_of

COEFFICIENTS = {"kappa": "κ", "alpha": "α", "ac1": "AC1"}


def declare(verb: Callable[..., argparse.ArgumentParser]) -> None:
    """Add both commands."""
    what = "choose documents to judge, with tables and an offline page for each assessor, without names of systems"
    pool = verb("pool", _pool, what)
    add = pool.add_argument
    add("--depth", type=int, required=True, metavar="K", help="pool the first K documents of every run")
    add(
        "--by",
        choices=["depth", "effect"],
        default="depth",
        help="what to judge first: by best rank, or what can change the order of systems most, as `diveval conclusions"
        " --budget` computes it from the judgments there are (default: depth)",
    )
    add("--budget", type=int, metavar="N", help="only the first N documents of that order (default: all)")
    add("--priority", type=int, metavar="N", help="only runs of priority 1 to N (default: all)")
    add("--assessors", nargs="+", metavar="NAME", help="default: one, called assessor")
    add("--overlap", type=int, metavar="N", help="topics that every assessor labels; others in turn (default: all)")
    add("--highest-label", type=int, default=1, metavar="G", help="labels are 0 to G (default: 1)")
    common.add_options(pool, {"--topics FILE": "queries and aspects to show (default: those in data.topics)"})
    common.add_options(pool, {"--docs FILE": "titles and texts of documents to show, as in `diveval report`"})
    labels = verb(
        "labels",
        _labels,
        "take labels from assessors, print their agreement, and write the judgments that they make",
        folder=False,
    )
    labels.add_argument("files", nargs="*", metavar="FILE", help="tables of labels (default: only report)")
    labels.add_argument("--assessor", metavar="NAME", help="who sent the file: labels of anyone else are refused")
    merge = "of an item with several labels (default: majority; where that is equal, the lower label)"
    labels.add_argument("--merge", choices=["majority", "highest", "lowest"], default="majority", help=merge)


def _pool(arguments: argparse.Namespace) -> Answer:
    from diveval.tracks.assessment.pool import POOL, PoolRequest, make_pool

    track = open_track(arguments)
    request = PoolRequest(
        arguments.depth,
        arguments.by,
        arguments.budget,
        arguments.priority,
        tuple(arguments.assessors or ["assessor"]),
        arguments.overlap,
        arguments.highest_label,
        arguments.topics,
        arguments.docs,
    )
    made = make_pool(track, request, wait=arguments.wait)
    pool = made.pool
    topics, runs = count_of(len(pool.documents), "topic"), count_of(len(made.runs), "run")
    lines = [f"{track.place(POOL)}: {pool.size} documents of {topics} from {runs}"]
    lines += [f"judged already: {made.judged} documents"] if made.judged else []
    lines += [f"beyond the budget: {made.beyond} documents"] if made.beyond else []
    lines += [f"left out: {name} ({why})" for name, why in made.left_out.items()]
    lines += [f"without text: {made.untitled} documents"] if made.untitled else []
    if track.config["dates.closes"].timestamp() > _now():
        lines.append("the track is still open: runs that arrive later are not in this pool")
    for name in pool.assessors:
        lines.append(f"{name}: {count_of(len(pool.assessors[name]), 'topic')}, {pool.items(name)} labels, {name}.html")
    shape: dict[str, Any] = {
        "topics": len(pool.documents),
        "documents": pool.size,
        "runs": list(made.runs),
        "left_out": dict(made.left_out),
        "judged": made.judged,
        "beyond_budget": made.beyond,
        "without_text": made.untitled,
        "assessors": {n: {"topics": list(t), "labels": pool.items(n)} for n, t in pool.assessors.items()},
        "files": list(made.files),
    }
    return 0, {**head_of(track), **shape}, lines


def _now() -> float:
    from diveval.tracks.record import now

    return now().timestamp()


def _labels(arguments: argparse.Namespace) -> Answer:
    from diveval.tracks.assessment.labels import MERGED, take_labels

    track = open_track(arguments)
    paths = [Path(name) for name in arguments.files]
    report = take_labels(track, paths, assessor=arguments.assessor, merge=arguments.merge, wait=arguments.wait)
    lines = [f"{name}: {count} labels added, {report.changed[name]} changed" for name, count in report.added.items()]
    for one in report.assessors:
        lines.append(f"{one.assessor}: {one.labels} labels; {one.missing} of {one.asked} of this pool missing")
    for pair in report.agreement:
        values = ((name, pair.value(key)) for key, name in COEFFICIENTS.items())
        shown = ", ".join(f"{name} {'undefined' if value is None else f'{value:.3f}'}" for name, value in values)
        lines.append(f"{pair.first} and {pair.second}: {pair.items} items of {count_of(pair.topics, 'topic')}, {shown}")
    lines += [f"{pair}: no item in common" for pair in report.unpaired]
    if report.judgments:
        merged = track.place(MERGED)
        lines.append(f"{merged}: {report.judgments} judgments, {report.disputed} disputed")
        if track.config["data.qrels"] != merged:
            lines.append(f'to score with them: qrels = "{merged}" in track.toml, then decide config and decide judged')
    return 0, {**head_of(track), **report.as_json()}, lines
