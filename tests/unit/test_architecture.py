"""The order of packages: each imports only from packages before it, nothing imports entry points, no import is
postponed to break a cycle, and the core needs numpy only."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "diveval"

# From left to right: a package imports only from packages of earlier rows, so packages of one row do not import each
# other. Nothing but the command line comes after the entry points.
ROWS = (
    ("errors", "error_codes", "defaults"),
    ("argument_types",),
    ("system", "setting_table"),
    ("settings",),
    ("collection",),
    ("metrics",),
    ("reading", "results", "exact"),
    ("writing", "scoring", "stats", "axioms", "validation", "datasets", "answers"),
    ("recommend",),
    ("meta",),
    ("conclusions", "experiments", "publishing"),
    ("analysis", "judging"),
    ("views",),
    ("api", "evaluation", "integrations", "report", "tracks", "studio"),
    ("cli",),
    ("launch", "trec_eval"),  # `diveval`, `python -m diveval.trec_eval`
)
ROW = {package: i for i, row in enumerate(ROWS) for package in row}
FILES = sorted(
    path
    for path in SOURCE.rglob("*.py")
    if path.name != "__main__.py" and path != SOURCE / "__init__.py" and path.parent.name != "bundled"
)


LONGEST = {"src": 400}  # lines of a file


def module_of(path: Path) -> str:
    """The dotted name of a file."""
    parts = ("diveval", *path.relative_to(SOURCE).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(path): path for path in FILES}


@cache
def imports(module: str) -> tuple[set[str], set[str]]:
    """The modules of diveval that a module imports when it is loaded, and those it imports when a function is called.

    Imports under `if TYPE_CHECKING` do not count.
    """
    loaded: set[str] = set()
    late: set[str] = set()

    def walk(nodes: Iterable[ast.AST], into: set[str]) -> None:
        for node in nodes:
            if isinstance(node, ast.expr):  # an import is a statement; skipping expressions saves most of the time
                continue
            if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
                walk(node.orelse, into)
                continue
            names: list[str] = []
            if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
                full = [f"{node.module}.{alias.name}" for alias in node.names]
                names = [name if name in MODULES else node.module for name in full]
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            into.update(name for name in names if name in MODULES)
            inside = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
            walk(ast.iter_child_nodes(node), late if inside else into)

    walk(ast.parse(MODULES[module].read_text(encoding="utf-8")).body, loaded)
    return loaded, late


@cache
def loads(module: str) -> set[str]:
    """Every module of diveval that importing a module loads."""
    loaded: set[str] = set()
    waiting = [module]
    while waiting:
        for other in imports(waiting.pop())[0] - loaded:
            loaded.add(other)
            waiting.append(other)
    return loaded


def test_a_package_imports_only_from_packages_before_it() -> None:
    """No package imports from a later one, and only the command line imports entry points."""
    wrong = []
    for module in MODULES:
        package = module.split(".")[1]
        assert package in ROW, f"{package} is not in ROWS: add it here and in docs/architecture.md"
        for other in {name.split(".")[1] for name in set.union(*imports(module)) if "." in name} - {package}:
            if ROW[other] >= ROW[package]:
                wrong.append(f"{module} imports {other}")
    assert wrong == []


def test_every_module_is_used() -> None:
    """Some other module imports it or names it in a text; commands, integrations and tools' rules are found by name."""
    by_name = re.compile(r"diveval\.(cli\.|integrations\.|metrics\.compat\.|trec_eval$|launch$|error_codes$)")
    named: set[str] = set()
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                named |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
            elif isinstance(node, ast.Import):
                named |= {alias.name for alias in node.names}
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                named.add(node.value.partition(":")[0])
    folders = {module.rpartition(".")[0] for module in MODULES}
    assert [module for module in MODULES if module not in named | folders and not by_name.match(module)] == []


def test_no_import_escapes_the_order() -> None:
    """No module of diveval is loaded by a text that names it, unless it belongs to the loading package itself."""
    by_text = re.compile(r"""(?:import_module|need|__import__)\(\s*f?["'](diveval\.[\w.]+)""")
    found = [(m, name) for m, path in MODULES.items() for name in by_text.findall(path.read_text(encoding="utf-8"))]
    outside = [(module, name) for module, name in found if name.split(".")[1] not in (module.split(".")[1], "_scanner")]
    assert outside == []


def test_there_are_no_import_cycles() -> None:
    """No module imports itself through others, at load time or by an import inside a function."""
    cycles = [module for module in MODULES if module in loads(module)]
    assert cycles == []
    postponed = [(module, other) for module in MODULES for other in imports(module)[1] if module in loads(other)]
    assert postponed == []


def test_importing_diveval_loads_numpy_and_nothing_heavy() -> None:
    """`import diveval` and an evaluation need no optional dependency."""
    program = (
        "import sys, diveval; diveval.evaluate({'1': {'a': {'d': 1}}}, {'1': {'d': 1.0}}, 'RBU');"
        "heavy = {'scipy','pandas','polars','pyarrow','z3','altair','narwhals','pyspark','ir_measures','numba'};"
        "print(sorted(heavy & {name.split('.')[0] for name in sys.modules}))"
    )
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_no_file_is_long() -> None:
    """A file of the source has at most 400 lines: a longer one is two files."""
    found = {
        path.relative_to(SOURCE.parents[1]).as_posix(): lines
        for folder, most in LONGEST.items()
        for path in (SOURCE.parents[1] / folder).rglob("*.py")
        if (lines := path.read_bytes().count(b"\n")) > most
    }
    assert found == {}


def test_the_page_names_every_package_and_only_existing_files() -> None:
    """docs/architecture.md names every package, and every file that it names exists."""
    page = (SOURCE.parents[1] / "docs" / "architecture.md").read_text(encoding="utf-8")
    assert [package for package in ROW if f"`{package}" not in page] == []
    named = set(re.findall(r"`((?:[a-z_]+/)*[a-z_]+\.py)`", page))
    assert len(named) > 15
    assert [name for name in named if not (SOURCE / name).is_file() and not (SOURCE.parents[1] / name).is_file()] == []
