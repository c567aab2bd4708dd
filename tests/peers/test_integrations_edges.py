"""Edge cases of other libraries: data that cannot be fetched, unknown parameters, inspection."""

from __future__ import annotations

from typing import Any

import pytest

from diveval.integrations import ir_datasets as reader
from diveval.integrations.pyterrier import Unavailable
from support.refusals import refuses


def test_judgments_that_cannot_be_fetched_are_an_error() -> None:
    """ir_datasets downloads on first use; the error names the dataset and the reason."""

    class Offline:
        def dataset_id(self) -> str:
            return "some/data"

        def has_qrels(self) -> bool:
            return True

        def qrels_cls(self) -> Any:
            return tuple

        def qrels_iter(self) -> None:
            raise OSError("no route to host")

    with refuses("download-failed", "some/data"):
        reader.judgments(Offline())


def test_inspection_of_an_unavailable_module() -> None:
    """Special names raise AttributeError as usual; a metric raises an error with the reason."""
    unavailable = Unavailable(ImportError("no ir_measures"))
    assert not hasattr(unavailable, "__wrapped__")
    with pytest.raises(RuntimeError, match="no ir_measures"):
        _ = unavailable.RBU


def test_judged_only_drops_unjudged_documents() -> None:
    """ir_measures' judged_only drops unjudged documents; topics without judgments do not count."""
    ir_measures = pytest.importorskip("ir_measures")
    from diveval.integrations.ir_measures import DivevalProvider

    qrels = [ir_measures.Qrel("1", "x", 1, "a"), ir_measures.Qrel("1", "y", 1, "b")]
    run = [ir_measures.ScoredDoc(q, d, s) for q, d, s in [("1", "u", 3.0), ("1", "x", 2.0), ("9", "z", 1.0)]]
    measure = ir_measures.parse_measure("P_IA(judged_only=True)@1")
    values = {m.query_id: m.value for m in DivevalProvider().iter_calc([measure], qrels, run)}
    assert values == {"1": 0.5}  # x has one of the two aspects; u is unjudged and dropped


def test_an_unknown_parameter_is_an_error() -> None:
    """The error names the parameter and those of the measure."""
    ir_measures = pytest.importorskip("ir_measures")
    from diveval.integrations.ir_measures import _params_in_common

    measure = ir_measures.alpha_nDCG(alfa=0.5) @ 20
    with refuses("unknown-parameter", "alfa", "alpha_nDCG"):
        _params_in_common(measure)
