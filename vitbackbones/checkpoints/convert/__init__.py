"""Published checkpoints in this package's keys: one pure function per source.

The keys of a backbone are timm's wherever the part exists there, those of a classifier are the
same plus ``head.weight`` and ``head.bias``. A converter maps a state dict to another and leaves
keys that it does not know as they are, so that the loader can report them.
"""

from collections.abc import Callable
from dataclasses import dataclass

from torch import Tensor

from ...errors import InputError
from .aug_vit import convert_aug_vit, is_aug_vit
from .mmpretrain import (
    convert_mmpretrain_t2t,
    convert_mmpretrain_tnt,
    convert_mmpretrain_vit,
    is_mmpretrain_t2t,
    is_mmpretrain_tnt,
    is_mmpretrain_vit,
)
from .msf import convert_msf, describe_msf, is_msf
from .pvt import convert_pvt, is_pvt
from .setr import convert_setr, describe_setr, is_setr, unused_in_setr
from .sret import NOTE as SRET_NOTE
from .sret import convert_sret, is_sret
from .swin import convert_swin, is_swin
from .t2t import convert_t2t, describe_t2t, is_t2t
from .tnt import convert_timm_tnt, convert_tnt, describe_tnt, is_timm_tnt, is_tnt

StateDict = dict[str, Tensor]


@dataclass(frozen=True)
class Format:
    """A checkpoint layout: how its keys are recognised and rewritten.

    ``describe`` says which variant a rewritten state dict is of, where a layout has several that
    are easily mistaken for each other; the message that a file does not fit repeats it.

    ``unused`` names what files of this layout hold and their own code never reads.

    ``note`` says what the keys leave open and a reader of the file has to know.
    """

    detect: Callable[[StateDict], bool]
    convert: Callable[[StateDict], StateDict]
    describe: Callable[[StateDict], str] = lambda state: ''
    unused: Callable[[StateDict], list[str]] = lambda state: []
    note: str = ''


# The first that recognises a state dict wins; 'native' (also DeiT's and timm's ViT) takes the rest.
FORMATS = {
    'setr': Format(is_setr, convert_setr, describe_setr, unused_in_setr),
    'aug_vit': Format(is_aug_vit, convert_aug_vit),
    'msf': Format(is_msf, convert_msf, describe_msf),
    'pvt': Format(is_pvt, convert_pvt),
    'tnt': Format(is_tnt, convert_tnt, describe_tnt),
    'timm_tnt': Format(is_timm_tnt, convert_timm_tnt, describe_tnt),
    't2t': Format(is_t2t, convert_t2t, describe_t2t),
    'mmpretrain_tnt': Format(is_mmpretrain_tnt, convert_mmpretrain_tnt, describe_tnt),
    'mmpretrain_t2t': Format(is_mmpretrain_t2t, convert_mmpretrain_t2t, describe_t2t),
    'mmpretrain_vit': Format(is_mmpretrain_vit, convert_mmpretrain_vit),
    'sret': Format(is_sret, convert_sret, note=SRET_NOTE),
    'swin': Format(is_swin, convert_swin),
    'deit': Format(lambda state: 'blocks.0.attn.qkv.weight' in state, dict),
    'native': Format(lambda state: True, dict),
}


def take_state_dict(checkpoint: dict, state_key: str | None = None) -> StateDict:
    """Take the state dict out of a checkpoint and strip ``module.``.

    Accepts a bare state dict or one under ``state_dict_ema`` (preferred where published results
    are the averaged weights'), ``state_dict`` or ``model``; ``state_key`` names another entry.

    Raises:
        InputError: there is no such entry, or there are no tensors in it.
    """
    if state_key is not None and not isinstance(checkpoint.get(state_key), dict):
        raise InputError(
            f'init_cfg.state_key={state_key!r}: the checkpoint has the keys {list(checkpoint)[:8]}'
            '; for its usual weights set state_key=None there'
        )
    for key in ('state_dict_ema', 'state_dict', 'model') if state_key is None else (state_key,):
        if isinstance(checkpoint.get(key), dict):
            checkpoint = checkpoint[key]
            break
    state = {
        key.removeprefix('module.'): value
        for key, value in checkpoint.items()
        if isinstance(value, Tensor)
    }
    if not state:
        raise InputError(f'no weights in a checkpoint with the keys {list(checkpoint)[:8]}')
    return state


def unwrap(checkpoint: dict, state_key: str | None = None) -> StateDict:
    """Take the state dict out of a checkpoint and strip its wrappers' prefixes.

    As :func:`take_state_dict`; of a whole OpenMMLab model it keeps the backbone and a linear
    classification head. A released SETR, whose heads have a converter, stays whole.
    """
    state = take_state_dict(checkpoint, state_key)
    return state if is_setr(state) else without_wrapper(state)


def without_wrapper(state: StateDict) -> StateDict:
    """Take the prefix ``backbone.`` off, and mmpretrain's off a head, if any key has the first."""
    if not any(key.startswith('backbone.') for key in state):
        return state
    return {_without_wrapper(key): value for key, value in state.items()}


def _without_wrapper(key: str) -> str:
    if key.startswith('head.fc.'):
        return 'head.' + key.removeprefix('head.fc.')
    return key.removeprefix('backbone.')


def convert(state: StateDict, format: str | None = None) -> tuple[StateDict, str]:
    """Rewrite a state dict in this package's keys.

    Args:
        state: what :func:`unwrap` gives.
        format: a key of ``FORMATS``; found from the keys by default.

    Returns:
        The new state dict and the name of the format.

    Raises:
        InputError: ``format`` is unknown.
    """
    if format is None:
        format = next(name for name, entry in FORMATS.items() if entry.detect(state))
    if format not in FORMATS:
        raise InputError(f'unknown checkpoint format {format!r}; known: {", ".join(FORMATS)}')
    return FORMATS[format].convert(state), format
