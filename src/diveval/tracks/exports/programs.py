"""The programs and pages that stand in bundles; programs are files of their own beside this module."""

from __future__ import annotations

from importlib.resources import files

from diveval import __version__
from diveval.tracks.folder import Track


def text(name: str) -> bytes:
    """A program, as it goes into a bundle."""
    return files("diveval.tracks.exports").joinpath("bundled").joinpath(name).read_bytes()


def requirements() -> bytes:
    """The one version whose numbers are those of the track."""
    return f"diveval[track]=={__version__}\n".encode()


def task_page(track: Track) -> str:
    """What participants send."""
    config = track.config
    limit = config["submission.max_documents"]
    return (
        f"# {config['track.title']}\n\n"
        f"Submit one run file ({config['submission.format']}): topic Q0 document rank score tag, at most {limit}"
        f" documents per topic, all {len(track.topics)} topics.\n"
        f"Official metric: {config.official}.\n"
        f"Check your run at home with the kit: diveval track validate --track kit.zip my.run\n"
    )


def terms_page(track: Track) -> str:
    """What happens to a run; platforms refuse an empty page."""
    licence = track.config["track.licence"] or "the terms of the organisers"
    contact = track.config["track.contact"]
    asked = f" Questions: {contact}." if contact else ""
    return f"Runs are kept, and published after release under {licence}.{asked}\n"
