"""Metrics as JavaScript: a third rendering of the algebra, generated from the declarations' own definitions.

`exact` of every formula, and what it reaches in channels, discounts and novelties, is Python over plain numbers. Here that
source is translated, class by class and method by method, so that no metric is written a second time. A metric itself is
data: its parts with their parameters (`describe_formula`). Logarithms come from a table (`inverse_logs`), since they differ
between engines.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from diveval.errors import UsageError
from diveval.metrics import columnwise, formulas, ideal, subtopics
from diveval.metrics.algebra import Part, channels, discounts, novelty
from diveval.metrics.formulas import Judged, Normalised
from diveval.metrics.metric import Metric
from diveval.metrics.numbers import Floats

MODULES = (discounts, novelty, channels, formulas, columnwise, subtopics)
FUNCTIONS = (ideal.greedy_generic, subtopics._cover)
SKIPPED = (Judged,)  # about judgments, not about relevance: it has no exact form
DEFINED_APART = ("unproven", "is_zero")  # in the runtime, or never reached
LONGEST = 4096  # ranks for which there are logarithms

_OPERATORS: dict[type, str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
_COMPARISONS: dict[type, str] = {
    ast.Eq: "===",
    ast.NotEq: "!==",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "===",
    ast.IsNot: "!==",
}
_CONSTANTS = {None: "null", True: "true", False: "false"}
_HELPERS = {"len", "max", "min", "sum", "range", "list", "sorted", "replace", "is_zero"}


def describe_formula(metric: Metric) -> dict[str, Any]:
    """A metric as data for the generated classes: each part's class and parameters."""
    parts = metric.formula.parts if metric.rule is None and metric.order is None else []
    if not parts or any(part.has_user_code or type(part).__name__ not in _classes() for part in parts):
        raise UsageError(
            "metric-of-another-tool",
            f"{metric.name} has no rendering in JavaScript",
            hint="formulas of the catalogue have one; rules by column, most of other tools', and functions do not",
        )
    if any(isinstance(part, Normalised) and part.ideal != "greedy" for part in parts):
        raise UsageError(
            "ideal-not-proven",
            f"{metric.name} needs the best list, which is proven in Python only",
            hint="use ideal=greedy",
        )
    return _describe(metric.formula)


def _describe(part: Part) -> dict[str, Any]:
    values = {one.name: getattr(part, one.name) for one in fields(part)}  # type: ignore[arg-type]
    return {"is": type(part).__name__} | {
        name: _describe(value)
        if isinstance(value, Part)
        else value
        if value is None or isinstance(value, (bool, int, str))
        else float(value)
        for name, value in values.items()
    }


def inverse_logs(longest: int = LONGEST) -> list[float]:
    """1 / log2(n) for n = 2, 3, … as Python computes it."""
    numbers = Floats()
    return [numbers.inverse_log(n) for n in range(2, longest + 1)]


def write_module() -> str:
    """The JavaScript of all classes and functions, as the body of a function of the runtime `$` that returns `classes`."""
    classes = _classes()
    wanted = _reach(classes)
    parts = [_function(function) for function in FUNCTIONS]
    parts += [_class(cls, classes, wanted) for cls in classes.values()]
    return "\n".join([*parts, f"const classes = {{ {', '.join(classes)} }};"])


def _classes() -> dict[str, type]:
    """The classes of the algebra, each after its bases."""
    found: dict[str, type] = {"Part": Part}
    for module in MODULES:
        for name, value in vars(module).items():
            own = inspect.isclass(value) and issubclass(value, Part) and value.__module__ == module.__name__
            if own and value not in SKIPPED:
                found[name] = value
    return found


def _methods(cls: type) -> dict[str, ast.FunctionDef]:
    """The methods that a class defines itself, without its properties."""
    own = {name: value for name, value in vars(cls).items() if inspect.isfunction(value) and not _generated(value)}
    return {name: _parse(value) for name, value in own.items()}


def _generated(function: Any) -> bool:
    """Whether a dataclass wrote it."""
    return str(function.__name__).startswith("__")


def _parse(function: Any) -> ast.FunctionDef:
    (node,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    assert isinstance(node, ast.FunctionDef)
    return node


def _reach(classes: dict[str, type]) -> set[str]:
    """The names of the methods that `exact` calls, directly or through others."""
    calls: dict[str, set[str]] = {}
    for cls in classes.values():
        for name, node in _methods(cls).items():
            calls.setdefault(name, set()).update(_find_calls(node))
    for function in FUNCTIONS:
        calls.setdefault("exact", set()).update(_find_calls(_parse(function)))
    reached: set[str] = set()
    todo = {"exact"}
    while todo:
        name = todo.pop()
        reached.add(name)
        todo |= {other for other in calls.get(name, ()) if other in calls} - reached - set(DEFINED_APART)
    return reached


def _find_calls(node: ast.AST) -> Iterator[str]:
    for part in ast.walk(node):
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
            yield part.func.attr


def _class(cls: type, classes: dict[str, type], wanted: set[str]) -> str:
    base = next((base.__name__ for base in cls.__mro__[1:] if base.__name__ in classes), None)
    methods = [_method(node) for name, node in _methods(cls).items() if name in wanted]
    return f"class {cls.__name__}{f' extends {base}' if base else ''} {{\n" + "\n".join(methods) + "\n}"


def _method(node: ast.FunctionDef) -> str:
    return _Body(node).write(node.name, node.args.args[1:], node.args.defaults)


def _function(function: Any) -> str:
    node = _parse(function)
    return "function " + _Body(node).write(node.name, node.args.args, node.args.defaults)


class _Body:
    """One function or method as JavaScript; what is not in the subset that `exact` uses is an error."""

    def __init__(self, node: ast.FunctionDef) -> None:
        self._node = node
        self._loops = 0

    def write(self, name: str, arguments: list[ast.arg], defaults: list[ast.expr]) -> str:
        given = dict(zip([arg.arg for arg in arguments][len(arguments) - len(defaults) :], defaults, strict=True))
        head = [f"{arg.arg} = {self.value(given[arg.arg])}" if arg.arg in given else arg.arg for arg in arguments]
        names = sorted({name for target in self._targets() for name in _names(target)} - {a.arg for a in arguments})
        lines = [f"let {', '.join(names)};"] if names else []
        lines += [self.statement(one) for one in self._node.body if not _is_docstring(one)]
        return f"{name}({', '.join(head)}) {{\n" + textwrap.indent("\n".join(lines), "  ") + "\n}"

    def _targets(self) -> Iterator[ast.expr]:
        for part in ast.walk(self._node):
            if isinstance(part, ast.Assign):
                yield from (target for target in part.targets if not isinstance(target, ast.Subscript))
            elif isinstance(part, (ast.AnnAssign, ast.For)):
                yield part.target

    def statement(self, node: ast.stmt) -> str:
        if isinstance(node, ast.Return):
            return f"return {self.value(node.value) if node.value else ''};"
        if isinstance(node, ast.Assign):
            return f"{self.value(node.targets[0])} = {self.value(node.value)};"
        if isinstance(node, ast.AnnAssign) and node.value is not None:
            return f"{self.value(node.target)} = {self.value(node.value)};"
        if isinstance(node, ast.Expr):
            return f"{self.value(node.value)};"
        if isinstance(node, ast.If):
            rest = f" else {self.block(node.orelse)}" if node.orelse else ""
            return f"if ({self.test(node.test)}) {self.block(node.body)}{rest}"
        if isinstance(node, ast.While):
            return f"while ({self.test(node.test)}) {self.block(node.body)}"
        if isinstance(node, ast.For):
            return self.loop(node.target, node.iter, self.block(node.body), declare=False)
        if isinstance(node, ast.Break):
            return "break;"
        if isinstance(node, ast.Raise):
            return 'throw new Error("this has no value");'
        raise NotImplementedError(ast.dump(node))

    def block(self, body: list[ast.stmt]) -> str:
        return "{\n" + textwrap.indent("\n".join(self.statement(one) for one in body), "  ") + "\n}"

    def loop(self, target: ast.expr, source: ast.expr, body: str, *, declare: bool = True) -> str:
        """A loop by index, over `zip` and `enumerate` too, without a tuple for each step."""
        self._loops += 1
        at = f"i{self._loops}"
        setting, sources = self._bind(target, source, at, "const " if declare else "")
        kept = [f"const {at}_{n} = {text};" for n, text in enumerate(sources)]
        lengths = [f"{at}_{n}.length" for n in range(len(sources))]
        size = lengths[0] if len(lengths) == 1 else f"Math.min({', '.join(lengths)})"
        return (
            f"{{ {' '.join(kept)} const {at}_end = {size}; "
            f"for (let {at} = 0; {at} < {at}_end; {at} += 1) {{ {setting} {body} }} }}"
        )

    def _bind(self, target: ast.expr, source: ast.expr, at: str, declare: str) -> tuple[str, list[str]]:
        call = source.func.id if isinstance(source, ast.Call) and isinstance(source.func, ast.Name) else ""
        if call == "enumerate" and isinstance(target, ast.Tuple):
            assert isinstance(source, ast.Call)
            start = self.value(source.args[1]) if len(source.args) > 1 else "0"
            inner, sources = self._bind(target.elts[1], source.args[0], at, declare)
            return f"{declare}{self.value(target.elts[0])} = {at} + {start}; {inner}", sources
        if call == "zip" and isinstance(target, ast.Tuple):
            assert isinstance(source, ast.Call)
            sources = [self.value(one) for one in source.args]
            each = (f"{declare}{self.value(one)} = {at}_{n}[{at}];" for n, one in enumerate(target.elts))
            return " ".join(each), sources
        return f"{declare}{self.value(target)} = {at}_0[{at}];", [self.value(source)]

    def test(self, node: ast.expr) -> str:
        """A condition: an empty list is false in Python and true in JavaScript."""
        if isinstance(node, ast.BoolOp):
            joined = " && " if isinstance(node.op, ast.And) else " || "
            return "(" + joined.join(self.test(one) for one in node.values) + ")"
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return f"!{self.test(node.operand)}"
        return self.value(node) if isinstance(node, ast.Compare) else f"$.truth({self.value(node)})"

    def value(self, node: ast.expr) -> str:
        handler = getattr(self, "_" + type(node).__name__.lower(), None)
        if handler is None:
            raise NotImplementedError(ast.dump(node))
        return str(handler(node))

    def _constant(self, node: ast.Constant) -> str:
        if node.value is None or isinstance(node.value, bool):
            return _CONSTANTS[node.value]
        return f'"{node.value}"' if isinstance(node.value, str) else repr(node.value)

    def _name(self, node: ast.Name) -> str:
        return {"self": "this", "TIE": repr(ideal.TIE)}.get(node.id, node.id)

    def _attribute(self, node: ast.Attribute) -> str:
        return f"$.transpose({self.value(node.value)})" if node.attr == "T" else f"{self.value(node.value)}.{node.attr}"

    def _tuple(self, node: ast.Tuple | ast.List) -> str:
        return f"[{', '.join(self.value(one) for one in node.elts)}]"

    _list = _tuple

    def _binop(self, node: ast.BinOp) -> str:
        if isinstance(node.op, ast.Mult) and isinstance(node.left, ast.List):
            return f"$.repeat({self.value(node.left.elts[0])}, {self.value(node.right)})"
        return f"({self.value(node.left)} {_OPERATORS[type(node.op)]} {self.value(node.right)})"

    def _unaryop(self, node: ast.UnaryOp) -> str:
        return f"!{self.test(node.operand)}" if isinstance(node.op, ast.Not) else f"-{self.value(node.operand)}"

    def _compare(self, node: ast.Compare) -> str:
        return f"({self.value(node.left)} {_COMPARISONS[type(node.ops[0])]} {self.value(node.comparators[0])})"

    def _ifexp(self, node: ast.IfExp) -> str:
        return f"({self.test(node.test)} ? {self.value(node.body)} : {self.value(node.orelse)})"

    def _subscript(self, node: ast.Subscript) -> str:
        if isinstance(node.slice, ast.UnaryOp):  # counted from the end
            return f"{self.value(node.value)}.at({self.value(node.slice)})"
        if not isinstance(node.slice, ast.Slice):
            return f"{self.value(node.value)}[{self.value(node.slice)}]"
        assert node.slice.lower is None and node.slice.upper is not None
        return f"$.first({self.value(node.value)}, {self.value(node.slice.upper)})"

    def _listcomp(self, node: ast.ListComp | ast.GeneratorExp) -> str:
        (one,) = node.generators
        body = f"out.push({self.value(node.elt)});"
        for condition in one.ifs:
            body = f"if ({self.test(condition)}) {body}"
        return f"(() => {{ const out = []; {self.loop(one.target, one.iter, body)} return out; }})()"

    _generatorexp = _listcomp

    def _call(self, node: ast.Call) -> str:
        given = [self.value(one) for one in node.args]
        named = {one.arg: self.value(one.value) for one in node.keywords if one.arg not in ("strict", None)}
        if isinstance(node.func, ast.Name):
            name = node.func.id
            if name == "next":
                return f"{given[0]}[0]"
            if name == "map":
                return f"$.products({given[1]}, {given[2]})"
            if name == "float":
                return given[0]
            if name in _HELPERS:
                options = [f"{{ {', '.join(f'{key}: {text}' for key, text in named.items())} }}"] if named else []
                return f"$.{name}({', '.join([*given, *options])})"
            return f"{name}({', '.join(given)})"
        if isinstance(node.func, ast.Subscript):  # list[Number]()
            return "[]"
        assert isinstance(node.func, ast.Attribute)
        owner, name = self.value(node.func.value), node.func.attr
        if name == "tolist":
            return f"$.list({owner})"
        if name == "append":
            return f"{owner}.push({given[0]})"
        if name == "pop":
            return f"{owner}.splice({given[0]}, 1)[0]"
        if owner == "math":
            return f"Math.{name}({', '.join(given)})"
        return f"{owner}.{name}({', '.join(given)})"


def _names(target: ast.expr) -> Iterator[str]:
    yield from (part.id for part in ast.walk(target) if isinstance(part, ast.Name))


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
