"""Dynamic Domain truth data (XML) as judgment lines, for the year that published nothing else."""

from __future__ import annotations

from diveval.errors import InputError
from diveval.reading.plain_xml import parse_xml


def judgments_from_truth(data: bytes, *, source: str = "truth data") -> str:
    """The passages of the truth data as `topic subtopic document passage rating`, one a line, tab-separated."""
    lines = []
    for topic in parse_xml(data, source=source).iter("topic"):
        for subtopic in topic.findall("subtopic"):
            for passage in subtopic.findall("passage"):
                fields = (
                    topic.get("id"),
                    subtopic.get("id"),
                    (passage.findtext("docno") or "").strip(),
                    passage.get("id"),
                    (passage.findtext("rating") or "").strip(),
                )
                if not all(fields):
                    where = f"topic {topic.get('id')}, passage {passage.get('id')}"
                    raise InputError(f"{where} lacks an id, a docno or a rating", source=source)
                lines.append("\t".join(map(str, fields)) + "\n")
    if not lines:
        raise InputError("holds no judged passage", source=source)
    return "".join(lines)
