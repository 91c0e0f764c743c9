"""Read the long lists of a JSON file piece by piece.

An annotation file of half a gigabyte is three gigabytes of Python objects. Here only a piece of it
is in memory at a time. Whatever is not as expected raises ``ValueError``: :mod:`json` reads the
whole file then, and says what is wrong.
"""

import json
import re
from collections.abc import Iterator
from typing import TextIO

CHUNK = 2**22  # characters that are read at a time
PIECE = 2_000  # entries of a list that are handed on at a time
_skip_spaces = re.compile(r'[ \t\n\r]*').match
_scan = json.JSONDecoder().scan_once


def read_lists(file: TextIO) -> Iterator[tuple[str, object]]:
    """Yield the keys and values of an object; a list in pieces of at most ``PIECE`` entries.

    An empty list is one empty piece. What was yielded must not be kept.

    Raises:
        ValueError: the text is no JSON object, or a key is used twice.
        RecursionError: it is nested too deeply.
    """
    text = _Text(file)
    known = set()
    text.expect('{')
    while True:
        key = text.value()
        if type(key) is not str or key in known:
            raise ValueError('no key, or one that is used twice')
        known.add(key)
        text.expect(':')
        if text.peek() == '[':
            for piece in _pieces(text):
                yield key, piece
        else:
            yield key, text.value()
        if text.expect(',}') == '}':
            return text.end()


def _pieces(text: '_Text') -> Iterator[list]:
    text.expect('[')
    piece: list = []
    if text.peek() == ']':
        text.expect(']')
        yield piece
        return
    while True:
        piece.append(text.value())
        is_last = text.expect(',]') == ']'
        if is_last or len(piece) == PIECE:
            yield piece
            piece = []
        if is_last:
            return


class _Text:
    """A text of which only the part that is being read is in memory."""

    def __init__(self, file: TextIO) -> None:
        self.file = file
        self.text = ''
        self.at = 0

    def peek(self) -> str:
        """Return the next character that is no space, '' at the end."""
        self.at = _skip_spaces(self.text, self.at).end()
        while self.at == len(self.text) and self._read_on():
            self.at = _skip_spaces(self.text, self.at).end()
        return self.text[self.at : self.at + 1]

    def expect(self, characters: str) -> str:
        """Return the next character that is no space, one of these, and go behind it."""
        found = self.peek()
        if not found or found not in characters:
            raise ValueError(f'{found!r} in the place of one of {characters!r}')
        self.at += 1
        return found

    def value(self) -> object:
        """Return the next value, and go behind it."""
        self.peek()
        while True:
            try:
                value, end = _scan(self.text, self.at)
                if end < len(self.text):  # else it may be a part of a number
                    self.at = end
                    return value
            except (ValueError, StopIteration):  # it may go on behind what was read
                pass
            if not self._read_on():
                raise ValueError('a value without an end')

    def end(self) -> None:
        """Require that nothing follows."""
        if self.peek():
            raise ValueError('more than one value')

    def _read_on(self) -> bool:
        """Read at least as much again as there is, so that a long value costs linear time."""
        self.text = self.text[self.at :]
        self.at = 0
        more = self.file.read(max(CHUNK, len(self.text)))
        self.text += more
        return bool(more)
