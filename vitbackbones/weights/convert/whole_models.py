"""Whole models as released, a backbone with all its heads: SETR and DETR.

Their results have the keys of mmseg's ``EncoderDecoder`` and of mmdet's ``DETR``, with the heads of
this package.
"""

import re

from torch import Tensor

from .state_dict import rename

# ------------------------------------------------------------------------ SETR
# fudan-zvg/SETR: Naive, PUP and MLA, on ViT-L or DeiT. The encoder has timm's keys below
# "backbone."; the aggregation of MLA, a neck here, is part of it there.

_CONVOLUTION = re.compile(r'(.*_head\..*)conv_(\d)\.(weight|bias)')
_UNUSED = re.compile(r'(decode_head|auxiliary_head\.\d+)\.conv_seg\.(weight|bias)')
_SETR_RULES = {
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
    if 'backbone.cls_token' in unused and 'backbone.pos_embed' in out:
        out['backbone.pos_embed'] = out['backbone.pos_embed'][:, 1:]  # of the patches alone
    return rename(out, _SETR_RULES)


# ------------------------------------------------------------------------ DETR
# facebookresearch/detr: R50 and R101, plain and DC5. The body has torchvision's keys below
# "backbone.0.body.", the transformer those of torch's own layers. The neck is one convolution.
#
# The released classifier has a row for every category id of COCO up to 90, although ten of them and
# id 0 name nothing, and a last one for "no object". Here it has the 80 categories and "no object".

DETR_NOTE = (
    'the keys of a DETR file do not show whether the last stage of its ResNet is dilated (DC5). '
    'Use the config of the model that was trained (detr_r50_coco, detr_r50_dc5_coco)'
)
UNUSED_IDS = (0, 12, 26, 29, 30, 45, 66, 68, 69, 71, 83)  # of COCO's 91
COCO_ROWS = [row for row in range(92) if row not in UNUSED_IDS]
_DETR_RULES = {
    r'^backbone\.0\.body\.': 'backbone.',
    r'^input_proj\.': 'neck.convs.0.conv.',
    r'^query_embed\.': 'query_embedding.',
    r'^transformer\.decoder\.norm\.': 'decoder.post_norm.',
    r'^transformer\.': '',
    r'\.self_attn\.': '.self_attn.attn.',
    r'\.multihead_attn\.': '.cross_attn.attn.',
    r'\.linear1\.': '.ffn.layers.0.0.',
    r'\.linear2\.': '.ffn.layers.1.',
    **{rf'\.norm{i + 1}\.': f'.norms.{i}.' for i in range(3)},
    r'^class_embed\.': 'bbox_head.fc_cls.',
    r'^bbox_embed\.layers\.0\.': 'bbox_head.reg_ffn.layers.0.0.',
    r'^bbox_embed\.layers\.1\.': 'bbox_head.reg_ffn.layers.1.',
    r'^bbox_embed\.layers\.2\.': 'bbox_head.fc_reg.',
}


def convert_detr(state: dict[str, Tensor]) -> dict[str, Tensor]:
    """Rename the keys, and take the rows of COCO's categories from a classifier of its ids."""
    out = rename(state, _DETR_RULES)
    for kind in ('weight', 'bias'):
        rows = out[f'bbox_head.fc_cls.{kind}']
        if len(rows) == 92:
            out[f'bbox_head.fc_cls.{kind}'] = rows[COCO_ROWS]
    return out
