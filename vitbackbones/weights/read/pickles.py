"""A reader of pickles as data, which runs nothing.

Python's own reader imports what a file names and calls it with what the file says, which is how a
file runs code. torch's ``weights_only`` calls only what is on a list, still with any arguments, and
the list is shared by the whole process. Here nothing is imported, a name stands for what a table
holds for it, and only the :class:`Maker` entries of that table are called. Each of them checks its
arguments.

``pickletools`` of the standard library decodes the operations; :data:`OPERATIONS` says what each
of them does. No checkpoint needs those that are missing there.
"""

import math
import pickletools
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np

from ...utils.rules import listed, whole

COPIES = 10  # how many bytes and items may be copied for each byte of a file
IMG_SIZE = 'img_size'  # what a backbone notes beside its weights, for position codes
SIZE = listed(whole(1, 2**20), 2)
MOST_PARTS = 64  # of a tuple that is a key


class Refused(Exception):
    """The file holds something other than data; the message says what."""


@dataclass(frozen=True)
class Maker:
    """A name that a file may call."""

    make: Callable


class Draft:
    """An object that a file makes first and fills afterwards.

    Attributes:
        value: what takes its place once it is filled.
    """

    value: Any = None

    def fill(self, state: Any) -> None:
        """Set ``value`` from ``state``.

        Raises:
            Refused: ``state`` is not what such an object holds.
        """
        raise NotImplementedError


class Unpickler:
    """Read one pickle after another.

    Args:
        names: what each dotted name stands for; Python 2's names of modules are Python 3's here.
        storage: returns what a persistent id stands for, torch's way to refer to tensors' bytes.
        most: operations of a pickle; one of a byte can take hundreds of them in memory.
    """

    def __init__(
        self, names: Mapping[str, Any], storage: Callable[[Any], Any], most: float = math.inf
    ) -> None:
        self.names = names
        self.storage = storage
        self.most = most

    def load(self, file: BinaryIO) -> Any:
        """Read the pickle at the position of ``file``, which is left behind it.

        Raises:
            Refused: the file names something that is not in the table, or misuses what is.
            Exception: of any other kind, if this is not a pickle, or a damaged one, or one with an
                operation that no checkpoint needs.
        """
        self.file = file
        self.start = file.tell()
        self.copied = 0
        self.stack: list[Any] = []
        self.marked: list[list[Any]] = []
        self.memo: dict[int, Any] = {}
        for number, (operation, argument, _) in enumerate(pickletools.genops(file)):
            if number == self.most:
                raise Refused(f'more than {self.most} parts')
            OPERATIONS[operation.name](self, argument)
        return self.pop()

    # ------------------------------------------------------------------------ the stack

    def push(self, value: Any) -> None:
        self.stack.append(value)

    def pop(self) -> Any:
        return _finished(self.stack.pop())

    def pop_many(self, count: int) -> list[Any]:
        return [self.pop() for _ in range(count)][::-1]

    def pop_marked(self) -> list[Any]:
        items = self.stack
        self.stack = self.marked.pop()
        return list(map(_finished, items))

    def mark(self, _) -> None:
        self.marked.append(self.stack)
        self.stack = []

    def target(self, *kinds: type) -> Any:
        """Return the container on top of the stack; it must be of one of ``kinds``."""
        if type(self.stack[-1]) not in kinds:
            raise Refused(f'items put into a {type(self.stack[-1]).__name__}')
        return self.stack[-1]

    # ------------------------------------------------------------------------ operations

    def remember(self, index: int) -> None:
        self.memo[index] = self.stack[-1]

    def recall(self, index: int) -> None:
        self.push(self.memo[index])

    def append(self, items: list[Any]) -> None:
        self.target(list).extend(items)

    def add(self, items: list[Any]) -> None:
        self.target(set).update(flat_keys(items))

    def set_items(self, items: list[Any]) -> None:
        keys = flat_keys(items[::2])
        self.target(dict, OrderedDict).update(zip(keys, items[1::2], strict=True))

    def look_up(self, name: str) -> None:
        for old, new in RENAMED.items():
            name = new + name.removeprefix(old) if name.startswith(old) else name
        if name not in self.names:
            raise Refused(ascii(name[:100]).strip("'"))
        self.push(self.names[name])

    def call(self, _) -> None:
        maker, arguments = self.pop_many(2)
        if type(maker) is not Maker or type(arguments) is not tuple:
            raise Refused(f'a call of a {type(maker).__name__}')
        self.count_copies(arguments)
        self.push(maker.make(*arguments))

    def build(self, _) -> None:
        state = self.pop()
        target = self.stack[-1]
        if type(target) is OrderedDict:
            target._metadata = _versions(state)
        elif isinstance(target, Draft):
            self.count_copies(_parts(state))
            target.fill(state)
        else:
            raise Refused(f'the state of a {type(target).__name__}')

    def count_copies(self, given: Iterable[Any]) -> None:
        """Refuse to copy one thing so often that a small file fills the memory."""
        self.copied += sum(map(_length, given))
        if self.copied > COPIES * (self.file.tell() - self.start):
            raise Refused('the same data many times over')


def flat_keys(keys: Sequence[Any]) -> Sequence[Any]:
    """Return ``keys``; refuse those that crash Python on hashing, or take it hours.

    These are tuples in tuples, long tuples that a small file names again and again, and numbers
    beyond 64 bits, of which any number can share one hash.
    """
    for key in keys:
        parts = key if isinstance(key, tuple) else (key,)
        if len(parts) > MOST_PARTS or any(isinstance(part, tuple) for part in parts):
            raise Refused('a key of nested or long tuples')
        if any(isinstance(part, int) and part.bit_length() > 64 for part in parts):
            raise Refused('a key beyond 64 bits')
    return keys


def _parts(state: Any) -> Iterable[Any]:
    if isinstance(state, dict):
        return (state, *state.values())
    return state if isinstance(state, tuple) else ()


def _length(value: Any) -> int:
    if isinstance(value, np.ndarray):
        return value.nbytes
    return len(value) if isinstance(value, str | bytes | list | tuple | dict) else 0


def _finished(value: Any) -> Any:
    if not isinstance(value, Draft):
        return value
    if value.value is None:
        raise Refused(f'an empty {type(value).__name__}')
    return value.value


def _versions(state: Any) -> OrderedDict:
    """Keep what ``Module.state_dict`` says beside the weights: version and image size of each."""
    given = state.get('_metadata') if type(state) is dict else None
    given = given if isinstance(given, dict) else {}
    kept = OrderedDict()
    for key, entry in given.items():
        entry = entry if type(entry) is dict else {}
        version = entry.get('version')
        size = entry.get(IMG_SIZE)
        about = {'version': version} if type(version) is int else {}
        kept[key] = about | ({IMG_SIZE: tuple(size)} if SIZE.fits(size) else {})
    return OrderedDict((key, about) for key, about in kept.items() if about)


RENAMED = {'__builtin__.': 'builtins.', 'numpy._core.': 'numpy.core.'}
LITERALS = ('BININT', 'BININT1', 'BININT2', 'LONG1', 'BINFLOAT', 'BINUNICODE', 'SHORT_BINUNICODE')
LITERALS += ('BINBYTES', 'SHORT_BINBYTES', 'SHORT_BINSTRING')

OPERATIONS: dict[str, Callable[[Unpickler, Any], None]] = {
    **dict.fromkeys(('PROTO', 'FRAME', 'STOP'), lambda reader, _: None),
    **dict.fromkeys(LITERALS, Unpickler.push),
    'NONE': lambda reader, _: reader.push(None),
    'NEWTRUE': lambda reader, _: reader.push(True),
    'NEWFALSE': lambda reader, _: reader.push(False),
    'EMPTY_TUPLE': lambda reader, _: reader.push(()),
    'EMPTY_LIST': lambda reader, _: reader.push([]),
    'EMPTY_DICT': lambda reader, _: reader.push({}),
    'EMPTY_SET': lambda reader, _: reader.push(set()),
    'MARK': Unpickler.mark,
    'TUPLE': lambda reader, _: reader.push(tuple(reader.pop_marked())),
    'TUPLE1': lambda reader, _: reader.push(tuple(reader.pop_many(1))),
    'TUPLE2': lambda reader, _: reader.push(tuple(reader.pop_many(2))),
    'TUPLE3': lambda reader, _: reader.push(tuple(reader.pop_many(3))),
    'APPEND': lambda reader, _: reader.append(reader.pop_many(1)),
    'APPENDS': lambda reader, _: reader.append(reader.pop_marked()),
    'ADDITEMS': lambda reader, _: reader.add(reader.pop_marked()),
    'SETITEM': lambda reader, _: reader.set_items(reader.pop_many(2)),
    'SETITEMS': lambda reader, _: reader.set_items(reader.pop_marked()),
    'BINPUT': Unpickler.remember,
    'LONG_BINPUT': Unpickler.remember,
    'MEMOIZE': lambda reader, _: reader.remember(len(reader.memo)),
    'BINGET': Unpickler.recall,
    'LONG_BINGET': Unpickler.recall,
    'GLOBAL': lambda reader, words: reader.look_up(words.replace(' ', '.')),
    'STACK_GLOBAL': lambda reader, _: reader.look_up('.'.join(reader.pop_many(2))),
    'REDUCE': Unpickler.call,
    'NEWOBJ': Unpickler.call,
    'BUILD': Unpickler.build,
    'BINPERSID': lambda reader, _: reader.push(reader.storage(reader.pop())),
}
