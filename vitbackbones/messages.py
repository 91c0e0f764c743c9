"""Parts of messages: lists and values cut short, and what a misspelled name may stand for."""

from collections.abc import Callable, Iterable, Sequence

from .errors import printable

LONGEST = 60  # characters of a value


def some(items: Iterable, show: Callable[[object], str] = repr, most: int = 5) -> str:
    """The first items of a list in words.

    >>> some('abcdefg')
    "'a', 'b', 'c', 'd', 'e' and 2 more"
    """
    items = list(items)
    more = f' and {len(items) - most} more' if len(items) > most else ''
    return ', '.join(map(show, items[:most])) + more


def shorten(keys: Sequence[str]) -> str:
    """The first keys or names of a list, without quotes.

    >>> shorten(['norm.weight', 'norm.bias'])
    'norm.weight, norm.bias'
    """
    return some(map(str, keys), printable, most=8)


def cut(value: object) -> str:
    """``repr(value)``, the middle left out where it is long.

    >>> cut('a' * 300)
    "'aaaaaaaaaaaaaaaaaaaaaaaaaaa...aaaaaaaaaaaaaaaaaaaaaaaaaaa'"
    """
    text = repr(value)
    half = (LONGEST - 3) // 2
    return text if len(text) <= LONGEST else f'{text[:half]}...{text[-half:]}'


def did_you_mean(names: Iterable[str]) -> str:
    """A question for the known names that are near a misspelled one, '' if there are none.

    >>> did_you_mean(['model', 'models'])
    "; did you mean 'model' or 'models'?"
    """
    names = ' or '.join(map(repr, names))
    return f'; did you mean {names}?' if names else ''
