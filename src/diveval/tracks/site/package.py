"""What is published for those who want to verify: before release the record and the kit, after it everything."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from diveval.tracks.admissions import verdict_of
from diveval.tracks.config import Team
from diveval.tracks.exports import checksums
from diveval.tracks.folder import CONFIGS, JUDGMENT_FILES, KEPT, RECEIVED
from diveval.tracks.kit import kit
from diveval.tracks.ranking import board_of
from diveval.tracks.scoring import failures_of, recompute
from diveval.tracks.site.edition import Edition
from diveval.tracks.skeleton import toml_value
from diveval.tracks.states import Submission
from diveval.validation import json_bytes


def package(edition: Edition) -> dict[str, bytes]:
    """The files of `data/`, laid out as a track folder, with their sums."""
    track = edition.track
    files = {"record.jsonl": _record(edition), "kit.zip": kit(track)}
    if edition.event is not None:
        files |= _inputs(edition) | _submissions(edition) | _results(edition)
    return {**files, "SHA256SUMS": checksums(files)}


def _record(edition: Edition) -> bytes:
    """The record up to its last line end."""
    data = edition.track.read("record.jsonl")
    return data[: data.rindex(b"\n") + 1]


def _inputs(edition: Edition) -> dict[str, bytes]:
    track, config = edition.track, edition.config
    files = {
        "track.toml": track.read("track.toml"),
        "teams.toml": _teams(edition),
        "private/secret": track.read("private/secret"),
    }
    names = [config["data.topics"]]
    if config["data.documents"].startswith("list:"):
        names.append(config["data.documents"].removeprefix("list:"))
    names += [f"{CONFIGS}/{path.name}" for path in sorted(track.path(CONFIGS).glob("*")) if path.is_file()]
    files |= {name: track.read(name) for name in names}
    if config["site.judgments"] == "never":
        return files
    for scored in edition.scored_until:
        event = track.record.events[scored["judged"]]
        for kind in JUDGMENT_FILES:
            path = track.judged_path(event, kind)
            if path is not None:
                name, now = f"{KEPT}/{event[kind]}", config[f"data.{kind}"]
                files[now if now and path == track.path(now) else name] = path.read_bytes()
    return files


def _teams(edition: Edition) -> bytes:
    """The teams that may be named, without addresses."""

    def entry(team: Team) -> str:
        return f"[[team]]\nid = {toml_value(team.id)}\nname = {toml_value(team.name)}\nrole = {toml_value(team.role)}\n"

    teams = [team for team in edition.track.teams.by_id.values() if not edition.names.anonymous(team.id)]
    return "\n".join(entry(team) for team in teams).encode()


def _submissions(edition: Edition) -> dict[str, bytes]:
    track, files = edition.track, {}
    for given in edition.state.submissions.values():
        info = track.info(given)
        if edition.names.anonymous(info.team):
            continue
        # Verdicts of later submissions depend on the names before them, so also on the name of one that was erased.
        files[f"{RECEIVED}/{given.id}.json"] = info.as_bytes()
        if given.erased:
            continue
        files[f"verdicts/{given.id}.json"] = _kept(
            edition, f"verdicts/{given.id}.json", partial(_verdict, edition, given)
        )
        if edition.config["site.runs"] != "never":
            files[f"store/{info.sha256}"] = track.stored(info)
            files |= {f"store/{info.meta}": track.read(f"store/{info.meta}")} if info.meta else {}
    return files


def _verdict(edition: Edition, given: Submission) -> bytes:
    return edition.track.verdict_json(given.id, verdict_of(edition.track, given))


def _results(edition: Edition) -> dict[str, bytes]:
    track, files = edition.track, {}
    hidden = any(edition.names.anonymous(team) for team in track.teams.by_id)
    for event in edition.scored_until:
        name = event["scoring"]
        if edition.config["site.per_topic"] != "never":
            files[f"scores/{name}/scores.csv"] = _kept(
                edition,
                f"scores/{name}/scores.csv",
                lambda event=event: recompute(track, event).csv(),  # type: ignore[misc]
            )
        if event["failed"]:
            files[f"scores/{name}/failed.json"] = json_bytes(dict(sorted(failures_of(track, event).items())))
        if name in edition.state.ranked and not hidden:  # a board names teams
            files[f"boards/{name}.json"] = _kept(
                edition,
                f"boards/{name}.json",
                lambda event=event: json_bytes(board_of(track, event)),  # type: ignore[misc]
            )
    return files


def _kept(edition: Edition, name: str, otherwise: Callable[[], bytes]) -> bytes:
    """A derived file as it is, or computed where it was deleted."""
    return edition.track.read(name) if edition.track.path(name).exists() else otherwise()
