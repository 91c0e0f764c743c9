"""How often a training step of a detector makes a GPU wait for its host.

See tests/on_a_gpu.py. What OpenMMLab's own code does in the step is counted, too.
"""

import pytest
import torch
from mmdet.registry import MODELS
from mmdet.utils import register_all_modules
from mmengine.config import Config

from benchmarks.detr import make_batch
from vitbackbones.tasks.detection import detr_head

from ..on_a_gpu import Refusals, copies_of
from .segmentation import setr

pytestmark = pytest.mark.compat
SIZE = (64, 96)
NARROW = {
    'backbone': {'type': 'ResNet', 'depth': 18, 'base_channels': 8, 'out_indices': (3,)},
    'neck': {'in_channels': [64]},
    'encoder': {'num_layers': 1},
    'decoder': {'num_layers': 1},
    'data_preprocessor': None,
}


def make_detr(device):
    register_all_modules()
    config = Config.fromfile(setr.BASES / 'detr.py')
    config.merge_from_dict({'model': NARROW})
    with device:
        model = MODELS.build(config.model).train()
    weights = model.bbox_head.loss_cls.class_weight  # no buffer, so it stays on the host
    model.bbox_head.loss_cls.class_weight = torch.ones(len(weights))
    return model, *make_batch(SIZE, 2, device)


def loss(made):
    model, images, samples = made
    return model.loss(images, samples)


def test_a_forward_pass_of_detr_does_not_wait():
    assert copies_of(lambda made: made[0]._forward(*made[1:]), make_detr) == []


def test_detr_waits_for_its_matching_and_where_mmdet_does(monkeypatch):
    # the matching needs values; any will do here
    monkeypatch.setattr(detr_head, 'require_finite', lambda cost, metas: None)
    monkeypatch.setattr(
        detr_head, 'assign', lambda cost, counts: torch.zeros(2, sum(counts), dtype=torch.long)
    )
    # all costs go to the host at once
    # mmdet's: size of the image and an epsilon in the costs; in each layer's losses, of which
    # there is one here, an epsilon and the weights of the classes
    assert len(copies_of(loss, make_detr)) == 1 + 2 + 2


@pytest.mark.parametrize('mode', ['eval', 'train'])
def test_fused_kernels_take_every_attention_of_detr(mode):
    found = Refusals()

    def forward(made):
        model, images, samples = made
        with found:
            getattr(model, mode)()._forward(images, samples)

    copies_of(forward, make_detr)
    assert (found.seen, found.calls) == ([], 3)
