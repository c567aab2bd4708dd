"""`diveval check` of runs whose format has no lines: the rules about topics and documents hold for them too."""

import tracemalloc
from pathlib import Path
from typing import Any

import pytest

import diveval
from diveval.checking import check_judgments, check_runs
from diveval.errors import DivevalWarning
from diveval.options import Options
from diveval.reading import read_judgments

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


@pytest.fixture
def judgments(tmp_path: Path) -> Any:
    path = tmp_path / "qrels"
    path.write_text("1 1 d1 1\n2 1 d2 1\n", encoding="utf-8")
    return read_judgments(path)


def written(path: Any, documents: Any) -> Any:
    """A parquet run of one topic."""
    scores = [float(-i) for i in range(len(documents))]
    pq.write_table(pa.table({"topic": ["1"] * len(documents), "document": documents, "score": scores}), path)
    return str(path)


@pytest.mark.parametrize(
    ("duplicates", "verdict"), [(None, "refused"), ("error", "refused"), ("first", "warned"), ("blank", "warned")]
)
def test_a_document_twice_in_parquet_is_what_it_is_in_text(
    tmp_path: Path, judgments: Any, duplicates: Any, verdict: str
) -> None:
    """`evaluate` refuses both unless --duplicates says what to do, and so does `check`."""
    text = tmp_path / "x.run"
    text.write_text("1 Q0 d1 1 2.0 x\n1 Q0 d1 2 1.0 x\n", encoding="utf-8")
    packed = written(tmp_path / "x.parquet", ["d1", "d1"])
    checks = check_runs([str(text), packed], judgments, Options.of(duplicates=duplicates))
    assert [check.verdict for check in checks] == [verdict, verdict]
    assert all(check.rules()["D01"] == 1 for check in checks)


def test_a_parquet_run_without_faults_but_a_missing_topic_is_warned(tmp_path: Path, judgments: Any) -> None:
    (check,) = check_runs([written(tmp_path / "x.parquet", ["d1", "d2"])], judgments, Options())
    assert check.rules() == {"T01": 1} and check.verdict == "warned"


def test_the_memory_of_a_check_follows_the_file(tmp_path: Path) -> None:
    """Many aspects with one document each: the check makes no table of aspects × documents."""
    path = tmp_path / "qrels"
    path.write_text("".join(f"1 {i} d{i} {i % 2}\n" for i in range(3000)), encoding="utf-8")
    judgments = read_judgments(path)
    tracemalloc.start()
    try:
        found = {finding.what: finding.value for finding in check_judgments(judgments)}
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found["aspects without a relevant document"] == "1500"
    assert most < 8 * 3000 * 3000 / 10


def test_runs_of_other_documents_are_no_silent_zero(tmp_path: Path, judgments: Any) -> None:
    """A run whose topics are judged and whose documents are not is warned of; an empty list has nothing to judge."""
    text = tmp_path / "x.run"
    text.write_text("1 Q0 other 1 2.0 x\n", encoding="utf-8")
    (odd, fine) = check_runs([str(text), written(tmp_path / "y.parquet", ["other", "d1"])], judgments, Options())
    assert odd.none_judged and odd.verdict == "warned" and not fine.none_judged
    with pytest.warns(DivevalWarning) as given:
        diveval.evaluate(judgments, {"x": {"1": ["other"], "2": ["z"]}, "y": {"1": ["d1"], "2": []}}, "P@1")
    assert [str(one.message).split(":")[0] for one in given] == ["x"]
    diveval.evaluate(judgments, {"z": {"1": [], "2": []}}, "P@1")
