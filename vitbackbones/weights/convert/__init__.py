"""Published checkpoints in this package's keys: rules in ``renames.csv``, or a pure function.

The keys of a backbone are timm's wherever the part exists there, those of a classifier are the
same plus ``head.weight`` and ``head.bias``. A converter maps a state dict to another and leaves
keys that it does not know as they are, so that the loader can report them.
"""

from collections.abc import Callable, Container
from dataclasses import dataclass, replace
from functools import partial

from . import columns, efficientnet, pyramids, whole_models
from .state_dict import RULES, WRAPPERS, StateDict, rename, take_state_dict, without_wrapper


@dataclass(frozen=True)
class Format:
    """A checkpoint layout: how its keys are recognized and rewritten.

    Attributes:
        detect: whether a state dict has this layout.
        convert: rewrite its keys; by default by the rules of ``renames.csv`` for this layout.
        unused: the keys that files of this layout hold and their own code never reads.
        note: what the keys leave open and a reader of the file has to know.
        whole_model: the files hold a backbone with all its heads, and the heads are converted too.
        of_timm: the networks are not ours; the new keys are timm's.
    """

    detect: Callable[[StateDict], bool]
    convert: Callable[[StateDict], StateDict] = dict
    unused: Callable[[StateDict], list[str]] = lambda state: []
    note: str = ''
    whole_model: bool = False
    of_timm: bool = False


def _has(*keys: str) -> Callable[[StateDict], bool]:
    """Return what tells whether a state dict has all of these keys."""
    return lambda state: all(key in state for key in keys)


# The first that recognizes a state dict wins. A published file is recognized by one entry only,
# except by the last two, whose keys are ours: they come last because Aug-ViT's and T2T's files
# have DeiT's keys too, and 'native' takes whatever is left.
_ROWS = {
    'setr': Format(
        whole_models.is_setr,
        whole_models.convert_setr,
        whole_models.unused_in_setr,
        whole_model=True,
    ),
    'detr': Format(
        _has('backbone.0.body.conv1.weight', 'class_embed.weight', whole_models.OF_DETR),
        whole_models.convert_detr,
        note=whole_models.DETR_NOTE,
        whole_model=True,
    ),
    'mmdet_two_ema': Format(whole_models.has_averages, whole_models.without_last, whole_model=True),
    'mmdet_two_detr': Format(whole_models.is_detr, whole_model=True),
    'mmdet_two_mask2former': Format(whole_models.is_mask2former, whole_model=True),
    'mmdet_two_maskformer': Format(whole_models.is_maskformer, whole_model=True),
    'mmdet_two_ssd': Format(
        _has('backbone.extra.0.weight', 'backbone.l2_norm.weight'),
        note=whole_models.SSD_NOTE,
        whole_model=True,
    ),
    'aug_vit': Format(columns.is_aug_vit, columns.convert_aug_vit),
    # SimpleViT and MSF-ViT as the published code (tk1980/MSFtransformer) trains them. The plain
    # form has the keys of vit-pytorch's SimpleViT of that time. The grouped projection is stored
    # here as there; groups and widths show in the shapes.
    'msf': Format(_has('to_patch_embedding.2.weight', 'transformer.layers.0.0.to_out.weight')),
    'pvt': Format(_has('patch_embed1.proj.weight', 'block1.0.attn.q.weight'), pyramids.convert_pvt),
    'tnt': Format(_has('outer_pos', 'inner_pos'), columns.convert_tnt),
    # timm's, before or after its release 1.0.16
    'timm_tnt': Format(_has('pixel_pos', 'blocks.0.norm_out.weight'), columns.convert_timm_tnt),
    't2t': Format(
        _has('tokens_to_token.project.weight', 'blocks.0.norm1.weight'), columns.convert_t2t
    ),
    # mmpretrain's: the same tensors under other names. Its TNT is the legacy form (stem='conv',
    # projection='pixel'), its T2T-ViT the one with transformer tokens.
    'mmpretrain_tnt': Format(_has('layers.0.outer_block.norm_attn.weight')),
    'mmpretrain_t2t': Format(_has('tokens_to_token.project.weight', 'encoder.0.ln1.weight')),
    'mmpretrain_vit': Format(_has('layers.0.ln1.weight', 'layers.0.attn.qkv.weight')),
    'sret': Format(
        _has('transformers.0.blocks.0.norm1.weight', 'patch_embed.bn1.weight'),
        pyramids.convert_sret,
        note=pyramids.SRET_NOTE,
    ),
    'swin': Format(pyramids.is_swin, pyramids.convert_swin),
    'efficientnet': Format(
        _has('_conv_stem.weight', '_blocks.0._depthwise_conv.weight'),
        efficientnet.convert_efficientnet,
        of_timm=True,
    ),
    'deit': Format(_has('blocks.0.attn.qkv.weight')),  # also timm's ViT
    'native': Format(_has()),
}
FORMATS = {
    name: replace(row, convert=partial(rename, rules=RULES.get(name, {})))
    if row.convert is dict
    else row
    for name, row in _ROWS.items()
}
OWN = ('deit', 'native')


def find_format(state: StateDict) -> str:
    """Return the key of ``FORMATS`` for a state dict."""
    return next(name for name, layout in FORMATS.items() if layout.detect(state))


def unwrap(checkpoint: dict, state_key: str | None = None, own: Container = ()) -> StateDict:
    """Take the state dict out of a checkpoint, and the backbone out of the model around it.

    Of an OpenMMLab model it also keeps a linear classification head. A file of a whole model whose
    heads have a converter (``Format.whole_model``) stays whole. ``own`` are the keys of a network
    of another library, whose layouts are its own. Other arguments and errors as in
    :func:`take_state_dict`.
    """
    state = _without_prefix(take_state_dict(checkpoint, state_key), own)
    return state if FORMATS[find_format(state)].whole_model else without_wrapper(state)


def _is_known(state: StateDict, own: Container) -> bool:
    name = find_format(state)
    known = FORMATS[name].of_timm or (not own and name != 'native')
    return known or any(key in own for key in state)


def _without_prefix(state: StateDict, own: Container) -> StateDict:
    """Remove the prefix behind which a known layout is, where none is without it.

    It is the first of ``WRAPPERS``, or else the only one that the keys have.
    """
    if _is_known(without_wrapper(state), own):
        return state
    others = dict.fromkeys(f'{key.partition(".")[0]}.' for key in state if '.' in key)
    fits = [prefix for prefix in WRAPPERS if _is_behind(prefix, state, own)][:1]
    fits = fits or [prefix for prefix in others if _is_behind(prefix, state, own)]
    if len(fits) != 1:
        return state
    rest = {key: x for key, x in state.items() if not key.startswith(fits[0])}
    return rest | _behind(fits[0], state)


def _behind(prefix: str, state: StateDict) -> StateDict:
    return {key.removeprefix(prefix): x for key, x in state.items() if key.startswith(prefix)}


def _is_behind(prefix: str, state: StateDict, own: Container) -> bool:
    return _is_known(without_wrapper(_behind(prefix, state)), own)
