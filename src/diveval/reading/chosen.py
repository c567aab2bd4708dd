"""From keyword arguments to options: what every function that takes judgments and runs does with its options."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, ParamSpec, TypeVar

from diveval.argument_types import explain_types
from diveval.errors import UsageError, quote
from diveval.reading import read_efforts
from diveval.reading.formats import JUDGMENT_FORMATS, RUN_FORMATS, check_format
from diveval.reading.groups import read_groups
from diveval.setting_table import SETTINGS, TABLE, Setting, refuse_unknown
from diveval.settings import Options, Settings

P = ParamSpec("P")
T = TypeVar("T")


def as_options(options: Options | None, settings: Mapping[str, Any]) -> Options:
    """`options`, or options built from single settings; giving both is an error."""
    refuse_unknown(settings)
    if not isinstance(options, Options | None):
        raise UsageError("wrong-type", f"options are Options(…) or Options.of(…), got {quote(options)}")
    if options is not None and settings:
        raise UsageError("conflicting-options", f"give options or single choices, not both: {', '.join(settings)}")
    made = options or Options.of(**_with_files(settings))
    check_format(made.judgment_format, JUDGMENT_FORMATS)
    check_format(made.run_format, RUN_FORMATS)
    return made


def _with_files(settings: Mapping[str, Any]) -> Settings:
    """The settings with the files of efforts and groups read."""
    files = ("effort_file", "document_groups", "ordinal_groups")
    checked: Any = {name: value for name, value in settings.items() if name not in files}
    groups, ordinal = (TABLE[name].check(settings.get(name)) for name in files[1:])
    if groups is not None:
        checked["document_groups"] = read_groups(groups, ordinal=ordinal)
    elif ordinal:
        raise UsageError("missing-argument", "ordinal_groups names attributes of document_groups: give those too")
    path = TABLE["effort_file"].check(settings.get("effort_file"))
    unit, default = (TABLE[name].check(settings.get(name)) for name in ("effort_unit", "effort_default"))
    if path is not None:
        if settings.get("efforts") is not None:
            raise UsageError("conflicting-options", "give efforts or effort_file, not both")
        checked["efforts"] = read_efforts(path, unit=None if unit == "mean" else unit, default=default)
    made: Settings = checked
    return made


def takes_settings(function: Callable[P, T]) -> Callable[P, T]:
    """Let a function with `options` and `**settings` take each option by its name: it gets them all as `options`.

    The signature and the docstring of the result list the options.
    """
    own = inspect.signature(function)
    names = [name for name, one in own.parameters.items() if one.kind is not one.VAR_KEYWORD]
    more = [setting for setting in SETTINGS if setting.name not in names]

    @functools.wraps(function)
    def call(*values: P.args, **given: P.kwargs) -> T:
        refuse_unknown(given, (*names, *TABLE))
        plain: dict[str, Any] = {name: value for name, value in given.items() if name in names}
        settings = {name: value for name, value in given.items() if name not in names}
        plain["options"] = as_options(plain.get("options"), settings)
        return function(*values, **plain)

    listed = [*(own.parameters[name] for name in names), *map(_parameter, more)]
    call.__signature__ = own.replace(parameters=listed)  # type: ignore[attr-defined]
    call.__doc__ = _document(inspect.getdoc(function) or "", more)
    return explain_types(call)


def _parameter(setting: Setting) -> inspect.Parameter:
    kind = Settings.__annotations__[setting.name].__forward_arg__
    return inspect.Parameter(setting.name, inspect.Parameter.KEYWORD_ONLY, default=setting.default, annotation=kind)


def _document(text: str, settings: list[Setting]) -> str:
    """A docstring whose line `settings: …` is replaced by a line for each option."""
    lines = [line for line in text.splitlines() if not line.startswith("    settings: ")]
    return "\n".join([*lines, *(f"    {setting.name}: {setting.help}." for setting in settings)]) + "\n"


def join_columns(columns: Any, aspect: Any = None) -> Mapping[str, str] | None:
    """The column names as one mapping, with `aspect` merged in."""
    if columns is not None and not isinstance(columns, Mapping):
        raise UsageError("wrong-type", f"columns are {{our name: the frame's}}, got {quote(columns)}")
    for what, name in (columns or {}).items():
        if not isinstance(name, str):
            raise UsageError("wrong-type", f"a column name is a string, got {quote(name)} for {quote(what)}")
    if aspect is None:
        return columns
    if not isinstance(aspect, str):
        raise UsageError("wrong-type", f"aspect is the name of a column, got {quote(aspect)}")
    if columns and columns.get("aspect", aspect) != aspect:
        raise UsageError(
            "conflicting-options", f"aspect is {quote(aspect)}, but columns map aspect to {quote(columns['aspect'])}"
        )
    return {**(columns or {}), "aspect": aspect}
