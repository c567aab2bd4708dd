"""The extra `all`: the demo, which uses most extras."""

from diveval.cli import main

assert main(["demo", "--output", "demo"]) == 0
