"""Small SETR models on the base configs, with weights of the released layout."""

from pathlib import Path

import torch
from mmengine.config import Config
from mmengine.structures import PixelData
from mmseg.registry import MODELS
from mmseg.structures import SegDataSample
from mmseg.utils import register_all_modules

BASES = Path(__file__).parents[3] / 'configs' / '_base_' / 'models'
KINDS = ('naive', 'pup', 'mla')
HEADS, DIMS, DEPTH, CLASSES = 2, 24, 12, 5


def config(kind, grid=(4, 4), **backbone):
    """The base of ``kind`` with a narrow ViT of 12 blocks and 5 classes, tested in one piece."""
    vit = {
        'type': 'vitbackbones.ViT',
        'arch': {'embed_dims': DIMS, 'depth': DEPTH, 'num_heads': HEADS},
        'img_size': (16 * grid[0], 16 * grid[1]),
        'with_cls_token': kind != 'mla',
        'final_norm': False,
    }
    widths = {'neck': {'in_channels': [DIMS] * 4}, 'auxiliary_head': {'in_index': [0, 1, 2, 3]}}
    if kind != 'mla':
        widths = {head: {'in_channels': DIMS} for head in ('decode_head', 'auxiliary_head')}
    base = Config.fromfile(BASES / f'setr_{kind}.py')
    base.merge_from_dict({'model': {'backbone': {**vit, **backbone}, **widths}})
    classes = {head: {'num_classes': CLASSES} for head in ('decode_head', 'auxiliary_head')}
    base.merge_from_dict({'model': {**classes, 'test_cfg': {'mode': 'whole'}}})
    return base


def build(kind, grid=(4, 4), **backbone):
    register_all_modules()
    torch.manual_seed(0)
    return MODELS.build(config(kind, grid, **backbone).model)


def sample(height, width, seed=0):
    """A data sample with random labels."""
    draw = torch.Generator().manual_seed(seed)
    labels = torch.randint(0, CLASSES, (1, height, width), generator=draw)
    sample = SegDataSample(gt_sem_seg=PixelData(data=labels))
    sample.set_metainfo({'img_shape': (height, width), 'ori_shape': (height, width)})
    return sample
