"""Printed tables are read back by independent parsers: every form has every cell at its place."""

from __future__ import annotations

import csv
import html.parser
import io
import random
import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from diveval.cli import trec_eval as drop_in
from diveval.results.scores import Scores
from diveval.results.table_text import TextTable, align, fit_columns, fold, markdown_lines, signed_text, table_of
from diveval.results.tables import csv_text, means_table, terminal_text, wide_text, with_queries
from support.shared import times

SIGNS = "ab |*_`<[\\&%$#{}~^>αλ'\"-"


def draw(seed: int, letters: str = SIGNS) -> TextTable:
    """A table with cells of any characters, numbers on the right, and some cells in bold."""
    rng = random.Random(seed)
    columns, rows = rng.randint(1, 5), rng.randint(0, 6)

    def text() -> str:
        return "x" + "".join(rng.choices(letters, k=rng.randint(0, 6))).rstrip() + "y"

    kinds = "".join(rng.choice("lr") for _ in range(columns))
    cells = [[text() if kind == "l" else f"{rng.uniform(-99, 99):.4f}" for kind in kinds] for _ in range(rows)]
    bold = frozenset((r, c) for r in range(rows) for c in range(columns) if rng.random() < 0.3)
    return TextTable([text() for _ in kinds], cells, kinds, bold, rng.choice(["", text()]))


def plain(text: str) -> str:
    """Text without the backslashes that escape its characters."""
    return re.sub(r"\\(.)", r"\1", text)


def unbolded(
    cells: Sequence[Sequence[str]], before: str, after: str
) -> tuple[list[list[str]], frozenset[tuple[int, int]]]:
    """Cells without their mark, and which had it."""
    marked = frozenset((r, c) for r, row in enumerate(cells) for c, cell in enumerate(row) if cell.startswith(before))
    plain = [
        [x[len(before) : -len(after)] if (r, c) in marked else x for c, x in enumerate(row)]
        for r, row in enumerate(cells)
    ]
    return plain, marked


@pytest.mark.parametrize("seed", range(times(30, 500)))
def test_markdown_is_read_back(seed: int) -> None:
    """Cells are between bars that no backslash escapes; the rule says which columns are numbers."""
    table = draw(seed)
    head, rule, *rows = table.markdown().splitlines()

    def split(line: str) -> list[str]:
        return [cell[1:-1] for cell in re.findall(r"((?:\\.|[^|\\])*)\|", line)[1:]]

    assert rule == "|" + "|".join("---:" if kind == "r" else "---" for kind in table.kinds) + "|"
    assert [plain(cell) for cell in split(head)] == list(table.header)
    cells, bold = unbolded([split(row) for row in rows], "**", "**")
    assert [[plain(cell) for cell in row] for row in cells] == [list(row) for row in table.rows]
    assert bold == table.bold


@pytest.mark.parametrize("seed", range(times(30, 500)))
def test_latex_is_read_back(seed: int) -> None:
    """A tabular with one letter per column, three rules, and a row per row that ends in two backslashes."""
    table = draw(seed, "ab &%_#")
    first, top, head, middle, *rows, bottom, last = table.latex().splitlines()
    assert (first, last) == (rf"\begin{{tabular}}{{{table.kinds}}}", r"\end{tabular}")
    assert (top, middle, bottom) == (r"\toprule", r"\midrule", r"\bottomrule")

    def split(line: str) -> list[str]:
        return [cell.strip(" ") for cell in re.split(r"(?<!\\)&", line.removesuffix(r"\\"))]

    assert [plain(cell) for cell in split(head)] == list(table.header)
    cells, bold = unbolded([split(row) for row in rows], r"\textbf{", "}")
    assert [[plain(cell) for cell in row] for row in cells] == [list(row) for row in table.rows]
    assert bold == table.bold and all(row.endswith(r"\\") for row in [head, *rows])


class _Page(html.parser.HTMLParser):
    """Cells of a table by row, what is bold, and text outside of cells."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[tuple[str, str]]] = []
        self.open: list[str] = []
        self.bold: set[tuple[int, int]] = set()
        self.caption: str | None = None
        self.outside = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append((dict(attrs).get("scope") or tag, ""))
        if tag == "caption":
            self.caption = ""
        if tag == "b":
            self.bold.add((len(self.rows) - 2, len(self.rows[-1]) - 1))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if {"td", "th"} & set(self.open):
            kind, text = self.rows[-1][-1]
            self.rows[-1][-1] = (kind, text + data)
        elif "caption" in self.open:
            self.caption = (self.caption or "") + data
        else:
            self.outside += data.strip()


@pytest.mark.parametrize("seed", range(times(30, 500)))
def test_html_is_read_back(seed: int) -> None:
    """Headings of columns and rows, every cell, the caption if there is one, and nothing between the cells."""
    table, page = draw(seed), _Page()
    page.feed(table.html(most=3))
    assert page.rows[0] == [("col", name) for name in table.header]
    expected = [[("row" if c == 0 else "td", cell) for c, cell in enumerate(row)] for row in table.rows]
    assert page.rows[1:] == expected[:3] and page.caption == (table.caption or None) and not page.open
    assert page.bold == {(r, c) for r, c in table.bold if r < 3}
    assert [int(n) for n in re.findall(r"\d+", page.outside)] == ([len(table.rows) - 3] if len(table.rows) > 3 else [])
    assert len(table.rows) > 3 or page.outside == ""


@pytest.mark.parametrize("seed", range(times(30, 500)))
def test_columns_of_a_terminal_are_aligned(seed: int) -> None:
    """Text begins and numbers end at one place in every line, the head's too; a star behind a number is bold."""
    table = draw(seed, "abαλ'-")
    lines = table.text().splitlines()
    starts, ends, stars = [], [], set()
    for r, line in enumerate(lines):
        words = list(re.finditer(r"\S+", line))
        assert len(words) == len(table.header)
        cells = [word[0].removesuffix("*") for word in words]
        assert cells == list(table.header if r == 0 else table.rows[r - 1])
        stars |= {(r - 1, c) for c, word in enumerate(words) if word[0].endswith("*")}
        starts.append([word.start() for word in words])
        ends.append([word.start() + len(cell) for word, cell in zip(words, cells, strict=True)])
    assert stars == table.bold
    for c, kind in enumerate(table.kinds):
        assert len({row[c] for row in (ends if kind == "r" else starts)}) == 1
    for c, d in pairwise(range(len(table.header))):
        room = 3 if any(column == c for _, column in table.bold) else 2
        gaps = [start[d] - end[c] for start, end in zip(starts, ends, strict=True)]
        assert min(gaps) == room or (table.kinds[c : d + 1] == "lr" and min(gaps) > room)


@pytest.mark.parametrize("seed", range(times(60, 1000)))
def test_wide_tables_become_blocks(seed: int) -> None:
    """Each block is no wider than asked, unless one column is; all repeat the columns that identify a row."""
    rng = random.Random(seed)
    names = [f"n{c}" for c in range(rng.randint(2, 8))]
    rows = [
        [rng.choice("pq") * rng.randint(1, 3), f"w{rng.randint(0, 3)}", *("v" * rng.randint(1, 9) for _ in names[2:])][
            : len(names)
        ]
        for _ in range(4)
    ]
    width = rng.randint(8, 60)
    lines = align([names, *rows], "<" * len(names), width=width)
    blocks = [block.splitlines() for block in "\n".join(lines).split("\n\n")]
    tables = [[line.split() for line in block] for block in blocks]
    keys = next((k for k in range(1, len(names)) if len({tuple(row[:k]) for row in [names, *rows]}) == 5), 1)
    wide = max(
        len("  ".join(c.ljust(max(len(r[i]) for r in [names, *rows])) for i, c in enumerate(row[:keys])).rstrip())
        for row in [names, *rows]
    )
    keys = 1 if wide > width // 2 else keys
    assert [name for t, table in enumerate(tables) for name in table[0][keys if t else 0 :]] == names
    for block, table in zip(blocks, tables, strict=True):
        places = [names.index(name) for name in table[0]]
        assert places[:keys] == list(range(keys))
        assert table[1:] == [[row[c] for c in places] for row in rows]
        assert max(map(len, block)) <= width or len(places) == keys + 1
    for this, following in pairwise(tables):  # a block ends only where its next column does not fit
        places = [names.index(name) for name in [*this[0], following[0][keys]]]
        grid = [[row[c] for c in places] for row in [names, *rows]]
        widths = [max(len(row[i]) for row in grid) for i in range(len(places))]
        assert (
            max(len("  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip()) for row in grid) > width
        )


@pytest.mark.parametrize("together", [1, 2, 3])
def test_groups_of_columns_stay_in_one_block(together: int) -> None:
    """Columns that belong together are never in two blocks; each block has the first column and a rule under its head."""
    columns = [["run", "A", "B"], *([f"c{i}", f"{i}.5", f"{i}.25"] for i in range(7))]
    lines = fit_columns(columns, "<" + ">" * 7, 24, together=together)
    blocks = [block.splitlines() for block in "\n".join(lines).split("\n\n")]
    seen = []
    for head, rule, *body in blocks:
        names = head.split()
        assert names[0] == "run" and set(rule) == {"-"} and len(rule) == max(map(len, (head, *body))) <= 24
        assert all((int(name[1:]) % together == 0) == (i % together == 0) for i, name in enumerate(names[1:]))
        assert [row.split() for row in body] == [
            [next(c for c in columns if c[0] == n)[r] for n in names] for r in (1, 2)
        ]
        seen += names[1:]
    assert seen == [column[0] for column in columns[1:]] and len(blocks) > 1


@pytest.mark.parametrize("seed", range(times(40, 500)))
def test_folded_text_keeps_its_words(seed: int) -> None:
    """Lines fit where a blank allows it; commands, and rows if asked, stay whole; words are never cut at hyphens."""
    rng = random.Random(seed)
    words = ["a", "well-known", "x-y-z", "ranking", "of/the/path.txt:12:"]
    lines = [rng.choice(["", "  ", "    "]) + " ".join(rng.choices(words, k=rng.randint(1, 20))) for _ in range(3)]
    command = "  diveval evaluate " + "file " * 20 + "end"
    row = "  name" + " " * 10 + "a table's row " * 6 + "end"
    rows, width = bool(seed % 2), rng.randint(24, 60)
    folded = fold("\n".join([*lines, command, row]), width, rows=rows).split("\n")
    assert " ".join(folded).split() == " ".join([*lines, command, row]).split()
    assert command in folded and (row in folded) == (not rows)
    own = [line for line in folded if line not in (command, row)]
    long = [line.split() for line in own if len(line) > width]  # a place and what follows it stay on one line
    assert all(len(line) == 1 or (len(line) == 2 and line[0].endswith(":")) for line in long)
    for line in lines:
        indent = len(line) - len(line.lstrip())
        assert any(part.startswith(" " * indent + line.split()[0]) for part in folded)


def test_folded_places() -> None:
    """A place stays with what follows it, up to its first colon."""
    place = "file.txt:12: error[code]: " + "word " * 12
    first, *rest = fold(place, 40).split("\n")
    assert first.startswith("file.txt:12: error[code]:") and all(line.startswith("  ") for line in rest)
    assert fold("name: " + "x" * 50 + ": rest", 30).split("\n")[0] == "name: " + "x" * 50 + ":"


@pytest.mark.parametrize("digits", [2, 3, 5])
def test_signed_numbers_keep_their_digits(digits: int) -> None:
    """The number read back is the value to so many digits; the sign is there; no exponent down to a millionth."""
    assert float(signed_text(0.0, digits)) == 0 and "e" not in signed_text(0.0, digits)
    for value in (1e-3, -0.25, 0.99951, -3.2e-6, 1e-6, 7.7e-7, -4.4e-12, 12.345):
        text = signed_text(value, digits)
        assert text[0] == ("+" if value > 0 else "-") and ("e" in text) == (abs(value) < 1e-6)
        assert float(text) == pytest.approx(value, rel=0.51 * 10 ** (1 - digits))


def test_columns_have_their_least_width_gap_and_indent() -> None:
    """`>8` is at least eight wide, `<` as wide as its cells; blanks between and before; blocks fill the width exactly."""
    rows = [["a", "1", "x"], ["bb", "22", "y"]]
    assert align(rows, ["<", ">5", "<"], gap=3, indent=1) == [" a        1   x", " bb      22   y"]
    assert align([["", "x"], ["", "y"]], "<<") == ["  x", "  y"]
    columns = [["run", "a"], ["xx", "1"], ["yy", "2"], ["zz", "3"]]
    assert fit_columns(columns, "<>>>", 11)[0] == "run  xx  yy" and fit_columns(columns, "<>>>", 10)[0] == "run  xx"
    names = ["k", "xx", "yy", "zz"]
    assert align([names, ["1", "2", "3", "4"]], "<<<<", gap=1, width=7)[0] == "k xx yy"
    assert align([names, ["1", "2", "3", "4"]], "<<<<", gap=1, width=6)[0] == "k xx"
    assert markdown_lines(["a", "b"], [["1", "2"]]) == ["| a | b |", "|---|---|", "| 1 | 2 |"]


def test_columns_of_numbers_are_on_the_right() -> None:
    """Whole numbers, reals and what is missing are numbers; truth values and texts are not; an empty column is text."""
    values: dict[str, list[object]] = {
        "i": [1, 2],
        "f": [0.5, None],
        "n": [None, None],
        "b": [True, False],
        "s": ["1", 2],
    }
    assert table_of(values).kinds == "rrrll"
    assert table_of({name: [] for name in values}).kinds == "lllll"
    assert table_of(values).rows == [["1", "0.5000", "–", "True", "1"], ["2", "–", "–", "False", "2"]]


# --- scores -----------------------------------------------------------------------------------------------------------


def score(seed: int) -> Scores:
    """Scores of random shape; some runs lack topics, some cells do not count."""
    rng = np.random.default_rng(seed)
    runs = [f"run{'x' * int(rng.integers(0, 9))}{i}" for i in range(int(rng.integers(1, 5)))]
    metrics = ["P@5", "nDCG@10", "RBU(p=0.9,e=0.01)@20", "Judged@20", "ERR_IA@20"][: int(rng.integers(1, 6))]
    shape = (len(runs), len(metrics), int(rng.integers(2, 5)))
    missing = rng.random((shape[0], shape[2])) < 0.2 if seed % 2 else None
    values = rng.integers(0, 4, shape) / 3
    counted = rng.random(shape) < (0.8 if seed % 3 == 0 else 2)
    best = [
        "none" if name.startswith("Judged") else "low" if name == "P@5" and seed % 5 == 0 else "high"
        for name in metrics
    ]
    topics = [str(t) for t in range(shape[2])]
    return Scores.of(values, runs=runs, metrics=metrics, topics=topics, counted=counted, missing=missing, best=best)  # type: ignore[arg-type]


def best_runs(scores: Scores, m: int) -> set[int]:
    """The runs with the best mean of a metric, as printed; none if all are equal or no direction is better."""
    printed = [float(f"{mean:.4f}") for mean in scores.means[:, m]]
    top = {"high": max(printed), "low": min(printed), "none": None}[scores.best[m]]
    return {r for r, mean in enumerate(printed) if mean == top} if len(set(printed)) > 1 else set()


@pytest.mark.parametrize("seed", range(times(40, 500)))
def test_the_table_of_means(seed: int) -> None:
    """A row per run with its means; how many topics it has where some run lacks one; the best in bold."""
    scores = score(seed)
    table = means_table(scores)
    lacks = scores.missing is not None and bool(scores.missing.any())
    assert table.header[: 1 + lacks] == ["run", "topics"][: 1 + lacks]
    assert len(table.header) == len(scores.metrics) + 1 + lacks and table.kinds == "l" + "r" * (len(table.header) - 1)
    for r, row in enumerate(table.rows):
        assert row[0] == scores.runs[r]
        assert [float(cell) for cell in row[1 + lacks :]] == [float(f"{mean:.4f}") for mean in scores.means[r]]
        if lacks:
            assert scores.missing is not None
            assert row[1] == f"{len(scores.topics) - scores.missing[r].sum()}/{len(scores.topics)}"
    assert table.bold == {(r, m + 1 + lacks) for m in range(len(scores.metrics)) for r in best_runs(scores, m)}
    assert ("count" in table.caption) == (not scores.counted.all()) and str(len(scores.topics)) in table.caption


@pytest.mark.parametrize("width", [20, 40, 80, 200])
@pytest.mark.parametrize("seed", range(times(15, 200)))
def test_the_table_of_a_terminal(seed: int, width: int) -> None:
    """Every value of every run and topic in blocks no wider than the terminal, unless one column needs more."""
    scores = score(seed)
    lacks = scores.missing is not None and bool(scores.missing.any())
    for per_topic in (False, True):
        blocks = terminal_text(scores, per_topic=per_topic, width=width).split("\n\n")
        lines = [
            (r, t) for r in range(len(scores.runs)) for t in [*(range(len(scores.topics)) if per_topic else ()), None]
        ]
        lines = [(r, t) for r, t in lines if t is None or scores.counted[r, :, t].any()]
        done = 0
        for block in blocks:
            head, body = re.split(r"\n-+\n", block)
            (rule,) = re.findall(r"^-+$", block, re.MULTILINE)
            heads = head.splitlines()
            assert len(rule) == max(map(len, heads)) and heads[0].split()[: 1 + lacks] == ["run", "topics"][: 1 + lacks]
            assert not any(re.match("run|topics", line.strip()) for line in heads[1:])
            body = re.sub(r"\n +(?=[\d–])", " ", re.sub(r"(?m)^((?:run)\S*(?: \S+)?)\n", r"\1 ", body))
            columns = len(heads[0].split()) - 1 - lacks
            assert columns == 1 or max(map(len, block.splitlines())) <= width
            for (r, t), line in zip(lines, body.splitlines(), strict=True):
                words = line.split()
                assert words[0] == scores.runs[r]
                assert not per_topic or words[1] == ("all" if t is None else scores.topics[t])
                extra = words[1 + per_topic : -columns]
                if lacks and scores.missing is not None:
                    own = len(scores.topics) - int(scores.missing[r].sum())
                    expected = [f"{own}/{len(scores.topics)}"] if t is None else ["lacks"] * int(scores.missing[r, t])
                    assert extra == expected
                for m, cell in enumerate(words[-columns:], done):
                    if t is not None and not scores.counted[r, m, t]:
                        assert cell == "–"
                        continue
                    value = scores.means[r, m] if t is None else scores.values[r, m, t]
                    assert float(cell.removesuffix("*")) == float(f"{value:.4f}")
                    assert cell.endswith("*") == (t is None and r in best_runs(scores, m))
            done += columns
        assert done == len(scores.metrics)


@pytest.mark.parametrize("seed", range(times(10, 100)))
def test_a_block_is_as_wide_as_the_terminal_allows(seed: int) -> None:
    """Columns that fit exactly stay together; one character less makes another block."""
    scores = score(seed)
    if len(scores.metrics) == 1:
        return
    whole = terminal_text(scores, width=500)
    widest = max(map(len, whole.splitlines()))
    assert "\n\n" not in whole
    assert "\n\n" not in terminal_text(scores, width=widest) and "\n\n" in terminal_text(scores, width=widest - 1)


@pytest.mark.parametrize("separator", [",", "\t", ";"])
@pytest.mark.parametrize("per_topic", [False, True])
def test_separated_values_are_read_back(separator: str, per_topic: bool) -> None:
    """Every field of names with separators and quotes, in both shapes, with each topic's query if it is given."""
    scores = score(1)
    runs = [f'a{separator}b "{i}"' for i in range(len(scores.runs))]
    scores = Scores.of(scores.values, runs=runs, metrics=scores.metrics, topics=scores.topics, missing=scores.missing)
    text = csv_text(scores, per_topic=per_topic, separator=separator)
    queries = {topic: f"query{separator} {topic}" for topic in scores.topics}
    head, *rows = csv.reader(io.StringIO(text), delimiter=separator)
    covered = not per_topic and scores.coverage() is not None
    assert head == ["run", "metric", "topic", "value", *(["topics"] if covered else [])]
    expected = {
        (run, metric, topic): value
        for run, by in scores.to_dict().items()
        for metric, values in by.items()
        for topic, value in (values.items() if per_topic else ())
    } | {(r, m, "all"): scores.mean()[r][m] for r in scores.runs for m in scores.metrics}
    assert {tuple(row[:3]): float(row[3]) for row in rows} == expected and len(rows) == len(expected)
    head, *named = csv.reader(io.StringIO(with_queries(text, queries, separator)), delimiter=separator)
    assert head[-1] == "query" and [row[:-1] for row in named] == rows
    assert all(row[-1] == queries.get(row[2], "") for row in named)
    head, *wide = csv.reader(
        io.StringIO(wide_text(scores, per_topic=per_topic, separator=separator)), delimiter=separator
    )
    assert head == ["run", "topic" if per_topic else "topics", *scores.metrics]
    for run, topic, *values in wide:
        for metric, value in zip(scores.metrics, values, strict=True):
            assert float(value) == expected[run, metric, topic if per_topic else "all"]


def test_forms_are_written_where_asked(tmp_path: Path) -> None:
    """The text that a form returns is that of its file; without a table there is still a line."""
    scores = score(3)
    for form in ("csv", "json", "markdown", "latex"):
        assert getattr(scores, f"to_{form}")(tmp_path / form) == (tmp_path / form).read_text()
    for runs, metrics in (([], ["P@1"]), (["a"], []), ([], [])):
        empty = Scores.of(np.zeros((len(runs), len(metrics), 1)), runs=runs, metrics=metrics, topics=["1"])
        assert len(empty.to_text().splitlines()) == 1


@pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
@pytest.mark.parametrize("length", [10, 3])
def test_the_grades_of_the_first_documents(length: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """trec_eval's relstring: a grade per document, > above 9, - without a judgment, . for a negative one."""
    grades = {"a": 1, "b": 12, "c": 0, "d": -1, "e": 9, "f": 3}
    (tmp_path / "q").write_text("".join(f"1 0 {d} {g}\n" for d, g in grades.items()) + "2 0 a 1\n")
    listed = ["b", "x", "a", "d", "e", "c", "y", "f"]
    (tmp_path / "r").write_text("".join(f"1 Q0 {d} {i} {-i} t\n" for i, d in enumerate(listed, 1)))
    drop_in.main(
        ["-q", "-m", "relstring" if length == 10 else f"relstring.{length}", str(tmp_path / "q"), str(tmp_path / "r")]
    )
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    signs = "".join(
        "-" if d not in grades else "." if grades[d] < 0 else ">" if grades[d] > 9 else str(grades[d]) for d in listed
    )
    found = {topic: value for name, topic, value in rows if name.strip().startswith("relstring")}
    assert found["1"] == f"'{signs[:length]}'"
