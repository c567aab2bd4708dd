"""The package as distributed: built from a copy of the sources, and installed in an environment of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from importlib import metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
SOURCES = [
    "src",
    "csrc",
    "pyproject.toml",
    "setup.py",
    "MANIFEST.in",
    "README.md",
    "LICENSE",
    "CITATION.cff",
    "CHANGELOG.md",
]


def run(*command: str | Path, **more: Any) -> subprocess.CompletedProcess[str]:
    """Run a command that must succeed, in an environment without this project."""
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")} | more.pop(
        "environment", {}
    )
    finished = subprocess.run([str(w) for w in command], capture_output=True, text=True, env=environment, **more)
    assert finished.returncode == 0, f"{command}\n{finished.stdout[-2000:]}\n{finished.stderr[-2000:]}"
    return finished


def build(kind: str, source: Path, target: Path, **environment: str) -> tuple[Path, str]:
    """Build the sdist or wheel of a folder as pip does; returns its path and the output."""
    program = f"import sys; from setuptools import build_meta; print(build_meta.build_{kind}(sys.argv[1]))"
    finished = run(sys.executable, "-c", program, target, cwd=source, environment=environment)
    return target / finished.stdout.splitlines()[-1], finished.stdout + finished.stderr


def unpacked(sdist: Path, folder: Path) -> Path:
    """Unpack an sdist; returns its folder."""
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    (source,) = folder.iterdir()
    return source


def build_both(copy: Path) -> tuple[Path, Path]:
    """The sdist, and the wheel built from it, from a copy of the sources so that the project stays clean."""
    skip = shutil.ignore_patterns("*.egg-info", "__pycache__", "*.so")
    for name in SOURCES:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, copy / name, ignore=skip)
        elif source.exists():
            shutil.copy(source, copy / name)
    sdist, _ = build("sdist", copy, copy / "dist")
    # Unoptimised: the compiler takes half of the time otherwise.
    wheel, _ = build("wheel", unpacked(sdist, copy / "unpacked"), copy / "dist", CFLAGS="-O0")
    return sdist, wheel


def install(wheel: Path, folder: Path, *others: str) -> Path:
    """A new environment with a wheel and some distributions of the tests' own, and nothing else; its folder of programs."""
    run(sys.executable, "-m", "venv", "--without-pip", folder)
    (packages,) = folder.glob("lib/*/site-packages")
    for other in others:
        found = metadata.distribution(other)
        for name in {file.parts[0] for file in found.files or () if ".." not in file.parts and file.parts[1:]}:
            (packages / name).symlink_to(str(found.locate_file(name)))
    # Without an index, any other requirement of the wheel is an error.
    pip: list[str | Path] = [sys.executable, "-m", "pip", "--python", folder / "bin" / "python"]
    run(*pip, "install", "--no-index", "--quiet", "--no-compile", "--disable-pip-version-check", wheel)
    return folder / "bin"
