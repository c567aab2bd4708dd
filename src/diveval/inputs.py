"""What `evaluate` takes, for editors and type checkers: the shapes of judgments and runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from diveval.judgments import Judgments
    from diveval.runs import Run


class ArrowStream(Protocol):
    """A table or stream that speaks Arrow's interface: pyarrow, polars, DuckDB, a record-batch reader."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


class ArrowArray(Protocol):
    """One batch that speaks Arrow's interface."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> object: ...


class Frame(Protocol):
    """A frame of any library: it names its columns."""

    @property
    def columns(self) -> object: ...


# A path or address, a dict by topic, a frame, rows, or other libraries' objects, which are iterable or name columns.
# A dict whose keys are numbers is taken as well: it is an iterable to a type checker.
JudgmentsLike: TypeAlias = (
    "str | Path | Judgments | Mapping[str, object] | Frame | ArrowStream | ArrowArray | Iterable[object]"
)
RunsLike: TypeAlias = "str | Path | Run | Mapping[str, object] | Frame | ArrowStream | ArrowArray | Iterable[object]"
# Aspect weights: a file, or by topic and aspect.
WeightsLike: TypeAlias = "str | Path | Mapping[tuple[str, str], float]"
# What `recommend.evaluate` takes: a frame, or a dict by user or item, whose names are texts or whole numbers.
TableLike: TypeAlias = "Frame | ArrowStream | Mapping[str, object] | Mapping[int, object]"
VectorsLike: TypeAlias = "Mapping[str, ArrayLike] | Mapping[int, ArrayLike]"
ProfilesLike: TypeAlias = "Mapping[str, Mapping[str, float]] | Mapping[int, Mapping[str, float]]"
