"""Shipped schedules: their published ends, and that scaling the rate keeps their form."""

from pathlib import Path

import numpy as np
import pytest
import torch
from mmengine.config import Config
from mmengine.registry import PARAM_SCHEDULERS

from vitbackbones.training.schedules import PolyLR

CONFIGS = Path(__file__).parents[2] / 'configs'
# Where the published cosine or polynomial ends
ENDS = {
    **dict.fromkeys([f'{name}_imagenet' for name in ('deit_300e', 'pvt_300e', 'tnt_310e')], 1e-5),
    **dict.fromkeys([f'{name}_imagenet' for name in ('t2t_310e', 'sret_300e')], 1e-5),
    **dict.fromkeys(['sret_s_300e_imagenet', 'deit_360e_inat', 'deit_1000e_cifar'], 1e-5),
    **dict.fromkeys(['tnt_64e_cifar_384', 'tnt_300e_fine_grained_384'], 1e-5),
    **dict.fromkeys(['setr_mla_160k_ade20k', 'setr_naive_160k_ade20k'], 1e-4),
    **{'setr_mla_20k_camvid': 1e-6, 'msf_100e_imagenet': 0.0, 'msf_300e_imagenet': 0.0},
}


def rates(schedule, scale):
    """Rate of a backbone, and of a head at ten times that, for every step (steps, 2)."""
    rate = schedule.optim_wrapper.optimizer.lr * scale
    groups = [{'params': [torch.zeros(1, requires_grad=True)], 'lr': rate * m} for m in (1, 10)]
    optimizer = torch.optim.SGD(groups)
    schedulers = [
        PARAM_SCHEDULERS.build({**one, 'optimizer': optimizer}) for one in schedule.param_scheduler
    ]
    found = []
    for _ in range(max(one.get('end') for one in schedule.param_scheduler)):
        found.append([group['lr'] for group in optimizer.param_groups])
        optimizer.step()
        for scheduler in schedulers:
            scheduler.step()
    return np.array(found)


def load(name):
    """The settings of a recipe; iterations a hundredth, to be quick."""
    schedule = Config.fromfile(CONFIGS / '_base_' / 'recipes' / f'{name}.py')
    if 'max_iters' in schedule.train_cfg:
        for one in schedule.param_scheduler:
            one.update(begin=one.begin // 100, end=one.end // 100)
    return schedule


@pytest.mark.parametrize('name', ENDS)
def test_published_ends_and_another_batch_scales_the_whole_schedule(name):
    schedule = load(name)
    whole, on_one_gpu_of_8 = rates(schedule, 1), rates(schedule, 1 / 8)
    np.testing.assert_allclose(on_one_gpu_of_8, whole / 8, rtol=1e-9, atol=0)
    backbone, head = whole[-1]
    assert backbone == pytest.approx(ENDS[name], abs=1e-6 if 'msf' in name else 0, rel=5e-3)
    if name.startswith('setr'):
        assert head == pytest.approx(ENDS[name], rel=2e-2)


def test_a_resumed_polynomial_goes_on():
    def optimizer():
        return torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)

    def steps(scheduler, count):
        for _ in range(count):
            scheduler.optimizer.step()
            scheduler.step()
        return scheduler.optimizer.param_groups[0]['lr']

    whole = PolyLR(optimizer(), eta_min_ratio=0.1, power=0.9, end=20, by_epoch=False)
    steps(whole, 7)
    resumed = PolyLR(optimizer(), eta_min_ratio=0.1, power=0.9, end=20, by_epoch=False)
    resumed.optimizer.load_state_dict(whole.optimizer.state_dict())
    resumed.load_state_dict(whole.state_dict())
    assert steps(resumed, 5) == steps(whole, 5)
    assert steps(whole, 20) == pytest.approx(0.1)
