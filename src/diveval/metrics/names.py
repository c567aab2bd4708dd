"""From text to metric and back: `RBU(p=0.99,e=0.05)@20`, the paper's spellings, and help for a name that is off."""

from __future__ import annotations

import importlib.util
import inspect
import re
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

from diveval.errors import UsageError, nearest, shown
from diveval.metrics.compat import TOOLS, entries_of
from diveval.metrics.formulas import Formula
from diveval.metrics.metric import Entry, Metric, UserFormula

# White space is stripped from the parts afterwards: a pattern that looked for it between them could be kept busy for
# minutes by two hundred blanks.
_SHAPE = re.compile(r"(?P<name>[^()@]+)(?:\((?P<parameters>[^()]*)\)\s*)?(?:@(?P<cutoff>[^()@]*))?")
_GREEK = {"α": "alpha", "β": "beta", "λ": "lam", "γ": "gamma", "θ": "theta", "#": "sharp"}
MetricLike = str | Metric | Formula | Callable[..., Any]


@cache
def _shelf(tool: str | None) -> dict[str, Entry]:
    """The catalogue's rows of one tool, or ours, by canonical name."""
    if tool is not None:
        return {entry.name: entry for entry in entries_of(tool)}
    from diveval.metrics.catalogue import OWN

    return {entry.name: entry for entry in OWN}


@cache
def entries() -> dict[str, Entry]:
    """The whole catalogue by canonical name, other tools' names included."""
    return {name: entry for tool in (None, *TOOLS) for name, entry in _shelf(tool).items()}


@cache
def _spellings(tool: str | None) -> dict[str, Entry]:
    """A shelf by every spelling of its names."""
    return {
        _plain(spelling): entry for name, entry in _shelf(tool).items() for spelling in (*entry.aliases, name)
    }


def _plain(name: str) -> str:
    """A spelling without what people vary: case, hyphens, underscores, Greek letters."""
    for letter, word in _GREEK.items():
        name = name.replace(letter, word)
    return re.sub(r"[-_\s]", "", name).lower()


_TOOLS = {_plain(tool): tool for tool in TOOLS}


def _known(name: str) -> Entry | None:
    """The row of a name or alias. Other tools' rules are loaded where a tool is named, before the dot."""
    tool = _TOOLS.get(_plain(name.partition(".")[0]))
    return _spellings(tool).get(_plain(name))


def find(name: str) -> Entry:
    """The catalogue's row for a name or alias; a cutoff that is part of the name, as in `trec_eval.P_10`, is let go."""
    known = _known(name) or _known(_part(name)[0])
    if known is None:
        raise UsageError(
            f"no metric is called {shown(name)}; nearest: {nearest(name, entries())} (`diveval metrics` lists all)"
        )
    return known


def _part(name: str) -> tuple[str, str | None]:
    """`trec_eval.P_10` as the name and the cutoff it carries; other names as they are."""
    shape = re.fullmatch(r"(.+)_([0-9]+)", name)
    known = None if shape is None else _known(shape[1])
    if shape is None or known is None or known.cutoff_mark != "_":
        return name, None
    return shape[1], shape[2]


def parse(text: str) -> Metric:
    """A metric from its text; an error names what is wrong and the nearest valid names."""
    if len(text) > 200:
        raise UsageError(f"a metric's name is at most 200 characters, got {len(text)}: {shown(text)}")
    shape = _SHAPE.fullmatch(text.strip())
    if shape is None or not shape["name"].strip():
        raise UsageError(f"a metric is written NAME(parameter=value,…)@cutoff, got {shown(text)}")
    name = shape["name"].strip()
    entry = find(name)
    values = _parameters(shape["parameters"] or "", entry)
    carried, behind = _part(name)[1], None if shape["cutoff"] is None else shape["cutoff"].strip()
    if carried is not None and behind is not None:
        raise UsageError(f"{entry.name}: the cutoff is given twice, in the name and behind @")
    cutoff = carried or behind
    if "cutoff" in values:
        if cutoff is not None:
            raise UsageError(f"{entry.name}: the cutoff is given twice, in brackets and behind @")
        cutoff = str(values.pop("cutoff"))
    if cutoff is not None and cutoff.endswith("%") and "coverage" in {p.name for p in entry.parameters}:
        values["coverage"] = _percentage(cutoff, entry)
        cutoff = None
    return entry.metric(values, _cutoff(cutoff, entry))


def _parameters(text: str, entry: Entry) -> dict[str, Any]:
    known = {p.name: p for p in entry.parameters}
    values: dict[str, Any] = {}
    for piece in text.split(",") if text.strip() else []:
        name, equals, value = piece.partition("=")
        name = _GREEK.get(name.strip(), name.strip())
        if not equals or not value.strip():
            raise UsageError(f"{entry.name}: a parameter is written name=value, got {shown(piece)}")
        if name in values:
            raise UsageError(f"{entry.name}: {name} is given twice")
        if name == "cutoff":
            values[name] = value.strip()
        elif name not in known:
            takes = nearest(name, known) if known else "none"
            raise UsageError(f"{entry.name} has no parameter {shown(name)}; it takes: {takes}")
        else:
            values[name] = known[name].parse(value.strip(), entry.name)
    return values


def _cutoff(text: str | None, entry: Entry) -> int | None:
    if text is None:
        if entry.cutoffs == "needed":
            raise UsageError(f"{entry.name} needs a cutoff, for example {entry.name}{entry.cutoff_mark}20")
        return None
    if not entry.cutoffs:
        raise UsageError(f"{entry.name} looks at the whole list and takes no cutoff, got {shown('@' + text)}")
    if not re.fullmatch(r"[0-9]{1,18}", text) or int(text) < 1:
        raise UsageError(f"{entry.name}: a cutoff is a whole number of at least 1, got {shown(text)}")
    return int(text)


def _percentage(text: str, entry: Entry) -> float:
    try:
        share = float(text[:-1]) / 100
    except ValueError:
        share = 0.0
    if not 0 < share <= 1:
        raise UsageError(f"{entry.name}: the coverage is a percentage above 0 and at most 100, got {shown(text)}")
    return share


# --- anything a person may hand in as a metric ------------------------------------------------------------------------


def as_metric(item: MetricLike) -> Metric:
    """A metric from its text, from `file.py:name`, from a composition of the algebra, or from a plain function."""
    if isinstance(item, Metric):
        return item
    if isinstance(item, Formula):
        return Metric(_describe(item), item)
    if isinstance(item, str):
        return load(item) if re.search(r"\.py:[^:]+$", item) else parse(item)
    if callable(item):
        return Metric(_function_name(item), UserFormula(function=item, name=_function_name(item)))
    raise UsageError(f"a metric is a name, a formula or a function of a ranking, got {type(item).__name__}")


def as_metrics(items: MetricLike | Iterable[MetricLike]) -> list[Metric]:
    """A list of metrics without repeats, in the order given."""
    several = items if isinstance(items, Iterable) and not isinstance(items, str) else [items]
    listed = [as_metric(item) for item in several]
    if not listed:
        raise UsageError("no metric was given; for example RBU(p=0.99,e=0.05)@20 (`diveval metrics` lists all)")
    unique = {metric.name: metric for metric in reversed(listed)}
    return [unique[name] for name in dict.fromkeys(metric.name for metric in listed)]


def load(text: str) -> Metric:
    """A person's metric from a Python file, `path/to/file.py:name`. This runs the file."""
    path_text, _, name = text.rpartition(":")
    path = Path(path_text)
    if not path.is_file():
        raise UsageError(f"{path}: no such file (a metric of your own is given as path/to/file.py:name)")
    spec = importlib.util.spec_from_file_location(f"diveval_user_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise UsageError(f"{path}: cannot be loaded as Python")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise UsageError(f"{path}: failed to load: {type(error).__name__}: {error}") from error
    found = getattr(module, name, None)
    if isinstance(found, Formula):
        return Metric(name, found)
    if not callable(found):
        own = [n for n, value in vars(module).items() if inspect.isfunction(value) or isinstance(value, Formula)]
        raise UsageError(f"{path}: has no metric {shown(name)}; it defines: {', '.join(own) or 'no function'}")
    return Metric(name, UserFormula(function=found, name=name))


def _function_name(function: Callable[..., Any]) -> str:
    return str(getattr(function, "__name__", type(function).__name__))


def _describe(formula: Formula) -> str:
    """A composition's text: its parts, as declared."""
    return re.sub(r"\s+", "", repr(formula))
