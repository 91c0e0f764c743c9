"""Schedules and optimizers of version 2."""

import pytest

from tests.configuration.version_two.test_convert import detector
from vitbackbones.configuration.version_two.convert import convert

pytestmark = pytest.mark.compat


def changed(**changes):
    return convert({**detector(), **changes}).entries


@pytest.mark.parametrize(
    ('old', 'new'),
    [
        ({'policy': 'fixed'}, []),
        (
            {'policy': 'CosineAnnealing', 'min_lr_ratio': 0.01},
            [{'type': 'CosineAnnealingLR', 'T_max': 12, 'eta_min_ratio': 0.01, 'by_epoch': True}],
        ),
        (
            {'policy': 'step', 'step': 3, 'gamma': 0.5, 'warmup': 'constant', 'warmup_ratio': 0.2},
            [
                {'type': 'ConstantLR', 'factor': 0.2, 'by_epoch': False, 'begin': 0, 'end': 0},
                {'type': 'StepLR', 'step_size': 3, 'gamma': 0.5, 'by_epoch': True},
            ],
        ),
    ],
)
def test_schedules(old, new):
    ends = {'begin': 0, 'end': 12}
    assert changed(lr_config=old)['param_scheduler'] == [ends | scheduler for scheduler in new]


def test_half_precision_clipping_and_accumulation():
    settings = {'grad_clip': {'max_norm': 35}, 'cumulative_iters': 4}
    wrapper = changed(fp16={'loss_scale': 512.0}, optimizer_config=settings)['optim_wrapper']
    assert wrapper['type'] == 'AmpOptimWrapper'
    assert wrapper['loss_scale'] == 512.0
    assert wrapper['clip_grad'] == {'max_norm': 35}
    assert wrapper['accumulative_counts'] == 4
