"""mmdet's own models train and predict without mmcv's compiled operators.

``MMDET_CONFIGS=all`` runs the whole list, which takes minutes; otherwise it is two models.
"""

import os
from pathlib import Path

import mmdet
import pytest
import torch
from mmdet.testing import demo_mm_inputs
from mmengine.config import Config
from mmengine.registry import MODELS, DefaultScope

from vitbackbones.commands.smoke import lower_thresholds

pytestmark = pytest.mark.compat
FOLDER = Path(mmdet.__file__).parent / '.mim' / 'configs'
NAMES = (
    'dcnv2/mask-rcnn_r50-mdconv-c3-c5_fpn_1x_coco',
    'retinanet/retinanet_r50_fpn_1x_coco',
    'faster_rcnn/faster-rcnn_r50_fpn_soft-nms_1x_coco',
    'rtmdet/rtmdet_tiny_8xb32-300e_coco',
    'faster_rcnn/faster-rcnn_r50_fpn_1x_coco',
    'mask_rcnn/mask-rcnn_r50_fpn_1x_coco',
    'dcn/faster-rcnn_r50-dconv-c3-c5_fpn_1x_coco',
    'deformable_detr/deformable-detr_r50_16xb2-50e_coco',
    'dino/dino-4scale_r50_8xb2-12e_coco',
    'rtmdet/rtmdet-ins_tiny_8xb32-300e_coco',
    'mask2former/mask2former_r50_8xb2-lsj-50e_coco',
    'mask2former/mask2former_r50_8xb2-lsj-50e_coco-panoptic',
)
TESTED = NAMES if os.environ.get('MMDET_CONFIGS') == 'all' else NAMES[:2]


def build(name):
    config = lower_thresholds(Config.fromfile(FOLDER / f'{name}.py'))
    config.model.backbone.pop('init_cfg', None)  # a download
    config.model.data_preprocessor.pop('batch_augments', None)  # they are of large images
    if 'rcnn' in config.model.get('train_cfg', {}):
        config.model.train_cfg.rcnn.sampler.num = 16  # regions of an image, of 512
        config.model.test_cfg.rcnn.max_per_img = 10
    with DefaultScope.overwrite_default_scope('mmdet'):
        model = MODELS.build(config.model)
        model.init_weights()
    if name.startswith('rtmdet'):  # its untrained distances are about 0, and no box has an area
        for layer in model.bbox_head.rtm_reg:
            torch.nn.init.ones_(layer.bias)
    return model


@pytest.mark.parametrize('name', TESTED)
def test_a_model_of_mmdet_trains_and_predicts(name):
    model = build(name)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
    height, width = (192, 256) if name.startswith('dino') else (96, 128)  # 900 places for queries
    masks = {'with_mask': 'mask' in name or '-ins' in name, 'with_semantic': 'panoptic' in name}
    pictures = demo_mm_inputs(2, (3, height, width), [3, 2], num_classes=80, **masks)
    model.train()
    for _ in range(2):
        losses = model(**model.data_preprocessor(pictures, True), mode='loss')
        loss, _ = model.parse_losses(losses)
        assert loss.isfinite()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        predicted = model(**model.data_preprocessor(pictures, False), mode='predict')
    assert len(predicted) == 2
    for sample in predicted:
        if 'panoptic' in name:
            assert sample.pred_panoptic_seg.sem_seg.shape[-2:] == (height, width)
        else:
            assert len(sample.pred_instances)
