"""Metrics in the browser: generated from the declarations, equal to `evaluate`, and a reader that refuses what Python's does."""

from __future__ import annotations

import gzip
import random
import runpy
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest

import diveval
from diveval.errors import DivevalError, capture_warnings
from diveval.metrics import as_metric
from diveval.metrics.catalogue import OWN
from diveval.metrics.javascript import describe_formula
from diveval.views import assets
from support.shared import times

ROOT = Path(__file__).parents[2]
SITE = "http://diveval.test/"
VARIANTS = (
    "RBU(novelty=best)@5",
    "RBU(scale=evall)",
    "StRecall(weights=given)@4",
    "SRR(coverage=0.5)",
    "CT(limit=0.5)@5",
    "alpha_nDCG(alpha=0.9)@10",
)
TOLERANCE = 1e-12


@pytest.fixture(scope="module")
def page(standing: Any) -> Any:
    """A page that can import the modules of the views, and nothing else."""
    context = standing._browser.new_context()

    def serve(route: Any) -> None:
        name = route.request.url.removeprefix(SITE)
        if name in assets.names():
            route.fulfill(body=assets.text(name), content_type="text/javascript")
        else:
            route.fulfill(body="<!doctype html><title>empty</title>", content_type="text/html")

    context.route("**/*", serve)
    opened = context.new_page()
    opened.goto(SITE)
    yield opened
    context.close()


@pytest.fixture(scope="module")
def metrics() -> list[dict[str, Any]]:
    """Every metric of the catalogue that has a rendering, without and with a cutoff."""
    names = [entry.name + cut for entry in OWN for cut in ("", "@3", "@20") if entry.name not in ("nRBU", "Judged")]
    found = [as_metric(name) for name in [*names, *VARIANTS]]
    return [{"name": metric.name, "formula": describe_formula(metric)} for metric in found]


EVALUATE = """async ({ judgments, runs, metrics }) => {
  const { evaluate } = await import("/evaluate.js"), { readJudgments, readRun } = await import("/trec.js");
  const read = runs.map((text, i) => ({ name: "r" + i, run: readRun(text, "r" + i) }));
  const { topics, values, means } = evaluate(readJudgments(judgments), read, metrics);
  return { topics, values, means };
}"""


def collection(seed: int) -> tuple[str, list[str]]:
    """Random judgments and three runs as text: several kinds of grades, ties, short lists, missing topics."""
    rng = random.Random(seed)
    grades = ([0, 1], [-2, 0, 1, 2, 3, 4], [0, 1, 2])[seed % 3]
    topics = range(1, rng.randint(1, 5) + 1)
    judged = {(t, a, f"d{rng.randrange(60)}") for t in topics for a in range(rng.randint(1, 6)) for _ in range(25)}
    judgments = "".join(f"{t} {a} {d} {rng.choice(grades)}\n" for t, a, d in sorted(judged))
    runs = []
    for _ in range(3):
        kept = [t for t in topics if t == 1 or rng.random() < 0.85]
        lines = [
            f"{t} Q0 d{d} 1 {rng.choice([1, 2, 3, 2.5, i])} x\n"
            for t in kept
            for i, d in enumerate(rng.sample(range(60), rng.randint(1, 45)))
        ]
        runs.append("".join(lines))
    return judgments, runs


@pytest.mark.parametrize("seed", range(times(6, 120)))
def test_scores_are_those_of_evaluate(page: Any, metrics: list[dict[str, Any]], tmp_path: Path, seed: int) -> None:
    """Every metric gives every topic of every run the value that `evaluate` gives, and the runs the same order."""
    judgments, runs = collection(seed)
    (tmp_path / "qrels").write_text(judgments)
    files = []
    for i, text in enumerate(runs):
        files.append(tmp_path / f"r{i}.run")
        files[-1].write_text(text)
    with capture_warnings():
        expected = diveval.evaluate(tmp_path / "qrels", files, [metric["name"] for metric in metrics])
    found = page.evaluate(EVALUATE, {"judgments": judgments, "runs": runs, "metrics": metrics})
    assert found["topics"] == list(expected.topics)
    for r in range(3):
        for m, metric in enumerate(metrics):
            wanted = pytest.approx(expected.values[r, m].tolist(), abs=TOLERANCE, rel=TOLERANCE)
            assert found["values"][r][m] == wanted, metric["name"]
    for m in range(len(metrics)):
        means, own = expected.means[:, m], [run[m] for run in found["means"]]
        for a in range(3):
            for b in range(3):
                assert (own[a] - own[b] > TOLERANCE) == (means[a] - means[b] > TOLERANCE) or abs(
                    means[a] - means[b]
                ) < 3 * TOLERANCE


GOOD = "1 1 d1 1\n1 1 d2 0\n"
RUN = "1 Q0 d1 1 2 x\n1 Q0 d2 2 1 x\n"
JUDGMENT_FAULTS = [
    "1 1 d1 1\n1 1 d2\n",
    "1 1 d1 1\n1 1 d2 x\n",
    "1 1 d1 1\n1 1 d2 nan\n",
    "1 1 d1 1\n1 1 d2 1e999\n",
    "1 1 d1 1\n1 1 d2 1_0\n",
    "1 1 d1 1\n1 1 d2 0x1\n",
    "1 1 d1 1\n1 1 d1 2\n",
    "",
    "# nothing\n\n",
    "1 1 d1 1\r1 1 d2 1\r",
    "1 1 d1 1\n1 1 d2 1 0 7\n",
]
RUN_FAULTS = [
    "1 Q0 d1 1 2 x\n1 Q0 d2 2 1\n",
    "1 Q0 d1 1 2 x\n1 Q0 d2 2 one x\n",
    "1 Q0 d1 1 2 x\n1 Q0 d2 2 inf x\n",
    "1 Q0 d1 1 2 x\n1 Q0 d1 2 1 x\n",
    "1 Q0 d1 1 2 x\n1 Q0 d2 2 1 x 1 Q0 d3 3 0 x\n",
    "1 Q0 d1 1 2 x\n1 Q0 d2 2 1 x more\n1 Q0 d3 2 1 y more\n",
    "",
    "1 Q0 d1 1 2 x\r1 Q0 d2 2 1 x\r",
    "9 Q0 d1 1 2 x\n",
]
ALLOWED = [
    ("\ufeff1 1 d1 1\n\n# c\n1 1 d2 0\r\n", RUN),
    (GOOD, "1\tQ0  d1 1\t2.0e0 x\r\n1 Q0 d2 2 +.5 x\n"),
    (GOOD + "1 1 d1 1\n", "1 Q0 d1 1 2 my tag\n1 Q0 d2 2 1 my tag\n"),
    (GOOD, "1 Q0 d1 1 2 x a\n1 Q0 d2 2 1 x b\n"),
    ("1 1 d\u00a01 1\n1 1 d2 0\n", "1 Q0 d\u00a01 1 2 x\n1 Q0 d2 2 1 x\n"),
]

READ = """async ({ judgments, run }) => {
  const { readJudgments, readRun, textOfFile } = await import("/trec.js"), { evaluate } = await import("/evaluate.js");
  const text = (name, file) => textOfFile(name, Uint8Array.from(atob(file), (mark) => mark.charCodeAt(0)).buffer);
  try {
    const judged = readJudgments(await text("qrels", judgments), "qrels");
    const read = [{ name: "run", run: readRun(await text("run", run), "run") }];
    const metric = { is: "SubtopicRecall", weights: "uniform", cutoff: null };
    return evaluate(judged, read, [{ name: "S", formula: metric }]).means[0][0];
  } catch (fault) {
    if (!fault.code) throw fault;
    return fault.code;
  }
}"""


def javascript_reads(page: Any, judgments: bytes, run: bytes) -> float | str:
    """The score in the browser, or the code of the refusal."""
    found: float | str = page.evaluate(
        READ, {"judgments": b64encode(judgments).decode(), "run": b64encode(run).decode()}
    )
    return found


def python_reads(tmp_path: Path, judgments: bytes, run: bytes) -> float | str:
    """The score by Python, or the code of its refusal."""
    (tmp_path / "qrels").write_bytes(judgments)
    (tmp_path / "x.run").write_bytes(run)
    try:
        with capture_warnings():
            scores = diveval.evaluate(
                tmp_path / "qrels", tmp_path / "x.run", "StRecall", judgment_format="trec", run_format="trec"
            )
    except DivevalError as error:
        return error.code
    return float(scores.means[0, 0])


@pytest.mark.parametrize(
    ("judgments", "run"),
    [*((fault, RUN) for fault in JUDGMENT_FAULTS), *((GOOD, fault) for fault in RUN_FAULTS), *ALLOWED],
)
def test_the_reader_refuses_what_pythons_refuses(page: Any, tmp_path: Path, judgments: str, run: str) -> None:
    """A file that Python's reader refuses is refused with the same code; any other has the same score."""
    files = judgments.encode(), run.encode()
    assert javascript_reads(page, *files) == python_reads(tmp_path, *files)


def catalogue() -> list[Any]:
    """The judgments and runs of the catalogue of bad input, each beside a good file."""
    module = runpy.run_path(str(ROOT / "tests" / "robustness" / "bad_input.py"))
    good = module["Q"], module["R"]
    cases = []
    for place, kind in enumerate(("_judgments", "_runs")):
        for name, files, words, _ in module[kind]():
            if set(files) != {"bad"} or words[1 + place] != "{bad}":
                continue
            content = files["bad"]() if callable(files["bad"]) else files["bad"]
            pair: list[Any] = list(good)
            pair[place] = content
            cases.append(pytest.param(*(x.encode() if isinstance(x, str) else x for x in pair), id=name))
    return cases


OTHER_COMPRESSION = (b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd")


@pytest.mark.parametrize(("judgments", "run"), catalogue())
def test_the_reader_refuses_the_catalogue_of_bad_input(page: Any, tmp_path: Path, judgments: bytes, run: bytes) -> None:
    """What Python refuses is refused with the same code, and files that browsers cannot decompress as unreadable."""
    found = javascript_reads(page, judgments, run)
    if judgments.startswith(OTHER_COMPRESSION) or run.startswith(OTHER_COMPRESSION):
        assert found == "cannot-read"
    else:
        assert found == python_reads(tmp_path, judgments, run)


TOPICS, DOCUMENTS = ("1", "2", "10", "01", " 1", "t"), ("da", "db", "é", "d\u00a0x", "\U0001f600", "\uffee")
GRADES, SCORES = (
    ("0", "1", "2", "-1", "0.5", "-0", "1e0", "+2"),
    ("0", "-0", "1e5", ".5", "5.", "1e-320", "1e308", "0.1"),
)
ODD = (
    "\ufeff",
    "\u2028",
    "\x1c",
    "\x00",
    "\x0b",
    "\r",
    "\n",
    "\t",
    "#",
    "0x10",
    "1e999",
    "nan",
    "1_0",
    "٣",
    "--1",
    "L2",
    " ",
)


def odd_files(seed: int) -> tuple[bytes, bytes]:
    """Small judgments and a run, sometimes with one odd piece of text, and sometimes compressed."""
    rng = random.Random(seed)
    keys = {(rng.choice(TOPICS), rng.choice("12a"), rng.choice(DOCUMENTS)) for _ in range(8)}
    judged = "".join(f"{t} {a}\t{d} {rng.choice(GRADES)}{rng.choice(('', ' ', chr(13)))}\n" for t, a, d in sorted(keys))
    keys = {(rng.choice(TOPICS), str(i), rng.choice(DOCUMENTS)) for i in range(8)}
    listed = "".join(f"{t} Q0 {d} {i} {rng.choice(SCORES)} x\n" for t, i, d in sorted(keys))
    files = [judged, listed]
    if rng.random() < 0.7:
        place = rng.randrange(2)
        at = rng.randrange(len(files[place]))
        files[place] = files[place][:at] + rng.choice(ODD) + files[place][at + rng.randrange(2) :]
    one, two = (gzip.compress(text.encode()) if rng.random() < 0.1 else text.encode() for text in files)
    return one, two


@pytest.mark.parametrize("seed", range(times(40, 2000)))
def test_the_reader_agrees_about_odd_files(page: Any, tmp_path: Path, seed: int) -> None:
    """With at most one fault in two files, refusals have the same code, and everything else has the same score."""
    files = odd_files(seed)
    found, expected = javascript_reads(page, *files), python_reads(tmp_path, *files)
    assert found == expected or (isinstance(found, float) and found == pytest.approx(expected, abs=TOLERANCE))


def test_the_modules_are_generated_from_the_declarations() -> None:
    """The committed modules are what the generator writes now."""
    generator = runpy.run_path(str(ROOT / "docs" / "generate_javascript.py"))
    for name, text in generator["modules"]().items():
        assert assets.text(name) == text, f"run python docs/generate_javascript.py ({name})"
