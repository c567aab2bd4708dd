"""The configurations of CI and Read the Docs parse, and the files they name exist."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


@pytest.mark.parametrize("path", WORKFLOWS, ids=[path.name for path in WORKFLOWS])
def test_a_workflow_is_complete(path: Any) -> None:
    """A workflow has triggers, a runner for every job, a version for every action, and existing scripts."""
    shape = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert shape["name"] and shape[True]  # YAML 1.1 reads `on` as true
    assert shape["permissions"] == {"contents": "read"}
    for job in shape["jobs"].values():
        assert job["runs-on"]
        for step in job["steps"]:
            assert len({"uses", "run"} & set(step)) == 1
            assert re.fullmatch(r"[\w-]+/[\w-]+@v[\d.]+", step.get("uses", "a/b@v1"))
            for script in re.findall(r"bash (\S+)", step.get("run", "")):
                assert (ROOT / script).exists()


def test_every_supported_python_is_tested() -> None:
    """The versions of the CI matrix are those of the classifiers."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    declared = re.findall(r"Programming Language :: Python :: (3\.\d+)", text)
    shape = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))
    assert shape["jobs"]["test"]["strategy"]["matrix"]["python"] == declared


def test_read_the_docs_installs_existing_files() -> None:
    """The configuration of Sphinx and the requirements it names exist, and warnings are errors."""
    shape = yaml.safe_load((ROOT / ".readthedocs.yaml").read_text(encoding="utf-8"))
    assert (ROOT / shape["sphinx"]["configuration"]).exists() and shape["sphinx"]["fail_on_warning"]
    for item in shape["python"]["install"]:
        assert (ROOT / (item.get("requirements") or item["path"])).exists()
