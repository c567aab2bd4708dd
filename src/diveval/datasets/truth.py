"""Dynamic Domain truth data (XML) as judgment lines, for the year that published nothing else."""

from __future__ import annotations

from xml.etree import ElementTree

from diveval.errors import InputError


def judgments_from_truth(data: bytes, *, source: str = "truth data") -> str:
    """The passages of the truth data as `topic subtopic document passage rating`, one a line, tab-separated."""
    try:
        root = ElementTree.fromstring(data)
    except ElementTree.ParseError as error:
        raise InputError(f"is not the XML it should be: {error}", source=source) from error
    lines = []
    for topic in root.iter("topic"):
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
