"""Lines without a fault are read in one step: the verdict is that of reading every line column by column."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diveval.validation import trec_run, validate
from diveval.validation.declared import Documents, Topics
from diveval.validation.rules import Admission, Declaration
from support.shared import times

WORDS = st.sampled_from(["1", "2", "01", "d1", "d2", "d3", "x.html", "#1", "é", "a\u00a0b", "NONE", "d\x1c1"])
NUMBERS = st.sampled_from(
    ["1", "2", "3", "03", "1.0", "-1", "1e5", "1e400", "1e-50", "nan", "inf", "1_0", ".5", "5.", "٣"]
)
NUMBERS |= st.just("9" * 400)
LINES = st.one_of(
    st.tuples(WORDS, st.sampled_from(["Q0", "0"]), WORDS, NUMBERS, NUMBERS, st.sampled_from(["tag", "tag", "other"])),
    st.lists(WORDS | NUMBERS, max_size=7).map(tuple),
)
BLANKS = st.sampled_from([" ", "\t", "  ", " \t", "\x0b", "\x0c", "\u2003"])
ENDS = st.sampled_from(["\n", "\r\n", " \n", "\r", "\x00\n", ""])


@st.composite
def files(draw: st.DrawFn) -> bytes:
    """Lines that are mostly clean, and everything that a participant's script may write."""
    out = ""
    for rank in range(1, draw(st.integers(0, 8)) + 1):
        if draw(st.integers(0, 3)):
            out += f"{draw(st.sampled_from('12'))} Q0 d{rank} {rank} {10 - rank} tag\n"
        else:
            out += draw(BLANKS).join(draw(LINES)) + draw(ENDS)
    return out.encode()


@given(files(), st.integers(1, 3), st.sampled_from(["", "NONE"]), st.sampled_from(["score", "rank", "file"]))
@settings(max_examples=times(150, 3000), deadline=None)
def test_one_step_finds_what_column_by_column_finds(data: bytes, most: int, placeholder: str, order: str) -> None:
    """Verdict, places of findings, facts and digest of the rankings are the same."""
    admission = Admission(max_documents=most, placeholder=placeholder, order=order)
    topics, known = Topics({"1": "", "2": ""}), Documents(lambda document: document != "d2")
    declared = Declaration("tag", "team", "automatic", None)

    def check() -> object:
        verdict = validate(data, "tag", admission, topics, known, declared)
        return verdict, verdict.ranking

    fast = check()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trec_run.TrecCheck, "_read_clean", lambda self, text: False)
        assert fast == check()
