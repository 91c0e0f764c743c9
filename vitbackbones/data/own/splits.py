"""Which part of a dataset a file belongs to: the words of its path say it, or a hash of its name.

A hash rather than an order or a generator: pictures that are added later move no other one from
one part to the other, and every tool and every resumed run comes to the same parts. The parts are
not stratified, as a share of each class would let new pictures move old ones; a class that
training does not have is named before the run.
"""

import hashlib
import re
from collections.abc import Iterable
from pathlib import Path

from ...errors import InputError

WORDS = {
    'train': ('train', 'training', 'trainset'),
    'val': ('val', 'valid', 'validation', 'validate', 'valset', 'dev'),
    'test': ('test', 'testing', 'testset'),
}
SPLIT_OF = {word: split for split, words in WORDS.items() for word in words}
SHARE = 0.2  # of the pictures, held out for validation and testing
MARKS = 16  # names by which a part is recognized


def named_split(path: str) -> str | None:
    """Return the split that a relative path names, None without one; the last word counts.

    >>> named_split('valid/_annotations.coco.json'), named_split('instances_train2017.json')
    ('val', 'train')
    """
    words = reversed(re.findall('[a-z]+', path.lower()))
    return next((SPLIT_OF[word] for word in words if word in SPLIT_OF), None)


def divided(root: Path, parts: dict, trained_on: Iterable[str] | None) -> dict:
    """Return the parts of a dataset with one for validation.

    Where nothing is for validation, a fixed share of the training pictures is, by their names.
    Where nothing is for testing either, half of that share is: what chose the checkpoint of a run
    does not judge it.

    Args:
        root: the folder of the dataset, for messages.
        parts: what is known, by split; each has ``names``, of those ``labeled`` with objects, and
            ``only(names)`` returns less of it.
        trained_on: to test a model that is trained already, names of pictures that it was trained
            on. A single part is divided if it has some of these pictures; otherwise all of it is
            for testing.

    Raises:
        InputError: there is one picture alone, or one alone with objects.
    """
    if 'val' in parts or (trained_on is not None and parts.keys() != {'train'}):
        return parts
    part = parts['train']
    names = {*part.names}
    if trained_on is not None and names.isdisjoint(trained_on):
        return {'test': part}
    if len(names) < 2:
        raise InputError(f'{root}: one image cannot be split into training and validation.')
    if len(part.labeled) == 1:
        raise InputError(
            f'{root}: only one image has objects that count, so none is left for validation. '
            'Label more images.'
        )
    chosen = held_out(names, part.labeled)
    tested = set() if 'test' in parts else for_testing(chosen)
    if part.labeled and any(map(part.labeled.isdisjoint, (tested, chosen - tested))):
        tested = set()  # nothing could be measured on one of the two
    found = {'train': part.only(names - chosen), 'val': part.only(chosen - tested)}
    return parts | found | ({'test': part.only(tested)} if tested else {})


def held_out(names: Iterable[str], labeled: Iterable[str] = ()) -> set[str]:
    """Return the names of the validation part: one at least, and not all.

    Args:
        names: two or more different ones.
        labeled: of pictures with objects; some are in either part where there are two or more.
    """
    ranked = sorted(set(names), key=_place)
    chosen = [name for name in ranked if _place(name) < SHARE]
    held = set(chosen[: len(ranked) - 1] or ranked[:1])
    with_objects = sorted(set(labeled), key=_place)
    if len(with_objects) > 1:
        held = (held | {with_objects[0]}) - {with_objects[-1]}
    return held


def for_testing(names: Iterable[str]) -> set[str]:
    """Return the half of the pictures :func:`held_out` that is for testing; none of one picture."""
    ranked = sorted(set(names), key=_place)
    chosen = {name for name in ranked if _place(name) < SHARE / 2}
    return chosen if 0 < len(chosen) < len(ranked) else set(ranked[: len(ranked) // 2])


def marks(names: Iterable[str]) -> tuple[str, ...]:
    """Return a few of the names, by which a part is recognized after pictures were added."""
    return tuple(sorted(set(names), key=_place)[:MARKS])


def _place(name: str) -> float:
    """Return a number from 0 to 1 that looks random and depends on the name alone."""
    digest = hashlib.sha256(name.encode('utf-8', 'surrogateescape')).digest()
    return int.from_bytes(digest[:8], 'big') / 2**64
