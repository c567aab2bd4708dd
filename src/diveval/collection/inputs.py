"""Types of the arguments of `evaluate`, for editors and type checkers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from diveval.collection.judgments import Judgments
    from diveval.collection.runs import Run
    from diveval.reading.source import Source


class ArrowStream(Protocol):
    """A table or stream with Arrow's interface: pyarrow, polars, DuckDB, a record-batch reader."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


class ArrowArray(Protocol):
    """One batch with Arrow's interface."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> object: ...


class Frame(Protocol):
    """A frame of any library that has named columns."""

    @property
    def columns(self) -> object: ...


# A path or address, a dict by topic, a frame, rows, or other libraries' objects, which are iterable or have columns.
# A dict whose keys are numbers is accepted too: for a type checker it is an iterable.
JudgmentsLike: TypeAlias = (
    "str | Path | Source | Judgments | Mapping[str, object] | Frame | ArrowStream | ArrowArray | Iterable[object]"
)
RunsLike: TypeAlias = (
    "str | Path | Source | Run | Mapping[str, object] | Frame | ArrowStream | ArrowArray | Iterable[object]"
)
# Aspect weights: a file, or by topic and aspect.
WeightsLike: TypeAlias = "str | Path | Source | Mapping[tuple[str, str], float]"
# Tables of `recommend.evaluate`: a frame, or a dict by user or item, whose ids are strings or integers.
TableLike: TypeAlias = "Frame | ArrowStream | Mapping[str, object] | Mapping[int, object]"
VectorsLike: TypeAlias = "Mapping[str, ArrayLike] | Mapping[int, ArrayLike]"
ProfilesLike: TypeAlias = "Mapping[str, Mapping[str, float]] | Mapping[int, Mapping[str, float]]"
# Nuggets, labels and texts of RAG answers: a file, frame or records, several of these, or these by the name of a system.
AnswersLike: TypeAlias = "str | Path | Source | Frame | ArrowStream | Mapping[str, object] | Sequence[object]"
# What labels mean: a share between 0 and 1, or one of the known words; a label is a word, a number, or true or false.
LabelsLike: TypeAlias = "Mapping[str, float | str] | Mapping[str, float] | Mapping[float, float]"
