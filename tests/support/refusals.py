"""What a test asserts about an error or a warning: its code, and facts from the test's own input, never its words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from diveval.errors import DivevalError, DivevalWarning

Caught = pytest.ExceptionInfo[DivevalError]
Recorded = pytest.WarningsRecorder


@contextmanager
def refuses(code: str, *facts: object, source: str | None = None, line: int | None = None) -> Iterator[Caught]:
    """The block ends with an error of this code, on one line, that names these facts: ids, file names, numbers, options."""
    with pytest.raises(DivevalError) as caught:
        yield caught
    error = caught.value
    assert error.code == code, f"expected {code}, got {error.code}: {error}"
    assert "\n" not in str(error)
    assert not missing_facts(str(error), facts), f"{error} lacks {missing_facts(str(error), facts)}"
    assert source is None or error.source == source
    assert line is None or error.line == line


def refusal_of(function: Callable[..., object], *given: Any, **named: Any) -> DivevalError:
    """The error that a call ends with."""
    with pytest.raises(DivevalError) as caught:
        function(*given, **named)
    return caught.value


@contextmanager
def warns(code: str, *facts: object) -> Iterator[Recorded]:
    """The block gives a warning of this code that names these facts."""
    with pytest.warns(DivevalWarning) as recorded:
        yield recorded
    given = [item.message for item in recorded if isinstance(item.message, DivevalWarning)]
    fitting = [str(warning) for warning in given if warning.code == code]
    assert fitting, f"expected {code}, got {[warning.code for warning in given]}"
    assert any(not missing_facts(text, facts) for text in fitting), f"{fitting} lacks one of {facts}"


def is_refusal(printed: str, code: str, *facts: object) -> bool:
    """Whether a command printed one error, of this code, that names these facts."""
    errors = re.findall(r"^diveval[^:\n]*: error\[([a-z0-9-]+)\]: (.*)", printed, re.MULTILINE)
    return [found for found, _ in errors] == [code] and has_facts(errors[0][1], *facts)


def is_warning(printed: str, code: str, *facts: object) -> bool:
    """Whether a command printed a warning of this code that names these facts."""
    warnings = re.findall(r"^diveval: warning\[([a-z0-9-]+)\]: (.*)", printed, re.MULTILINE)
    return any(found == code and has_facts(text, *facts) for found, text in warnings)


def has_facts(text: str, *facts: object) -> bool:
    """Whether a text names all facts; a number is not found within a longer one."""
    return not missing_facts(text, facts)


def missing_facts(text: str, facts: tuple[object, ...]) -> list[object]:
    """The facts that a text lacks."""
    return [fact for fact in facts if not re.search(rf"(?<!\d){re.escape(str(fact))}(?!\d)", text)]
