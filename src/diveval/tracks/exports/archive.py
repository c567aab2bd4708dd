"""`export archive`: the newest edition as one zip for a repository that gives DOIs, with metadata for it.

It has what a reader needs to compute the edition again, and nothing of submissions that do not stand: no run, no verdict,
no name, no score, also not those of earlier editions. The leaderboard lists their ids with the reason, and the record
keeps their keyed sums, so that the chain can be checked.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from diveval import __version__
from diveval.errors import UsageError
from diveval.tracks import disk
from diveval.tracks.folder import Track
from diveval.tracks.kit import pack
from diveval.tracks.record import Event
from diveval.tracks.site import package_of
from diveval.tracks.site.edition import Edition
from diveval.tracks.site.runs import result_files
from diveval.validation.rules import json_bytes

README = """# {title}: edition {number}

Submissions, judgments, scores and leaderboard of the shared task {title} ({id}), released {released}.
{counts}

* `data/`: everything the results were computed from, laid out as a track of diveval
* `results.csv`, `results.json`: every run with all its means
* `run/S0001.csv`: values of a run per topic and metric, with the best, median and worst of the leaderboard
* `SHA256SUMS`: the sum of every file

To compute verdicts, scores and leaderboard again:

    pip install 'diveval[track]=={version}'
    diveval track verify data --head {head}

Submissions that were rejected, replaced, withdrawn or excluded are not in this archive: the leaderboard lists their ids and
teams with the reason, and the record has their sums.
"""


def archive(track: Track, held_back: bool) -> dict[str, bytes]:
    """The zip, and beside it the metadata that DataCite and Zenodo read."""
    if held_back:
        message = "an archive has the judgments that are released, so --with-held-back does not apply to it"
        raise UsageError("option-not-applicable", message)
    edition, event = _require_released(track)
    licence = track.config["track.licence"]
    if not licence:
        hint = "name one, such as CC-BY-4.0, and decide config"
        raise UsageError("missing-key", "track.licence is empty: a repository asks for a licence", hint=hint)
    metadata = _describe(track, event)
    files = {f"data/{name}": content for name, content in package_of(edition, newest=True).items()}
    files |= result_files(edition, standing=True)
    standing = len(track.state.standing())
    counts = f"{standing} runs, {len(track.topics)} topics, licence {licence}."
    files["README.md"] = README.format(
        title=track.config["track.title"],
        id=track.config.id,
        number=len(track.state.released),
        released=event["at"],
        counts=counts,
        version=__version__,
        head=track.record.head,
    ).encode()
    files["datacite.json"] = json_bytes(metadata)
    files[disk.CHECKSUMS] = disk.checksums(files)
    task = f"-{track.task.replace('/', '-')}" if track.task else ""
    name = f"{track.config.id}{task}-edition-{len(track.state.released)}.zip"
    return {name: pack(files), "datacite.json": json_bytes(metadata), ".zenodo.json": _for_zenodo(metadata)}


def _require_released(track: Track) -> tuple[Edition, Event]:
    """The released edition, which must be the newest state: a later withdrawal would otherwise be ignored."""
    state = track.state
    if not state.released:
        raise UsageError("step-not-done", "nothing is released yet", hint="run `diveval track decide release` first")
    if state.changed or state.scored[-1]["scoring"] != state.released[-1]["scoring"]:
        message = f"something changed since edition {len(state.released)}"
        raise UsageError("scoring-outdated", message, hint="score, rank and release again first")
    edition = Edition.of(track, private=False)
    return replace(edition, files=frozenset(package_of(edition, newest=True))), state.released[-1]


def _describe(track: Track, event: Event) -> dict[str, Any]:
    """The properties that DataCite 4 requires, and what the track knows of the others."""
    config, released = track.config, event["at"][:10]
    organisers = [team.name for team in track.teams.values() if team.role != "participant"]
    return {
        "titles": [{"title": f"{config['track.title']}: submissions, judgments and results"}],
        "creators": [{"name": name, "nameType": "Organizational"} for name in organisers or [config["track.title"]]],
        "publisher": organisers[0] if organisers else config["track.title"],
        "publicationYear": int(released[:4]),
        "types": {"resourceTypeGeneral": "Dataset", "resourceType": "shared task"},
        "dates": [{"date": released, "dateType": "Issued"}],
        "version": str(len(track.state.released)),
        "rightsList": [{"rights": config["track.licence"]}],
        "url": config["track.url"],
        "descriptions": [
            {
                "descriptionType": "Abstract",
                "description": f"Runs, judgments, scores and leaderboard of {config['track.title']}, edition"
                f" {len(track.state.released)}, with the record from which everything can be computed again.",
            }
        ],
        "schemaVersion": "http://datacite.org/schema/kernel-4",
    }


def _for_zenodo(metadata: dict[str, Any]) -> bytes:
    """The file that Zenodo reads from a repository or an upload."""
    shape = {
        "upload_type": "dataset",
        "title": metadata["titles"][0]["title"],
        "creators": [{"name": creator["name"]} for creator in metadata["creators"]],
        "description": metadata["descriptions"][0]["description"],
        "license": metadata["rightsList"][0]["rights"],
        "version": metadata["version"],
        "publication_date": metadata["dates"][0]["date"],
    }
    return json.dumps(shape, indent=1, ensure_ascii=False).encode() + b"\n"
