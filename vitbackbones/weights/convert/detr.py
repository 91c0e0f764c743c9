"""Whole DETR models as released (facebookresearch/detr): R50 and R101, plain and DC5.

The body has torchvision's keys below ``backbone.0.body.``, the transformer those of torch's own
layers. The result has the keys of mmdet's ``DETR`` with a neck of one convolution.

The released classifier has a row for every category id of COCO up to 90, although ten of them and
id 0 name nothing, and a last one for "no object". Here it has the 80 categories and "no object".
"""

from torch import Tensor

from .state_dict import rename

NOTE = (
    'the keys of a DETR file do not tell whether the last stage of its ResNet is dilated (DC5); '
    'the config must be of the model that was trained (detr_r50_coco, detr_r50_dc5_coco)'
)
UNUSED_IDS = (0, 12, 26, 29, 30, 45, 66, 68, 69, 71, 83)  # of COCO's 91
COCO_ROWS = [row for row in range(92) if row not in UNUSED_IDS]
_RULES = {
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
    out = rename(state, _RULES)
    for kind in ('weight', 'bias'):
        rows = out[f'bbox_head.fc_cls.{kind}']
        if len(rows) == 92:
            out[f'bbox_head.fc_cls.{kind}'] = rows[COCO_ROWS]
    return out


def describe_detr(state: dict[str, Tensor]) -> str:
    """Say which model a converted state dict is of."""
    third = {key.split('.')[2] for key in state if key.startswith('backbone.layer3.')}
    depth = {6: 50, 23: 101}.get(len(third), 'unknown')
    queries, dims = state['query_embedding.weight'].shape
    classes = len(state['bbox_head.fc_cls.bias']) - 1
    return (
        f'a DETR on a ResNet of depth {depth} with embed_dims={dims}, num_queries={queries}, '
        f'num_classes={classes}'
    )
