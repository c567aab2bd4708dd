"""Metric names: parsing `RBU(p=0.99,e=0.05)@20`, other spellings, suggestions for misspelt names, and labels."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from diveval.argument_types import explain_types
from diveval.errors import UsageError, quote
from diveval.metrics.compat import TOOLS, entries_of, is_measure, text_of_measure
from diveval.metrics.compat.trec_names import expand, is_spec
from diveval.metrics.formulas import Formula
from diveval.metrics.metric import Entry, Metric, UserFormula, read_cutoff, read_settings
from diveval.metrics.registry import Registry, simplify_name

# White space is stripped from the parts afterwards: a pattern that matched it between them would backtrack for minutes
# on two hundred blanks.
_SHAPE = re.compile(r"(?P<name>[^()@]+)(?:\((?P<parameters>[^()]*)\)\s*)?(?:@(?P<cutoff>[^()@]*))?")
MetricLike = str | Metric | Entry | Formula | Callable[..., Any]
Lookup = Callable[[str], Entry]  # finds the entry of a name


@dataclass(frozen=True)
class MetricText:
    """The parts of a metric's text by its grammar alone: `NAME(parameter=value,…)@cutoff`.

    The metric need not exist: tables may contain names that are not in the catalogue.
    """

    name: str
    settings: tuple[str, ...] = ()  # `parameter=value`, as written
    cutoff: str | None = None

    @classmethod
    def of(cls, text: str) -> MetricText:
        """The parts; a text of another form is all name."""
        return cls._parts(text) or cls(text)

    @classmethod
    def _parts(cls, text: str) -> MetricText | None:
        shape = _SHAPE.fullmatch(text.strip())
        if shape is None or not shape["name"].strip():
            return None
        inside, cutoff = shape["parameters"] or "", shape["cutoff"]
        settings = tuple(inside.split(",")) if inside.strip() else ()
        return cls(shape["name"].strip(), settings, None if cutoff is None else cutoff.strip())

    @property
    def heading(self) -> list[str]:
        """The head of a table's column in two lines: name and cutoff, and below them the settings."""
        return [str(replace(self, settings=())), ",".join(self.settings)]

    def __str__(self) -> str:
        setting = f"({','.join(self.settings)})" if self.settings else ""
        return self.name + setting + ("" if self.cutoff is None else f"@{self.cutoff}")


def take_apart(text: str) -> MetricText:
    """The parts of a user's text; an error explains how a metric is written."""
    if not isinstance(text, str):
        raise UsageError("wrong-type", f"a metric is written as text, got {type(text).__name__}")
    if len(text) > 200:
        raise UsageError("metric-syntax", f"a metric's name is at most 200 characters, got {len(text)}: {quote(text)}")
    parts = MetricText._parts(text)
    if parts is None:
        raise UsageError("metric-syntax", f"a metric is written NAME(parameter=value,…)@cutoff, got {quote(text)}")
    return parts


def _load_own() -> Sequence[Entry]:
    from diveval.metrics.catalogue import OWN

    return OWN


def _load_classics() -> Sequence[Entry]:
    from diveval.metrics.classics import CLASSICS

    return CLASSICS


_OWN, _CLASSICS = Registry(_load_own), Registry(_load_classics)
_TOOLS = {simplify_name(tool): Registry(partial(entries_of, tool)) for tool in TOOLS}


@cache
def entries() -> dict[str, Entry]:
    """The whole catalogue by canonical name, other tools' names included."""
    return {name: entry for registry in (_OWN, _CLASSICS, *_TOOLS.values()) for name, entry in registry.entries.items()}


def _entry(name: str) -> Entry | None:
    """The entry of a name or alias. A tool's module is loaded only if the name has the tool's prefix."""
    tool = _TOOLS.get(simplify_name(name.partition(".")[0]))
    return tool.get(name) if tool is not None else _OWN.get(name) or _CLASSICS.get(name)


def find(name: str) -> Entry:
    """The catalogue's entry for a name or alias; a cutoff in the name, as in `trec_eval.P_10`, is ignored."""
    entry = _entry(name) or _entry(_part(name)[0])
    if entry is None:
        base, cutoff = re.fullmatch(r"(.*?)[-_]?(\d*)", name, re.DOTALL).groups()  # type: ignore[union-attr]
        without = _entry(base) if cutoff else None
        if without is not None and without.cutoffs:
            raise UsageError(
                "unknown-metric", f"no metric is called {quote(name)}", hint=f"did you mean {without.name}@{cutoff}?"
            )
        raise _refuse(name)
    return entry


def _refuse(name: str) -> UsageError:
    """The error for a name that nothing has: with metrics of that meaning if it is a description."""
    from diveval.metrics.search import search_metrics

    found = search_metrics(name, entries()) if re.search(r"\w\s+\w", name) else []
    if not found:
        return _OWN.refuse(name, entries(), "`diveval metrics` lists all")
    fitting = ", ".join(text for _, text in found[:3])
    return UsageError(
        "unknown-metric", f"no metric is called {quote(name)}", hint=f"by its meaning it may be {fitting}"
    )


def _part(name: str) -> tuple[str, str | None]:
    """`trec_eval.P_10` as name and cutoff; other names have no cutoff."""
    shape = re.fullmatch(r"(.+)_([0-9]+)", name)
    entry = None if shape is None else _entry(shape[1])
    if shape is None or entry is None or entry.cutoff_mark != "_":
        return name, None
    return shape[1], shape[2]


@explain_types
def parse(text: str, lookup: Lookup | None = None) -> Metric:
    """A metric from its text; an error names what is wrong and the closest valid names.

    Args:
        text: such as `RBU(p=0.9,e=0.01)@20`.
        lookup: finds the entry of a name (default: in the catalogue).
    """
    parts = take_apart(text)
    entry = (lookup or find)(parts.name)
    values = read_settings(parts.settings, entry.name, entry.parameters, cutoff=True)
    in_name, after_at = _part(parts.name)[1], parts.cutoff
    if in_name is not None and after_at is not None:
        raise UsageError("duplicate-parameter", f"{entry.name}: the cutoff is given twice, in the name and after @")
    cutoff = in_name or after_at
    if "cutoff" in values:
        if cutoff is not None:
            raise UsageError(
                "duplicate-parameter", f"{entry.name}: the cutoff is given twice, in parentheses and after @"
            )
        cutoff = str(values.pop("cutoff"))
    if cutoff is not None and cutoff.endswith("%") and "coverage" in {p.name for p in entry.parameters}:
        values["coverage"] = _percentage(cutoff, entry)
        cutoff = None
    return entry.metric(values, read_cutoff(cutoff, entry))


def compose(name: str, values: Mapping[str, object], cutoff: int | None = None) -> Metric:
    """A metric from its name, parameters and cutoff, checked like its text; missing parameters take their defaults."""
    if _part(name)[1] is not None:
        raise UsageError("metric-syntax", f"{quote(name)}: give the cutoff separately from the name")
    entry = find(name)
    settings = [f"{key}={value}" for key, value in values.items()]
    checked = read_settings(settings, entry.name, entry.parameters)
    return entry.metric(checked, read_cutoff(None if cutoff is None else str(cutoff), entry))


def _percentage(text: str, entry: Entry) -> float:
    try:
        share = float(text[:-1]) / 100
    except ValueError:
        share = 0.0
    if not 0 < share <= 1:
        raise UsageError(
            "invalid-cutoff", f"{entry.name}: the coverage is a percentage above 0 and at most 100, got {quote(text)}"
        )
    return share


# --- metrics from anything a user may give ----------------------------------------------------------------------------


def as_metric(item: MetricLike, lookup: Lookup | None = None) -> Metric:
    """A metric from its text, from `file.py:name`, from a composition of the algebra, or from a plain function."""
    if isinstance(item, Metric):
        return item
    if isinstance(item, Entry):
        return item.metric({}, read_cutoff(None, item))
    if isinstance(item, Formula):
        return Metric(re.sub(r"\s+", "", repr(item)), item)  # its parts, as declared
    if isinstance(item, str):
        return load(item) if re.search(r"\.py:[^:]+$", item) else parse(item, lookup)
    if is_measure(item):
        return parse(text_of_measure(item))
    if callable(item):
        name = str(getattr(item, "__name__", type(item).__name__))
        return Metric(name, UserFormula(function=item, name=name))
    raise UsageError(
        "wrong-type", f"a metric is a name, a formula or a function of a ranking, got {type(item).__name__}"
    )


def as_metrics(items: MetricLike | Iterable[MetricLike], lookup: Lookup | None = None) -> list[Metric]:
    """Metrics without repeats, in the order given; different metrics with the same name are renamed."""
    several = items if isinstance(items, Iterable) and not isinstance(items, str) else [items]
    listed: list[tuple[MetricLike, Metric]] = []
    by_name: dict[str, list[tuple[MetricLike, Metric]]] = {}
    for item in (one for given in several for one in _split(given)):
        pair = (item, as_metric(item, lookup))
        namesakes = by_name.setdefault(pair[1].name, [])
        if not any(_is_same(other, pair) for other in namesakes):
            namesakes.append(pair)
            listed.append(pair)
    if not listed:
        raise UsageError(
            "no-metric", "no metric was given", hint="for example RBU(p=0.99,e=0.05)@20 (`diveval metrics` lists all)"
        )
    return _apart(listed)


def _is_same(one: tuple[MetricLike, Metric], other: tuple[MetricLike, Metric]) -> bool:
    """Whether two metrics with the same name are the same: always for the catalogue's, not for users' own metrics."""
    if one[1].entry is not None and other[1].entry is not None:
        return True
    return one[0] is other[0] or (type(one[0]) is type(other[0]) and one[0] == other[0])


def _apart(listed: Sequence[tuple[MetricLike, Metric]]) -> list[Metric]:
    """Users' own metrics that share a name get the name of their file, then a number."""
    counts = Counter(metric.name for _, metric in listed)
    taken = {metric.name for _, metric in listed if metric.entry is not None}
    out: list[Metric] = []
    for item, metric in listed:
        if counts[metric.name] > 1 and metric.entry is None:
            name = own = item.strip() if isinstance(item, str) else metric.name
            number = 1
            while own in taken:
                number += 1
                own = f"{name}#{number}"
            out.append(replace(metric, name=own))
        else:
            out.append(metric)
        taken.add(out[-1].name)
    return out


def _split(item: MetricLike) -> list[MetricLike]:
    """`nDCG@5,10,20` is three metrics and `P@5,RBU@20` two; commas in parentheses and in file paths do not separate."""
    if not isinstance(item, str) or ".py:" in item:
        return [item]
    out: list[str] = []
    for part in filter(None, map(str.strip, re.split(r",(?![^(]*\))", item))):
        name, at, _ = out[-1].rpartition("@") if out else ("", "", "")
        if (
            out and is_spec(out[-1]) and re.fullmatch(r"[-+.0-9=:e]+(\([^()]*\))?", part)
        ):  # more parameters of trec_eval's measure
            out[-1] = f"{out[-1]},{part}"
        else:
            out.append(f"{name}@{part}" if at and part.isdigit() else part)
    return [name for text in out or [item] for name in (_expand(text) or [text])]


def _expand(text: str) -> list[str] | None:
    """The metrics that a name of trec_eval's stands for; None for any other name."""
    names = expand(text)
    if names == []:
        raise UsageError("unknown-metric", f"{text} is text, not a number", hint="-f trec prints it, as trec_eval does")
    return names


def load(text: str) -> Metric:
    """A user's metric from a Python file, `path/to/file.py:name`. This runs the file."""
    path_text, _, name = text.rpartition(":")
    path = Path(path_text)
    if not path.is_file():
        raise UsageError("cannot-read", f"{path}: no such file (a metric of your own is given as path/to/file.py:name)")
    spec = importlib.util.spec_from_file_location(f"diveval_user_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise UsageError("metric-failed", f"{path}: cannot be loaded as Python")
    module = importlib.util.module_from_spec(spec)
    try:
        with _modules_beside(path.resolve().parent):
            spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise UsageError("metric-failed", f"{path}: failed to load: {type(error).__name__}: {error}") from error
    item = getattr(module, name, None)
    if isinstance(item, Formula):
        return Metric(name, item)
    if not callable(item):
        own = [n for n, value in vars(module).items() if inspect.isfunction(value) or isinstance(value, Formula)]
        raise UsageError(
            "unknown-metric",
            f"{path}: has no metric {quote(name)}",
            hint=f"it defines: {', '.join(own) or 'no function'}",
        )
    return Metric(name, UserFormula(function=item, name=name))


# By folder: the modules imported from it, with the state of their files at that time.
_imported: dict[Path, dict[str, tuple[Path, list[int]]]] = {}


@contextmanager
def _modules_beside(folder: Path) -> Iterator[None]:
    """Let a file import modules from its folder, as Python does for a script, in their current state.

    The folder is added at the end of `sys.path`, so that its modules hide no others, and stays there, since a function
    may import modules when it is called. If a module was edited, all modules of the folder are imported again, since
    they may import each other.
    """
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
    imported = _imported.setdefault(folder, {})
    if any(_file_state(path) != state for path, state in imported.values()):
        for name in imported:
            sys.modules.pop(name, None)
        imported.clear()
    importlib.invalidate_caches()
    before = set(sys.modules)
    try:
        yield
    finally:
        for name in set(sys.modules) - before:
            origin = getattr(sys.modules[name], "__file__", None)
            if origin is not None and Path(origin).is_relative_to(folder):
                imported[name] = (Path(origin), _file_state(Path(origin)))


def _file_state(path: Path) -> list[int]:
    """Values that change when a file is edited."""
    try:
        status = path.stat()
    except OSError:
        return [0, 0]
    return [status.st_mtime_ns, status.st_size]


# --- labels for papers ------------------------------------------------------------------------------------------------


_GREEK_LETTERS = {"alpha": "α", "beta": "β", "lam": "λ"}


def labels(names: Sequence[str]) -> list[str]:
    """A label for each metric of a table, with its numbers where they are not the catalogue's or two would be alike."""
    known = [(name, _try_parse(name)) for name in names]
    short = [name if metric is None else label(metric) for name, metric in known]
    often = Counter(short)
    return [text + _settings(metric, always=often[text] > 1) for text, (_, metric) in zip(short, known, strict=True)]


def label(metric: Metric) -> str:
    """A metric's label, cutoff and variant; another tool's metric without a label keeps the tool's name."""
    entry = metric.entry
    if entry is None or ("." in entry.name and not entry.label):
        return metric.name
    depth = "" if metric.cutoff is None else f"@{metric.cutoff}"
    return (entry.label or entry.name.replace("_", "-")) + depth + (f" ({entry.variant})" if entry.variant else "")


def variant_of(name: str) -> str:
    """Which of the metrics with one label this is: `TREC`, `graded`, or empty."""
    metric = _try_parse(name) or _try_parse(re.sub(r"\(.*\)", "", name))  # without ranges of parameters
    return "" if metric is None or metric.entry is None else metric.entry.variant


def name_with_variant(name: str) -> str:
    """A metric's whole name, and which of the metrics with one label it is: TREC's, or the graded form."""
    variant = variant_of(name)
    return f"{name} ({variant})" if variant else name


def _settings(metric: Metric | None, *, always: bool) -> str:
    """The numbers, unless they are the catalogue's, which a name without numbers stands for."""
    if metric is None or (
        not always and (metric.entry is None or metric.numbers == metric.entry.metric({}, metric.cutoff).numbers)
    ):
        return ""
    named = ", ".join(f"{_GREEK_LETTERS.get(name, name)} = {value:g}" for name, value in metric.numbers.items())
    return f" ({named})"


def _try_parse(name: str) -> Metric | None:
    try:
        return parse(name)
    except UsageError:
        return None
