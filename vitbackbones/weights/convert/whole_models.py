"""Whole models, a backbone with all its heads: SETR and DETR as released, and those of mmdet 2.

The results have the keys of mmseg's ``EncoderDecoder`` and of mmdet's ``DETR``, with the heads of
this package.
"""

import re

from .state_dict import RULES, StateDict, rename

# ------------------------------------------------------------------------ SETR
# fudan-zvg/SETR: Naive, PUP and MLA, on ViT-L or DeiT. The encoder has timm's keys below
# "backbone."; the aggregation of MLA, a neck here, is part of it there.

_CONVOLUTION = re.compile(r'(.*_head\..*)conv_(\d)\.(weight|bias)')
_UNUSED = re.compile(r'(decode_head|auxiliary_head\.\d+)\.conv_seg\.(weight|bias)')


def is_setr(state: StateDict) -> bool:
    """Whether the heads are those of the released code."""
    return not {'decode_head.syncbn_fc_0.weight', 'decode_head.cls.weight'}.isdisjoint(state)


def unused_in_setr(state: StateDict) -> list[str]:
    """Return what the released models store and never read.

    That is a ``conv_seg`` that every head inherits, and the class token of MLA, which is dropped
    before the first block.
    """
    token = {'backbone.cls_token'} if 'backbone.norm_0.weight' in state else set()
    return [key for key in state if key in token or _UNUSED.fullmatch(key)]


def convert_setr(state: StateDict) -> StateDict:
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
    return rename(out, RULES['setr'])


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
OF_DETR = 'transformer.decoder.layers.0.multihead_attn.in_proj_weight'  # a key
UNUSED_IDS = (0, 12, 26, 29, 30, 45, 66, 68, 69, 71, 83)  # of COCO's 91
COCO_ROWS = [row for row in range(92) if row not in UNUSED_IDS]


def convert_detr(state: StateDict) -> StateDict:
    """Rename the keys, and take the rows of COCO's categories from a classifier of its ids."""
    out = rename(state, RULES['detr'])
    for kind in ('weight', 'bias'):
        rows = out[f'bbox_head.fc_cls.{kind}']
        if len(rows) == 92:
            out[f'bbox_head.fc_cls.{kind}'] = rows[COCO_ROWS]
    return out


# ------------------------------------------------------------------------ OpenMMLab, version 2
# Detectors and segmentors as saved by mmdet 2 and the release candidates of mmseg 1. Only
# transformers have other names today: those of DETR and Deformable DETR were parts of the head
# (mmdet #8763), and layers numbered their attentions and feed-forward networks (mmdet #9515, mmseg
# #2532). A run that averaged its weights stored the last ones beside the averaged ones. The extra
# layers of SSD were a part of the backbone (mmdet #5291, release 2.14).

SSD_NOTE = (
    'the keys of an SSD file do not show whether it is of mmdet 1, which numbers the classes in '
    'another order. Convert such a file with upgrade_model_version.py of mmdet first'
)

HEADS = ('panoptic_head', 'decode_head')  # of mmdet and mmseg
_ATTENTION = 'transformer_decoder.layers.0.attentions.0.attn.in_proj_weight'
TWO_STAGE = ('rpn_head', 'bbox_head', 'roi_head')
_AVERAGE = 'ema_'  # with "_" for each dot


def is_detr(state: StateDict) -> bool:
    """Whether the transformer is a part of the head."""
    return 'bbox_head.transformer.encoder.layers.0.norms.0.weight' in state


def is_mmdet_one(state: StateDict) -> bool:
    """Whether the heads of a two-stage detector are not in ``roi_head``, as in mmdet 1."""
    has = {name: any(key.startswith(f'{name}.') for key in state) for name in TWO_STAGE}
    return has['rpn_head'] and has['bbox_head'] and not has['roi_head']


def is_maskformer(state: StateDict) -> bool:
    """Whether layers number their attentions, in MaskFormer or Mask2Former."""
    return any(f'{head}.{_ATTENTION}' in state for head in HEADS)


def is_mask2former(state: StateDict) -> bool:
    """Whether it is Mask2Former, whose queries have features of their own."""
    return is_maskformer(state) and any(f'{head}.query_feat.weight' in state for head in HEADS)


def has_averages(state: StateDict) -> bool:
    """Whether a network has its weights twice: the averaged ones, and the last as ``ema_...``."""
    return any(key.startswith(f'{_AVERAGE}backbone_') for key in state)


def without_last(state: StateDict) -> StateDict:
    """Leave out the last weights of a run that averaged them."""
    return {key: value for key, value in state.items() if not key.startswith(_AVERAGE)}
