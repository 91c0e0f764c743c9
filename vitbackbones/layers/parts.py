"""Tables of interchangeable parts, looked up by name.

A host network takes its parts as configuration, ``dict(type='DotProductAttention', ...)``.
``type`` is a key of one of the tables below or any class, so a part of one's own needs no
registration; ``ATTENTIONS['Mine'] = Mine`` gives it a name.
"""

from torch import nn

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
        ValueError: ``config['type']`` is neither a class nor a key of ``table``.
    """
    options = dict(config)
    kind = options.pop('type', None)
    part = kind if isinstance(kind, type) else table.get(kind)
    if part is None:
        raise ValueError(f'unknown part type={kind!r}; known: {", ".join(sorted(table))}')
    return part(**{**arguments, **options})
