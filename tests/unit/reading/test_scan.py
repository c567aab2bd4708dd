"""The compiled scanner on various shapes of run files: it accepts the usual ones and agrees with the plain reader."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest

from diveval import evaluate
from diveval.collection.judgments import Judgments
from diveval.collection.rankings import Rankings
from diveval.errors import InputError
from diveval.reading import scan
from diveval.reading.source import Source
from diveval.setting_table import TABLE
from diveval.settings import Options, OrderRule
from diveval.system import scanner, timing
from support.refusals import refuses

ORDERS = [
    OrderRule(),
    OrderRule("score", "docno-asc"),
    OrderRule("score", "file"),
    OrderRule("rank"),
    OrderRule("file"),
]
JUDGMENTS = Judgments.from_rows(
    [
        (topic, aspect, f"d{i}", i // 3 % 3)
        for topic in ("1", "2", "10", "é")
        for aspect in "ab"
        for i in range(0, 40, 3)
    ]
)
PLAIN = "1 Q0 d3 1 9.5 tag\n1 Q0 d4 2 8.25 tag\n1 Q0 d6 3 8 tag\n2 Q0 d9 1 0.5 tag\n2 Q0 d1 2 -0.5 tag\n"
INTERLEAVED = "1 Q0 d3 1 9 t\n2 Q0 d9 1 5 t\n1 Q0 d6 2 9 t\n2 Q0 d12 2 7 t\n1 Q0 d0 3 11 t\n"
LONG = "".join(f"1 Q0 d{i} {i} {90_000 - i} t\n" for i in range(30_000))
SHAPES: dict[str, str | bytes] = {
    "plain": PLAIN,
    "tabs": PLAIN.replace(" ", "\t"),
    "many spaces": PLAIN.replace(" ", "  ").replace("\n", " \n"),
    "line ends of Windows": PLAIN.replace("\n", "\r\n"),
    "old separators": PLAIN.replace(" Q0 ", "\x0bQ0\x0c"),
    "no last newline": PLAIN.rstrip("\n"),
    "byte order mark": "\ufeff" + PLAIN,
    "comments and blanks": "# a run\n\n" + PLAIN.replace("2 Q0 d9", "   \n\t# more\n2 Q0 d9") + "\n#end",
    "a comment that is not UTF-8": b"# caf\xe9\n" + PLAIN.encode(),
    "indented": " " + PLAIN.replace("\n", "\n "),
    "names beyond ASCII": PLAIN.replace("d9", "d\u20ac9").replace("2 Q0", "é Q0"),
    "control characters in a name": PLAIN.replace("d4", "d\x004\x1f"),
    "lowest first": "".join(reversed(PLAIN.splitlines(keepends=True))),
    "interleaved": INTERLEAVED,
    "ties": "".join(f"1 Q0 d{i} {n} 1.0 t\n" for n, i in enumerate((3, 12, 9, 0, 6, 4, 30), 1)),
    "ties, sorted": "".join(f"1 Q0 {d} {n} 1.0 t\n" for n, d in enumerate(("d9", "d3", "d21", "d2", "d", "a"), 1)),
    "ranks against scores": "1 Q0 d3 2 9 t\n1 Q0 d6 1 8 t\n2 Q0 d3 1 1 t\n2 Q0 d6 2 2 t\n77 Q0 x 2 9 t\n77 Q0 y 1 8 t\n",
    "ranks that are equal": "1 Q0 d3 0 9 t\n1 Q0 d6 0 8 t\n1 Q0 d9 0 8.5 t\n",
    "topics not judged": PLAIN + "99 Q0 d3 1 1 t\n99 Q0 d3 2 1 t\n98 Q0 z x 1 t\n",
    "long numbers": "1 Q0 d3 1 1234567890.123456789 t\n1 Q0 d6 2 0.1234567890123456789 t\n1 Q0 d9 3 1e-300 t\n",
    "close numbers": "1 Q0 d3 1 0.30000000000000004 t\n1 Q0 d6 2 0.3 t\n1 Q0 d9 3 0.29999999999999999 t\n",
    "spellings of numbers": "1 Q0 d3 1 +1.5E+3 t\n1 Q0 d6 2 15. t\n1 Q0 d9 3 .5 t\n1 Q0 d12 4 -0 t\n1 Q0 d0 5 -.5e1 t\n",
    "long topic names": "".join(f"a-topic-longer-than-eight-{i // 3} Q0 d{i} {i} {99 - i} t\n" for i in range(9)),
    "a long line": f"1 Q0 d3 1 9 {'t' * 50_000}\n1 Q0 d6 2 8 t\n",
    "a long topic": LONG,
}
ODD: dict[str, str | bytes] = {
    "a carriage return inside": PLAIN.replace(" Q0 ", "\rQ0 "),
    "a carriage return in a comment": "# a run\r" + PLAIN,
    "line ends of CR": PLAIN.replace("\n", "\r"),
    "a tag with blanks": PLAIN.replace("tag\n", "tag and more\n"),
    "a tag with blanks on one line": PLAIN.replace("8 tag\n", "8 tag and more\n"),
    "a tag with blanks on all lines but one": PLAIN.replace("tag\n", "tag and more\n") + "2 Q0 d5 3 -1 tag\n",
    "two lines in one": PLAIN.replace("tag\n1", "tag 1"),
    "too few columns": PLAIN + "2 Q0 d5 3 0.1\n",
    "no number": PLAIN.replace("8.25", "high"),
    "underscore": PLAIN.replace("8.25", "8_0"),
    "infinity": PLAIN.replace("8.25", "inf"),
    "too large": PLAIN.replace("8.25", "1e999"),
    "not UTF-8": PLAIN.encode().replace(b"d4", b"d\xe9"),
    "twice": PLAIN + "2 Q0 d9 3 -1 tag\n",
    "twice, far apart": PLAIN + "1 Q0 d3 4 -1 tag\n",
    "two columns": "1\td3\n1\td4\n",
    "nothing": "",
    "only comments": "# nothing\n\n",
    "one short line": "1 2\n",
    "UTF-16": PLAIN.encode("utf-16"),
}

needs_compiler = pytest.mark.skipif(scanner.module() is None, reason="needs the compiled scanner")


def written(folder: Path, content: str | bytes, name: str = "a.run") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def facts(rankings: Rankings) -> object:
    """All attributes of a Rankings, in a form that can be compared."""
    topics = [
        (name, topic.ranks.tolist(), topic.rows.tolist(), topic.length, topic.iterations, topic.documents)
        for name, topic in rankings.topics.items()
    ]
    unjudged = list(rankings.unjudged_topics.items())
    return topics, unjudged, rankings.name, rankings.order, rankings.source, rankings.tag, rankings.contradictions


def read(path: Path, order: OrderRule, options: Options | None = None) -> object:
    """The facts of the rankings read, or the text of the error."""
    try:
        return facts(scan.read_rankings(JUDGMENTS, path, [order], options or Options())[order])
    except InputError as error:
        return str(error)


def assert_readers_agree(
    path: Path, monkeypatch: pytest.MonkeyPatch, order: OrderRule, options: Options | None = None
) -> None:
    monkeypatch.delenv(scanner.PLAIN_VARIABLE, raising=False)
    fast = read(path, order, options)
    monkeypatch.setenv(scanner.PLAIN_VARIABLE, "1")
    assert fast == read(path, order, options)
    monkeypatch.delenv(scanner.PLAIN_VARIABLE)


@needs_compiler
@pytest.mark.parametrize("shape", SHAPES)
def test_the_scanner_accepts_usual_shapes(shape: str, tmp_path: Path) -> None:
    """The compiled scanner accepts whatever the plain reader accepts without a warning."""
    path = written(tmp_path, SHAPES[shape])
    orders = [order for order in ORDERS if order.by != "rank"]
    with Source.of(path).open() as opened:
        assert scan._scan_file(JUDGMENTS, opened, orders, Options()) is not None


@pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
@pytest.mark.parametrize("order", ORDERS, ids=lambda order: f"{order.by} {order.ties}")
@pytest.mark.parametrize("shape", [*SHAPES, *ODD])
def test_both_readers_agree(shape: str, order: OrderRule, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled and plain reader give the same rankings or the same error."""
    path = written(tmp_path, {**SHAPES, **ODD}[shape])
    assert_readers_agree(path, monkeypatch, order)


@pytest.mark.parametrize("rule", ["first", "blank", "error"])
def test_duplicates_by_rule(rule: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A repeated document is treated by the chosen rule in both readers."""
    path = written(tmp_path, ODD["twice"])
    assert_readers_agree(path, monkeypatch, OrderRule(), Options(duplicates=rule))  # type: ignore[arg-type]


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress], ids=["gz", "bz2", "xz"])
def test_compressed_files_are_streamed(compress: Callable[[bytes], bytes], tmp_path: Path) -> None:
    """A compressed file gives the same rankings as the plain one."""
    text = LONG + INTERLEAVED.replace("1 Q0", "3 Q0")
    plain, compressed = written(tmp_path, text), written(tmp_path, compress(text.encode()), "a.run.compressed")
    order = OrderRule()
    first, second = (scan.read_rankings(JUDGMENTS, path, [order], Options())[order] for path in (plain, compressed))
    assert facts(first)[0] == facts(second)[0]  # type: ignore[index]


def test_a_truncated_file_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A truncated compressed file is the same error in both readers."""
    path = written(tmp_path, gzip.compress(LONG.encode())[:-2000], "a.run.gz")
    with refuses("broken-compression", "a.run.gz"):
        scan.read_rankings(JUDGMENTS, path, [OrderRule()], Options())
    assert_readers_agree(path, monkeypatch, OrderRule())


def test_several_orders_at_once(tmp_path: Path) -> None:
    """One scan serves every order as if it had been requested alone."""
    path = written(tmp_path, INTERLEAVED + "10 Q0 d3 2 1 t\n10 Q0 d6 1 1 t\n")
    together = scan.read_rankings(JUDGMENTS, path, ORDERS, Options())
    for order in ORDERS:
        assert facts(together[order]) == read(path, order)


def test_orders_in_which_ties_have_no_effect(tmp_path: Path) -> None:
    """The rank column and the file order ignore the tie rule, and all combinations can be requested together."""
    path = written(tmp_path, SHAPES["ranks against scores"])
    orders = [OrderRule(by, ties) for by in TABLE["order"].words for ties in TABLE["ties"].words]  # type: ignore[arg-type]
    together = scan.read_rankings(JUDGMENTS, path, orders, Options())
    assert [together[order].order for order in orders] == orders
    assert len({str(facts(together[order])[0]) for order in orders if order.by == "file"}) == 1  # type: ignore[index]


def test_a_missing_scanner_is_logged_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    """Without the compiled scanner the results are the same, with one debug message."""

    def missing(name: str) -> None:
        raise ImportError(name)

    path = written(tmp_path, PLAIN)
    expected = read(path, OrderRule())
    scanner.module.cache_clear()
    monkeypatch.setattr("diveval.system.scanner.importlib.import_module", missing)
    caplog.set_level("DEBUG", "diveval")
    assert [read(path, OrderRule()), read(path, OrderRule())] == [expected, expected]
    assert len([record for record in caplog.records if "compiled" in record.message]) == 1
    scanner.module.cache_clear()


def test_names_that_cannot_be_encoded_match_nothing(tmp_path: Path) -> None:
    """Judgments in memory may contain an unpaired surrogate; other documents are still found."""
    judgments = Judgments.from_rows([("1", "a", "d\udcff", 1.0), ("1", "a", "d3", 1.0)])
    path = written(tmp_path, PLAIN)
    assert scan.read_rankings(judgments, path, [OrderRule()], Options())[OrderRule()].topics["1"].ranks.tolist() == [1]


@pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
def test_the_number_of_jobs_does_not_change_the_result(tmp_path: Path) -> None:
    """However many files are read at a time, scores are identical and runs in the given order."""
    paths = [written(tmp_path, PLAIN.replace("d4", f"d{3 * i}x"), f"{i}.run") for i in range(7)]
    tables = [evaluate(JUDGMENTS, paths, ["AP_IA", "P@2"], jobs=jobs, missing_topics="zero") for jobs in (1, 2, 5)]
    assert [table.runs for table in tables] == [tuple(str(i) for i in range(7))] * 3
    assert len({table.values.tobytes() for table in tables}) == 1


def test_the_first_invalid_file_is_named(tmp_path: Path) -> None:
    """Of several invalid files the error names the first in the given order."""
    paths = [written(tmp_path, PLAIN, "good.run"), *(written(tmp_path, "1 2 3\n", f"bad{i}.run") for i in range(3))]
    with refuses("wrong-columns", "bad0.run"):
        evaluate(JUDGMENTS, paths, ["AP"], jobs=3)


@pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
def test_phases_are_timed(tmp_path: Path) -> None:
    """Reading, matching and scoring are timed on request, and together take no longer than the wall clock."""
    path = written(tmp_path, SHAPES["a long topic"])
    with timing.collect() as clock:
        evaluate(JUDGMENTS, path, ["AP"], jobs=1)
    assert all(clock.seconds[phase] > 0 for phase in ("reading", "matching", "scoring"))
    assert sum(clock.seconds.values()) <= clock.wall
    assert [line.split()[0] for line in clock.lines()] == [*timing.PHASES, "wall", "reader"]
