"""All that is printed of a verdict and of a matrix, line by line, and back from JSON."""

import json

import stories

from diveval.axioms import Verdict
from diveval.axioms.layout import FORMATS
from diveval.axioms.matrix import Matrix


def test_texts_are_those_written_down():
    """Stories, tables, evidence, advice, decimals and what the solver reads."""
    kept = dict(part.partition("\n")[::2] for part in stories.STORIES.read_text(encoding="utf-8").split("=== ")[1:])
    told = list(stories.stories())
    assert [title for title, _ in told] == list(kept)
    for title, story in told:
        assert f"{story}\n" == kept[title], title


def test_json_is_every_verdict_and_reads_back():
    """The matrix as JSON holds each verdict whole."""
    shape = json.loads(FORMATS["json"](Matrix(stories.VERDICTS)))
    assert shape == [verdict.as_dict() for verdict in stories.VERDICTS]
    assert tuple(Verdict.from_dict(item) for item in shape) == stories.VERDICTS
    assert FORMATS["json"](Matrix(stories.VERDICTS)).startswith('[\n {\n  "metric": "RBU@k"')
    assert "p² + p³ > 1" in stories.VERDICTS[3].to_json()
