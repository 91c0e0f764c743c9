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
SPAN = 2**15  # characters of a list that are decoded at a time, whose objects fit into a cache
PIECE = 2_000  # entries that are handed on at a time where each was decoded alone
_skip_spaces = re.compile(r'[ \t\n\r]*').match
_object_follows = re.compile(r'[ \t\n\r]*\{').match
_scan = json.JSONDecoder().scan_once


def read_lists(file: TextIO) -> Iterator[tuple[str, object]]:
    """Yield the keys and values of an object; a list in pieces of some entries.

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
        found = [] if piece else text.objects()
        piece += found or [text.value()]
        is_last = text.expect(',]') == ']'
        if is_last or found or len(piece) == PIECE:
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

    def objects(self) -> list:
        """Return many next entries of a list of objects, and go behind them; [] if that fails.

        Decoding many at a time takes less time. A comma between two objects may belong to another
        list; then a bracket before it is open, and nothing can be decoded. Or the list has ended.
        """
        if len(self.text) - self.at < SPAN:
            self._read_on()
        end = self.text.rfind('},', self.at, self.at + SPAN)
        while end > 0 and not _object_follows(self.text, end + 2):
            end = self.text.rfind('},', self.at, end)
        if end < 0:
            return []
        try:
            found, length = _scan(f'[{self.text[self.at : end + 1]}]', 0)
        except ValueError:
            return []
        self.at += length - 2  # without the brackets
        return found

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
