"""Files and paths that would let others read, publish or delete what a track keeps."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from support.refusals import is_refusal
from support.tracks import INSIDE, answer, edit, events, filled, ranked, run_text, send, small, track

pytestmark = [
    pytest.mark.slow(seconds=0.3),
    pytest.mark.skipif(sys.platform == "win32", reason="links need privileges there"),
]


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("diveval.tracks.submissions.SETTLED", 0.0)


def take(place: Path, code: int = 0) -> dict[str, list[dict[str, object]]]:
    return answer("add", "--inbox", "--track", place, "--received", INSIDE, code=code)


def stored(place: Path) -> set[str]:
    return {path.name for path in (place / "store").iterdir()}


@pytest.mark.parametrize(
    "target", ["private/held-back.txt", "private/qrels.txt", "private/secret", "inbox/beta/b.txt", "data/topics.txt"]
)
@pytest.mark.parametrize("kind", ["symbolic", "hard", "metadata", "folder"])
def test_links_in_the_inbox_are_refused(tmp_path: Path, target: str, kind: str) -> None:
    """Whatever a link leads to, nothing is taken from it, no verdict quotes it, and nothing reaches the store."""
    place = filled(tmp_path)
    inbox = place / "inbox/alpha"
    (place / "inbox/beta").mkdir(parents=True)
    (place / "inbox/beta/b.txt").write_text(run_text("beta-9", shift=4))
    secret, before = place / target, stored(place)
    if kind == "folder":
        inbox.symlink_to(secret.parent)
    else:
        inbox.mkdir()
        if kind == "symbolic":
            (inbox / "x.txt").symlink_to(secret)
        elif kind == "hard":
            os.link(secret, inbox / "x.txt")
        else:
            (inbox / "x.txt").write_text(run_text("x", shift=2))
            (inbox / "x.yml").symlink_to(secret)
    (place / "inbox/gamma").mkdir()
    (place / "inbox/gamma/good.txt").write_text(run_text("good", shift=5))
    got = take(place, code=1)
    assert got["refused"]
    assert all(receipt["team"] != "alpha" for receipt in got["receipts"])
    assert "gamma" in {receipt["team"] for receipt in got["receipts"]}  # one refusal stops no one else
    assert (stored(place) - before).isdisjoint(_sum_of(secret) if "beta" not in target else set())
    track("verify", place)


def _sum_of(path: Path) -> set[str]:
    from diveval.tracks.record import sha256

    return {sha256(path.read_bytes())}


def test_pipes_devices_and_folders_in_the_inbox_do_not_stop_it(tmp_path: Path) -> None:
    """A pipe without a writer does not block, and files beside it are taken."""
    place = small(tmp_path)
    inbox = place / "inbox/alpha"
    inbox.mkdir(parents=True)
    os.mkfifo(inbox / "pipe.txt")
    (inbox / "folder.txt").mkdir()
    (inbox / "good.txt").write_text(run_text("good"))
    got = take(place, code=1)
    assert len(got["refused"]) == 2
    assert [receipt["file"] for receipt in got["receipts"]] == ["good.txt"]


def test_a_file_swapped_for_a_link_after_listing_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The check is on the open file, so a link that appears after the inbox was listed is not followed."""
    place = filled(tmp_path)
    path = place / "inbox/alpha/x.txt"
    path.parent.mkdir(parents=True)
    path.write_text(run_text("x"))

    def swap(_seconds: float) -> None:
        size = path.stat().st_size
        secret = place / "private/same-size"
        secret.write_bytes(b"s" * size)
        path.unlink()
        path.symlink_to(secret)

    def lstat(self: Path) -> os.stat_result:
        return self.stat()

    monkeypatch.setattr("diveval.tracks.submissions.time.sleep", swap)
    monkeypatch.setattr(Path, "lstat", lstat)
    assert not take(place, code=1)["receipts"]


@pytest.mark.parametrize("kind", ["name", "symbolic", "hard"])
def test_a_named_file_that_is_the_tracks_own_is_refused(tmp_path: Path, kind: str) -> None:
    """`add FILE` may be given a pattern that matches a participant's link: it is not followed into the track."""
    place = filled(tmp_path)
    secret, path = place / "private/qrels.txt", tmp_path / "upload.txt"
    if kind == "symbolic":
        path.symlink_to(secret)
    elif kind == "hard":
        os.link(secret, path)
    else:
        path = secret
    count = len(events(place))
    for words in ((path,), (place.parent / "beta-1.txt", "--name", "n", "--meta", path)):
        said = track("add", *words, "--team", "alpha", "--track", place, "--received", INSIDE, code=2)
        assert is_refusal(said, "unsafe-file")
    assert len(events(place)) == count


def test_a_file_that_is_too_large_is_neither_read_nor_kept(tmp_path: Path) -> None:
    """Its size is enough to refuse it, by hand and from the inbox; validation at home gives the verdict F02."""
    place = small(tmp_path, ("max_bytes = 268435456", "max_bytes = 4000"))
    path = place / "inbox/alpha/big.txt"
    path.parent.mkdir(parents=True)
    with path.open("wb") as stream:
        stream.truncate(1 << 40)  # a sparse file of a terabyte: reading it would not end
    assert take(place, code=1)["refused"]
    good = tmp_path / "good.txt"
    good.write_text(run_text("good"))
    words = ("--team", "alpha", "--track", place)
    assert is_refusal(track("add", good, path, *words, code=2), "file-too-large")
    assert not events(place, "received") and not stored(place)
    (verdict,) = answer("validate", path, *words, code=1)["verdicts"]
    assert [finding["rule"] for finding in verdict["findings"]] == ["F02"]


def test_the_files_of_a_team_have_a_limit_together(tmp_path: Path) -> None:
    """Rejected files count, so that nobody fills the disk; what is there already may be offered again."""
    place = small(tmp_path, ("max_bytes_per_team = 2147483648", "max_bytes_per_team = 1100"))
    inbox = place / "inbox/alpha"
    inbox.mkdir(parents=True)
    for name, shift in (("a", 1), ("b", 2)):
        (inbox / f"{name}.txt").write_text(run_text("other-tag", shift=shift))
    got = take(place, code=1)
    assert [receipt["verdict"] for receipt in got["receipts"]] == ["rejected"]
    assert len(got["refused"]) == 1 and len(stored(place)) == 1
    got = take(place, code=1)
    assert [receipt["again"] for receipt in got["receipts"]] == [True]
    words = (inbox / "b.txt", "--team", "alpha", "--track", place, "--received", INSIDE)
    assert is_refusal(track("add", *words, code=2), "file-too-large", 1100)
    (tmp_path / "c.txt").write_text(run_text("c"))
    assert answer("add", tmp_path / "c.txt", *("--team", "beta"), *words[3:])["receipts"]


def test_files_beside_the_folders_of_teams_are_named(tmp_path: Path) -> None:
    """Nothing that somebody put into the inbox is passed over in silence."""
    place = small(tmp_path)
    (place / "inbox/lost.txt").write_text(run_text("lost"))
    os.mkfifo(place / "inbox/pipe")
    left = take(place)["left"]
    assert [name in str(text) for name, text in zip(("lost.txt", "pipe"), left, strict=True)] == [True, True]


def test_a_files_name_forges_no_line_of_the_answer(tmp_path: Path) -> None:
    """A line end, or an escape sequence, in a name is printed as text."""
    place = small(tmp_path)
    path = place / "inbox/alpha/a\nreceipt: S0001 seq 9 hash 0\x1b[2J.txt"
    path.parent.mkdir(parents=True)
    path.write_text(run_text("a"))
    said = track("add", "--inbox", "--track", place, "--received", INSIDE, code=1)
    assert sum(line.startswith("receipt: ") for line in said.splitlines()) == 1 and "\x1b" not in said


# --- paths of the configuration -----------------------------------------------------------------------------------

OWN = ["data", "private", "inbox", "store", "verdicts", "scores", "boards", "track.toml", "record.jsonl", ".git"]


def everything(place: Path) -> dict[str, bytes]:
    return {p.relative_to(place).as_posix(): p.read_bytes() for p in sorted(place.rglob("*")) if p.is_file()}


@pytest.mark.parametrize(
    "out",
    [
        *OWN,
        *(f"{name}/x" for name in OWN),
        "",
        ".",
        "./",
        "PRIVATE",
        "./store/",
        "a/../store",
        "private.",
        "store ",
        "private./x",
        "priv\\u200cate",
        "private::$DATA",
        "PRIVAT~1",
        "a\\nb",
    ],
)
@pytest.mark.parametrize("key", ["site", "export"])
def test_outputs_may_not_name_the_tracks_own_folders(tmp_path: Path, out: str, key: str) -> None:
    """Nothing is written or deleted where site.out or export.out is, contains, or lies in a folder of the track."""
    place = ranked(tmp_path)
    edit(place, (f'out = "{key}"', f'out = "{out}"'))
    before = everything(place)
    for words in (("site",), ("export", "kit"), ("decide", "config", "--reason", "x"), ("score",)):
        assert is_refusal(track(*words, "--track", place, code=2), "wrong-value")
    assert everything(place) == before


@pytest.mark.parametrize(
    "change",
    [
        ('topics = "data/topics.txt"', 'topics = "private/held-back.txt"'),
        ('topics = "data/topics.txt"', 'topics = "private/qrels.txt"'),
        ('topics = "data/topics.txt"', 'topics = "teams.toml"'),
        ('documents = "pattern:doc-[0-9]{3}"', 'documents = "list:private/qrels.txt"'),
        ('documents = "pattern:doc-[0-9]{3}"', 'documents = "list:../../secret.txt"'),
        ('documents = "pattern:doc-[0-9]{3}"', 'documents = "list:/etc/passwd"'),
        ('qrels = "private/qrels.txt"', 'qrels = "data/topics.txt"'),
        ('qrels = "private/qrels.txt"', 'qrels = "private/secret"'),
        ('qrels = "private/qrels.txt"', 'qrels = "site/qrels.txt"'),
        ('qrels = "private/qrels.txt"', 'qrels = "."'),
        ('weights = ""', 'weights = "./"'),
        ('efforts = ""', 'efforts = "private/./secret."'),
        ('held_back = "private/held-back.txt"', 'held_back = "private/Pool/pool.csv"'),
        ('topics = "data/topics.txt"', 'topics = "data/\\u200btopics.txt"'),
        ('topics = "data/topics.txt"', 'topics = ""'),
        ('documents = "pattern:doc-[0-9]{3}"', 'documents = "list:data/topics.txt"'),
        ('documents = "pattern:doc-[0-9]{3}"', 'documents = "list:."'),
        ('out = "site"', 'out = "export/site"'),
    ],
)
def test_what_is_published_and_what_is_private_are_different_files(tmp_path: Path, change: tuple[str, str]) -> None:
    """A public input is never a private file, an output contains no input, and both stay inside the folder."""
    place = filled(tmp_path)
    edit(place, change)
    for words in (("site",), ("export", "kit"), ("decide", "config", "--reason", "x")):
        assert is_refusal(track(*words, "--track", place, code=2), "wrong-value")


def test_links_to_private_files_are_not_published(tmp_path: Path) -> None:
    """A link at the place of the topics, or of the site, is not followed."""
    place = filled(tmp_path)
    (place / "data/topics.txt").unlink()
    (place / "data/topics.txt").symlink_to(place / "private/held-back.txt")
    assert is_refusal(track("export", "kit", place, code=2), "unsafe-file")
    other = filled(tmp_path / "other")
    (other / "site").symlink_to(other / "private")
    assert is_refusal(track("site", other, code=2), "unsafe-file")
    assert (other / "private/secret").exists()


def test_a_second_name_of_a_private_file_is_not_published(tmp_path: Path) -> None:
    """Neither by a hard link, nor by a link from one file in data/ to another."""
    place = filled(tmp_path)
    topics = place / "data/topics.txt"
    topics.unlink()
    os.link(place / "private/secret", topics)
    assert is_refusal(track("export", "kit", place, code=2), "unsafe-file")
    topics.unlink()
    (place / "data/qrels.txt").write_bytes((place / "private/qrels.txt").read_bytes())
    topics.symlink_to("qrels.txt")
    edit(place, ('"private/qrels.txt"', '"data/qrels.txt"'))
    assert is_refusal(track("export", "kit", place, code=2), "unsafe-file")


@pytest.mark.parametrize("kept", ["private/secret", "private/received/S0001.json", "teams.toml", "inbox/alpha/x.txt"])
@pytest.mark.parametrize("key", ["qrels", "weights", "efforts", "held_back"])
def test_private_inputs_do_not_lead_to_the_tracks_own_files(tmp_path: Path, key: str, kept: str) -> None:
    """A release publishes them, and so would publish what a link leads to; data outside of the folder may be linked."""
    place = filled(tmp_path)
    (place / "inbox/alpha").mkdir(parents=True)
    (place / "inbox/alpha/x.txt").write_text(run_text("x"))
    path = place / "private/link.txt"
    path.symlink_to(place / kept)
    old = {"qrels": "private/qrels.txt", "held_back": "private/held-back.txt"}.get(key, "")
    edit(place, (f'{key} = "{old}"', f'{key} = "private/link.txt"'))
    for words in (("decide", "config", "--reason", "x"), ("score",), ("site",)):
        assert is_refusal(track(*words, "--track", place, code=2), "unsafe-file", kept)
    path.unlink()
    if not kept.startswith("inbox"):  # a second name there is refused by `add`: it must not stop the organisers
        os.link(place / kept, path)
        assert is_refusal(track("decide", "config", "--reason", "x", "--track", place, code=2), "unsafe-file", kept)
        path.unlink()
    outside = tmp_path / "outside.txt"
    outside.write_text((place / "private/qrels.txt").read_text())
    path.symlink_to(outside)
    edit(
        place,
        (f'{key} = "private/link.txt"', f'{key} = "{old}"'),
        ('qrels = "private/qrels.txt"', 'qrels = "private/link.txt"'),
    )
    track("decide", "config", "--track", place, "--reason", "x")


def test_the_list_of_documents_is_not_the_file_of_topics(tmp_path: Path) -> None:
    """Not by a link either: the kit has the whole list, and of topics only ids and queries."""
    place = filled(tmp_path)
    (place / "data/documents.txt").symlink_to("topics.txt")
    edit(place, ('documents = "pattern:doc-[0-9]{3}"', 'documents = "list:data/documents.txt"'))
    assert is_refusal(track("export", "kit", place, code=2), "unsafe-file")


def test_no_input_lies_behind_a_link_in_an_output(tmp_path: Path) -> None:
    """The site keeps files of others, so that judgments there would be published with it."""
    place = filled(tmp_path)
    (place / "site").mkdir()
    (place / "private/qrels.txt").rename(place / "site/qrels.txt")
    (place / "private/qrels.txt").symlink_to("../site/qrels.txt")
    assert is_refusal(track("site", place, code=2), "unsafe-file")


@pytest.mark.parametrize(
    "name", ["verdicts/S0002.json", "scores/R0001/scores.csv", "boards/R0001.json", "data/configs/x.toml"]
)
def test_only_what_the_record_names_is_published(tmp_path: Path, name: str) -> None:
    """A derived file that is another, or a link, is computed again or left out of the published data."""
    place = ranked(tmp_path)
    track("decide", "release", "--track", place, "--reason", "done")
    path, teams = place / name, place / "teams.toml"
    teams.write_text(teams.read_text() + "# SECRET-NOTE\n")
    path.unlink(missing_ok=True)
    path.symlink_to(teams)
    if name.startswith("scores"):
        assert is_refusal(track("site", place, code=4), "differs-from-record")
        return
    track("site", place)
    published = place / "site/data" / name
    assert published.exists() != name.endswith(".toml")
    assert not any(b"SECRET-NOTE" in p.read_bytes() for p in (place / "site").rglob("*") if p.is_file())


def test_files_of_others_survive_in_the_sites_folder(tmp_path: Path) -> None:
    """A CNAME and a repository stay through every writing; a page of someone else is never overwritten."""
    place = ranked(tmp_path, ('out = "site"', 'out = "docs"'))
    (place / "docs/.git/refs").mkdir(parents=True)
    (place / "docs/CNAME").write_text("track.example.org\n")
    (place / "docs/.git/HEAD").write_text("ref: x\n")
    for _ in range(2):
        track("site", place)
        assert (place / "docs/CNAME").read_text() == "track.example.org\n"
        assert (place / "docs/.git/HEAD").exists() and (place / "docs/.git/refs").is_dir()
        assert (place / "docs/index.html").exists()
    track("verify", place)
    (place / "docs/old.html").write_text("mine")
    track("site", place)
    assert (place / "docs/old.html").read_text() == "mine"


def test_a_folder_of_someone_else_is_refused(tmp_path: Path) -> None:
    """Even with a list of sums of its own, a folder that the track did not write keeps every byte."""
    place = ranked(tmp_path)
    (place / "site").mkdir()
    (place / "site/index.html").write_text("my page")
    (place / "site/SHA256SUMS").write_text("0" * 64 + "  index.html\n")
    before = everything(place / "site")
    assert is_refusal(track("site", place, code=2), "folder-not-empty")
    assert everything(place / "site") == before


def test_a_site_of_version_2_is_written_again(tmp_path: Path) -> None:
    """Version 2.0 wrote no marker; its sites are recognised and replaced."""
    place = ranked(tmp_path)
    track("site", place)
    sums = place / "site/SHA256SUMS"
    sums.write_text("".join(line for line in sums.read_text().splitlines(True) if ".diveval" not in line))
    (place / "site/.diveval").unlink()
    track("site", place)
    assert (place / "site/.diveval").exists()


def test_temporary_files_of_killed_commands_are_removed(tmp_path: Path) -> None:
    """An old part file in the store goes with the next command that writes; a fresh one may be in use."""
    place = small(tmp_path)
    old, fresh = place / "store/.abc.123.part", place / "store/.abc.456.part"
    for path in (old, fresh):
        path.write_text("x")
    os.utime(old, (0, 0))
    send(place, "alpha", "one", run_text("one"))
    assert not old.exists() and fresh.exists()
