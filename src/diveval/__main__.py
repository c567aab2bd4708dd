"""`python -m diveval` is `diveval`."""

from diveval.launch import program

raise SystemExit(program())
