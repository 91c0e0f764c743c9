"""Which part of a data set a file belongs to: the words of its path say it, or a hash of its name.

A hash rather than an order or a generator: pictures that are added later move no other one from
one part to the other, and every tool and every resumed run comes to the same parts. The parts are
not stratified, as a share of each class would let new pictures move old ones; a class that
training does not have is named before the run.
"""

import hashlib
import re
from collections.abc import Iterable

WORDS = {
    'train': ('train', 'training'),
    'val': ('val', 'valid', 'validation', 'dev'),
    'test': ('test', 'testing'),
}
SPLIT_OF = {word: split for split, words in WORDS.items() for word in words}
SHARE = 0.2  # of the pictures, held out for validation
MARKS = 16  # names by which a part is recognized


def named_split(path: str) -> str | None:
    """Return the split that a relative path names, None without one; the last word counts.

    >>> named_split('valid/_annotations.coco.json'), named_split('instances_train2017.json')
    ('val', 'train')
    """
    words = reversed(re.findall('[a-z]+', path.lower()))
    return next((SPLIT_OF[word] for word in words if word in SPLIT_OF), None)


def held_out(names: Iterable[str]) -> set[str]:
    """Return the names of the validation part: one at least, and not all.

    Args:
        names: two or more different ones.
    """
    ranked = sorted(set(names), key=_place)
    chosen = [name for name in ranked if _place(name) < SHARE]
    return set(chosen[: len(ranked) - 1] or ranked[:1])


def marks(names: Iterable[str]) -> tuple[str, ...]:
    """Return a few of the names, by which a part is recognized after pictures were added."""
    return tuple(sorted(set(names), key=_place)[:MARKS])


def _place(name: str) -> float:
    """Return a number from 0 to 1 that looks random and depends on the name alone."""
    digest = hashlib.sha256(name.encode('utf-8', 'surrogateescape')).digest()
    return int.from_bytes(digest[:8], 'big') / 2**64
