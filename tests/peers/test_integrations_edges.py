"""Other libraries at their edges: data that cannot be fetched, parameters a measure does not have, inspection."""

from __future__ import annotations

from typing import Any

import pytest

from diveval.errors import DivevalError, InputError
from diveval.integrations import ir_datasets as reader
from diveval.integrations.pyterrier import Unavailable
from support.wording import wording


def test_judgments_that_cannot_be_fetched_are_one_line() -> None:
    """ir_datasets downloads on first use; a failure there names the dataset."""

    class Offline:
        def dataset_id(self) -> str:
            return "some/data"

        def has_qrels(self) -> bool:
            return True

        def qrels_cls(self) -> Any:
            return tuple

        def qrels_iter(self) -> None:
            raise OSError("no route to host")

    with pytest.raises(InputError, match=wording("some/data: its judgments cannot be fetched: no route to host")):
        reader.judgments(Offline())


def test_inspection_does_not_wake_what_is_unavailable() -> None:
    """Asking for a special name is answered as by any object; asking for a metric says why there is none."""
    stand_in = Unavailable(ImportError("no ir_measures"))
    assert not hasattr(stand_in, "__wrapped__")
    with pytest.raises(RuntimeError, match=wording(r"could not be loaded: no ir_measures")):
        _ = stand_in.RBU


def test_only_judged_topics_are_left_by_judged_only() -> None:
    """ir_measures' judged_only drops unjudged documents; a topic without judgments does not count anyhow."""
    ir_measures = pytest.importorskip("ir_measures")
    from diveval.integrations.ir_measures import DivevalProvider

    qrels = [ir_measures.Qrel("1", "x", 1, "a"), ir_measures.Qrel("1", "y", 1, "b")]
    run = [ir_measures.ScoredDoc(q, d, s) for q, d, s in [("1", "u", 3.0), ("1", "x", 2.0), ("9", "z", 1.0)]]
    measure = ir_measures.parse_measure("P_IA(judged_only=True)@1")
    found = {m.query_id: m.value for m in DivevalProvider().iter_calc([measure], qrels, run)}
    assert found == {"1": 0.5}  # x has one of the two aspects; u, which nobody judged, is gone


def test_a_parameter_the_measure_does_not_have_is_refused() -> None:
    """One line that names the parameter and what the measure takes."""
    ir_measures = pytest.importorskip("ir_measures")
    from diveval.integrations.ir_measures import _shared_params

    measure = ir_measures.alpha_nDCG(alfa=0.5) @ 20
    with pytest.raises(DivevalError, match=wording(r"alpha_nDCG has no parameter 'alfa'; it takes: .*alpha")):
        _shared_params(measure)
