"""Dynamic Domain truth data (XML) as judgment lines, for the year that published nothing else."""

from __future__ import annotations

from diveval.errors import InputError, shown
from diveval.reading.lines import fields_of
from diveval.reading.texts import parse_xml


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
                where = f"topic {shown(topic.get('id'))}, passage {shown(passage.get('id'))}"
                if not all(fields):
                    raise InputError(f"{where} lacks an id, a docno or a rating", source=source)
                parted = [field for field in fields if len(fields_of(str(field))) != 1]
                if parted:  # it would be two columns of the line
                    raise InputError(f"{where}: {shown(parted[0])} holds white space", source=source)
                lines.append("\t".join(map(str, fields)) + "\n")
    if not lines:
        raise InputError("holds no judged passage", source=source)
    return "".join(lines)
