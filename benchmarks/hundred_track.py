"""Make a track with the 100 runs of the workload `hundred`, judged, scored and ranked, with the version that is imported.

python benchmarks/hundred_track.py FOLDER
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from workload import HUNDRED

INSIDE = "2026-04-01T00:00:00Z"  # a time at which the track is open
PER_TEAM = 5


def run(*words: str | Path) -> None:
    """One command of `diveval track`; an error ends the program."""
    from diveval.cli import main

    code = main(["track", *map(str, words)])
    if code:
        raise SystemExit(f"diveval track {words[0]} ended with {code}")


def edit(place: Path, old: str, new: str, reason: str) -> None:
    """Replace text of track.toml, and decide that."""
    path = place / "track.toml"
    path.write_text(path.read_text().replace(old, new, 1))
    run("decide", "config", "--track", place, "--reason", reason)


def make_track(place: Path) -> None:
    """Every step up to a ranking of released judgments."""
    runs = HUNDRED.runs
    teams = [f"team{t}" for t in range(-(-len(runs) // PER_TEAM))]
    with tempfile.TemporaryDirectory() as temporary:
        topics = Path(temporary) / "topics.txt"
        topics.write_text("".join(f"{t}\n" for t in sorted({line.split()[0] for line in HUNDRED.qrels.open()})))
        run("init", place, "--id", "hundred", "--topics", topics,
            "--opens", "2026-03-01T00:00:00Z", "--closes", "2026-06-01T00:00:00Z")  # fmt: skip
        (place / "teams.toml").write_text("".join(f'[[team]]\nid = "{t}"\nname = "{t}"\n' for t in teams))
        for old, new in (
            ('equal_scores = "warn"', 'equal_scores = "allow"'),
            ('per_team = "primary"', 'per_team = "all"'),
        ):
            edit(place, old, new, "set up")
        for t, team in enumerate(teams):
            own = runs[t * PER_TEAM : (t + 1) * PER_TEAM]
            run("add", *own, "--team", team, "--track", place, "--received", INSIDE)
    (place / "private" / "qrels.txt").write_bytes(HUNDRED.qrels.read_bytes())
    edit(place, 'qrels = ""', 'qrels = "private/qrels.txt"', "judgments")
    run("decide", "judged", "--track", place, "--reason", "judgments")
    run("score", "--track", place)
    run("rank", "--track", place)
    run("decide", "release", "--track", place, "--reason", "release")


if __name__ == "__main__":
    make_track(Path(sys.argv[1]))
