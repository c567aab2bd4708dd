"""Build the compiled scanner; everything else is in pyproject.toml. Without a compiler the package is pure Python."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from setuptools import Distribution, Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext


class OptionalScanner(build_ext):
    """Build the scanner if there is a compiler; otherwise print what its absence costs."""

    def run(self) -> None:
        super().run()
        if not self.has_scanner():
            print(
                "diveval: no C compiler worked, so the package is built without the compiled scanner. Results are the same, but"
                " a million lines of runs take about 9 s of CPU instead of 0.7 s. `diveval --version` shows which reader is in use.",
                file=sys.stderr,
            )

    def has_scanner(self) -> bool:
        """Whether the extension was built: setuptools ignores the failure of an optional one."""
        return all(Path(self.get_ext_fullpath(extension.name)).is_file() for extension in self.extensions)


class ScannerWheel(bdist_wheel):
    """A wheel without the scanner is tagged as pure Python, so that pip never mistakes it for the compiled one."""

    def run(self) -> None:
        self.run_command("build")
        if not self.get_finalized_command("build_ext").has_scanner():
            self.root_is_pure = True
            self.py_limited_api = False
            self.distribution.ext_modules = []
        super().run()


class ScannerDistribution(Distribution):
    """A distribution that is pure Python exactly when it has no extension."""

    def has_ext_modules(self) -> bool:
        return bool(self.ext_modules)


REPOSITORY = "https://github.com/diveval/diveval"


def readme() -> str:
    """README.md for a package index: relative links point to the repository, images to its raw files."""
    text = Path(__file__).with_name("README.md").read_text(encoding="utf-8")
    text = re.sub(r"(!\[[^\]]*\]\()(?!https?:|#)", rf"\1{REPOSITORY}/raw/main/", text)
    return re.sub(r"(\]\()(?!https?:|#|mailto:)", rf"\1{REPOSITORY}/blob/main/", text)


scanner = Extension(
    "diveval._scanner",
    sources=sorted(str(path) for path in Path("csrc").glob("*.c")),
    depends=sorted(str(path) for path in Path("csrc").glob("*.h")),
    define_macros=[("Py_LIMITED_API", "0x030A0000")],
    py_limited_api=True,
    optional=True,
)

setup(
    long_description=readme(),
    long_description_content_type="text/markdown",
    ext_modules=[scanner],
    distclass=ScannerDistribution,
    cmdclass={"build_ext": OptionalScanner, "bdist_wheel": ScannerWheel},
    options={"bdist_wheel": {"py_limited_api": "cp310"}},
)
