"""Topics as a track declares them: ids and queries in every format, and nothing of what a diversity task asks for."""

from __future__ import annotations

import pytest

from diveval.validation.declared import Topics
from support.refusals import refuses

ASKED = "ASKED-FOR"
FORMS = {
    "ids": "1\n2\n",
    "colons": "1: first: one\n2: second\n",
    "tabs": "1\tfirst: one\n2\tsecond\n",
    "tabs and aspects": f"1\tfirst: one\n2\tsecond\n1\ta\t{ASKED}\n2\tb\t{ASKED}\n2\tc\t{ASKED}\n",
    "aspects alone": f"1\ta\t{ASKED}\n1\tb\t{ASKED}\n2\ta\t{ASKED}\n",
    "colon, tab": f"1: first: one\t{ASKED}\n2: second\t{ASKED}\n",
    "json lines": f'{{"id": 1, "query": "first: one", "subtopics": ["{ASKED}"]}}\n\n'
    f'{{"topic_id": "2", "title": "second", "aspects": {{"a": "{ASKED}"}}, "description": "{ASKED}"}}\n',
    "web": f'<topics><topic number="1"><query>first: one</query><subtopic number="1">{ASKED}</subtopic></topic>\n'
    f'<topic number="2"><query>second</query><description>{ASKED}</description></topic></topics>',
    "query last": f'<topic number="1"><subtopic number="1"><query>{ASKED}</query></subtopic><query>first: one</query>'
    f'</topic><topic number="2"><intents><intent><title>{ASKED}</title></intent></intents><query>second</query></topic>',
    "attributes": f'<topic number="1"><query lang="en">first: one</query><facet><query>{ASKED}</query></facet></topic>'
    f'<topic type="x" number="2"><title id="9">second</title><nugget><title>{ASKED}</title></nugget></topic>',
    "trec": f"<top>\n<num> Number: 1\n<title> Topic: first: one\n\n<desc> Description:\n{ASKED}\n</top>\n"
    f"<top>\n<num> Number: 2\n<title> second\n<narr> {ASKED}\n</top>\n",
    "numbered aspects": f"<top><num>1</num><subtopic><num>1.1</num><title>{ASKED}</title></subtopic>"
    f"<title>first: one</title></top><top><num>2</num><title>second</title><aspect>\n<num>9</num></aspect></top>",
    "comments": f'<topic number="1"><!-- <query>{ASKED}</query> --><query>first: one</query></topic>'
    '<topic number="2"><query>second</query></topic>',
}
BARE = ("ids", "aspects alone")


@pytest.mark.parametrize("form", FORMS)
def test_topics_are_ids_and_queries_in_every_format(form: str) -> None:
    """Whatever else the file has is dropped when it is read, so that no kit, page or bundle can have it."""
    topics = Topics.parse(FORMS[form].encode(), form)
    assert dict(topics) == ({"1": "", "2": ""} if form in BARE else {"1": "first: one", "2": "second"})
    again = Topics.parse(topics.as_bytes(), "kit")
    assert dict(again) == dict(topics) and ASKED not in topics.as_bytes().decode()


@pytest.mark.parametrize("text", ['[{"id": "1", "query": "first"}]\n', '{"query": "first"}\n', '{"id": "1"\n'])
def test_json_that_is_no_line_per_topic_is_refused(text: str) -> None:
    """It was taken for one topic, called `{"id"`, whose query was everything else."""
    with refuses(
        "wrong-columns" if text.startswith("[") else "missing-id" if "query" in text else "cannot-parse",
        source="topics",
        line=1,
    ):
        Topics.parse(text.encode(), "topics")


def test_a_topic_may_occur_once() -> None:
    """A second line of one id is an error with its line."""
    with refuses("duplicate-topic", "1", source="t", line=3):
        Topics.parse(b"1\ta\n2\tb\n1\tc\n", "t")
