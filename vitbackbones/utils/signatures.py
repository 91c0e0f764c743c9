"""Which keywords a class takes: its own, and those it hands on to its bases."""

import ast
import inspect
import textwrap
from collections.abc import Callable
from types import NoneType, UnionType
from typing import Union, get_args, get_origin

ANY = None
"""Answer of :func:`accepted_keywords` where a callable takes keywords that no signature names."""


def accepted_keywords(target: Callable) -> set[str] | None:
    """Return the keywords that may be given to ``target``, or :data:`ANY`.

    For a class the constructors are followed along the bases for as long as all of ``**kwargs``
    is handed on to ``super().__init__``.
    """
    if not inspect.isclass(target):
        names, extra = _keywords(target)
        return ANY if extra else names
    accepted: set[str] = set()
    for init in constructors(target):
        names, extra = _keywords(init)
        accepted |= names
        if extra is None:
            return accepted
        if not _hands_on(init, extra):
            return ANY
    return accepted


def keywords_by_name(target: Callable) -> dict[str, inspect.Parameter]:
    """Return the parameters that ``target`` names, for a class with those of its bases.

    The bases are followed for as long as a constructor takes further keywords.
    """
    found: dict[str, inspect.Parameter] = {}
    for function in constructors(target) if inspect.isclass(target) else [target]:
        parameters = inspect.signature(function).parameters
        found = {**parameters, **found}
        if not any(each.kind is each.VAR_KEYWORD for each in parameters.values()):
            break
    return found


def kinds_of(parameter: inspect.Parameter) -> set[type]:
    """Return the types that a parameter is annotated with, and that of its default."""
    kind, default = parameter.annotation, parameter.default
    kinds = set(get_args(kind)) if get_origin(kind) in (Union, UnionType) else {kind}
    return (kinds | {type(default)}) - {parameter.empty, type, NoneType}


def constructors(target: type) -> list[Callable]:
    """Return the ``__init__`` of ``target`` and its bases, but not ``object``'s."""
    owners = [owner for owner in inspect.getmro(target) if owner is not object]
    return [vars(owner)['__init__'] for owner in owners if '__init__' in vars(owner)]


def _keywords(function: Callable) -> tuple[set[str], str | None]:
    """Return the names that can be given by keyword, and the name of ``**kwargs`` if any."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # compiled, without a signature
        return set(), 'kwargs'
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    names = {p.name for p in parameters if p.kind in named} - {'self'}
    return names, next((p.name for p in parameters if p.kind is p.VAR_KEYWORD), None)


def _hands_on(init: Callable, extra: str) -> bool:
    """Whether the one thing that ``init`` does with ``**extra`` is to pass it to its super."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(init))))
    except (OSError, TypeError, SyntaxError):
        return False
    owner = init.__qualname__.split('.')[-2]
    supers = ('super().__init__', f'super({owner}, self).__init__')
    nodes = list(ast.walk(tree))
    uses = [node for node in nodes if isinstance(node, ast.Name) and node.id == extra]
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    handing = [call for call in calls if ast.unparse(call.func) in supers]
    passed = [word.value for call in handing for word in call.keywords if word.arg is None]
    return len(uses) == 1 and uses[0] in passed
