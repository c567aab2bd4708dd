"""The table of settings: every entry point has each option, with the same values, default and error."""

from __future__ import annotations

import datetime
import importlib
import inspect
import runpy
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args, get_type_hints

import numpy as np
import pytest

import diveval
from diveval import recommend
from diveval.cli import common
from diveval.cli.parsing import Parser
from diveval.integrations import spark
from diveval.reading.formats import JUDGMENT_FORMATS
from diveval.report.contents import report
from diveval.setting_table import SETTINGS, TABLE, Setting
from diveval.settings import Options, Settings
from diveval.tracks.config import Config
from diveval.tracks.keys import BY_NAME
from diveval.tracks.scorings import options_of
from diveval.tracks.skeleton import config_text
from support.refusals import refusal_of, refuses

JUDGMENTS = {"1": {"a": {"d1": 1}, "b": {"d2": 2}}, "2": {"a": {"d3": 1}}}
RUNS = {"A": {"1": ["d1", "d2"], "2": ["x", "d3"]}, "B": {"1": ["x"], "2": ["d3"]}}
RBU = "RBU(p=0.9,e=0.01)@5"
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "evaluate": lambda **o: diveval.evaluate(JUDGMENTS, RUNS, RBU, **o),
    "why": lambda **o: diveval.why(JUDGMENTS, RUNS["A"], RUNS["B"], RBU, **o),
    "choose": lambda **o: diveval.choose(JUDGMENTS, RUNS, **o),
    "violations": lambda **o: diveval.violations(JUDGMENTS, RUNS, RBU, **o),
    "tune_effort": lambda **o: diveval.tune_effort(JUDGMENTS, RUNS, **o),
    "stopping_ranks": lambda **o: diveval.stopping_ranks(JUDGMENTS, RUNS, **o),
    "conclude": lambda **o: diveval.conclude(JUDGMENTS, RUNS, **o),
    "paper": lambda **o: diveval.paper(JUDGMENTS, RUNS, "never-written", **o),
    "report": lambda **o: report(JUDGMENTS, RUNS, "never-written", **o),
    "recommend": lambda **o: recommend.evaluate({"1": {"d1": 1}}, {"1": ["d1"]}, **o),
    "spark": lambda **o: spark.evaluate(judgments=None, runs=None, metrics=RBU, **o),
    "Options.of": Options.of,
}
OPENS, CLOSES = (datetime.datetime(2026, month, 1, tzinfo=datetime.timezone.utc) for month in (3, 6))
REQUIRED_KEYS = {"spec": 1, "dates.opens": OPENS, "dates.closes": CLOSES, "data.topics": "topics.txt"} | {
    "scoring.metrics": [RBU],
    "scoring.official": RBU,
}
BAD: dict[str, Any] = {
    "": "no such word",
    "number": -1,
    "whole": 0,
    "bool": "no",
    "path": 3,
    "format": "?",
    "costs": 3,
} | {"groups": 3, "names": 3}


def bad(setting: Setting) -> Any:
    """A value that the setting cannot have."""
    return BAD[setting.kind]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_refuses_a_bad_value_alike(name: str) -> None:
    """Each option exists in each function, and a value it cannot have gives the error that `evaluate` gives."""
    for setting in SETTINGS:
        if name == "Options.of" and setting.kind in ("path", "format"):
            continue  # it reads no file, and readers know the formats
        codes = []
        for function in (FUNCTIONS["evaluate"], FUNCTIONS[name]):
            codes.append(refusal_of(function, **{setting.name: bad(setting)}).code)
        assert codes[0] == codes[1], (name, setting.name)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_refuses_an_unknown_option(name: str) -> None:
    """A misspelt option is an error that suggests the right one."""
    with refuses("unknown-option", "missing_topics"):
        FUNCTIONS[name](missing_topic="zero")


def test_the_signature_of_evaluate_is_the_table() -> None:
    """Names, defaults and types of its options are those of the table, in its order."""
    parameters = inspect.signature(diveval.evaluate).parameters
    own = ("judgments", "runs", "metrics", "weights", "residuals", "columns", "aspect", "options")
    listed = {name: one for name, one in parameters.items() if name not in own}
    assert list(listed) == list(TABLE) == list(Settings.__annotations__)
    for name, setting in TABLE.items():
        assert listed[name].default == setting.default, name
        assert listed[name].annotation == Settings.__annotations__[name].__forward_arg__, name


def test_types_have_the_words_of_the_table() -> None:
    """The type of an option lists exactly the words that it takes."""
    for name, kind in get_type_hints(Settings).items():
        literals = [word for part in (kind, *get_args(kind)) for word in get_args(part) if isinstance(word, str)]
        assert tuple(dict.fromkeys(literals)) == TABLE[name].words, name


@pytest.mark.parametrize("function", [diveval.why, diveval.choose, diveval.conclude, diveval.violations, diveval.paper])
def test_signatures_and_docstrings_list_the_options(function: Any) -> None:
    """A notebook completes and documents each option, although the code has `**settings`."""
    parameters = inspect.signature(function).parameters
    assert set(TABLE) <= set(parameters)
    assert all(f"    {name}: " in inspect.getdoc(function) for name in parameters)  # type: ignore[operator]


def test_single_options_and_weights_equal_options() -> None:
    """A single option has the effect of the same option in `Options`; weights reach every analysis."""
    weights = {("1", "a"): 3.0, ("1", "b"): 1.0, ("2", "a"): 1.0}
    options = Options.of(gain="binary")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in ("why", "violations", "tune_effort", "stopping_ranks", "conclude"):
            single = FUNCTIONS[name](gain="binary", weights=weights)
            assert single == FUNCTIONS[name](options=options, weights=weights), name
            assert single != FUNCTIONS[name](options=options) or name == "violations", name


def test_the_command_line_has_every_flag() -> None:
    """Flags, their words and defaults come from the table; a bad value is an error that names the flag."""
    parser = Parser(prog="diveval")
    common.add_collection(parser)
    actions = {flag: action for action in parser._actions for flag in action.option_strings}
    for setting in SETTINGS:
        if setting.flag:
            assert actions[setting.flag].dest == setting.name
            assert actions[setting.flag].default == setting.default
            words = tuple(JUDGMENT_FORMATS) if setting.name == "judgment_format" else setting.words
            assert not actions[setting.flag].choices or set(words) <= set(actions[setting.flag].choices or ())
    arguments = parser.parse_args(["q", "r", "--gmax", "0"])
    with refuses("out-of-range", "--gmax", 0, 1000):
        common.options_from(arguments)
    chosen = common.options_from(parser.parse_args(["q", "r", "--rel", "2", "--no-renormalise", "--jobs", "3"]))
    assert (chosen.relevance.rel, chosen.relevance.renormalise, chosen.jobs) == (2.0, False, 3)


def test_the_page_lists_every_option() -> None:
    """`docs/reference/options.md` is what `docs/generate_options.py` writes from the table."""
    generated = runpy.run_path(str(Path(__file__).parents[2] / "docs" / "generate_options.py"))
    assert generated["PAGE"].read_text(encoding="utf-8") == generated["page"]()


def test_tracks_have_the_options_that_score() -> None:
    """A track's [scoring] has every option but those about files, and checks it by the table."""
    for setting in SETTINGS:
        assert (f"scoring.{setting.name}" in BY_NAME) == setting.tracks
    assert {"rel", "judgment_duplicates"} <= {setting.name for setting in SETTINGS if setting.tracks}


def test_a_track_scores_with_rel_and_judgment_duplicates() -> None:
    """Both keys reach the options of a track's scoring; without them they have the defaults of `evaluate`."""
    text = config_text({"track.id": "t-1", "track.title": "T", "track.contact": "c", **REQUIRED_KEYS})
    assert options_of(Config.parse(text.encode())).judgment_duplicates == "error"
    changed = text.replace("# rel = 1", "rel = 2").replace(
        '# judgment_duplicates = "error"', 'judgment_duplicates = "max"'
    )
    options = options_of(Config.parse(changed.encode()))
    assert (options.relevance.rel, options.judgment_duplicates) == (2, "max")
    with refuses("out-of-range"):
        Config.parse(changed.replace("rel = 2", "rel = -2").encode())


def test_folders_and_patterns_stand_for_their_files(tmp_path: Path) -> None:
    """In Python as at the command line: the files of a folder by name, or those that a pattern matches."""
    for name in ("b", "a", ".hidden"):
        (tmp_path / f"{name}.run").write_text("1 Q0 d1 1 2.0 t\n")
    (tmp_path / "odd[1].txt").write_text("1 Q0 d2 1 2.0 t\n")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert diveval.evaluate(JUDGMENTS, tmp_path, RBU).runs == ("a", "b", "odd[1]")
        assert diveval.evaluate(JUDGMENTS, [str(tmp_path / "*.run"), RUNS["A"]], RBU).runs == ("a", "b", "run3")
        assert diveval.evaluate(JUDGMENTS, tmp_path / "odd[1].txt", RBU).runs == ("odd[1]",)
        assert {stop.run for stop in diveval.stopping_ranks(JUDGMENTS, tmp_path)} >= {"a", "b"}
        with refuses("cannot-read"):
            diveval.evaluate(JUDGMENTS, str(tmp_path / "*.none"), RBU)
        with refuses("wrong-number-of-runs"):
            diveval.why(JUDGMENTS, tmp_path, RUNS["A"], RBU)


def test_progress_has_one_form() -> None:
    """Every function reports what it does, how much is done, and of how much."""
    reports: list[tuple[str, int, int]] = []

    def progress(what: str, done: int, total: int) -> None:
        reports.append((what, done, total))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        diveval.why(JUDGMENTS, RUNS["A"], RUNS["B"], RBU, progress=progress)
        diveval.conclude(JUDGMENTS, RUNS, progress=progress)
    assert len(reports) > 1
    assert all(isinstance(what, str) and 0 <= done <= max(total, done) for what, done, total in reports)


def test_recommendations_obey_gmax() -> None:
    """The highest rating per aspect counts, and a rating above a given highest one is an error as in `evaluate`."""
    ratings = {"u": {"i": 2, "j": 4}, "v": {"i": 1}}
    lists, genres = {"u": ["i", "j"], "v": ["i"]}, {"i": ["x"], "j": ["y"]}
    judgments = {"u": {"x": {"i": 2}, "y": {"j": 4}}, "v": {"x": {"i": 1}}}
    for gmax in ("per-aspect", "file", 5):
        ours = recommend.evaluate(ratings, lists, "ERR_IA@2", aspects=genres, gmax=gmax)
        theirs = diveval.evaluate(judgments, lists, "ERR_IA@2", gmax=gmax)
        assert np.array_equal(ours.values, theirs.values), gmax
    with refuses("grade-above-gmax"):
        diveval.evaluate(judgments, lists, "ERR_IA@2", gmax=3)
    with refuses("grade-above-gmax"):
        recommend.evaluate(ratings, lists, "ERR_IA@2", aspects=genres, gmax=3)


def test_old_names_work_and_say_the_new_one(tmp_path: Path) -> None:
    """`cutoff` and `effort` give what `stopping_ranks` and `tune_effort` give, with a warning."""
    with pytest.warns(DeprecationWarning, match="stopping_ranks"):
        assert diveval.cutoff(JUDGMENTS, RUNS) == diveval.stopping_ranks(JUDGMENTS, RUNS)
    with pytest.warns(DeprecationWarning, match="tune_effort"):
        old = diveval.effort(JUDGMENTS, RUNS, patience=[0.9], efforts=[0.1])
    assert old == diveval.tune_effort(JUDGMENTS, RUNS, p=[0.9], e=[0.1])


def test_spark_refuses_positional_arguments() -> None:
    """A call in the order of version 2 is an error, not scores of judgments against runs."""
    with refuses("too-many-arguments", "judgments=", "runs="):
        spark.evaluate(None, None, RBU)


def test_every_form_of_a_run_file_obeys_the_format(tmp_path: Path) -> None:
    """A path alone, in a list, under a name and in a list of names is read in the format that was given."""
    path = tmp_path / "a.run"
    path.write_text("1 Q0 d1 1 2.0 t\n1 Q0 d2 2 1.0 t\n", encoding="utf-8")
    for runs in (path, [path], {"x": path}, [{"x": path}, RUNS["A"]], [[path], {"y": RUNS["A"]}]):
        with refuses("wrong-columns", 2):
            diveval.evaluate(JUDGMENTS, runs, RBU, run_format="evall")
    named = ({"x": path}, {"y": RUNS["B"]})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert diveval.evaluate(JUDGMENTS, [[path], {"y": RUNS["A"]}], RBU).runs == ("a", "y")
        assert diveval.why(JUDGMENTS, *named, RBU).run == diveval.losses(JUDGMENTS, *named, RBU).run == "x"


COMMANDS: dict[str, Callable[..., Any]] = {
    "evaluate": diveval.evaluate,
    "violations": diveval.violations,
    "choose": diveval.choose,
    "plan": diveval.plan,
    "gate": diveval.gate,
    "judges": diveval.judges,
    "why": diveval.why,
    "conclusions": diveval.conclude,
    "paper": diveval.paper,
    "compare": diveval.compare,
    "recommend": recommend.evaluate,
    "report": report,
}
# Options whose flag has other values than the parameter, or stands for its absence.
OTHERWISE = {
    ("violations", "reading"),
    ("conclusions", "unjudged"),
    ("report", "axiom_seconds"),
    ("report", "conclusions"),
    ("why", "topics"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_flags_have_the_defaults_of_parameters(name: str) -> None:
    """A command without a flag does what its function does without the argument."""
    parser = Parser(prog="diveval")
    importlib.import_module(f"diveval.cli.{name}").declare(parser)
    defaults = {action.dest: action.default for action in parser._actions}
    shared = 0
    for parameter, one in inspect.signature(COMMANDS[name]).parameters.items():
        if parameter in defaults and one.default is not one.empty and (name, parameter) not in OTHERWISE:
            shared += 1
            if defaults[parameter] not in (None, []):
                assert defaults[parameter] == one.default, parameter
    assert shared >= 5
