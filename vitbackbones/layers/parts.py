"""Tables of interchangeable parts, looked up by name.

A host network takes its parts as configuration, ``dict(type='DotProductAttention', ...)``.
``type`` is a key of one of the tables below, any class, or where to import one from
(``'mine.MyAttention'``), so a part of one's own needs no registration;
``ATTENTIONS['Mine'] = Mine`` gives it a name. Without ``type`` the dict changes options of the
host's own part.
"""

from pkgutil import resolve_name

from torch import nn

from ..errors import OptionError

ATTENTIONS: dict[str, type[nn.Module]] = {}
SHORTCUTS: dict[str, type[nn.Module]] = {}
STEMS: dict[str, type[nn.Module]] = {}


def register(table: dict[str, type[nn.Module]]):
    """Class decorator that enters a part into ``table`` under its class name."""

    def enter(part: type[nn.Module]) -> type[nn.Module]:
        table[part.__name__] = part
        return part

    return enter


def build_part(table: dict[str, type[nn.Module]], config: dict, **arguments) -> nn.Module:
    """Build the part that ``config`` names; the host's ``arguments`` give its widths.

    What ``config`` says itself comes before the host's.

    Raises:
        OptionError: ``config['type']`` is neither a class nor a key of ``table``.
    """
    options = dict(config)
    part = _find_part(table, options.pop('type', None))
    return part(**{**arguments, **options})


def _find_part(table: dict[str, type[nn.Module]], kind: str | type | None) -> type[nn.Module]:
    if isinstance(kind, type):
        return kind
    if kind in table:
        return table[kind]
    try:
        return resolve_name(kind) if '.' in str(kind) else table[kind]
    except (ImportError, AttributeError, KeyError) as error:
        known = ', '.join(sorted(table))
        raise OptionError(f'unknown part type={kind!r} ({error!r}); known: {known}') from error
