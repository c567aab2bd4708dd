"""Validate and score one run against the reference folder of an exported bundle, as the organisers' commands do."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from diveval import __version__
from diveval.errors import DivevalError, InputError, capture_warnings, printable
from diveval.metrics.names import as_metrics
from diveval.reading import read_efforts, run_name
from diveval.scoring.evaluate import load_judgments, score_runs
from diveval.settings import Options
from diveval.system.files import reading
from diveval.tracks.kit import open_rules
from diveval.tracks.scorings import run_of
from diveval.validation.rules import Declaration

RULES = "rules.json"
Means = dict[str, dict[str, float]]  # split → label → mean


def grade(reference: Path, run: Path, *, file: str | None = None) -> Means:
    """The mean of every label on every split of the topics; the error for a rejected run lists all its faults.

    `file` is the name the run was sent under; None where the platform renames files, so that names are not checked.
    """
    rules = json.loads((reference / RULES).read_bytes())
    if rules["diveval"] != __version__:
        raise DivevalError(
            "wrong-version", f"this bundle needs diveval=={rules['diveval']}, and {__version__} is installed"
        )
    with reading(run):
        data = run.read_bytes()
    with open_rules(reference / "kit.zip") as (kit, _):
        name = file or run.name
        verdict = replace(kit, named=file is not None).validate(data, name, Declaration(run_name(name)))
        if verdict.verdict == "rejected":
            faults = [finding.text(name) for finding in verdict.findings if finding.severity == "error"]
            raise InputError("run-rejected", "\n".join([f"rejected, {len(faults)} faults", *faults]), source=name)
        config = kit.config
    return _score(reference, rules, run_of(data, config, name), config)


def _score(reference: Path, rules: dict[str, Any], run: Any, config: Any) -> Means:
    weights, efforts = reference / "weights.txt", reference / "efforts.txt"
    costs = read_efforts(efforts) if efforts.exists() else None
    options = Options.of(**rules["options"], run_format=config["submission.format"], efforts=costs)
    with capture_warnings():  # warnings about the run are findings of its verdict already
        judgments = load_judgments(reference / rules["qrels"], options, weights if weights.exists() else None)
        scores = score_runs(judgments, {"run": run}, as_metrics(rules["metrics"]), options)
    means = {}
    for split, topics in rules["splits"].items():
        row = scores.select(topics=topics).means[0]
        means[split] = {label: float(mean) for label, mean in zip(rules["labels"], row, strict=True)}
        if not np.isfinite(row).all():
            raise DivevalError("metric-failed", f"a mean of {split} is not a finite number")
    return means


def one_line(error: DivevalError) -> str:
    """An error on one line, since platforms show only one."""
    return "; ".join(printable(line) for line in str(error).splitlines())
