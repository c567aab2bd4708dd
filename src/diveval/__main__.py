"""`python -m diveval` is `diveval`."""

from diveval.cli import program

raise SystemExit(program())
