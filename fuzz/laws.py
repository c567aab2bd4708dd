"""What must hold of every reader for arbitrary bytes: a result, or an error of one line.

Each law is a function of bytes. It returns whether something was read, and raises if the law is broken: by an exception
that is not a DivevalError, a message of more than one line, a number that is not finite, or two readers that differ. The
fuzzer (`run.py`) searches for such bytes; the tests replay the stored cases.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
import warnings
from collections.abc import Callable
from functools import cache
from itertools import product
from pathlib import Path
from typing import TypeVar

import numpy as np

import diveval
from diveval.collection.judgments import Judgments
from diveval.collection.rankings import Rankings, rank
from diveval.collection.runs import Run
from diveval.datasets.download import judgments_from_truth
from diveval.errors import DivevalError, DivevalWarning
from diveval.meta.score_file import read_scores
from diveval.metrics.names import as_metrics, parse
from diveval.reading import read_efforts, read_judgments, read_run, read_weights, scan
from diveval.reading.formats import JUDGMENT_FORMATS, RUN_FORMATS
from diveval.reading.lines import fields_of
from diveval.setting_table import TABLE
from diveval.settings import Options, OrderRule, RelevanceRule
from diveval.system import scanner

T = TypeVar("T")
SEPARATOR = b"\n======\n"  # between judgments and run in `law_of_evaluation`
ORDERS = [OrderRule("score", "docno-desc"), OrderRule("score", "docno-asc"), OrderRule("score", "file")]
ORDERS += [OrderRule("rank"), OrderRule("file")]

# The judged set of fuzz/c/laws.c, so that cases found in the C reader can be tried on both readers.
TOPICS = ("1", "2", "30", "a-longer-topic-name", "é", "7")
_SHAPES = ("d{}", "clueweb09-en0000-{:02}-04138", "doc{:08}", "€{}")
JUDGED = Judgments.from_rows(
    (topic, "1", _SHAPES[d % 4].format(d), 1.0) for t, topic in enumerate(TOPICS[:5]) for d in range(0, 40, 1 + t)
)
METRICS = as_metrics(["RBU(e=0.05)@20", "alpha_nDCG@20", "ERR-IA@20", "NRBP", "AP-IA", "D#-nDCG@10", "S-Recall@5"])


def strict_warnings() -> None:
    """Ignore diveval's warnings, and treat numpy's RuntimeWarning as a failure."""
    warnings.simplefilter("ignore", DivevalWarning)
    warnings.simplefilter("error", RuntimeWarning)


class Broken(AssertionError):
    """A law is broken."""


def must(holds: bool, what: str) -> None:
    if not holds:
        raise Broken(what)


def attempt(read: Callable[[], T]) -> T | None:
    """A result, or None after an error of one line; other exceptions propagate."""
    try:
        return read()
    except DivevalError as error:
        must(str(error).isprintable() and str(error) != "", f"a message that is not one line: {str(error)!r}")
        return None


def written(data: bytes, name: str = "input") -> Path:
    path = _folder(os.getpid()) / name
    path.write_bytes(data)
    return path


@cache
def _folder(process: int) -> Path:
    """A folder per process: targets are forks of one process, and none may delete the others' files when it ends."""
    folder = Path(tempfile.mkdtemp(prefix=f"diveval-fuzz-{process}-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


# --- judgments --------------------------------------------------------------------------------------------------------


def sound_judgments(judgments: Judgments) -> None:
    """Every judgment has its topic, aspect, document and a finite grade, and every rule gives finite relevance."""
    must(len(judgments) > 0, "judgments without a topic")
    for topic, aspect, document, grade in judgments.rows():
        must(bool(topic and aspect and document), "an empty id")
        f"{topic} {aspect} {document}".encode()  # raises if an id cannot be encoded
        must(bool(np.isfinite(grade)), "a grade that is not finite")
    must(
        all(np.isfinite(w) and w >= 0 for w in judgments.aspect_weights().values()),
        "a weight that is negative or not finite",
    )
    for gain, gmax in product(TABLE["gain"].words, ("file", "per-aspect")):
        rule = RelevanceRule(gain=gain, gmax=gmax)  # type: ignore[arg-type]
        for topic in (attempt(lambda rule=rule: judgments.relevance(rule)) or {}).values():
            must(
                bool(np.isfinite(topic.relevance).all() and (topic.relevance >= 0).all()),
                "a relevance that is negative or not finite",
            )
            must(gain == "raw" or bool((topic.relevance <= 1).all()), "a relevance above 1")
            must(bool(np.isfinite(topic.weights).all()), "a weight that is not finite")
            near_one = not len(topic.weights) or abs(topic.weights.sum() - 1) < 1e-9
            must(near_one, "weights that do not sum to 1")


def law_of_judgments(data: bytes) -> bool:
    """Every format, recognised or named, and every rule for duplicates."""
    path, found = written(data), False
    for name in (None, *JUDGMENT_FORMATS):
        for duplicates in TABLE["judgment_duplicates"].words if name is None else ("error",):
            judgments = attempt(lambda: read_judgments(path, format=name, duplicates=duplicates))  # type: ignore[arg-type]
            if judgments is not None:
                sound_judgments(judgments)
                found = True
    return found


def law_of_nuggets(data: bytes) -> bool:
    """JSON lines of any kind."""
    judgments = attempt(lambda: read_judgments(written(data), format="nuggets"))
    if judgments is not None:
        sound_judgments(judgments)
    return judgments is not None


def law_of_truth(data: bytes) -> bool:
    """Truth data in XML becomes lines that the reader accepts or refuses with an error of one line."""
    text = attempt(lambda: judgments_from_truth(data))
    if text is None:
        return False
    widths = {len(fields_of(line)) for line in text.rstrip("\n").split("\n")}
    must(widths == {5}, "a line of truth data without five columns")
    judgments = attempt(lambda: read_judgments(written(text.encode()), format="dynamic-domain"))
    if judgments is not None:
        sound_judgments(judgments)
    return judgments is not None


def law_of_weights(data: bytes) -> bool:
    """Aspect weights, read and applied to judgments."""
    weights = attempt(lambda: read_weights(written(data)))
    if weights is None:
        return False
    must(all(np.isfinite(w) and w >= 0 for w in weights.values()), "a weight that is negative or not finite")
    judgments = attempt(lambda: JUDGED.with_weights(weights))
    if judgments is not None:
        sound_judgments(judgments)
    return True


def law_of_efforts(data: bytes) -> bool:
    """Document costs, absolute and relative to their mean."""
    path, found = written(data), False
    for unit in (1.0, None):
        efforts = attempt(lambda: read_efforts(path, unit=unit))
        if efforts is not None:
            must(bool(np.isfinite(efforts.unit)) and efforts.unit > 0, "a unit that is not positive and finite")
            for document in (*efforts.costs, "a document without a cost"):
                must(
                    bool(np.isfinite(efforts.of(document))) and efforts.of(document) >= 0,
                    "an effort that is negative or not finite",
                )
            found = True
    return found


# --- runs -------------------------------------------------------------------------------------------------------------


def sound_run(run: Run) -> None:
    """Every topic has documents, finite scores, columns of one length, and a ranking under every order and rule."""
    must(len(run.topics) > 0, "a run without a topic")
    for name, topic in run.topics.items():
        must(bool(name) and len(topic.documents) > 0 and all(topic.documents), "a line without an id")
        for column in (topic.scores, topic.ranks, topic.iterations):
            must(column is None or len(column) == len(topic.documents), "columns of two lengths")
        must(topic.scores is None or bool(np.isfinite(topic.scores).all()), "a score that is not finite")
    for order, duplicates in [*product(ORDERS, (None, "first")), (ORDERS[0], "blank")]:
        ranked = attempt(lambda: rank(JUDGED, run, order, duplicates=duplicates))  # type: ignore[arg-type]
        for topic in () if ranked is None else ranked.topics.values():
            must(bool((np.diff(topic.ranks) > 0).all()), "ranks that do not increase")
            must(all(1 <= r <= topic.length for r in topic.ranks), "a rank outside the list")


def law_of_runs(data: bytes) -> bool:
    """Every format, recognised or named."""
    path, found = written(data), False
    for name in (None, *RUN_FORMATS):
        run = attempt(lambda: read_run(path, format=name))
        if run is not None:
            sound_run(run)
            found = True
    return found


def law_of_parquet(data: bytes) -> bool:
    """A table as judgments and as a run; diveval's metadata in the file may be broken too."""
    path = written(b"PAR1" + data[4:])
    judgments, run = attempt(lambda: read_judgments(path)), attempt(lambda: read_run(path))
    if judgments is not None:
        sound_judgments(judgments)
    if run is not None:
        sound_run(run)
    return judgments is not None or run is not None


# --- the C reader and the plain reader --------------------------------------------------------------------------------


def _ranking_facts(rankings: Rankings) -> object:
    topics = [(n, t.ranks.tolist(), t.rows.tolist(), t.length) for n, t in rankings.topics.items()]
    return topics, list(rankings.unjudged_topics.items()), rankings.tag, rankings.contradictions


def _judgment_facts(judgments: Judgments) -> object:
    return [
        (name, t.documents, t.aspects, t.rows.tolist(), t.columns.tolist(), t.grades.tobytes())
        for name, t in judgments.topics.items()
    ]


def _both(read: Callable[[], object], what: str) -> bool:
    """The compiled reader and the plain one give the same result or the same error."""
    answers: list[object] = []
    for plain in ("0", "1"):
        os.environ[scanner.PLAIN_VARIABLE] = plain
        try:
            answers.append(read())
        except DivevalError as error:
            answers.append(str(error))
        finally:
            del os.environ[scanner.PLAIN_VARIABLE]
    must(answers[0] == answers[1], f"two {what}: {str(answers[0])[:300]} and {str(answers[1])[:300]}")
    return not isinstance(answers[0], str)


def law_of_twins(data: bytes) -> bool:
    """The C scanner accepts only what the plain reader accepts, and gives the same result."""
    path, found = written(data), False
    for name in (None, "trec"):
        options = Options(run_format=name)
        for orders in (ORDERS[:3], ORDERS[3:4], ORDERS[4:]):
            found |= _both(
                lambda: [_ranking_facts(r) for r in scan.read_rankings(JUDGED, path, orders, options).values()],
                "rankings",
            )
        found |= _both(lambda: _judgment_facts(read_judgments(path, format=name)), "tables of judgments")
    return found


# --- metrics' names, tables of scores, evaluation ---------------------------------------------------------------------


def law_of_names(data: bytes) -> bool:
    """A metric's canonical name parses to the same metric."""
    text = data.decode("utf-8", "surrogateescape")
    metric = attempt(lambda: parse(text))
    if metric is None:
        return False
    again = parse(metric.name)
    must(again == metric and again.name == metric.name, f"{metric.name} is read as {again.name}")
    must(metric.cutoff is None or metric.cutoff >= 1, "a cutoff below 1")
    return True


def law_of_scores(data: bytes) -> bool:
    """Every cell of a table of scores is a finite number."""
    scores = attempt(lambda: read_scores(written(data)))
    if scores is None:
        return False
    must(bool(np.isfinite(scores.values).all() and np.isfinite(scores.means).all()), "a score that is not finite")
    return True


def law_of_evaluation(data: bytes) -> bool:
    """Judgments and a run, evaluated: every score is a finite number."""
    judgments, _, run = data.partition(SEPARATOR)
    files = written(judgments, "judgments"), written(run, "run")
    found = False
    for gain in ("exponential", "linear"):
        scores = attempt(lambda: diveval.evaluate(*files, METRICS, gain=gain, duplicates="first", jobs=1))
        if scores is not None:
            must(bool(np.isfinite(scores.values).all()), "a score that is not finite")
            found = True
    return found


LAWS: dict[str, Callable[[bytes], bool]] = {
    "runs": law_of_runs,
    "judgments": law_of_judgments,
    "nuggets": law_of_nuggets,
    "truth": law_of_truth,
    "weights": law_of_weights,
    "efforts": law_of_efforts,
    "packed": lambda data: law_of_runs(data) | law_of_judgments(data),
    "parquet": law_of_parquet,
    "twins": law_of_twins,
    "names": law_of_names,
    "scores": law_of_scores,
    "evaluation": law_of_evaluation,
}


def law_for(folder: str) -> Callable[[bytes], bool]:
    """The law for cases in a folder of `corpus` or `found`; cases of the C reader are tried on both readers."""
    if folder == "c-numbers":
        return lambda data: law_of_twins(b"1 Q0 d0 1 %b t\n1 Q0 d4 2 0.5 t\n" % data)
    return law_of_twins if folder.startswith("c-") else LAWS[folder]
