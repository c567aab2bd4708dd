"""One rule, one home: each rule that users can see disagree is defined in exactly one place of the source."""

from __future__ import annotations

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from diveval.defaults import USUAL
from diveval.metrics.names import as_metrics
from diveval.setting_table import SETTINGS

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "diveval"
# Rules of other tools are theirs, and the certificate checker is a second implementation on purpose.
ELSEWHERE = {"compat", "bundled"}

# Rule → the definitions (functions and classes) that are its only home.
DEFINITIONS = {
    "grade to relevance": ("relevance_of", "collection/relevance.py"),
    "gain formulas": ("render_gain", "collection/relevance.py"),
    "order of a list": ("_by_score", "collection/runs.py"),
    "repeated documents of a list": ("order_lines", "collection/rankings.py"),
    "blocks of topics": ("TopicBlock", "scoring/blocks.py"),
    "scores of rankings": ("Scorer", "scoring/scorer.py"),
    "missing topics": ("worst_counts", "scoring/scorer.py"),
    "one option": ("Setting", "setting_table.py"),
    "metric lookup by name": ("Registry", "metrics/registry.py"),
    "spellings of metric names": ("simplify_name", "metrics/registry.py"),
    "parameters of a metric's text": ("read_settings", "metrics/metric.py"),
    "result protocol": ("Result", "results/protocol.py"),
    "setup of a result": ("Setup", "results/setup.py"),
    "deciding many cells": ("Scheduler", "axioms/proof/scheduler.py"),
    "majority of labels": ("most_frequent", "reading/judge_labels.py"),
    "isolation of roots": ("isolate_roots", "exact/roots.py"),
    "significance tests": ("SignificanceTest", "stats/tests.py"),
}
# Rule → a pattern of what a copy would have to contain, and the only files that may contain it.
PATTERNS = {
    "gain formulas": (r"exp2\(|power\(grades\)", {"collection/relevance.py"}),
    "grades that are refused": (r"\"grade-(above-gmax|too-high)\",", {"collection/relevance.py"}),
    "tie rule": (r"ties == \"docno-(desc|asc)\"", {"collection/runs.py"}),
    "list of options": (r"^ *Setting\(\s*\"gain\"", {"setting_table.py"}),
    "flags of options": (r"add_argument\(\s*\"--(gain|gmax|rel|ties|empty-topics|empty-aspects)\"", set()),
    "writer of CSV": (r"csv\.(writer|DictWriter)\(", {"results/table_text.py"}),
    "writer of LaTeX": (r"\\\\?toprule", {"results/table_text.py"}),
    "writer of Markdown": (r"\|---", {"results/table_text.py"}),
    "default metrics": (r"^(USUAL|HEADLINE)\b", {"defaults.py"}),
    "reference setting of RBU": (
        r"^(PATIENCE, EFFORT|P_RANGE, E_RANGE|RANGED|LEVEL, POWER) = ",
        {"defaults.py"},
    ),
    "default significance test": (r"^(TEST|CORRECTION)\b", {"defaults.py"}),
    "ranges of plausible parameters": (r"0\.6\.\.0\.99,e=0\.\.0\.1\)[^'`]*\"$", set()),
    "numbers that may be missing": (r'is None else f"\{[\w.]+:\+?\.[0-9]f\}"', set()),
    "small p-values": (r"< 0?\.0001 else", {"results/table_text.py"}),
    "texts that are cut": (r'\[: ?\w+ - 1\] \+ "…"', {"errors.py"}),
    "majority of labels": (r"most = max\(\w+\.values\(\)\)", {"reading/judge_labels.py"}),
    "draws with replacement": (r"\.multinomial\(", {"stats/intervals.py", "datasets/population.py"}),
    "percentile intervals": (r"\(1 - confidence\) / 2, \(1 \+ confidence\)", {"stats/intervals.py"}),
    "level of a confidence": (r"round\(1 - confidence", {"stats/tests.py"}),
    "default level": (r"(level|alpha|LEVEL)\b[^\n(]{0,20}= ?0\.05\b|LEVEL, POWER =", {"defaults.py"}),
    "Student's quantile": (r"stdtrit\(", {"stats/intervals.py", "stats/paired.py", "stats/power.py"}),
    "similar names": (r"difflib", {"errors.py"}),
    "a progress line": (r'write\("\\r', {"cli/progress.py"}),
    "grades that make a document relevant": (
        r"grades > 0",
        {
            "settings.py",
            "collection/relevance.py",
            "collection/scenarios.py",  # without settings: what a random perturbation keeps
            "analysis/checking.py",
            "writing/__init__.py",
            "judging/labels.py",  # prevalence of labels
            "integrations/measures.py",  # pyndeval's own
        },
    ),
    "suggestions for metric names": (r"no \{self\.noun\} is called", {"metrics/registry.py"}),
}


@cache
def sources() -> dict[str, str]:
    """The text of every file by its path below the package."""
    paths = [path for path in sorted(SOURCE.rglob("*.py")) if not ELSEWHERE & set(path.parts)]
    return {path.relative_to(SOURCE).as_posix(): path.read_text(encoding="utf-8") for path in paths}


@cache
def definitions() -> dict[str, list[str]]:
    """The files that define each function and class."""
    out: dict[str, list[str]] = {}
    for path, text in sources().items():
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                out.setdefault(node.name, []).append(path)
    return out


@pytest.mark.parametrize("rule", DEFINITIONS)
def test_a_rule_is_defined_once(rule: str) -> None:
    """The definition exists, in one file and once."""
    name, home = DEFINITIONS[rule]
    assert definitions().get(name) == [home]


@pytest.mark.parametrize("rule", PATTERNS)
def test_no_other_file_has_a_copy(rule: str) -> None:
    """What a copy of the rule would contain occurs in its home only."""
    pattern, homes = PATTERNS[rule]
    found = {path for path, text in sources().items() if re.search(pattern, text, re.MULTILINE)}
    assert found == homes


def test_default_parameters_come_from_one_place() -> None:
    """RBU without parameters has the same setting in rankings and in answers, and the default metrics have one."""
    from diveval.answers import answer_metrics
    from diveval.defaults import EFFORT, PATIENCE

    family = dict(as_metrics("RBU")[0].values)
    answers = {parameter.name: parameter.default for parameter in answer_metrics.entries()["RBU"].parameters}
    assert (family["p"], family["e"]) == (answers["p"], answers["e"]) == (PATIENCE, EFFORT)
    usual = as_metrics(USUAL)[0].values
    assert (usual["p"], usual["e"]) == (PATIENCE, EFFORT)


def test_the_law_draws_every_setting() -> None:
    """The law of one number covers each option that changes a number."""
    from support.hostile import SETTINGS as DRAWN

    beside = {"judgment_format", "run_format", "effort_file", "effort_unit", "effort_default", "efforts"}
    beside |= {"largest_topic", "jobs", "document_groups", "ordinal_groups"}
    assert {setting.name for setting in SETTINGS} == {*DRAWN, *beside}
    for setting in SETTINGS:
        if setting.name in DRAWN:
            assert {word for word in setting.words if word not in DRAWN[setting.name]} == set(), setting.name
            assert DRAWN[setting.name][0] == setting.default


def test_no_definition_stands_twice() -> None:
    """No two functions or classes have the same body: a file that was moved by hand leaves no second copy behind."""
    found: dict[str, list[str]] = {}
    for path, text in sources().items():
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and (body := _without_docstring(node)):
                found.setdefault("\n".join(map(ast.dump, body)), []).append(f"{path}: {node.name}")
    assert [places for body, places in found.items() if len(places) > 1 and len(body) > 500] == []


def test_every_function_is_used() -> None:
    """A function of a module is named a second time somewhere in the source, or in the documentation."""
    paths = [*SOURCE.rglob("*.py"), *ROOT.glob("docs/*.py")]
    named = Counter(word for path in paths for word in re.findall(r"\w+", path.read_text(encoding="utf-8")))
    unused = [
        f"{path}: {node.name}"
        for path, text in sources().items()
        for node in ast.parse(text).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.decorator_list and named[node.name] == 1
    ]
    assert unused == []


def _without_docstring(node: ast.FunctionDef | ast.ClassDef) -> list[ast.stmt]:
    return node.body[1:] if ast.get_docstring(node) else node.body
