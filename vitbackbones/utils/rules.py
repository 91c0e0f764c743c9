"""What a value has to be: rules with their words, for configs and for cards of exported files."""

import math
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..errors import InputError
from .messages import cut


@dataclass(frozen=True)
class Rule:
    """What a value has to be; ``text`` completes "it must be ..."."""

    text: str
    fits: Callable[[Any], bool]

    def require(self, name: str, value: Any) -> None:
        """Check the value of an argument.

        Raises:
            InputError: it does not fit.
        """
        if not self.fits(value):
            raise InputError(f'{name}={cut(value)}: must be {self.text}')

    def __or__(self, other: 'Rule') -> 'Rule':
        return Rule(f'{self.text} or {other.text}', lambda x: self.fits(x) or other.fits(x))


def whole(least: int, most: float = math.inf) -> Rule:
    return Rule(
        f'an integer{_in_words(least, most)}',
        lambda x: type(x) is int and least <= x <= min(most, sys.maxsize),
    )


def number(
    least: float = -math.inf,
    above: float = -math.inf,
    most: float = math.inf,
    below: float = math.inf,
) -> Rule:
    return Rule(
        f'a number{_in_words(least, most, above, below)}',
        lambda x: is_number(x) and least <= x <= most and above < x < below,
    )


def _short(limit: float) -> str:
    return str(limit) if isinstance(limit, int) else f'{limit:g}'


def _in_words(least: float, most: float, above: float = -math.inf, below: float = math.inf) -> str:
    """Return limits as they follow the word "number".

    >>> _in_words(0, 1), _in_words(1, math.inf), _in_words(0, math.inf, below=1)
    (' from 0 to 1', ' of at least 1', ' of at least 0 and below 1')
    """
    if math.isfinite(least) and math.isfinite(most):
        return f' from {_short(least)} to {_short(most)}'
    limits = {'of at least': least, 'above': above, 'up to': most, 'below': below}
    known = [f'{word} {_short(limit)}' for word, limit in limits.items() if math.isfinite(limit)]
    return f' {" and ".join(known)}' if known else ''


def is_number(x: Any) -> bool:
    """Return whether a value can be computed with, which a whole number of 400 digits cannot."""
    if not isinstance(x, int | float) or isinstance(x, bool):
        return False
    return x.bit_length() <= 64 if isinstance(x, int) else math.isfinite(x)


def choice(*values: Any) -> Rule:
    return Rule(f'one of {", ".join(map(repr, values))}', lambda x: x in values)


def listed(rule: Rule, count: int | None = None, least: int = 0, most: float = math.inf) -> Rule:
    """Return a rule for a list or tuple, of ``count`` or from ``least`` entries that fit one."""
    length = f' of {count}' if count else f' of {least} or more' if least else ''
    if most < math.inf:
        length = f' of at most {most}'
    least, most = (count, count) if count else (least, most)
    return Rule(
        f'a list{length} ({rule.text} each)',
        lambda x: (
            isinstance(x, list | tuple) and least <= len(x) <= most and all(map(rule.fits, x))
        ),
    )


def named(text: str, rule: Rule) -> Rule:
    return replace(rule, text=text)


DICT = Rule('a dict', lambda x: isinstance(x, Mapping))
TEXT = Rule('a string', lambda x: isinstance(x, str))
FLAG = Rule('True or False', lambda x: isinstance(x, bool))
NONE = Rule('None', lambda x: x is None)
SIDE = whole(32, 8192)  # of images to compute: the largest has 2**26 pixels
PRECISIONS = ('auto', 'f32', 'bf16', 'int8')  # of graphs; here, as it loads without numpy
COLORS = named('a list of [red, green, blue] from 0 to 255', listed(listed(whole(0, 255), 3)))
