"""DINO is mmdet's where an image has places enough, and works where it has too few."""

import copy

import torch
from mmdet.registry import MODELS
from mmengine.config import Config

from vitbackbones.configuration.names import config_files

from .test_heads import BOX, SIDE, sample, small

CONFIG = config_files()['dino_pvt_s_shapes']


def predicted(model):
    """What is found in an image with 64 + 16 + 4 places for queries."""
    images = torch.randn(1, 3, SIDE, SIDE, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        (found,) = model.eval().predict(images, [sample()])
    return found.pred_instances


def with_all_frequencies(state, model):
    """Return weights for a model that encodes boxes in twice as many numbers, if it does."""
    key = 'decoder.ref_point_head.layers.0.weight'
    wide, given = torch.zeros_like(model.state_dict()[key]), state[key]
    if wide.shape == given.shape:
        return state
    pairs = wide.unflatten(1, (-1, 4))
    pairs[..., :2] = given.unflatten(1, (-1, 2))
    return {**state, key: wide}


def test_in_a_large_image_its_numbers_are_those_of_mmdet():
    ours = small('dino')
    settings = Config.fromfile(CONFIG).model
    theirs = MODELS.build({**copy.deepcopy(settings), 'type': 'mmdet.DINO'})
    theirs.load_state_dict(with_all_frequencies(ours.state_dict(), theirs))
    a, b = predicted(ours), predicted(theirs)  # 30 queries
    torch.testing.assert_close(a.bboxes, b.bboxes)  # theirs may add zeros, in another order
    torch.testing.assert_close(a.scores, b.scores)


def test_an_image_may_have_fewer_places_than_there_are_queries():
    model = small('dino', num_queries=100)
    found = predicted(model)
    assert len(found.bboxes) == model.test_cfg.max_per_img
    assert torch.isfinite(found.bboxes).all()
    losses = model.train().loss(torch.randn(1, 3, SIDE, SIDE), [sample([BOX])])
    model.parse_losses(losses)[0].backward()
    assert all(torch.isfinite(p.grad).all() for p in model.parameters() if p.grad is not None)
