"""The extra `track`: a new folder for a shared task."""

from pathlib import Path

from diveval.cli import main

Path("topics.txt").write_text("1\n2\n")
assert main(["track", "init", "task", "--topics", "topics.txt"]) == 0
