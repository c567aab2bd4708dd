"""XML as plain data: elements, attributes and text. A document that declares types or entities is refused unread.

Entities are how an XML file of a kilobyte becomes gigabytes (billion laughs, quadratic blow-up) or asks for other files
and addresses (external entities, external DTDs). No data of the field needs them, so the first sign of one is the end.
"""

from __future__ import annotations

from typing import NoReturn
from xml.etree.ElementTree import Element, TreeBuilder  # builds a tree, parses nothing
from xml.parsers import expat  # declarations are refused below

from diveval.errors import InputError

DEEPEST = 100  # elements within elements; the files of the field have five


def parse_xml(data: bytes, *, source: str = "XML", doctype: bool = False) -> Element:
    """The root element, or one clear line. Names keep their prefixes: nothing here is looked up by namespace.

    With `doctype` a document type may declare elements and attributes, as the Web Track's topics do; entities and
    declarations in other files are still refused.
    """
    parser = expat.ParserCreate()
    parser.buffer_text = True
    builder = TreeBuilder()
    depth = 0

    def refuse(*_: object) -> NoReturn:
        raise InputError(
            "declares a document type (<!DOCTYPE …>), through which XML can run out of bounds or reach other files;"
            " data needs none: remove the declaration",
            source=source,
            line=parser.CurrentLineNumber,
        )

    def internal(name: str, system: str | None, public: str | None, subset: bool) -> None:
        if system or public:
            refuse()

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > DEEPEST:
            line = parser.CurrentLineNumber
            raise InputError(f"has elements nested more than {DEEPEST} deep", source=source, line=line)
        builder.start(name, attributes)

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(name)

    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, builder.data
    # Entities can only be declared within a document type; each is refused on its own all the same.
    parser.StartDoctypeDeclHandler = internal if doctype else refuse
    parser.EntityDeclHandler = refuse
    parser.ExternalEntityRefHandler = parser.SkippedEntityHandler = refuse
    try:
        parser.Parse(data, True)
    except InputError:  # ours, from within; it is a ValueError as well
        raise
    except (expat.ExpatError, LookupError, ValueError) as error:  # the last two: an encoding that is none, or not ours
        raise InputError(f"is not the XML it should be: {error}", source=source) from error
    return builder.close()
