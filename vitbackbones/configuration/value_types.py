"""Which types of value a signature admits, as far as it says so without doubt.

Annotations of the toolboxes are often narrower than what the code takes: lists where one dict is
named, tuples where one number is. So of their classes only what cannot be meant is refused, such
as a text for a number; of this package's every value that the annotation does not name.
"""

import inspect
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, Union, get_args, get_origin

from ..registry import SCOPE
from ..utils.signatures import constructors

NUMBERS = frozenset({bool, int, float})
# What is admitted by an annotation, in the types that a config can hold.
ADMITTED = {
    bool: {bool, int},
    int: {bool, int},
    float: NUMBERS,
    str: {str, int, float},  # --cfg-options reads arch=14 as a number
    type(None): {type(None)},
    **dict.fromkeys((dict, Mapping), {dict}),
    **dict.fromkeys((list, tuple, Sequence, Iterable), {list}),
}
# By type of value: it is refused by a foreign signature that admits nothing but these.
BEYOND_DOUBT = {
    str: NUMBERS | {dict, type(None)},
    dict: NUMBERS | {str, type(None)},
    **dict.fromkeys(NUMBERS, {dict, type(None)}),
}
PLAIN = {Mapping: dict, tuple: list, Sequence: list, Iterable: list}
NAMES = {
    **{bool: 'True or False', int: 'a whole number', float: 'a number', str: 'a string'},
    **{dict: 'a dict', list: 'a list', type(None): 'None'},
}


def wanted_instead(target: Callable, keyword: str, value: Any) -> str:
    """Return what ``target`` wants for ``keyword`` in place of ``value``; '' if it may take it.

    Args:
        target: a class or a function.
        keyword: one of its arguments, or of those of its bases.
        value: as a config holds it.
    """
    parameter, given = _parameter(target, keyword), _type_in_config(value)
    if parameter is None or given is None:
        return ''
    if parameter.annotation is parameter.empty:
        counts = type(parameter.default) in (int, float)
        return NAMES[float] if counts and given is str else ''
    named = _members(parameter.annotation)
    admitted = set().union(*(ADMITTED[each] for each in named))
    if not named or given in admitted:
        return ''
    own = getattr(target, '__module__', '').startswith(f'{SCOPE}.')
    if not own and not admitted <= BEYOND_DOUBT.get(given, set()):
        return ''
    plain = {PLAIN.get(each, each) for each in named} - ({int} if float in named else set())
    return ' or '.join(name for kind, name in NAMES.items() if kind in plain)


def _type_in_config(value: Any) -> type | None:
    """Return the type of ``value``; None for a class, a function or another object."""
    if isinstance(value, Mapping):
        return dict
    if isinstance(value, list | tuple):
        return list
    return type(value) if type(value) in (bool, int, float, str, type(None)) else None


def _parameter(target: Callable, keyword: str) -> inspect.Parameter | None:
    for function in constructors(target) if inspect.isclass(target) else [target]:
        try:
            parameters = inspect.signature(function, eval_str=True).parameters
        except (NameError, TypeError, ValueError, AttributeError, SyntaxError):
            return None  # compiled, or annotated with what is not there at run time
        if keyword in parameters:
            return parameters[keyword]
    return None


def _members(annotation: Any) -> set[type]:
    """Return the keys of :data:`ADMITTED` in an annotation; none if it names anything else."""
    if annotation is None:
        return {type(None)}
    origin = get_origin(annotation)
    if origin in (Union, types.UnionType):
        members = [_members(each) for each in get_args(annotation)]
        return set().union(*members) if all(members) else set()
    if origin is Literal:
        return {type(each) for each in get_args(annotation)}
    kind = origin or annotation
    if isinstance(kind, type) and issubclass(kind, Mapping):
        return {dict}
    return {kind} if kind in ADMITTED else set()
