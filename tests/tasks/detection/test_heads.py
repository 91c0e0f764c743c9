"""What data may hold and every head must bear: no object, nothing but a crowd, no detection."""

from pathlib import Path

import pytest
import torch
from mmdet.registry import MODELS
from mmdet.structures import DetDataSample
from mmdet.structures.mask import BitmapMasks
from mmdet.utils import register_all_modules
from mmengine.config import Config
from mmengine.structures import InstanceData

from vitbackbones.configuration.names import config_files

ROOT = Path(__file__).parents[3]
HEADS = ('retinanet', 'faster_rcnn', 'mask_rcnn', 'deformable_detr', 'dino')
SIDE = 64


def small(head, **changes):
    """The small detector of Shapes, with these settings changed."""
    register_all_modules(init_default_scope=True)
    torch.manual_seed(0)
    config = Config.fromfile(config_files()[f'{head}_pvt_s_shapes'])
    config.merge_from_dict({'model': changes})
    model = MODELS.build(config.model)
    model.init_weights()  # until then mmdet's level_embed is whatever the memory held
    return model


def instances(boxes):
    masks = BitmapMasks([torch.ones(SIDE, SIDE).numpy().astype('uint8')] * len(boxes), SIDE, SIDE)
    boxes = torch.tensor(boxes, dtype=torch.float32).reshape(-1, 4)
    labels = torch.zeros(len(boxes), dtype=torch.long)
    return InstanceData(bboxes=boxes, labels=labels, masks=masks)


def sample(boxes=(), crowd=()):
    """An image with these boxes (x1, y1, x2, y2), and those of crowds, which are ignored."""
    found = DetDataSample(gt_instances=instances(boxes), ignored_instances=instances(crowd))
    shapes = ('img_shape', 'batch_input_shape', 'pad_shape', 'ori_shape')
    found.set_metainfo(dict.fromkeys(shapes, (SIDE, SIDE)))
    found.set_metainfo({'scale_factor': (1.0, 1.0), 'img_id': 0})
    return found


BOX, WHOLE = [8, 8, 40, 40], [0, 0, SIDE, SIDE]
BATCHES = {
    'one image without objects': [sample([BOX]), sample()],
    'no object in the whole batch': [sample(), sample()],
    'nothing but a crowd': [sample(crowd=[WHOLE]), sample([BOX], crowd=[WHOLE])],
}


@pytest.mark.parametrize('batch', BATCHES)
@pytest.mark.parametrize('head', HEADS)
def test_every_head_learns_from_a_batch_with(head, batch):
    model = small(head).train()
    losses = model.loss(torch.randn(2, 3, SIDE, SIDE), BATCHES[batch])
    loss, logged = model.parse_losses(losses)
    loss.backward()
    assert all(torch.isfinite(value).all() for value in logged.values())
    grads = [p.grad for p in model.parameters() if p.grad is not None]
    assert grads
    assert all(torch.isfinite(grad).all() for grad in grads)


@pytest.mark.parametrize('head', ['retinanet', 'mask_rcnn'])
def test_an_image_in_which_nothing_is_found(head):
    none = {'score_thr': 1.0}
    model = small(head, test_cfg=none if head == 'retinanet' else {'rcnn': none}).eval()
    with torch.no_grad():
        (found,) = model.predict(torch.randn(1, 3, SIDE, SIDE), [sample()])
    assert found.pred_instances.bboxes.shape == (0, 4)
    if head == 'mask_rcnn':
        assert found.pred_instances.masks.shape == (0, SIDE, SIDE)
