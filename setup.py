"""The compiled scanner; everything else is in pyproject.toml. Where no compiler is, the plain reader serves."""

from pathlib import Path

from setuptools import Extension, setup

scanner = Extension(
    "diveval._scanner",
    sources=sorted(str(path) for path in Path("csrc").glob("*.c")),
    depends=sorted(str(path) for path in Path("csrc").glob("*.h")),
    define_macros=[("Py_LIMITED_API", "0x030A0000")],
    py_limited_api=True,
    optional=True,
)

setup(ext_modules=[scanner], options={"bdist_wheel": {"py_limited_api": "cp310"}})
