"""The extra `report`: the page of the built-in collection."""

from pathlib import Path

from diveval.cli import main

assert main(["demo", "--output", "demo"]) == 0
assert b"<html" in Path("demo/report.html").read_bytes()[:2000].lower()
