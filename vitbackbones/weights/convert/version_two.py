"""Detectors and segmentors as saved by mmdet 2 and the release candidates of mmseg 1.

Only transformers have other names today: those of DETR and Deformable DETR were parts of the head
(mmdet #8763), and layers numbered their attentions and feed-forward networks (mmdet #9515, mmseg
#2532). A run that averaged its weights stored the last ones beside the averaged ones.
"""

from .state_dict import StateDict

_SELF_FIRST = {r'\.attentions\.0\.': '.self_attn.', r'\.attentions\.1\.': '.cross_attn.'}
_CROSS_FIRST = {r'\.attentions\.0\.': '.cross_attn.', r'\.attentions\.1\.': '.self_attn.'}
_NETWORK = {r'\.ffns\.0\.': '.ffn.'}
DETR_RULES = {
    r'^bbox_head\.input_proj\.': 'neck.convs.0.conv.',
    r'^bbox_head\.query_embedding\.': 'query_embedding.',
    r'^bbox_head\.transformer\.level_embeds$': 'level_embed',
    r'^bbox_head\.transformer\.reference_points\.': 'reference_points_fc.',
    r'^bbox_head\.transformer\.enc_output\.': 'memory_trans_fc.',
    r'^bbox_head\.transformer\.enc_output_norm\.': 'memory_trans_norm.',
    r'^bbox_head\.transformer\.pos_trans\.': 'pos_trans_fc.',
    r'^bbox_head\.transformer\.': '',
    **_SELF_FIRST,
    **_NETWORK,
}
MASKFORMER_RULES = _SELF_FIRST | _NETWORK
# its decoder looks at the image first; its encoder has one attention
MASK2FORMER_RULES = {
    r'(\.pixel_decoder\.encoder\.layers\.\d+)\.attentions\.0\.': r'\1.self_attn.',
    **_CROSS_FIRST,
    **_NETWORK,
}
HEADS = ('panoptic_head', 'decode_head')  # of mmdet and mmseg
_ATTENTION = 'transformer_decoder.layers.0.attentions.0.attn.in_proj_weight'
_AVERAGE = 'ema_'  # with "_" for each dot


def is_detr(state: StateDict) -> bool:
    """Whether the transformer is a part of the head."""
    return 'bbox_head.transformer.encoder.layers.0.norms.0.weight' in state


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
