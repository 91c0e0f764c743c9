"""Whole SETR models as released (fudan-zvg/SETR): Naive, PUP and MLA, on ViT-L or DeiT.

The encoder has timm's keys below ``backbone.``; the aggregation of MLA, a neck here, is part of it
there. The result has the keys of mmseg's ``EncoderDecoder`` with the heads of this package.
"""

import re

from torch import Tensor

from .state_dict import rename

_CONVOLUTION = re.compile(r'(.*_head\..*)conv_(\d)\.(weight|bias)')
_UNUSED = re.compile(r'(decode_head|auxiliary_head\.\d+)\.conv_seg\.(weight|bias)')
_RULES = {
    r'^auxiliary_head\.(\d+)\.': r'auxiliary_head.heads.\1.',
    # Naive and PUP: a step of theirs is convolution, norm, ReLU and enlargement
    **{rf'\bconv_{i}\.': f'convs.{4 * i}.' for i in range(4)},
    **{rf'\bsyncbn_fc_{i}\.': f'convs.{4 * i + 1}.' for i in range(4)},
    # MLA: its maps are counted from 2 there
    r'^backbone\.norm_(\d)\.': r'neck.norms.\1.',
    **{rf'^backbone\.mla\.mla_p{i + 2}_1x1\.': f'neck.lateral.{i}.' for i in range(4)},
    **{rf'^backbone\.mla\.mla_p{i + 2}\.': f'neck.output.{i}.' for i in range(4)},
    **{rf'^decode_head\.mlahead\.head{i + 2}\.': f'decode_head.convs.{i}.' for i in range(4)},
    r'^decode_head\.cls\.': 'decode_head.conv_seg.',
    r'^(auxiliary_head\..*)\.aux\.': r'\1.conv_seg.',
}


def is_setr(state: dict[str, Tensor]) -> bool:
    """Whether the heads are those of the released code."""
    return not {'decode_head.syncbn_fc_0.weight', 'decode_head.cls.weight'}.isdisjoint(state)


def unused_in_setr(state: dict[str, Tensor]) -> list[str]:
    """Return what the released models store and never read.

    That is a ``conv_seg`` that every head inherits, and the class token of MLA, which is dropped
    before the first block.
    """
    token = {'backbone.cls_token'} if 'backbone.norm_0.weight' in state else set()
    return [key for key in state if key in token or _UNUSED.fullmatch(key)]


def convert_setr(state: dict[str, Tensor]) -> dict[str, Tensor]:
    """Rename the keys and leave out those that are never read."""
    unused = set(unused_in_setr(state))
    out = {}
    for key, value in state.items():
        if key in unused:
            continue
        match = _CONVOLUTION.fullmatch(key)
        # a convolution without a norm behind it is the classifier of its head
        if match and f'{match[1]}syncbn_fc_{match[2]}.weight' not in state:
            key = f'{match[1]}conv_seg.{match[3]}'
        out[key] = value
    return rename(out, _RULES)


def describe_setr(state: dict[str, Tensor]) -> str:
    """Say which model a converted state dict is of."""
    classifier = state.get('decode_head.conv_seg.weight')
    blocks = {key.split('.')[2] for key in state if key.startswith('backbone.blocks.')}
    position = state.get('backbone.pos_embed')
    if classifier is None or position is None:
        return ''
    many = 'PUP' if 'decode_head.convs.12.weight' in state else 'Naive'
    kind = 'MLA' if 'neck.norms.0.weight' in state else many
    return (
        f'SETR-{kind} with embed_dims={position.shape[2]}, depth={len(blocks)}, '
        f'num_classes={len(classifier)}'
    )
