"""The names of the models: which backbone with which arguments, and what a head reads of it."""

from collections.abc import Iterable
from fnmatch import fnmatchcase

from ..backbones import HOSTS
from ..errors import OptionError
from ..messages import did_you_mean

# name: (backbone, its arguments, what the head reads), as the backbones say themselves; a class
# does not answer to the names of the one that it derives from
MODELS = {
    name: (host, arguments, arguments.get('out_type', host.head_input))
    for host in HOSTS
    for name, arguments in vars(host).get('classifiers', {}).items()
}


def list_models(
    filter: str | Iterable[str] = '*', exclude_filters: str | Iterable[str] = ()
) -> list[str]:
    """Return the names that :func:`create_model` knows, in alphabetical order.

    Args:
        filter: a pattern with wildcards, such as ``'tnt*'``, or several.
        exclude_filters: patterns of names to leave out.
    """
    wanted, unwanted = _patterns(filter or '*'), _patterns(exclude_filters)
    return sorted(n for n in MODELS if _fits(n, wanted) and not _fits(n, unwanted))


def require_name(name: str) -> None:
    """Refuse a name that is not in :data:`MODELS`.

    Raises:
        OptionError: with the nearest names.
    """
    if name not in MODELS:
        hint = did_you_mean(name, MODELS.keys()) or f'; known: {", ".join(list_models())}'
        raise OptionError(f'unknown model {name!r}{hint}')


def _patterns(given: str | Iterable[str]) -> list[str]:
    return [given] if isinstance(given, str) else [*given]


def _fits(name: str, patterns: list[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)
