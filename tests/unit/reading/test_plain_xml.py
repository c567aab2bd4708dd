"""XML as plain data: attacks are refused at their first line, plain files are read as by the standard parser."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from diveval.datasets.download import judgments_from_truth
from diveval.reading.texts import DEEPEST, parse_xml
from support.present import present
from support.refusals import refuses

PASSAGE = (
    '<topic id="t"><subtopic id="s"><passage id="1"><docno>{}</docno><rating>3</rating></passage></subtopic></topic>'
)
LAUGHS = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 30))
ATTACKS = {
    "billion laughs": f'<!DOCTYPE x [<!ENTITY l0 "ha">{LAUGHS}]>' + PASSAGE.format("&l29;"),
    "quadratic blow-up": f'<!DOCTYPE x [<!ENTITY a "{"a" * 100_000}">]>' + PASSAGE.format("&a;" * 100_000),
    "external file": '<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]>' + PASSAGE.format("&f;"),
    "external file, relative": '<!DOCTYPE x [<!ENTITY f SYSTEM "secret.txt">]>' + PASSAGE.format("&f;"),
    "external address": '<!DOCTYPE x [<!ENTITY f SYSTEM "http://127.0.0.1:9/">]>' + PASSAGE.format("&f;"),
    "external DTD": '<!DOCTYPE x SYSTEM "http://127.0.0.1:9/evil.dtd">' + PASSAGE.format("d"),
    "public DTD": '<!DOCTYPE x PUBLIC "-//evil//" "file:///etc/passwd">' + PASSAGE.format("d"),
    "parameter entity": '<!DOCTYPE x [<!ENTITY % p SYSTEM "file:///etc/passwd"> %p;]>' + PASSAGE.format("d"),
    "entity in an attribute": '<!DOCTYPE x [<!ENTITY a "b">]>' + PASSAGE.format("d").replace('"t"', '"&a;"'),
    "default attributes": f'<!DOCTYPE x [<!ATTLIST topic id CDATA "{"a" * 1000}">]>' + PASSAGE.format("d"),
    "declared, never used": "<!DOCTYPE topic>" + PASSAGE.format("d"),
}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_is_refused_in_one_line(name: Any, encoding: str, tmp_path: Path) -> None:
    """A file with a document type is a one-line error, in every encoding of XML."""
    file = tmp_path / "truth.xml"
    (tmp_path / "secret.txt").write_text("secret")
    declared = "utf-8" if encoding == "utf-8-sig" else encoding
    file.write_bytes(f'<?xml version="1.0" encoding="{declared}"?>\n{ATTACKS[name]}'.encode(encoding))
    with refuses("unsafe-xml", "truth.xml:2") as caught:
        judgments_from_truth(file.read_bytes(), source=str(file))
    assert "\n" not in str(caught.value) and "root:" not in str(caught.value) and "secret" not in str(caught.value)


def test_the_attacks_work_on_an_unguarded_parser() -> None:
    """The standard parser expands the entities of these files."""
    assert ElementTree.fromstring(ATTACKS["entity in an attribute"]).get("id") == "b"
    small = ATTACKS["quadratic blow-up"].replace("&a;" * 100_000, "&a;" * 20)
    assert len(present(ElementTree.fromstring(small).findtext(".//docno"))) == 2_000_000


def test_an_attack_uses_little_memory(tmp_path: Path) -> None:
    """Billion laughs and quadratic blow-up are refused by a process limited to 300 MB more than it has at the start."""
    for name in ("billion laughs", "quadratic blow-up"):
        file = tmp_path / "attack.xml"
        file.write_text(ATTACKS[name])
        program = (
            "import resource, sys; from diveval.reading.texts import parse_xml; from diveval.errors import InputError\n"
            "size = int(open('/proc/self/statm').read().split()[0]) * 4096 + 300 * 2**20\n"
            "resource.setrlimit(resource.RLIMIT_AS, (size, size))\n"
            "try: parse_xml(open(sys.argv[1], 'rb').read())\n"
            "except InputError: print('refused')\n"
        )
        if not Path("/proc/self/statm").exists():
            pytest.skip("the memory limit needs /proc")
        done = subprocess.run([sys.executable, "-c", program, str(file)], capture_output=True, text=True, timeout=60)
        assert (done.stdout, done.returncode) == ("refused\n", 0), done.stderr


def test_the_depth_of_elements_is_limited() -> None:
    """A tree at the limit is read, a deeper one is an error."""
    assert parse_xml(b"<a>" * DEEPEST + b"</a>" * DEEPEST).tag == "a"
    with refuses("unsafe-xml", DEEPEST):
        parse_xml(b"<a>" * 1_000_000)


PLAIN = b"""<?xml version="1.0" encoding="UTF-8"?>
<!-- a comment --><?note x?>
<data><topic id="a&amp;b" other='"'>text &lt;&#955;&gt;<subtopic id="1"/>tail <![CDATA[<raw> & ]]>\xc3\xa9</topic></data>"""


def test_plain_xml_is_read_as_by_the_standard_parser() -> None:
    """Built-in entities, character references, CDATA, comments, text and tails are the same."""
    ours, theirs = parse_xml(PLAIN), ElementTree.fromstring(PLAIN)
    assert ElementTree.tostring(ours) == ElementTree.tostring(theirs)
    assert ours[0].get("id") == "a&b" and ours[0].text == "text <λ>" and ours[0][0].tail == "tail <raw> & é"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<a>",
        b"<a></b>",
        b"<a/><b/>",
        b"not xml",
        b"<a>\xff</a>",
        b"<a>&nothing;</a>",
        b"<a b='1' b='2'/>",
        b"\x00",
    ],
)
def test_invalid_xml_is_an_error(data: bytes) -> None:
    """The one-line error names the file."""
    with refuses("cannot-parse", "f.xml", "XML"):
        parse_xml(data, source="f.xml")
