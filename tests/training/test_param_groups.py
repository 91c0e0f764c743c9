"""One group for each set of options: few of them, and the same weights to the bit.

A checkpoint with a group for each parameter is continued with few.
"""

import pytest
import torch
from mmengine.optim import OptimWrapper, build_optim_wrapper
from torch import nn

from vitbackbones.backbones import ViT
from vitbackbones.errors import InputError
from vitbackbones.training.param_groups import follow_kernel, fused_option
from vitbackbones.weights.read.load import load_file

from .hooks.test_exact_resume import Killed, config, state
from .toy import run_toy

pytestmark = pytest.mark.compat
GROUPED = 'vitbackbones.GroupedOptimWrapperConstructor'
PARAMWISE = {
    'flat_decay_mult': 0.0,
    'custom_keys': {'pos_embed': {'decay_mult': 0.0}, 'blocks.1': {'lr_mult': 0.1}},
}


def build(model, constructor, optimizer, **options):
    config = {'optimizer': optimizer, 'constructor': constructor, 'paramwise_cfg': PARAMWISE}
    return build_optim_wrapper(model, {'type': 'OptimWrapper', **config, **options})


def tiny():
    torch.manual_seed(0)
    return ViT(arch={'embed_dims': 24, 'depth': 2, 'num_heads': 2}, img_size=32)


@pytest.mark.parametrize(
    'options',
    [
        {'type': 'AdamW', 'foreach': False, 'fused': False},
        {'type': 'AdamW', 'fused': True},
        {'type': 'SGD', 'momentum': 0.9, 'foreach': True},
    ],
)
def test_weights_are_those_of_a_group_for_each_parameter(options):
    optimizer = {'lr': 0.01, 'weight_decay': 0.1, **options}
    models = [tiny(), tiny()]
    kinds = ['DefaultOptimWrapperConstructor', GROUPED]
    wrappers = [
        build(model, each, optimizer, clip_grad={'max_norm': 0.5})
        for model, each in zip(models, kinds, strict=True)
    ]
    counts = [len(wrapper.optimizer.param_groups) for wrapper in wrappers]
    assert counts == [len(list(models[0].parameters())), 4]
    for seed in range(3):
        for model, wrapper in zip(models, wrappers, strict=True):
            draw = torch.Generator().manual_seed(seed)
            for parameter in model.parameters():
                parameter.grad = torch.randn(parameter.shape, generator=draw)
            wrapper.step()
    pairs = zip(*(model.parameters() for model in models), strict=True)
    assert all(torch.equal(one, other) for one, other in pairs)
    assert not torch.equal(models[0].pos_embed, tiny().pos_embed)


@pytest.mark.parametrize(
    ('optimizer', 'device', 'fused'),
    [
        ({'type': 'SGD'}, 'cpu', True),
        ({'type': torch.optim.AdamW}, 'cpu', True),
        ({'type': 'AdamW', 'foreach': False}, 'cpu', False),
        ({'type': 'RMSprop'}, 'cpu', False),
        ({'type': 'AdamW'}, 'meta', False),
    ],
)
def test_the_fused_kernel_is_taken_where_there_is_one(optimizer, device, fused):
    option = fused_option(optimizer, nn.Linear(1, 1, device=device))
    assert option == ({'fused': True} if fused else {})


# ------------------------------------------------------------------------ of a checkpoint

STOP = {'type': 'Stop', 'iteration': 5}


def run(work_dir, *hooks, paramwise, grouped=False, **changes):
    """Eight iterations with momenta, two rates, two schedules and clipped gradients."""
    settings = config(work_dir, 'epoch', *hooks, **changes)
    settings.optim_wrapper = {
        'optimizer': {'type': 'AdamW', 'lr': 0.1, 'weight_decay': 0.1},
        **({'constructor': GROUPED} if grouped else {}),
        'paramwise_cfg': paramwise,
        'clip_grad': {'max_norm': 0.1},
    }
    return run_toy(settings)


def resumed(folder, paramwise, then):
    """A run with single groups that is killed after its first epoch and goes on with few."""
    with pytest.raises(Killed):
        run(folder, STOP, paramwise=paramwise)
    saved = str(folder / 'epoch_1.pth')
    assert len(load_file(saved)['optimizer']['param_groups']) == 6
    hook = {'type': 'vitbackbones.FittingCheckpointHook', 'path': saved, 'resume': True}
    changes = {'resume': True, 'load_from': saved}
    return run(folder, hook, paramwise=then, grouped=True, **changes)


@pytest.mark.parametrize(
    ('options', 'groups'),
    [({'custom_keys': {'out': {'lr_mult': 2.0}}}, 2), ({'norm_decay_mult': 2.0}, 1)],
)
def test_it_is_continued_to_the_bit(tmp_path, capsys, options, groups):
    whole = run(tmp_path / 'whole', paramwise=options)
    capsys.readouterr()
    runner = resumed(tmp_path / 'stopped', options, options)
    assert len(runner.optim_wrapper.optimizer.param_groups) == groups
    (weights, losses), (expected, expected_losses) = state(runner), state(whole)
    count = 2 * len(whole.model.state_dict())
    assert weights[:count] == expected[:count]
    assert losses == expected_losses
    rates, expected_rates = (each.optim_wrapper.get_lr() for each in (runner, whole))
    assert {key: {*rates[key]} for key in rates} == {k: {*v} for k, v in expected_rates.items()}
    initial = [group['initial_lr'] for group in runner.optim_wrapper.param_groups]
    assert all(schedule.base_values == initial for schedule in runner.param_schedulers)
    assert 'not exactly as before' not in capsys.readouterr().out


def test_other_options_than_it_was_saved_with_are_refused(tmp_path):
    message = 'its optimizer has 6 groups of 6 parameters, but the config has 1 groups of 6'
    with pytest.raises(InputError, match=message):
        resumed(tmp_path, {'bias_lr_mult': 2.0}, {'norm_decay_mult': 1.0})


@pytest.mark.parametrize('fused', [True, False])
def test_a_loss_scaler_goes_on_with_the_kernel_that_was_saved(fused):
    """Its scale goes to a fused kernel, and to no other."""
    weight = nn.Parameter(torch.ones(3))
    optimizer = torch.optim.AdamW([weight], fused=not fused)
    saved = torch.optim.AdamW([weight], fused=fused).state_dict()
    OptimWrapper(optimizer).load_state_dict(saved)
    follow_kernel(optimizer)
    scaler = torch.amp.GradScaler('cpu', init_scale=4.0)
    scaler.scale(weight.sum()).backward()
    scaler.step(optimizer)
    assert (weight < 1).all()
