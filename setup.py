"""The compiled scanner; everything else is in pyproject.toml. Where no compiler is, the plain reader serves."""

from setuptools import Extension, setup

scanner = Extension(
    "diveval.reading._scanner",
    sources=[f"csrc/{name}.c" for name in ("_scanner", "columns", "judged", "number", "ordering", "scan", "text")],
    depends=[f"csrc/{name}.h" for name in ("columns", "core", "hash", "judged", "number", "scan", "text")],
    define_macros=[("Py_LIMITED_API", "0x030A0000")],
    py_limited_api=True,
    optional=True,
)

setup(ext_modules=[scanner], options={"bdist_wheel": {"py_limited_api": "cp310"}})
