"""Items in groups."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

Item = TypeVar('Item')
Key = TypeVar('Key', bound=Hashable)


def by_key(items: Iterable[Item], key: Callable[[Item], Key]) -> dict[Key, list[Item]]:
    """Return lists of items by their keys, in their order; an empty list for any other key.

    >>> dict(by_key(['b1', 'a1', 'b2'], lambda name: name[0]))
    {'b': ['b1', 'b2'], 'a': ['a1']}
    """
    groups = defaultdict(list)
    for item in items:
        groups[key(item)].append(item)
    return groups
