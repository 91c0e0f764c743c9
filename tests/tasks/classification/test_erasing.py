"""Erasing after mixing: timm's own, value by value, and in its place."""

import pickle
import random

import numpy as np
import pytest
import torch
from mmpretrain.registry import MODELS
from mmpretrain.structures import DataSample

from vitbackbones.exact import PROCESS, seed_generators
from vitbackbones.tasks.classification.erasing import erase

pytestmark = pytest.mark.compat


def seed(number=0):
    torch.manual_seed(seed_generators(PROCESS, number))


@pytest.mark.parametrize(('size', 'prob'), [((32, 32), 1.0), ((24, 40), 0.25), ((4, 9), 0.25)])
def test_it_is_timms(size, prob):
    timm = pytest.importorskip('timm.data.random_erasing')
    theirs = timm.RandomErasing(prob, mode='pixel', device='cpu')
    images = torch.full((200, 3, *size), 7.0)
    seed()
    expected = theirs(images.clone())
    seed()
    erase(images, prob)
    assert torch.equal(images, expected)


def preprocessor(**changes):
    settings = {
        'type': 'vitbackbones.ErasingPreprocessor',
        'erase_prob': 1.0,
        'num_classes': 2,
        'mean': [127.5] * 3,
        'std': [127.5] * 3,
        'to_rgb': True,
        'batch_augments': {'augments': [{'type': 'Mixup', 'alpha': 1.0}]},
    }
    return MODELS.build(settings | changes)


def batch(count=64):
    """Half of it black, half of it white."""
    images = torch.zeros(count, 3, 32, 32, dtype=torch.uint8)
    images[::2] = 255
    return {'inputs': images, 'data_samples': [DataSample().set_gt_label(0) for _ in images]}


def test_holes_are_not_mixed_and_noise_is_not_clipped():
    seed(1)
    inputs = preprocessor()(batch(), training=True)['inputs']
    kept = inputs[:, :1] == inputs[:, 1:2]  # of one color: black and white, mixed
    assert len(inputs[:, :1][kept].unique()) <= 4
    noise = inputs[~kept.expand_as(inputs)]
    assert noise.mean().item() == pytest.approx(0, abs=0.02)
    assert noise.std().item() == pytest.approx(1, abs=0.02)
    assert noise.abs().max() > 3  # colors of a file end at 1


def test_holes_are_mixed_where_the_pictures_are_erased_first():
    seed(1)
    late = preprocessor()(batch(), training=True)['inputs']
    seed(1)
    first = preprocessor(before_mixing=True)(batch(), training=True)['inputs']
    assert first.std() < late.std()  # noise blended with another picture is weaker
    colored = (first[:, :1] != first[:, 1:2]).float().mean()
    assert colored > 1.5 * (late[:, :1] != late[:, 1:2]).float().mean()  # two holes in each


@pytest.mark.parametrize('before_mixing', [False, True])
def test_only_training_erases_and_the_place_in_the_run_decides(before_mixing):
    model = pickle.loads(pickle.dumps(preprocessor(before_mixing=before_mixing)))
    tested = model(batch())['inputs']
    assert set(tested.unique().tolist()) == {-1.0, 1.0}
    drawn = []
    for number in (5, 5, 6):
        seed(number)
        drawn.append(model(batch(), training=True)['inputs'])
        random.random()  # what is drawn in between has no effect
        np.random.rand()
        torch.rand(1)
    assert torch.equal(drawn[0], drawn[1])
    assert not torch.equal(drawn[0], drawn[2])
