"""Small changes of a source file, each of which should make a test fail; see mutate.py."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

SWAPS = {
    ast.Eq: ast.NotEq,
    ast.Lt: ast.LtE,
    ast.Gt: ast.GtE,
    ast.In: ast.NotIn,
    ast.Is: ast.IsNot,
    ast.And: ast.Or,
    ast.Add: ast.Sub,
    ast.Mult: ast.Div,
    ast.FloorDiv: ast.Mod,
}
SWAPS |= {new: old for old, new in SWAPS.items()} | {ast.Pow: ast.Mult}
LEFT_ALONE = {'annotation', 'returns', 'decorator_list'}  # fields of nodes


@dataclass(frozen=True)
class Change:
    """One change of a file; ``content`` is the whole file after it."""

    file: str
    line: int
    old: str
    new: str
    content: bytes

    def __str__(self) -> str:
        return f'{self.file}:{self.line}: {self.old} -> {self.new}'


def changes(file: str, content: bytes) -> Iterator[Change]:
    """All changes of a file.

    Comparisons, arithmetic, ``and`` and ``or`` are swapped, numbers raised by 1, ``not`` taken
    out, conditions and booleans turned round, ``None`` returned where something true may be, and
    calls whose answer is not used left out.
    """
    starts = [0, *accumulate(map(len, content.splitlines(keepends=True)))]
    for node in _nodes(ast.parse(content)):
        for old, changed in _changed(node):
            new = ast.unparse(changed)
            new = f'({new})' if isinstance(old, ast.expr) else new  # where others bind closer
            begin = starts[old.lineno - 1] + old.col_offset
            end = starts[old.end_lineno - 1] + old.end_col_offset
            whole = content[:begin] + new.encode() + content[end:]
            yield Change(file, old.lineno, ast.unparse(old), new, whole)


def _nodes(node: ast.AST) -> Iterator[ast.AST]:
    """A node and all below it that are computed, without f-strings, which are messages."""
    if isinstance(node, ast.JoinedStr):
        return
    yield node
    for name, value in ast.iter_fields(node):
        below = value if isinstance(value, list) else [value]
        for child in below if name not in LEFT_ALONE else ():
            if isinstance(child, ast.AST):
                yield from _nodes(child)


def _changed(node: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    """What to replace in a node, and by what."""
    match node:
        case ast.Compare(left, [operator], right) if type(operator) in SWAPS:
            yield node, ast.Compare(left, [SWAPS[type(operator)]()], right)
        case ast.BoolOp(operator, values):
            yield node, ast.BoolOp(SWAPS[type(operator)](), values)
        case ast.BinOp(left, operator, right) if type(operator) in SWAPS:
            yield node, ast.BinOp(left, SWAPS[type(operator)](), right)
        case ast.UnaryOp(ast.Not(), operand):
            yield node, operand
        case ast.If(ast.Name('TYPE_CHECKING')):  # is never run
            pass
        case ast.If(test) if not isinstance(test, ast.UnaryOp | ast.Compare):  # are turned above
            yield test, ast.UnaryOp(ast.Not(), test)
        case ast.IfExp(test, body, other):
            yield node, ast.IfExp(test, other, body)
        case ast.Constant(bool(value)):
            yield node, ast.Constant(not value)
        case ast.Constant(int(value) | float(value)):
            yield node, ast.Constant(value + 1)
        case ast.Return(ast.expr() as value) if not isinstance(value, ast.Constant) or value.value:
            yield node, ast.Return(ast.Constant(None))
        case ast.Expr(ast.Call()):
            yield node, ast.Pass()
