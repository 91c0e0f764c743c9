"""Interchangeable parts: how a config names them, what each does, and what it may declare.

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

**What a part may declare**, as an attribute, a property or a method of its class. All of it is
optional, and what is not declared is not used:

* ``takes_bias = True`` (attention): it takes a third argument ``bias``, which is added to the
  scores, broadcast to (N, heads, L, S). Shifted windows hand over their positions and mask so.
* ``weights`` (attention): a method that takes what the attention does, and ``bias``, and returns
  the weights (N, heads, L, S) that it averages the values by, without dropout. They are computed
  anew from its queries and keys.
* ``last_linear`` (attention, MLP): the ``nn.Linear`` that the answer comes out of, with nothing
  but dropout after it; ``None`` if there is none. A factor of the branch can go into it.
* ``answers_for_first_token = True`` (attention, MLP, shortcut): asked for the first token alone
  it gives the first of its answers. An attention is asked by ``attention(tokens[:, :1],
  tokens)``; MLPs and shortcuts must act on each token alone.
* ``fold_into(last)`` (shortcut): multiply its factor of the branch into the linear layer ``last``
  and return the module that does the rest at inference. That one may write over ``branch``.
* ``residuals`` (a module that holds branches and shortcuts, as a block does): which branch each
  shortcut closes, a dict of attribute names ``{shortcut: branch}``. The branch's answer is at
  most rearranged and dropped in between, and nothing else reads it.
* ``image_inputs`` (stem without convolutions): names of its parameters that read the channels of
  the image, ``in_channels`` of the stem. Weights have them in their second axis, vectors in their
  only one, joined with the pixels of a patch; ``channels_last = True`` where the channel varies
  fastest there. A checkpoint of three channels is then adapted to others.
* ``chain`` (MLP): names of its linear layers and activations, which are its answer when they are
  applied one after the other; nothing but dropout is between them.

A declaration speaks of the code beside it: a subclass with methods of its own repeats what still
holds, see :func:`declared`. ``takes_bias`` alone is inherited as any attribute is.

Any module may have a method ``fold_for_inference()``, which changes the module in place in a copy
of the network made for inference (``layers.fuse``). A block may have ``for_first_token()``, which
returns a block that answers for the class token alone, see :class:`~vitbackbones.layers.Block`.
A module may say in ``fixed_size`` why an exported graph of it is for one size of images alone.
"""

from collections.abc import Iterable
from inspect import isroutine
from pkgutil import resolve_name
from typing import Any

from torch import nn

from ..errors import OptionError

ATTENTIONS: dict[str, type[nn.Module]] = {}
SHORTCUTS: dict[str, type[nn.Module]] = {}
STEMS: dict[str, type[nn.Module]] = {}


def register(table: dict[str, type[nn.Module]]):
    """Return a class decorator that enters a part into ``table`` under its class name."""

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
    name = part_name(str(kind))
    try:
        return resolve_name(name) if '.' in name and name not in table else table[name]
    except (ImportError, AttributeError, KeyError, ValueError) as error:
        known = ', '.join(sorted(table))
        raise OptionError(f'unknown part type={kind!r} ({error!r}); known: {known}') from error


def part_name(kind: str) -> str:
    """Return the name in the tables that a path into this package stands for.

    Modules in here are merged and renamed, and a config of an earlier release may hold the path:
    ``'vitbackbones.layers.shortcut.IdentityShortcut'`` is ``'IdentityShortcut'``. Other paths and
    names are returned as they are.
    """
    return kind.rpartition('.')[2] if kind.startswith(f'{__package__}.') else kind


def declared(part: nn.Module, name: str) -> Any:
    """Return what the class of ``part`` declares under ``name``; ``None`` if it declares nothing.

    A declaration holds for the class that makes it, and for subclasses that change the
    constructor alone. A subclass with methods of its own may do more than was declared, so it
    inherits nothing; it repeats what still holds: ``last_linear = Base.last_linear``.
    """
    for cls in type(part).__mro__:
        if name in vars(cls):
            return getattr(part, name)
        if any(isroutine(value) and not key.startswith('__') for key, value in vars(cls).items()):
            break
    return None


def require_choice(name: str, value: Any, choices: Iterable) -> None:
    """Check the ``value`` of an option ``name`` that has few.

    Raises:
        OptionError: it is not among the ``choices``, which are listed.
    """
    choices = tuple(choices)
    if value not in choices:
        known = ', '.join(map(repr, choices))
        raise OptionError(f'{name}={value!r}: must be one of {known}')
