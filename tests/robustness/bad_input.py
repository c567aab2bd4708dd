"""The catalogue of bad input: for each case the files, the command line, and what the error line must contain.

A case is (id, files, words, fragments). Files are name → content (text or bytes); in the words `{name}` stands for the
path of a file. `Q` and `R` are a valid judgments file and a valid run, which every case has.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable
from functools import cache, partial

Q = "1 1 da 2\n1 2 db 1\n2 1 dc 1\n"
R = "1 Q0 da 1 2 tag\n1 Q0 db 2 1 tag\n2 Q0 dc 1 1 tag\n"
Case = tuple[str, dict[str, "str | bytes | Callable[[], bytes]"], list[str], list[str]]
EVALUATE = ["evaluate", "{Q}", "{R}", "-m", "RR"]


def _judgments() -> list[Case]:
    bad: list[tuple[str, str | bytes, list[str]]] = [
        ("empty", "", ["{bad}: is empty"]),
        ("only-blanks", "\n \t\n\r\n", ["is empty"]),
        ("only-comments", "# a\n#b\n", ["is empty"]),
        ("one-column", "1\n", ["{bad}:1:", "got 1 column"]),
        ("two-columns", "1 d\n", ["got 2 columns"]),
        ("three-columns", "1 1 d\n", [":1:", "4 or 5 columns, got 3"]),
        ("seven-columns", "1 1 d 1 2 3 4\n", ["got 7 columns"]),
        ("a-run", R, ["6 columns", "swapped"]),
        ("short-line-later", Q + "3 1 dd\n", ["{bad}:4:", "expected 4 columns", "got 3"]),
        ("long-line-later", Q + "3 1 dd 1 1\n", [":4:", "expected 4 columns", "got 5"]),
        ("short-line-after-blank-and-comment", "# c\n\n" + Q + "3\n", [":6:", "got 1"]),
        ("grade-word", "1 1 d relevant\n", [":1: expected a grade, a finite number, got 'relevant'"]),
        ("grade-empty-quotes", '1 1 d ""\n', ["a finite number"]),
        ("grade-nan", "1 1 d nan\n", ["got 'nan'"]),
        ("grade-inf", "1 1 d inf\n", ["got 'inf'"]),
        ("grade-minus-inf", "1 1 d -inf\n", ["got '-inf'"]),
        ("grade-overflow", "1 1 d 1e999\n", ["got '1e999'"]),
        ("grade-400-digits", "1 1 d " + "7" * 400 + "\n", ["a finite number"]),
        ("grade-underscore", "1 1 d 1_0\n", ["got '1_0'"]),
        ("grade-hex", "1 1 d 0x1\n", ["got '0x1'"]),
        ("grade-comma", "1 1 d 0,5\n", ["got '0,5'"]),
        ("grade-arabic-digits", "1 1 d ٣\n", ["a finite number"]),
        ("grade-too-high-for-2^g", "1 1 d 5000\n", ["too high for 2^g; use --gain linear"]),
        ("judged-twice-differently", "1 1 d 1\n1 1 d 2\n", ["document 'd' is judged 1 and 2", "--judgment-duplicates"]),
        ("latin-1", b"1 1 d\xe9 1\n", [":1: byte 6 is not UTF-8", "iconv"]),
        ("latin-1-later", Q.encode() + b"3 1 \xff 1\n", [":4: byte 5 is not UTF-8"]),
        ("utf-16-le", Q.encode("utf-16"), ["is UTF-16", "iconv"]),
        ("utf-16-be", b"\xfe\xff" + Q.encode("utf-16-be"), ["is UTF-16"]),
        ("binary", bytes(range(128, 256)), ["not UTF-8"]),
        ("gz-cut", gzip.compress(Q.encode())[:-10], ["broken or truncated", "download it again"]),
        ("gz-flipped", gzip.compress(Q.encode())[:12] + b"\0\0\0\0" + gzip.compress(Q.encode())[16:], ["broken or truncated"]),
        ("gz-header-only", b"\x1f\x8b\x08\0\0\0\0\0\0\0", ["broken or truncated"]),
        ("bz2-cut", bz2.compress(Q.encode())[:-8], ["broken or truncated"]),
        ("xz-cut", lzma.compress(Q.encode())[:-20], ["broken or truncated"]),
        ("zst-broken", b"\x28\xb5\x2f\xfd" + b"\xff" * 20, ["broken"]),
        ("levels-and-words", "1 1 d L2\n1 1 e two\n", [":2:"]),
        ("prels", "1 d 1 0 0.5\n", ["only if separated by tabs", "--qrels-format"]),
        ("evall-weight-word", "1\td\t1\ta\t0.5\n1\te\t1\ta\theavy\n", [":2: expected a weight in column 5", "got 'heavy'"]),
        ("all-fields-on-one-line", "1 1 da 2 1 2 db 1\n", ["got 8 columns"]),
    ]
    return [(f"qrels-{name}", {"bad": text}, ["evaluate", "{bad}", "{R}", "-m", "RR"], says) for name, text, says in bad]


def _named_formats() -> list[Case]:
    wrong: list[tuple[str, str, str, list[str]]] = [
        ("trec-as-ntcir", Q, "ntcir", [":1: expected a level such as L2, got '2'"]),
        ("trec-as-evall", Q, "evall", [":1: expected 5 columns"]),
        ("trec-as-dynamic-domain", Q, "dynamic-domain", [":1: expected 5 columns (topic subtopic document passage rating), got 4"]),
        ("evall-negative-weight", "1\td\t1\ta\t-1\n", "evall", [":1: expected a weight of at least 0, got '-1'"]),
        ("evall-nan-weight", "1\td\t1\ta\tnan\n", "evall", ["a weight in column 5"]),
        ("evall-empty-cell", "1\t\t1\ta\t1\n", "evall", ["column 2", "is empty"]),
        ("evall-bad-grade", "1\td\tx\ta\t1\n", "evall", ["a grade in column 3"]),
        ("dynamic-domain-bad-rating", "1\t1.1\td\t5\tx\n", "dynamic-domain", [":1: expected a rating"]),
        ("ntcir-level-too-long", "1 1 d L99999\n", "ntcir", ["a level such as L2"]),
    ]
    return [
        (f"named-{name}", {"bad": text}, ["evaluate", "{bad}", "{R}", "-m", "RR", "--qrels-format", format], says)
        for name, text, format, says in wrong
    ]


def _runs() -> list[Case]:
    bad: list[tuple[str, str | bytes, list[str]]] = [
        ("empty", "", ["{bad}: is empty"]),
        ("only-comments", "#\n", ["is empty"]),
        ("one-column", "1\n", [":1:", "6 columns", "got 1"]),
        ("three-columns", "1 Q0 d\n", ["got 3 columns"]),
        ("judgments", Q, ["swapped"]),
        ("five-columns", "1 Q0 d 1 0.5\n", ["got 5 columns"]),
        ("short-line-later", R + "2 Q0 dd 2 0.5\n", ["{bad}:4:", "expected 6 columns", "got 5"]),
        ("score-word", "1 Q0 d 1 high t\n", [":1: expected a score in column 5, a finite number, got 'high'"]),
        ("score-word-later", R + "1 Q0 dz 9 x t\n", ["{bad}:4:", "got 'x'"]),
        ("score-nan", "1 Q0 d 1 nan t\n", ["got 'nan'"]),
        ("score-NaN-later", R + "1 Q0 dz 9 NaN t\n", [":4:", "got 'NaN'"]),
        ("score-inf", "1 Q0 d 1 inf t\n", ["got 'inf'"]),
        ("score-minus-infinity", "1 Q0 d 1 -Infinity t\n", ["got '-Infinity'"]),
        ("score-overflow", "1 Q0 d 1 1e400 t\n", ["got '1e400'"]),
        ("score-400-digits", "1 Q0 d 1 " + "9" * 400 + " t\n", ["a finite number"]),
        ("score-comma", "1 Q0 d 1 0,5 t\n", ["got '0,5'"]),
        ("score-hex", "1 Q0 d 1 0x10 t\n", ["got '0x10'"]),
        ("score-underscore", "1 Q0 d 1 1_0 t\n", ["got '1_0'"]),
        ("score-double-sign", "1 Q0 d 1 --1 t\n", ["got '--1'"]),
        ("score-trailing-letter", "1 Q0 d 1 1.5f t\n", ["got '1.5f'"]),
        ("document-twice", R + "1 Q0 da 3 0.5 t\n", ["topic '1': document 'da' occurs more than once", "--duplicates first|blank"]),
        ("unjudged-document-twice", "1 Q0 x 1 2 t\n1 Q0 x 2 1 t\n", ["document 'x' occurs more than once"]),
        ("document-twice-interleaved", "1 Q0 a 1 2 t\n2 Q0 b 1 2 t\n1 Q0 a 2 1 t\n", ["topic '1': document 'a'"]),
        ("disjoint-topics", "77 Q0 da 1 1 t\n", ["{bad}: has no topic in common with the judgments"]),
        ("latin-1", b"1 Q0 d\xe9 1 1 t\n", [":1: byte 7 is not UTF-8"]),
        ("latin-1-later", R.encode() + b"1 Q0 d\xe9 1 1 t\n", [":4: byte 7 is not UTF-8"]),
        ("utf-16", R.encode("utf-16"), ["is UTF-16"]),
        ("gz-cut", gzip.compress(R.encode() * 500)[:-10], ["broken or truncated"]),
        ("bz2-cut", bz2.compress(R.encode())[:-8], ["broken or truncated"]),
        ("csv", "topic,document,score\n1,da,2\n", ["got 'score'"]),
        ("json", '{"1": {"da": 2}}\n', ["columns"]),
        ("mixed-widths", "1 Q0 d 1 1 t\n1 d\n", [":2:", "got 2"]),
        ("evall-three-cells", "1\tda\n1\tdb\tx\n", ["{bad}"]),
    ]
    return [(f"run-{name}", {"bad": text}, ["evaluate", "{Q}", "{bad}", "-m", "RR"], says) for name, text, says in bad]


def _named_run_formats() -> list[Case]:
    wrong: list[tuple[str, str, list[str], list[str]]] = [
        ("trec-as-evall", R, ["--run-format", "evall"], [":1: expected 2 columns"]),
        ("trec-as-dynamic-domain", R, ["--run-format", "dynamic-domain"], [":1: expected a round, a whole number, in column 2, got 'Q0'"]),
        ("evall-as-trec", "1\tda\n", ["--run-format", "trec"], [":1: expected 6 columns"]),
        ("rank-order-needs-ranks", "1 Q0 da x 1 t\n", ["--order", "rank"], ["no usable rank column; use --order score or file"]),
        ("rank-order-float-ranks", "1 Q0 da 1.5 1 t\n", ["--order", "rank"], ["no usable rank column"]),
        ("round-negative", "1\t-1\tda\t1\n", ["--run-format", "dynamic-domain"], ["a round"]),
        ("round-score-word", "1\t0\tda\tx\n", ["--run-format", "dynamic-domain"], ["a score in column 4"]),
    ]
    return [
        (f"named-run-{name}", {"bad": text}, ["evaluate", "{Q}", "{bad}", "-m", "RR", *words], says)
        for name, text, words, says in wrong
    ]


def _weights() -> list[Case]:
    bad: list[tuple[str, str, list[str]]] = [
        ("empty", "", ["is empty"]),
        ("two-columns", "1 1\n", [":1: expected 3 columns (topic aspect weight), got 2"]),
        ("word", "1 1 heavy\n", [":1: expected a weight, a finite number, got 'heavy'"]),
        ("negative", "1 1 -0.5\n", [":1: expected a weight of at least 0, got '-0.5'"]),
        ("nan", "1 1 nan\n", ["got 'nan'"]),
        ("inf", "1 1 inf\n", ["got 'inf'"]),
        ("contradicting", "1 1 0.5\n1 1 0.6\n", [":2:", "two different weights"]),
        ("another-collection", "77 1 1\n", ["names no topic of the judgments"]),
        ("aspect-left-out", "1 1 1\n", ["aspect '2' has relevant documents but no weight"]),
        ("all-zero", "1 1 0\n1 2 0\n", ["topic '1'", "are all 0"]),
        ("not-utf-8", "1 1 0.5\n1 é 0.5\n", ["aspect '2' has relevant documents but no weight"]),
    ]
    return [(f"weights-{n}", {"bad": text}, [*EVALUATE, "--weights", "{bad}"], says) for n, text, says in bad]


def _efforts() -> list[Case]:
    bad: list[tuple[str, str, list[str], list[str]]] = [
        ("empty", "", [], ["is empty"]), ("one-column", "da\n", [], [":1: expected 2 columns (document cost), got 1"]),
        ("word", "da long\n", [], ["expected a cost, a finite number, got 'long'"]), ("negative", "da -1\n", [], ["a cost of at least 0"]),
        ("unit-zero", "da 1\n", ["--effort-unit", "0"], ["a unit above 0"]), ("unit-word", "da 1\n", ["--effort-unit", "x"], ["--effort-unit (or mean) is a number, got 'x'"]),
        ("default-negative", "da 1\n", ["--effort-default", "-1"], ["a default of at least 0"]), ("default-nan", "da 1\n", ["--effort-default", "nan"], ["--effort-default is a number"]),
        ("mean-of-zeros", "da 0\n", ["--effort-unit", "mean"], ["a unit above 0"]),
    ]
    return [
        (f"effort-{n}", {"bad": t}, ["evaluate", "{Q}", "{R}", "-m", "RBU", "--effort-file", "{bad}", *w], says)
        for n, t, w, says in bad
    ]


def _metrics() -> list[Case]:
    bad = [
        ("XYZ", ["no metric is called 'XYZ'", "diveval metrics"]), ("RUB", ["RBU"]), ("RBU(", ["written NAME(parameter=value"]),
        ("RBU)", ["written NAME"]), ("RBU((p=1))", ["written NAME"]), ("RBU@@5", ["written NAME"]), ("@5", ["written NAME"]),
        ("RBU(p=0)", ["p must be in (0, 1], got '0'"]), ("RBU(p=1.01)", ["p must be in (0, 1]"]), ("RBU(p=-0.5)", ["p must be in"]),
        ("RBP(p=1)", ["p must be in (0, 1)"]), ("RBU(e=-0.01)", ["e must be in [0, ∞)"]), ("RBU(e=inf)", ["e must be"]), ("RBU(e=nan)", ["e must be"]),
        ("EU(alpha=-0.1)", ["alpha must be in [0, 1]"]), ("α-nDCG(alpha=1.1)@5", ["alpha must be in [0, 1]"]), ("NRBP(alpha=x)", ["alpha is a number"]),
        ("RBU(p)", ["name=value"]), ("RBU(p=)", ["name=value"]), ("RBU(=1)", ["no parameter"]), ("RBU(p=1,p=1)", ["given twice"]),
        ("RBU(alpha=0.5)", ["has no parameter 'alpha'; it takes: "]), ("P(k=5)", ["it takes: none"]), ("P@0", ["at least 1, got '0'"]),
        ("P@-1", ["at least 1"]), ("P@1.5", ["at least 1"]), ("P@", ["at least 1"]), ("P@1e3", ["at least 1"]), ("P@٣", ["at least 1"]),
        ("P@1000000000000000000000", ["at least 1"]), ("P(cutoff=0)", ["at least 1"]), ("P(cutoff=5)@5", ["given twice"]),
        ("S-RR@0%", ["percentage above 0"]), ("S-RR@101%", ["at most 100"]), ("SRR(coverage=0)", ["coverage must be in (0, 1]"]),
        ("D#-nDCG(lam=2)@5", ["lam must be in [0, 1]"]), ("CT(limit=0)", ["limit must be in (0, ∞)"]), ("RBU(scale=x)", ["scale is one of"]),
        ("alpha_nDCG(ideal=worst)", ["ideal is one of greedy"]), ("x" * 500, ["at most 200 characters"]), ("ndeval.XYZ@5", ["no metric is called"]),
        ("no/such.py:f", ["no such file"]), ("\x1b[31mRBU", ["no metric is called"]), ("P@5\n", []),
    ]
    return [
        (f"metric-{i:02d}", {}, ["evaluate", "{Q}", "{R}", "-m", name], says)
        for i, (name, says) in enumerate(bad) if says
    ]


def _user_metrics() -> list[Case]:
    bad = [
        ("missing-name", "def f(r):\n    return 0\n", "g", ["has no metric 'g'; it defines: f"]),
        ("syntax", "def f(:\n", "f", ["failed to load: SyntaxError"]), ("raises-at-load", "1/0\n", "f", ["failed to load: ZeroDivisionError"]),
        ("exits-at-load", "raise SystemExit(3)\n", "f", ["failed to load: SystemExit"]), ("raises", "def f(r):\n    return r.nothing\n", "f", ["the metric f failed: AttributeError"]),
        ("returns-nan", "def f(r):\n    return float('nan')\n", "f", ["returned nan; a metric returns a finite number"]),
        ("returns-text", "def f(r):\n    return 'x'\n", "f", ["the metric f failed: ValueError"]), ("returns-none", "def f(r):\n    pass\n", "f", ["the metric f failed: TypeError"]),
        ("not-a-function", "f = 3\n", "f", ["has no metric 'f'"]),
    ]
    return [
        (f"user-{n}", {"mine.py": text}, ["evaluate", "{Q}", "{R}", "-m", "{mine.py}:" + name], says)
        for n, text, name, says in bad
    ]


def _options() -> list[Case]:
    words = [
        ("gmax-word", ["--gmax", "high"], ["--gmax (or file, or per-aspect) is a number, got 'high'"]), ("gmax-zero", ["--gmax", "0"], ["gmax must be above 0"]),
        ("gmax-negative", ["--gmax", "-1"], ["gmax must be above 0"]), ("gmax-nan", ["--gmax", "nan"], ["is a number"]), ("gmax-low", ["--gmax", "1"], ["has the grade 2, above --gmax 1"]),
        ("gain-identity", ["--gain", "identity"], ["has the relevance 2", "--gain identity needs values in [0, 1]"]), ("jobs-0", ["--jobs", "0"], ["--jobs is at least 1, got 0"]),
        ("jobs-negative", ["--jobs", "-3"], ["--jobs is at least 1"]), ("residuals-of-tools", ["--residuals", "-m", "ndeval.NRBP"], []),
        ("output-in-no-folder", ["-o", "{dir}/no/such/out.csv"], ["cannot be written: No such file or directory"]), ("output-is-a-folder", ["-o", "{dir}"], ["cannot be written"]),
        ("weights-missing", ["--weights", "{dir}/none"], ["cannot be read: No such file"]), ("effort-missing", ["--effort-file", "{dir}/none"], ["cannot be read: No such file"]),
        ("weights-folder", ["--weights", "{dir}"], ["is a folder"]),
    ]
    return [(f"option-{name}", {}, [*EVALUATE, *typed], says) for name, typed, says in words if says]


def _places() -> list[Case]:
    return [
        ("qrels-missing", {}, ["evaluate", "{dir}/none", "{R}", "-m", "RR"], ["none: cannot be read: No such file or directory"]),
        ("qrels-folder", {}, ["evaluate", "{dir}", "{R}", "-m", "RR"], ["is a folder; name the files in it"]),
        ("run-missing", {}, ["evaluate", "{Q}", "{dir}/none", "-m", "RR"], ["cannot be read: No such file or directory"]),
        ("run-folder", {}, ["evaluate", "{Q}", "{dir}", "-m", "RR"], ["looks like judgments"]),
        ("swapped", {}, ["evaluate", "{R}", "{Q}", "-m", "RR"], ["swapped"]),
        ("stdin-twice", {}, ["evaluate", "-", "-", "-m", "RR"], ["only one of the files"]),
        ("two-stdin-runs", {}, ["evaluate", "{Q}", "-", "-", "-m", "RR"], ["only one of the files"]),
        ("second-run-bad", {"bad": "x\n"}, ["evaluate", "{Q}", "{R}", "{bad}", "-m", "RR"], ["{bad}:1:"]),
        ("name-too-long", {}, ["evaluate", "{Q}", "/" + "x" * 300, "-m", "RR"], ["File name too long"]),
        ("nul-in-name", {}, ["evaluate", "{Q}", "a\0b", "-m", "RR"], ["cannot be read"]),
    ]


def _other_commands() -> list[Case]:
    return [
        ("stop-two-metrics", {}, ["evaluate", "--stop", "{Q}", "{R}", "-m", "RBU", "-m", "EU"], ["--stop takes one metric, got 2"]),
        ("stop-without-effort", {}, ["evaluate", "--stop", "{Q}", "{R}", "-m", "AP"], ["needs a metric with effort"]),
        ("metrics-unknown", {}, ["metrics", "XYZ"], ["no metric is called 'XYZ'"]),
        ("data-make-negative", {}, ["data", "make", "{dir}/c", "--topics", "-1"], ["topics must be a whole number of at least 1"]),
        ("data-make-on-a-file", {}, ["data", "make", "{Q}"], ["cannot be created"]),
        ("data-get-unknown", {}, ["data", "get", "trec-web-1999"], ["no dataset is called 'trec-web-1999'"]),
        ("data-get-terms", {}, ["data", "get", "trec-web-2014", "--to", "{dir}/d"], ["terms"]),
    ]


def _analyses() -> list[Case]:
    both = ["{Q}", "{R}", "{R2}"]
    typed: list[tuple[str, list[str], list[str]]] = [
        ("compare-one-run", ["compare", "{Q}", "{R}", "-m", "RR"], ["at least two runs are needed", "got 1"]),
        ("compare-baseline", ["compare", *both, "-m", "RR", "--baseline", "none"], ["no scores for the baseline 'none'", "R, R2"]),
        ("compare-confidence", ["compare", *both, "-m", "RR", "--confidence", "1.5"], ["between 0 and 1, got 1.5"]),
        ("compare-resamples", ["compare", *both, "-m", "RR", "--test", "bootstrap", "--resamples", "0"], ["100 or more"]),
        ("compare-seed", ["compare", *both, "-m", "RR", "--test", "bootstrap", "--seed", "-1"], ["seed", "-1"]),
        ("unanimity-one-run", ["meta", "unanimity", "{Q}", "{R}"], ["at least two runs are needed", "got 1"]),
        ("unanimity-nothing", ["meta", "unanimity"], ["needs QRELS and at least two RUN files, or --scores FILE"]),
        ("unanimity-one-metric", ["meta", "unanimity", *both, "-m", "RR"], ["two or more are needed, got 1"]),
        ("unanimity-bootstrap", ["meta", "unanimity", *both, "--bootstrap", "-1"], ["bootstrap", "-1"]),
        ("unanimity-confidence", ["meta", "unanimity", *both, "--confidence", "2"], ["between 0 and 1, got 2"]),
        ("unanimity-seed", ["meta", "unanimity", *both, "--seed", "-1"], ["seed", "-1"]),
        ("unanimity-scores-missing", ["meta", "unanimity", "--scores", "{dir}/none"], ["cannot be read: No such file"]),
        ("unanimity-scores-header", ["meta", "unanimity", "--scores", "{Q}"], [":1: expected the header run,metric,topic,value"]),
        ("unanimity-both", ["meta", "unanimity", *both, "--scores", "{Q}"], ["or --scores FILE, not both"]),
        ("meta-unknown", ["meta", *both, "--with", "magic", "-o", "{dir}/m"], ["no analysis is called 'magic'"]),
        ("meta-nothing", ["meta", *both, "--with", ",", "-o", "{dir}/m"], ["--with names no analysis"]),
        ("meta-on-a-file", ["meta", *both, "--with", "agreement", "-o", "{Q}"], ["cannot be written: File exists"]),
        ("simulate-nothing", ["data", "simulate", "{Q}", "{R}", "-o", "{dir}/s"], ["ask for --grades, --weights or --truncate"]),
        ("simulate-truncate-negative", ["data", "simulate", "{Q}", "{R}", "--truncate", "-1", "-o", "{dir}/s"], ["full or a whole number such as 50, got '-1'"]),
        ("simulate-truncate-word", ["data", "simulate", "{Q}", "{R}", "--truncate", "half", "-o", "{dir}/s"], ["got 'half'"]),
        ("simulate-seed", ["data", "simulate", "{Q}", "{R}", "--grades", "--seed", "-1", "-o", "{dir}/s"], ["seed must be a whole number of at least 0"]),
        ("simulate-on-a-file", ["data", "simulate", "{Q}", "{R}", "--grades", "-o", "{Q}"], ["cannot be created"]),
        ("simulate-run-twice", ["data", "simulate", "{Q}", "{R}", "{R}", "--grades", "-o", "{dir}/s"], ["two runs would both be written to R.run"]),
        ("reproduce-seeds", ["data", "reproduce", "table2", "--seeds", "0"], ["--seeds is at least 1, got 0"]),
        ("reproduce-runs-alone", ["data", "reproduce", "table2", "--runs", "{R}"], ["go with --qrels FILE"]),
        ("reproduce-no-folder", ["data", "reproduce", "table3", "--data", "{dir}/none"], ["holds no judgments, none of qrels.txt"]),
        ("reproduce-no-runs", ["data", "reproduce", "table3", "--qrels", "{Q}"], ["give at least two, got 0"]),
    ]
    return [(name, {"R2": R}, words, says) for name, words, says in typed]


def _axioms() -> list[Case]:
    typed: list[tuple[str, list[str], list[str]]] = [
        ("axioms-metric", ["axioms", "XYZ"], ["no metric is called 'XYZ'"]), ("axioms-axiom", ["axioms", "P@k", "--axiom", "Prio"], ["no axiom is called 'Prio'", "Pri"]),
        ("axioms-rc-high", ["axioms", "P@k", "--rc", "2"], ["r_c is between 0 and 1, got 2"]), ("axioms-rc-word", ["axioms", "P@k", "--rc", "x"], ["such as 1/2, got 'x'"]),
        ("axioms-time-word", ["axioms", "P@k", "--time-limit", "x"], ["--time-limit is a number, got 'x'"]), ("axioms-jobs", ["axioms", "P@k", "--jobs", "0"], ["at least 1, got 0"]),
        ("explain-axiom", ["axioms", "P@k", "Prio"], ["Prio", "Pri"]), ("explain-metric", ["axioms", "XYZ", "Pri"], ["no metric is called"]),
        ("regions-axiom", ["axioms", "--regions", "P@k", "--axiom", "x"], ["no axiom is called 'x'"]), ("regions-metric", ["axioms", "--regions", "XYZ"], ["no metric is called"]),
        ("advise-axiom", ["axioms", "--need", "Prio"], ["Prio", "pri"]), ("advise-nothing", ["axioms", "--need", ""], ["say what is needed"]),
    ]
    return [(name, {}, words, says) for name, words, says in typed]


def _pictures_and_files() -> list[Case]:
    typed: list[tuple[str, list[str], list[str]]] = [
        ("report-metric", ["report", "{Q}", "{R}", "-m", "XYZ", "-o", "{dir}/r.html"], ["no metric is called"]),
        ("report-in-no-folder", ["report", "{Q}", "{R}", "-m", "RR", "-o", "{dir}/no/such/r.html"], ["its folder does not exist"]),
        ("plot-ending", ["plot", "leaderboard", "{Q}", "{R}", "-o", "{dir}/x.gif"], ["a picture ends in .svg, .png, .pdf"]),
        ("plot-ranks", ["plot", "inspector", "{Q}", "{R}", "--ranks", "0", "-o", "{dir}/x.svg"], ["between 1 and 200, got 0"]),
        ("plot-run", ["plot", "inspector", "{Q}", "{R}", "--run", "zz", "-o", "{dir}/x.svg"], ["no run is called 'zz'", "R"]),
        ("plot-topic", ["plot", "inspector", "{Q}", "{R}", "--topic", "77", "-o", "{dir}/x.svg"], ["no judgments for topic '77'"]),
        ("convert-a-run-as-judgments", ["data", "convert", "qrels", "{R}", "{dir}/out"], ["swapped"]),
        ("convert-judgments-as-a-run", ["data", "convert", "run", "{Q}", "{dir}/out"], ["swapped"]),
        ("convert-in-no-folder", ["data", "convert", "qrels", "{Q}", "{dir}/no/such"], ["cannot be written: No such file or directory"]),
        ("convert-two-to-a-file", ["data", "convert", "run", "{R}", "{R2}", "{Q}"], ["2 runs as trec need a folder"]),
        ("convert-two-to-stdout", ["data", "convert", "run", "{R}", "{R2}", "-"], ["2 runs as trec need a folder"]),
        ("convert-one-name-twice", ["data", "convert", "run", "{R}", "{R}", "{dir}/f"], ["two runs would both be written to R.run"]),
        ("studio-judgments-only", ["studio", "{Q}"], ["at least one run, or no file at all"]),
        ("studio-port", ["studio", "--port", "70000"], ["--port is from 0 to 65535, got 70000"]),
        ("studio-weights-only", ["studio", "--weights", "{Q}"], ["--weights goes with judgments and runs"]),
        ("stop-metric", ["evaluate", "--stop", "{Q}", "{R}", "-m", "XYZ"], ["no metric is called"]),
        ("check-missing", ["check", "{dir}/none", "{R}"], ["cannot be read: No such file"]),
        ("data-make-systems", ["data", "make", "{dir}/d", "--systems", "0"], ["systems must be a whole number of at least 1"]),
        ("data-make-depth", ["data", "make", "{dir}/d", "--depth", "0"], ["depth must be"]), ("data-make-seed", ["data", "make", "{dir}/d", "--seed", "-1"], ["seed must be"]),
        ("data-get-from-nowhere", ["data", "get", "trec-web-2009", "--from", "{dir}/none", "--accept-terms"], ["is not a folder"]),
        ("demo-topics", ["demo", "--topics", "0", "-o", "{dir}/d"], ["topics must be"]),
        ("evaluate-text-to-parquet", [*EVALUATE, "-f", "parquet", "-o", "{dir}/x"], ["-f parquet is for judgments and runs in parquet"]),
        ("ndeval-cutoff-10^12", ["evaluate", "{Q}", "{R}", "-m", "ndeval.ERR_IA@1000000000000"], ["at most 1000000, got @1000000000000"]),
        ("ir_datasets-unknown", ["evaluate", "ir_datasets:none", "{R}", "-m", "RR"], ["none"]),
    ]
    return [(name, {"R2": R}, words, says) for name, words, says in typed]


@cache  # takes 0.4 seconds, so it is made when a test needs it
def _bomb(start: bytes) -> bytes:
    return gzip.compress(start + (b"#" * 999_999 + b"\n") * 70, 6)


def _other_readers() -> list[Case]:
    nuggets: list[tuple[str, str, list[str]]] = [
        ("broken", '{"query": 1\n', [":1: is not JSON"]), ("no-nugget", '{"query": "1"}\n', [":1: expected a nugget under nugget_id"]),
        ("importance", '{"query":"1","nugget":"a","importance":"x","full":["d"]}\n', [":1: an importance is vital, okay or a number of at least 0, got 'x'"]),
        ("nested", '{"a": ' + "[" * 100_000 + "\n", [":1:"]),
    ]
    cases: list[Case] = [(f"nuggets-{n}", {"bad": t}, ["evaluate", "{bad}", "{R}", "-m", "RR"], says) for n, t, says in nuggets]
    for what, words in (("judgments", ["{bad}", "{R}"]), ("run", ["{Q}", "{bad}"])):
        for name, content in (("garbage", b"PAR1xxxxPAR1"), ("cut", b"PAR1" + bytes(40))):
            cases.append((f"parquet-{what}-{name}", {"bad": content}, ["evaluate", *words, "-m", "RR"], ["is not a readable parquet file"]))
        # Text that compresses a thousandfold is refused early.
        start = (Q if what == "judgments" else R).encode()
        cases.append((f"bomb-{what}", {"bad": partial(_bomb, start)}, ["evaluate", *words, "-m", "RR"], ["decompresses to more than 200 times its size"]))
    return cases


CASES: list[Case] = [
    *_judgments(), *_named_formats(), *_runs(), *_named_run_formats(), *_weights(), *_efforts(), *_metrics(), *_user_metrics(),
    *_options(), *_places(), *_other_commands(), *_analyses(), *_axioms(), *_pictures_and_files(), *_other_readers(),
]


if __name__ == "__main__":  # python tests/robustness/bad_input.py: the count, for the documentation
    commands = {words[0] for _, _, words, _ in CASES}
    print(f"{len(CASES)} cases of bad input, of {len(commands)} commands")
