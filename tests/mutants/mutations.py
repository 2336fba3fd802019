"""Small faults to put into a module: each a comparison, an operator, a constant or an and/or that is another."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

COMPARISONS: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: (r"is", "is not"),
    ast.IsNot: (r"is\s+not", "is"),
    ast.In: (r"in", "not in"),
    ast.NotIn: (r"not\s+in", "in"),
}
ARITHMETIC: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: (r"\+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: (r"\*", "//"),
    ast.FloorDiv: ("//", "*"),
    ast.Mod: ("%", "//"),
}
BOOLEAN: dict[type[ast.boolop], tuple[str, str]] = {ast.And: ("and", "or"), ast.Or: ("or", "and")}


class Mutation(NamedTuple):
    line: int
    start: int  # in bytes of the module
    end: int
    was: str
    now: str

    def applied(self, source: bytes) -> bytes:
        return source[: self.start] + self.now.encode() + source[self.end :]

    def __str__(self) -> str:
        return f"{self.was} -> {self.now}"


def mutations(source: bytes) -> list[Mutation]:
    """All that the module offers, in the order of its lines."""
    found = _Finder(source)
    found.visit(ast.parse(source))
    return sorted(found.mutations, key=lambda mutation: mutation.start)


class _Finder(ast.NodeVisitor):
    """Leaves out what no test could tell: types, decorators, options of classes, and the `strict` of zip."""

    def __init__(self, source: bytes) -> None:
        self._source = source
        self._lines = [0]
        for line in source.splitlines(keepends=True):
            self._lines.append(self._lines[-1] + len(line))
        self.mutations: list[Mutation] = []

    # ---- what is left out

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        for part in (*node.args.defaults, *filter(None, node.args.kw_defaults), *node.body):
            self.visit(part)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for part in node.body:
            self.visit(part)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if not (isinstance(node.value, ast.Name) and node.value.id in ("Literal", "Annotated", "tuple", "dict")):
            self.generic_visit(node)

    def visit_keyword(self, node: ast.keyword) -> None:
        if node.arg not in ("strict", "frozen", "maxsize", "gc", "forbid_unknown_fields"):
            self.generic_visit(node)

    # ---- what is changed

    def visit_Compare(self, node: ast.Compare) -> None:
        operands = [node.left, *node.comparators]
        for operator, left, right in zip(node.ops, operands, operands[1:], strict=False):
            self._between(left, right, *COMPARISONS[type(operator)])
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if type(node.op) in ARITHMETIC and not _is_text(node.left) and not _is_text(node.right):
            self._between(node.left, node.right, *ARITHMETIC[type(node.op)])
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        for left, right in zip(node.values, node.values[1:], strict=False):
            self._between(left, right, *BOOLEAN[type(node.op)])
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, bool):
            self._put(node, str(not node.value))
        elif isinstance(node.value, int):
            self._put(node, str(node.value + 1))

    def _put(self, node: ast.expr, now: str) -> None:
        start, end = self._at(node.lineno, node.col_offset), self._at(node.end_lineno, node.end_col_offset)
        self.mutations.append(Mutation(node.lineno, start, end, self._source[start:end].decode(), now))

    def _between(self, left: ast.expr, right: ast.expr, operator: str, now: str) -> None:
        start, end = self._at(left.end_lineno, left.end_col_offset), self._at(right.lineno, right.col_offset)
        word = operator.encode()
        found = re.search(rb"\b" + word + rb"\b" if operator[0].isalpha() else word, self._source[start:end])
        assert found is not None, (left.lineno, operator)
        at, to = start + found.start(), start + found.end()
        line = self._source[:at].count(b"\n") + 1
        self.mutations.append(Mutation(line, at, to, self._source[at:to].decode(), now))

    def _at(self, line: int | None, column: int | None) -> int:
        assert line is not None
        assert column is not None
        return self._lines[line - 1] + column


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def sites(sources: dict[str, bytes]) -> Iterator[tuple[str, Mutation]]:
    for name in sorted(sources):
        for mutation in mutations(sources[name]):
            yield name, mutation
