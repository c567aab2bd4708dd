"""The Python API: public names, signatures, printing, and the functions behind the commands."""

from __future__ import annotations

import importlib
import inspect
import json
import re
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import diveval
from diveval.datasets import make_collection
from support.present import present
from support.refusals import refuses, warns

JUDGMENTS = {"1": {"a": {"d1": 1}, "b": {"d2": 2}}, "2": {"a": {"d3": 1}}, "3": {"a": {"d4": 1}}}
RUNS = {"A": {"1": ["d1", "d2"], "2": ["x", "d3"], "3": ["d4"]}, "B": {"1": ["x"], "2": ["d3"], "3": ["d4"]}}


def test_dir_shows_the_public_names_and_nothing_else() -> None:
    """In a new interpreter, before and after use, `dir` lists `__all__`, and every name exists."""
    program = (
        "import diveval, json; before = dir(diveval); diveval.evaluate({'1': {'a': {'d': 1}}}, {'1': ['d']}, 'RBU');"
        "diveval.compare; diveval.axioms.check; diveval.stats;"
        "print(json.dumps([before, dir(diveval), [name for name in before if not hasattr(diveval, name)]]))"
    )
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    before, after, missing = json.loads(out)
    assert before == after == sorted(diveval.__all__) and missing == []


def test_names_of_packages_are_functions_that_document_every_option() -> None:
    """`diveval.metrics`, `report` and `violations` are functions, also after the packages of these names are imported."""
    for name in ("metrics", "report", "violations"):
        function = getattr(diveval, name)
        assert inspect.isfunction(function), name
        parameters = inspect.signature(function).parameters
        assert all(p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL) for p in parameters.values()), name
        documented = present(inspect.getdoc(function))
        assert all(f"    {parameter}: " in documented for parameter in parameters), name
    importlib.import_module("diveval.report.contents")
    importlib.import_module("diveval.metrics.catalogue")
    assert inspect.isfunction(diveval.metrics) and inspect.isfunction(diveval.report)


def _public() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Every function and method under a public name, with its own signature."""
    packages = (getattr(diveval, name) for name in diveval.__all__)
    for module in (diveval, *(package for package in packages if inspect.ismodule(package))):
        for name in getattr(module, "__all__", ()):
            item = getattr(module, name)
            if inspect.isfunction(item):
                yield f"{module.__name__}.{name}", inspect.unwrap(item)
            elif inspect.isclass(item):
                for method, value in vars(item).items():
                    function = getattr(value, "__func__", value)
                    if inspect.isfunction(function) and (method == "__call__" or not method.startswith("_")):
                        yield f"{module.__name__}.{name}.{method}", inspect.unwrap(function)


def test_public_signatures_name_their_types() -> None:
    """No parameter is typed `Any` or hidden behind `**`, except options, whose types `Settings` has; only JSON records
    may have values of any type."""
    functions = dict(_public())
    examples = {"diveval.evaluate", "diveval.recommend.evaluate", "diveval.axioms.check", "diveval.Scores.select"}
    assert examples <= set(functions)
    for name, function in functions.items():
        parameters = inspect.signature(function).parameters.values()
        hidden = [p.annotation for p in parameters if p.kind is inspect.Parameter.VAR_KEYWORD]
        # Metrics have different parameters, so their call takes any name and checks it.
        assert hidden in ([], ["Unpack[Settings]"]) or name == "diveval.Metric.__call__", name
        for parameter, kind in function.__annotations__.items():
            assert "Any" not in re.sub(r"(dict|Mapping)\[str, Any\]", "record", str(kind)), (name, parameter, kind)


def test_an_unknown_option_gets_a_suggestion() -> None:
    """An unknown option, or one given twice, raises a UsageError instead of Python's TypeError."""
    with refuses("unknown-option", "missing_topic", "missing_topics"):
        diveval.evaluate(JUDGMENTS, RUNS, "RBU", missing_topic="zero")  # type: ignore[call-arg]
    with refuses("conflicting-options"):
        diveval.evaluate(JUDGMENTS, RUNS, "RBU", gain="binary", options=diveval.Options())


def test_results_print_as_tables() -> None:
    """Scores, comparisons and unanimity print as tables, and methods of Scores equal the functions."""
    scores = diveval.evaluate(JUDGMENTS, RUNS, ["RBU@20", "nDCG@20"])
    assert "nDCG@20" in str(scores).splitlines()[0] and len(str(scores).splitlines()) == 5
    assert repr(scores).startswith("<Scores: 2 runs × 2 metrics × 3 topics>")
    with warns("test-assumption"):
        compared = scores.compare("RBU@20", baseline="A")
    with warns("test-assumption"):
        assert compared == diveval.compare(scores, "RBU@20", baseline="A")
    assert "p adj." in str(compared)
    assert scores.unanimity(bootstrap=0) == diveval.unanimity(scores, bootstrap=0)
    assert str(scores.unanimity(bootstrap=0)).startswith("metric")


def test_scores_plot_and_report(tmp_path: Path) -> None:
    """Scores alone give a chart and a report; judgments and runs give a report with rankings."""
    scores = diveval.evaluate(JUDGMENTS, RUNS, ["RBU@20", "alpha_nDCG@20"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert scores.plot("means").to_dict() != scores.plot("topics").to_dict()
        assert "<html" in scores.report(tmp_path / "scores.html").read_text()
        written = diveval.report(JUDGMENTS, RUNS, tmp_path / "all.html", metrics=["RBU@20"], axiom_seconds=0)
    assert written.stat().st_size > 10_000


def test_warnings_point_at_the_callers_line() -> None:
    """The file of a warning is the caller's, however deep in diveval it is issued."""
    with warns("missing-topics") as caught:
        diveval.evaluate(JUDGMENTS, {"1": ["d1"]}, "RBU")
    assert {warning.filename for warning in caught} == {__file__}


@pytest.mark.filterwarnings("ignore:.*no effort of their own")
def test_efforts_as_a_file_and_as_a_dict(tmp_path: Path) -> None:
    """`effort_file` and `efforts` give the same scores, with every unit and default; both together are refused."""
    path = tmp_path / "efforts"
    path.write_text("d1 200\nx 50\n")
    scored = partial(diveval.evaluate, JUDGMENTS, RUNS, "RBU@5", effort_unit=100.0, effort_default=3.0)
    from_file = scored(effort_file=path)
    from_dict = scored(efforts={"d1": 200.0, "x": 50.0})
    assert np.array_equal(from_file.values, from_dict.values)
    assert not np.array_equal(from_file.values, diveval.evaluate(JUDGMENTS, RUNS, "RBU@5").values)
    mean = diveval.evaluate(JUDGMENTS, RUNS, "RBU@5", effort_file=path, effort_unit="mean")
    assert np.array_equal(
        mean.values,
        diveval.evaluate(JUDGMENTS, RUNS, "RBU@5", efforts={"d1": 200.0, "x": 50.0}, effort_unit="mean").values,
    )
    with refuses("conflicting-options"):
        diveval.evaluate(JUDGMENTS, RUNS, "RBU", efforts={"d": 1.0}, effort_file=path)


def test_columns_name_the_columns_of_frames() -> None:
    """`columns` maps the column names of frames, for judgments and runs; a name that no frame has is an error."""
    pandas = pytest.importorskip("pandas")
    judged = pandas.DataFrame({"frage": ["1", "1"], "seite": ["a", "b"], "text": ["d1", "d2"], "note": [1, 2]})
    run = pandas.DataFrame({"frage": ["1", "1"], "text": ["d1", "x"], "punkte": [2.0, 1.0]})
    names = {"topic": "frage", "aspect": "seite", "document": "text", "grade": "note", "score": "punkte"}
    scores = diveval.evaluate(judged, run, "RBU@5", columns=names)
    plain = diveval.evaluate({"1": {"a": {"d1": 1}, "b": {"d2": 2}}}, {"1": {"d1": 2.0, "x": 1.0}}, "RBU@5")
    assert np.array_equal(scores.values, plain.values)
    named = diveval.evaluate(judged, {"ours": run}, "RBU@5", columns=names)
    assert named.runs == ("ours",) and np.array_equal(named.values, plain.values)
    with refuses("unknown-column", "fehlt"):
        diveval.evaluate(judged, run, "RBU@5", columns={**names, "rank": "fehlt"})


def test_nuggets_as_dicts(tmp_path: Path) -> None:
    """The records of a nugget file give the same scores in memory as from the file."""
    records = [
        {"query_id": "q", "nugget_id": "n1", "importance": 1, "support": ["p1"], "partial_support": ["p2"]},
        {"query_id": "q", "nugget_id": "n2", "importance": 0.5, "support": ["p3"]},
    ]
    path = tmp_path / "nuggets.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    run = {"q": ["p3", "p2", "p1"]}
    names = ["RBU@5", "StRecall@2"]
    assert np.array_equal(diveval.evaluate(records, run, names).values, diveval.evaluate(path, run, names).values)


def test_ir_measures_objects_give_ir_measures_numbers() -> None:
    """Each ir_measures object becomes the metric of the tool that ir_measures calls; unsupported parameters are refused."""
    measures = pytest.importorskip("ir_measures")
    binary = {"1": {"a": {"d1": 1, "d2": 1}, "b": {"d2": 1}}}
    objects = [measures.alpha_nDCG @ 5, measures.ERR_IA @ 5, measures.AP, measures.P @ 5, measures.nDCG @ 5]
    scores = diveval.evaluate(binary, {"1": ["x", "d2", "d1"]}, objects)
    assert scores.metrics[0].startswith("ndeval.alpha_nDCG") and scores.metrics[2:] == (
        "trec_eval.map",
        "trec_eval.P_5",
        "trec_eval.ndcg_cut_5",
    )
    with refuses("unknown-metric", "rel=2"):
        diveval.evaluate(binary, {"1": ["d1"]}, measures.P(rel=2) @ 5)


def test_commands_are_available_as_functions(tmp_path: Path) -> None:
    """`cutoff`, `effort`, `paper`, `violations` and `why` work on files."""
    folder = make_collection(tmp_path / "web", topics=4, systems=4, depth=20, seed=2)
    qrels, runs = folder / "qrels.txt", sorted((folder / "runs").glob("*.run"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        stops = diveval.stopping_ranks(qrels, runs)
        assert len(stops) == 4 * 4
        assert diveval.effort(qrels, runs, patience=[0.9], efforts=[0.01], resamples=100).rows[0].p == 0.9
        written = diveval.paper(qrels, runs, tmp_path / "paper", figures=False)
        assert {path.name for path in written} == {
            "table.tex",
            "table.md",
            "table.csv",
            "losses.csv",
            "losses.tex",
            "methods.tex",
            "captions.tex",
            "references.bib",
            "command.txt",
        }
        assert diveval.violations(qrels, runs, "RBU@20", axioms=["Conf"]).rows[0].situations > 0
        assert diveval.why(qrels, runs[0], runs[1], "RBU@20").run == runs[0].stem


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"efforts": {"d1": "x"}}, "not-a-number"),
        ({"efforts": {"d1": -1.0}}, "out-of-range"),
        ({"efforts": 3}, "wrong-type"),
        ({"effort_file": {"d1": 2}}, "wrong-type"),
        ({"columns": 3}, "wrong-type"),
        ({"rel": "x"}, "not-a-number"),
        ({"jobs": "2"}, "not-a-number"),
        ({"effort_default": "x", "efforts": {}}, "not-a-number"),
        ({"effort_unit": 0, "efforts": {}}, "out-of-range"),
        ({"gain": ""}, "invalid-choice"),
        ({"weights": 5}, "wrong-type"),
        ({"options": 5}, "wrong-type"),
        ({"renormalise": "no"}, "wrong-type"),
        ({"residuals": "no"}, "wrong-type"),
        ({"columns": {"topic": None}}, "wrong-type"),
    ],
    ids=str,
)
def test_invalid_option_values_are_refused(options: Any, code: str) -> None:
    """Every invalid value of an option is refused by its code."""
    with refuses(code):
        diveval.evaluate(JUDGMENTS, RUNS, "RBU", **options)


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (lambda: diveval.compare(None), "wrong-type"),  # type: ignore[arg-type]
        (lambda: diveval.unanimity(None), "wrong-type"),  # type: ignore[arg-type]
        (lambda: diveval.parse(None), "wrong-type"),  # type: ignore[arg-type]
        (lambda: diveval.read_run(None), "wrong-type"),  # type: ignore[arg-type]
        (lambda: diveval.read_judgments(5), "wrong-type"),  # type: ignore[arg-type]
        (lambda: diveval.evaluate(JUDGMENTS, RUNS, "RBU").select(runs=["C"]), "unknown-run"),
        (lambda: diveval.evaluate(JUDGMENTS, RUNS, "RBU").select(topics=["9"]), "unknown-topic"),
        (lambda: diveval.evaluate(JUDGMENTS, {"1": np.array([["d1", "d2"]])}, "RBU"), "wrong-shape"),
        (lambda: diveval.evaluate(JUDGMENTS, {"1": np.array("d1")}, "RBU"), "wrong-shape"),
        (lambda: diveval.evaluate(JUDGMENTS, {"1": ["d1"], 1: ["d2"]}, "RBU"), "duplicate-topic"),
        (lambda: diveval.evaluate({"1": {"d1": 1}, 1: {"d2": 1}}, {"1": ["d1"]}, "RR"), "duplicate-topic"),
        (lambda: diveval.evaluate({"1": {"d1": 1, "a": {"d2": 1}}}, {"1": ["d1"]}, "RR"), "mixed-records"),
        (lambda: diveval.parse("RBU")([[None]]), "wrong-type"),
        (lambda: diveval.parse("RBU")([[0.5], [0.5, 1]]), "wrong-shape"),
        (lambda: diveval.parse("RBU")("abc"), "wrong-type"),
        (lambda: diveval.parse("RBU")(5), "wrong-type"),  # type: ignore[call-overload]
        (lambda: diveval.parse("RBU")([[2.0]]), "out-of-range"),
        (lambda: diveval.parse("RBU")([[float("nan")]]), "out-of-range"),
    ],
)
def test_invalid_arguments_are_refused(call: Callable[[], object], code: str) -> None:
    """Functions of scores, files and small rankings refuse invalid arguments by their codes."""
    with refuses(code):
        call()


def test_pairs_of_document_and_score_are_refused() -> None:
    """Read as document ids, such pairs would silently score 0."""
    with refuses("invalid-id"):
        diveval.evaluate(JUDGMENTS, {"1": [("d1", 2.0), ("d2", 1.0)]}, "RBU")


@pytest.mark.parametrize("empty", [[], {}, (), np.array([])], ids=repr)
@pytest.mark.parametrize("others", [["d1"], {"d1": 1.0}], ids=repr)
def test_an_empty_list_is_not_a_missing_topic(empty: object, others: object) -> None:
    """An empty list scores 0 and the run is complete; a missing topic scores minus the effort of reading."""
    scores = diveval.evaluate(JUDGMENTS, {"A": {"1": others, "2": empty, "3": others}}, "RBU")
    assert scores.per_topic("A")["2"] == 0.0 and scores.incomplete() == []
    with warns("missing-topics"):
        missing = diveval.evaluate(JUDGMENTS, {"A": {"1": others, "3": others}}, "RBU")
    assert missing.per_topic("A")["2"] < 0.0 and missing.incomplete() == ["A (2/3)"]


def test_the_default_metrics_are_those_of_the_command() -> None:
    """Without metrics, `evaluate` scores the five that the command shows."""
    assert len(diveval.evaluate(JUDGMENTS, RUNS).metrics) == 5


FUNCTIONS = [getattr(diveval, name) for name in dir(diveval) if inspect.isfunction(getattr(diveval, name))]
METHODS = [diveval.Scores.compare, diveval.Scores.plot, diveval.Scores.report, diveval.Scores.unanimity]


@pytest.mark.parametrize("function", [*FUNCTIONS, *METHODS], ids=lambda function: function.__qualname__)
def test_every_parameter_is_named_and_documented(function: Any) -> None:
    """Every option of a public function is in its signature and in its docstring."""
    parameters = inspect.signature(function).parameters
    assert all(each.kind is not inspect.Parameter.VAR_KEYWORD for each in parameters.values())
    text = inspect.getdoc(function) or ""
    assert [name for name in parameters if name != "self" and f"    {name}: " not in text] == []


def test_scores_of_several_metrics_compare_on_the_first() -> None:
    """`compare` without a metric uses the first, as `diveval compare` does without -m."""
    scores = diveval.evaluate(JUDGMENTS, RUNS, ["RBU@5", "P@5"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", diveval.DivevalWarning)
        assert scores.compare(baseline="A").metric == scores.metrics[0]
