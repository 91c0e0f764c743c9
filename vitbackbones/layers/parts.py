"""Interchangeable parts: how a config names them, what each does, and what it may support.

**Names.** A host network takes its parts as configuration, ``dict(type='DotProductAttention',
...)``. ``type`` is a key of one of the tables below, any class, or where to import one from
(``'mine.MyAttention'``), so a part of your own needs no registration;
``ATTENTIONS['Mine'] = Mine`` gives it a name. Without ``type`` the dict changes options of the
host's own part.

**What a part does.** Parts are modules. Each is built with the arguments listed, by keyword; what
its configuration says comes first and may hold more. N is the batch, L the number of tokens, C
their width ``embed_dims``.

* A stem makes patch tokens of an image of any size: ``stem(image) -> (tokens, (h, w))``, from
  (N, in_channels, H, W) to (N, h * w, C). Built with ``in_channels``, ``embed_dims``,
  ``patch_size``.
* An attention: ``attention(tokens, context=None) -> (N, L, C)``. ``context`` (N, S, C) holds the
  tokens that keys and values come from, where these are others. Built with ``embed_dims``,
  ``num_heads``, ``qkv_bias``, ``proj_bias``, ``attn_drop_rate``, ``drop_rate``, and ``cross``:
  whether there will be a context.
* A shortcut closes a residual branch: ``shortcut(x, normed, branch) -> x``, with the residual
  stream, its normalized copy that the branch read, and what the branch returned (after stochastic
  depth), all (N, L, C). Built with ``embed_dims``.
* An MLP, a class that a host gives its blocks: ``mlp(tokens) -> (N, L, C)``. Built with
  ``embed_dims``, ``hidden_dims`` and ``drop_rate``, in this order.

**What a part may have.** All of it is optional.

* ``supports = {'first_token'}`` (attention, MLP, shortcut, block): asked for the first token alone
  it gives the first of its answers. An attention is asked by ``attention(tokens[:, :1], tokens)``;
  MLPs and shortcuts act on each token alone. It speaks of the code beside it, so a subclass does
  not inherit it.
* ``takes_bias = True`` (attention): it takes a third argument ``bias``, which is added to the
  scores, broadcast to (N, heads, L, S). Shifted windows hand over their positions and mask so.
* ``weights`` (attention): a method that takes what the attention does, and ``bias``, and returns
  the weights (N, heads, L, S) that it averages the values by, without dropout.
* ``fold_for_inference()`` (any module): change the module in place, in a copy made for inference.
* ``for_first_token()`` (block): return a block that answers for the class token alone.
* ``fixed_size`` (any module): why an exported graph of it is for one size of images alone.
"""

from collections.abc import Callable, Iterable
from pkgutil import resolve_name
from typing import Any, TypeVar

from torch import nn

from ..errors import OptionError

Part = TypeVar('Part', bound=type[nn.Module])
ATTENTIONS: dict[str, type[nn.Module]] = {}
SHORTCUTS: dict[str, type[nn.Module]] = {}
STEMS: dict[str, type[nn.Module]] = {}


def register(table: dict[str, type[nn.Module]]) -> Callable[[Part], Part]:
    """Return a class decorator that enters a part into ``table`` under its class name."""

    def enter(part: Part) -> Part:
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
    kind = options.pop('type', None)
    if not isinstance(kind, type):
        name = part_name(str(kind))
        try:
            kind = resolve_name(name) if '.' in name and name not in table else table[name]
        except (ImportError, AttributeError, KeyError, ValueError) as error:
            known = ', '.join(sorted(table))
            raise OptionError(f'unknown part type={kind!r} ({error!r}); known: {known}') from error
    return kind(**{**arguments, **options})


def part_name(kind: str) -> str:
    """Return the name in the tables that a path into this package stands for.

    Modules in here are merged and renamed, and a config of an earlier release may hold the path:
    ``'vitbackbones.layers.shortcut.IdentityShortcut'`` is ``'IdentityShortcut'``. Other paths and
    names are returned as they are.
    """
    return kind.rpartition('.')[2] if kind.startswith(f'{__package__}.') else kind


def supports(part: nn.Module, use: str) -> bool:
    """Return whether the class of ``part`` itself, not one that it derives from, lists ``use``."""
    return use in vars(type(part)).get('supports', ())


def require_size(name: str, size: int) -> None:
    """Raise an ``OptionError`` unless ``size`` is a whole number from 1."""
    if not isinstance(size, int) or size < 1:
        raise OptionError(f'{name}={size!r}: must be an integer of at least 1')


def require_choice(name: str, value: Any, choices: Iterable) -> None:
    """Raise an ``OptionError`` unless the ``value`` of the option ``name`` is one of few."""
    choices = tuple(choices)
    if value not in choices:
        raise OptionError(f'{name}={value!r}: must be one of {", ".join(map(repr, choices))}')
