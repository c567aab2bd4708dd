"""The compiled scanner; everything else is in pyproject.toml. Where no compiler is, the plain reader serves."""

from glob import glob

from setuptools import Extension, setup

scanner = Extension(
    "diveval.reading._scanner",
    sources=sorted(glob("csrc/*.c")),
    depends=sorted(glob("csrc/*.h")),
    define_macros=[("Py_LIMITED_API", "0x030A0000")],
    py_limited_api=True,
    optional=True,
)

setup(ext_modules=[scanner], options={"bdist_wheel": {"py_limited_api": "cp310"}})
