"""`diveval check` applies the rules about topics and documents to runs in formats without lines too."""

import tracemalloc
from pathlib import Path
from typing import Any

import pytest

import diveval
from diveval.analysis.checking import check_judgments, check_runs
from diveval.reading import read_judgments
from diveval.settings import Options
from support.refusals import warns

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


@pytest.fixture
def judgments(tmp_path: Path) -> Any:
    path = tmp_path / "qrels"
    path.write_text("1 1 d1 1\n2 1 d2 1\n", encoding="utf-8")
    return read_judgments(path)


def parquet_run(path: Any, documents: Any) -> Any:
    """Write a parquet run of one topic."""
    scores = [float(-i) for i in range(len(documents))]
    pq.write_table(pa.table({"topic": ["1"] * len(documents), "document": documents, "score": scores}), path)
    return str(path)


@pytest.mark.parametrize(
    ("duplicates", "verdict"), [(None, "refused"), ("error", "refused"), ("first", "warned"), ("blank", "warned")]
)
def test_a_repeated_document_gets_the_same_verdict_in_parquet_and_text(
    tmp_path: Path, judgments: Any, duplicates: Any, verdict: str
) -> None:
    """A repeated document breaks rule D01 in both formats; --duplicates decides between error and warning."""
    text = tmp_path / "x.run"
    text.write_text("1 Q0 d1 1 2.0 x\n1 Q0 d1 2 1.0 x\n", encoding="utf-8")
    parquet = parquet_run(tmp_path / "x.parquet", ["d1", "d1"])
    checks = check_runs([str(text), parquet], judgments, Options.of(duplicates=duplicates))
    assert [check.verdict for check in checks] == [verdict, verdict]
    assert all(check.rules()["D01"] == 1 for check in checks)


def test_a_parquet_run_with_a_missing_topic_gets_a_warning(tmp_path: Path, judgments: Any) -> None:
    """A missing topic breaks rule T01 and nothing else."""
    (check,) = check_runs([parquet_run(tmp_path / "x.parquet", ["d1", "d2"])], judgments, Options())
    assert check.rules() == {"T01": 1} and check.verdict == "warned"


def test_the_memory_of_a_check_is_linear_in_the_file(tmp_path: Path) -> None:
    """With many aspects of one document each, the check makes no table of aspects × documents."""
    path = tmp_path / "qrels"
    path.write_text("".join(f"1 {i} d{i} {i % 2}\n" for i in range(3000)), encoding="utf-8")
    judgments = read_judgments(path)
    tracemalloc.start()
    try:
        findings = {finding.what: finding.value for finding in check_judgments(judgments)}
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert findings["aspects without a relevant document"] == "1500"
    assert peak < 8 * 3000 * 3000 / 10


def test_a_run_without_judged_documents_gets_a_warning(tmp_path: Path, judgments: Any) -> None:
    """A run with judged topics but no judged document gets a warning; a run of empty lists does not."""
    text = tmp_path / "x.run"
    text.write_text("1 Q0 other 1 2.0 x\n", encoding="utf-8")
    (unjudged, judged) = check_runs(
        [str(text), parquet_run(tmp_path / "y.parquet", ["other", "d1"])], judgments, Options()
    )
    assert unjudged.none_judged and unjudged.verdict == "warned" and not judged.none_judged
    with warns("no-judged-document") as caught:
        diveval.evaluate(judgments, {"x": {"1": ["other"], "2": ["z"]}, "y": {"1": ["d1"], "2": []}}, "P@1")
    assert [str(warning.message).split(":")[0] for warning in caught] == ["x"]
    diveval.evaluate(judgments, {"z": {"1": [], "2": []}}, "P@1")
