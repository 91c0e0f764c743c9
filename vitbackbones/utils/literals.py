"""Values as one writes them on a command line; they are read, never run.

They are lists, tuples, dicts and ``dict(key=value)`` in Python's notation. Words need no quotes,
which a shell would take away: ``dict(base=ti, depth=24)``. ``None`` is Python's, but ``none``
is a word, as for mmengine: some options have it among their choices.
"""

import ast
import csv
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import TypeVar

Row = TypeVar('Row')
OPENING = {')': '(', ']': '[', '}': '{'}
WORDS = {'true': True, 'false': False}


def read_value(text: str):
    """Read a number, a word, a list, a tuple or a dict.

    >>> read_value("dict(base=ti, scales=[(1, 2)], shortcut={'type': 'Mine'})")
    {'base': 'ti', 'scales': [(1, 2)], 'shortcut': {'type': 'Mine'}}

    Raises:
        ValueError: it is something else.
    """
    try:
        return _value(ast.parse(text.strip(), mode='eval').body)
    except (SyntaxError, RecursionError, MemoryError, TypeError) as error:  # a list as a key
        raise ValueError(f'{text}: cannot be read as a value; strings may need quotes') from error


def _value(node: ast.expr):
    match node:
        case ast.Constant():
            return node.value
        case ast.Name():
            return WORDS.get(node.id.lower(), node.id)
        case ast.Attribute():
            return ast.unparse(node)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return -number
        case ast.List() | ast.Tuple():
            entries = [_value(entry) for entry in node.elts]
            return entries if isinstance(node, ast.List) else tuple(entries)
        case ast.Dict() if None not in node.keys:
            return {
                _value(key): _value(value)
                for key, value in zip(node.keys, node.values, strict=True)
            }
        case ast.Call(func=ast.Name(id='dict'), args=[]) if all(k.arg for k in node.keywords):
            return {keyword.arg: _value(keyword.value) for keyword in node.keywords}
    raise ValueError(f'{ast.unparse(node)}: is not a number, word, list, tuple or dict')


def split(text: str) -> Iterator[str]:
    """Split ``text`` at the commas outside of all brackets.

    >>> list(split('a,b=[1,2],c'))
    ['a', 'b=[1,2]', 'c']
    """
    start = 0
    for end, character in enumerate(text):
        if character == ',' and is_balanced(text[start:end]):
            yield text[start:end]
            start = end + 1
    yield text[start:]


def is_balanced(text: str) -> bool:
    """Return whether every bracket in ``text`` has its partner."""
    waiting = []
    for character in text:
        if character in OPENING.values():
            waiting.append(character)
        elif character in OPENING and (not waiting or waiting.pop() != OPENING[character]):
            return False
    return not waiting


def read_rows(file: Path, kind: type[Row]) -> list[Row]:
    """Return the rows of a CSV file as instances of ``kind``, a dataclass with its columns.

    Texts are taken as they are, what other fields have is read by :func:`read_value`, and an empty
    cell stands for the default.
    """
    texts = {field.name for field in fields(kind) if field.type in (str, str | None)}
    with open(file, newline='', encoding='utf-8') as lines:
        return [
            kind(**{k: v if k in texts else read_value(v) for k, v in row.items() if v})
            for row in csv.DictReader(lines)
        ]
