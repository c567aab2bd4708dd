"""Folders made by version 2 keep the meaning that names of metrics had then."""

from __future__ import annotations

import datetime

import pytest

from diveval.tracks.config import Config
from diveval.tracks.skeleton import config_text

WAS = {
    "RBU@20": "RBU(p=0.99,e=0.05)@20",
    "RBU(p=0.8)": "RBU(p=0.8,e=0.05)",
    "EU": "EU(alpha=0.5,e=0.05)",
    "RBU(p=0.9,e=0.02)@5": "RBU(p=0.9,e=0.02)@5",
    "P@5": "P@5",
}


@pytest.mark.parametrize("name", list(WAS))
def test_a_bare_name_keeps_the_parameters_of_its_version(name: str) -> None:
    """With spec 1 a name has the parameters of version 2; with spec 2 those of today, as everywhere."""
    from diveval.metrics.names import parse

    day = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)
    chosen = {
        "track.id": "shared-task",
        "track.title": "t",
        "track.contact": "",
        "dates.opens": day,
        "dates.closes": day + datetime.timedelta(days=1),
        "data.topics": "data/topics.txt",
        "scoring.metrics": [name],
        "scoring.official": name,
    }
    for spec, expected in ((1, WAS[name]), (2, parse(name).name)):
        config = Config.parse(config_text({"spec": spec, **chosen}).encode())
        assert (config.metrics, config.official) == ([expected], expected)
