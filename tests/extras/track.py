"""The extra `track`: a shared task from the folder to the release, and what an archive needs."""

from pathlib import Path

from diveval.cli import main


def track(*words: str) -> None:
    assert main(["track", *words]) == 0


Path("topics.txt").write_text("1\n2\n")
dates = ("--opens", "2026-03-01T00:00:00Z", "--closes", "2026-06-01T00:00:00Z")
track("init", "task", "--topics", "topics.txt", *dates)
Path("task/teams.toml").write_text('[[team]]\nid = "a"\nname = "A"\n[[team]]\nid = "b"\nname = "B"\n')
for team in "ab":
    lines = [f"{t} Q0 d{n if team == 'a' else 9 - n} {n} {9 - n} {team}\n" for t in (1, 2) for n in range(1, 6)]
    Path(f"{team}.txt").write_text("".join(lines))
    track("add", f"{team}.txt", "--team", team, "--track", "task", "--received", "2026-04-01T00:00:00Z")
track("pool", "task", "--depth", "2")
Path("task/private/qrels.txt").write_text("".join(f"{t} {n % 2} d{n} 1\n" for t in (1, 2) for n in range(1, 6)))
config = Path("task/track.toml")
text = config.read_text().replace('qrels = ""', 'qrels = "private/qrels.txt"')
config.write_text(text.replace('licence = ""', 'licence = "CC0-1.0"'))
for decision in ("config", "judged"):
    track("decide", decision, "--track", "task", "--reason", "judgments")
track("score", "task")
track("rank", "task")
track("decide", "release", "--track", "task", "--reason", "done")
track("site", "task")
track("export", "archive", "task")
track("verify", "task")
