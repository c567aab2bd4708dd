"""Create the mutants of a source file with mutmut's operators; each mutant is the complete text of the module."""

from __future__ import annotations

import ast
import difflib
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import libcst as cst
from mutmut.mutation.file_mutation import Mutation, create_mutations, deep_replace


@dataclass(frozen=True)
class Mutant:
    """One fault: its module, its file (relative to the copy) and the module's text with and without it."""

    name: str
    module: str
    path: str
    source: str
    original: str

    @property
    def key(self) -> str:
        """The same fault in the same file has the same key."""
        return hashlib.sha256(f"{self.path}\0{self.source}".encode()).hexdigest()

    @cached_property
    def line(self) -> int:
        """The first line that differs."""
        pairs = zip(self.original.splitlines(), self.source.splitlines(), strict=False)
        return next(number for number, (before, after) in enumerate(pairs, 1) if before != after)

    def statement(self) -> range:
        """The lines of the mutated statement; for a compound statement, those of its header."""
        lines = range(self.line, self.line + 1)
        for first, last in _statements(self.original):
            if first <= self.line <= last:
                lines = range(first, last + 1)
        return lines

    def __str__(self) -> str:
        """A diff."""
        before, after = self.original.splitlines(), self.source.splitlines()
        changes = [
            line for line in difflib.unified_diff(before, after, n=0, lineterm="") if line[:2] not in ("--", "++")
        ]
        return "\n".join([f"{self.name}  {self.path}:{self.line}", *(f"    {line}" for line in changes[1:])])


@cache
def _statements(text: str) -> list[tuple[int, int]]:
    """First and last line of every statement, outer ones first; for a compound statement, those of its header."""
    out = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.stmt):
            body = getattr(node, "body", None)
            last = body[0].lineno - 1 if body else (node.end_lineno or node.lineno)
            out.append((node.lineno, max(last, node.lineno)))
    return out


def is_prose(node: cst.CSTNode) -> bool:
    """Whether a node is text for people: a literal with a blank between two words."""
    return isinstance(node, (cst.SimpleString, cst.FormattedStringText)) and bool(re.search(r"\w[,:;]? \w", node.value))


class Module:
    """A source file and its mutations; the text of a mutant is created on demand."""

    def __init__(self, path: Path, root: Path) -> None:
        self.path = str(path.relative_to(root))
        parts = path.relative_to(root / "src").with_suffix("").parts
        self.name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        self.text = path.read_text(encoding="utf-8")
        self._tree, mutations, _, _ = create_mutations(self.path, self.text)
        # Only mutations inside functions and methods; mutmut does not mutate decorated functions. No test asserts prose.
        self._mutations: list[Mutation] = [
            m
            for m in mutations
            if isinstance(m.contained_by_top_level_function, cst.FunctionDef) and not is_prose(m.original_node)
        ]

        tree = self._tree  # converted to text per statement, so that a mutant converts only the one it changes
        self._header, self._footer = (self._text(part) for part in (tree.header, tree.footer))
        self._parts = [tree.code_for_node(statement) for statement in tree.body]
        self._position = {
            id(node): number
            for number, statement in enumerate(tree.body)
            for node in (statement, *(statement.body.body if isinstance(statement, cst.ClassDef) else ()))
        }

    def _text(self, lines: Sequence[cst.EmptyLine]) -> str:
        return "".join(self._tree.code_for_node(line) for line in lines)

    def __len__(self) -> int:
        return len(self._mutations)

    def mutant(self, number: int) -> Mutant:
        mutation = self._mutations[number]
        position = self._position[id(mutation.contained_by_top_level_function)]
        changed = deep_replace(self._tree.body[position], mutation.original_node, mutation.mutated_node)
        assert isinstance(changed, cst.CSTNode)
        parts = [*self._parts[:position], self._tree.code_for_node(changed), *self._parts[position + 1 :]]
        source = self._header + "".join(parts) + self._footer
        return Mutant(f"{self.name}#{number}", self.name, self.path, source, self.text)
