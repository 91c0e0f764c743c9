"""A loss or gradient that is not finite never reaches the weights."""

import pytest
import torch
from mmengine.optim import OptimWrapper
from mmengine.registry import MODELS, OPTIM_WRAPPERS

from vitbackbones.errors import InputError
from vitbackbones.training.find_checkpoint import latest_checkpoint
from vitbackbones.weights.read.load import load_file

from ..toy import ToyModel, run_toy, toy_config

pytestmark = pytest.mark.compat


@MODELS.register_module()
class Spoilt(ToyModel):
    """A toy whose loss or gradient is not finite in some steps."""

    def __init__(self, steps, kind='nan'):
        super().__init__()
        self.steps, self.kind, self.step = steps, kind, 0

    def forward(self, x, mode):
        outputs = super().forward(x, mode)
        if mode != 'loss':
            return outputs
        self.step += 1
        root = (self.line.weight * 0).sum().sqrt()  # 0, with an infinite slope
        steep = (self.line.weight - self.line.weight.detach()).sum().sqrt()  # 0 too, slope inf
        kinds = {'gradient': root, 'steep': steep, 'nan': root * torch.nan}
        kinds['constant'] = torch.tensor(torch.nan)  # without a gradient
        bad = kinds[self.kind]
        return outputs | {'loss_extra': bad if self.step in self.steps else root.detach()}


def config(work_dir, steps, kind='nan', skip=0, **changes):
    hook = {'type': 'vitbackbones.FiniteLossHook', 'skip': skip}
    model = {'type': 'Spoilt', 'steps': steps, 'kind': kind}
    return toy_config(work_dir, model=model, custom_hooks=[hook], **changes)


@pytest.mark.parametrize(
    ('kind', 'text'),
    [
        ('nan', 'step 6: loss_extra is nan on a batch without image names'),
        ('gradient', 'the loss is finite, the gradient norm is nan on a batch'),
    ],
)
def test_it_stops_before_the_weights_are_spoilt(tmp_path, kind, text):
    with pytest.raises(InputError) as stop:
        run_toy(config(tmp_path, [6], kind))
    assert text in str(stop.value)
    assert load_file(tmp_path / 'epoch_1.pth')['state_dict']['line.weight'].isfinite().all()
    assert latest_checkpoint(tmp_path).name == 'epoch_1.pth'


def test_some_steps_may_be_left_out(tmp_path, capsys):
    runner = run_toy(config(tmp_path, [3, 6], skip=2))
    assert 'The step is skipped (2 of at most 2)' in capsys.readouterr().out
    assert runner.model.line.weight.isfinite().all()
    assert int(runner.optim_wrapper.state_dict()['state'][0]['step']) == 12 - 2
    with pytest.raises(InputError, match='step 9'):
        run_toy(config(tmp_path, [3, 6, 9], skip=2))


def test_left_out_steps_count_after_a_resume(tmp_path):
    run_toy(config(tmp_path, [3], skip=1))
    again = config(tmp_path, [1], skip=1, resume=True, load_from=str(tmp_path / 'epoch_1.pth'))
    with pytest.raises(InputError, match='step 5'):
        run_toy(again)


def test_the_right_one_of_accumulated_batches_is_named(tmp_path):
    optimizer = {'type': 'Adam', 'lr': 0.1}
    wrapper = {'type': 'OptimWrapper', 'optimizer': optimizer, 'accumulative_counts': 2}
    with pytest.raises(InputError, match='step 4: loss_extra is nan'):
        run_toy(config(tmp_path, [3], optim_wrapper=wrapper))


@OPTIM_WRAPPERS.register_module()
class ScaledOptimWrapper(OptimWrapper):
    """mmengine's mixed precision with a loss scale, which it has on GPUs only."""

    def __init__(self, **options):
        super().__init__(**options)
        self.scaler = torch.amp.GradScaler('cpu')

    def backward(self, loss, **options):
        self.scaler.scale(loss).backward()
        self._inner_count += 1

    def step(self, **options):
        self.scaler.step(self.optimizer)
        self.scaler.update()


def scaled(work_dir, steps, kind, fused, **changes):
    optimizer = {'type': 'Adam', 'lr': 0.1, 'fused': fused}
    wrapper = {'type': 'ScaledOptimWrapper', 'optimizer': optimizer}
    train_cfg = {'by_epoch': True, 'max_epochs': 6}
    return config(work_dir, steps, kind, optim_wrapper=wrapper, train_cfg=train_cfg, **changes)


@pytest.mark.parametrize('fused', [False, True])
def test_overflows_are_left_to_the_loss_scale(tmp_path, fused):
    runner = run_toy(scaled(tmp_path, [3, 6, 7], 'gradient', fused))
    assert runner.iter == 24
    assert runner.model.line.weight.isfinite().all()


@pytest.mark.parametrize('fused', [False, True])
def test_a_loss_scale_hides_no_fault(tmp_path, fused):
    with pytest.raises(InputError, match='step 6: loss_extra is nan'):
        run_toy(scaled(tmp_path / 'loss', [6], 'nan', fused))
    message = 'step 21: the loss is finite, the gradient norm is not finite'
    with pytest.raises(InputError, match=message):
        run_toy(scaled(tmp_path / 'gradients', range(2, 25), 'gradient', fused))


@MODELS.register_module()
class Normed(Spoilt):
    """Its running statistics see every batch, also one with an infinite number in it."""

    def __init__(self, steps):
        super().__init__(steps)
        self.norm = torch.nn.BatchNorm1d(1)

    def forward(self, x, mode):
        if mode == 'loss':
            self.norm(torch.stack(x) + (torch.inf if self.step + 1 in self.steps else 0))
        return super().forward(x, mode)


def test_running_statistics_are_put_back(tmp_path):
    toy = config(tmp_path, [], skip=1)
    toy.model = {'type': 'Normed', 'steps': [3]}
    norm = run_toy(toy).model.norm
    assert norm.running_mean.isfinite().all()
    assert norm.running_var.isfinite().all()


def test_the_norm_is_that_before_clipping(tmp_path):
    wrapper = {'type': 'OptimWrapper', 'optimizer': {'type': 'Adam', 'lr': 0.1}}
    wrapper['clip_grad'] = {'max_norm': 0.1}
    with pytest.raises(InputError, match='the gradient norm is inf on'):
        run_toy(config(tmp_path, [6], 'steep', optim_wrapper=wrapper))
