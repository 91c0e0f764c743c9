"""``--steps`` and ``--epochs``: every number of a schedule, before and after."""

import pytest
from mmengine.config import Config
from mmengine.registry import DefaultScope

from vitbackbones.configuration.length import with_length, with_rate
from vitbackbones.configuration.names import config_files
from vitbackbones.configuration.read import read_config
from vitbackbones.errors import InputError
from vitbackbones.preparing.schedules import length_rules, simulated

pytestmark = pytest.mark.compat


def numbers(config):
    """Begin, end, T_max and milestones of each schedule."""
    keys = ('begin', 'end', 'T_max', 'milestones')
    return [tuple(each.get(key) for key in keys) for each in config.param_scheduler]


def test_a_detr_that_counts_epochs():
    config = with_length(read_config('detr_aug_vit_s_coco'), epochs=10)  # of 50
    assert config.train_cfg.max_epochs == 10
    assert config.train_cfg.val_interval == 1
    assert numbers(config) == [(0, 10, None, [7])]  # of 33
    assert config.default_hooks.checkpoint.interval == 1


def test_a_quick_detector_that_counts_iterations():
    before = read_config('quick_detector')  # 2000, evaluated and saved each 500
    config = with_length(before, steps=400)
    assert before.train_cfg.max_iters == 2000
    assert config.train_cfg == {**before.train_cfg, 'max_iters': 400, 'val_interval': 100}
    assert numbers(config) == [(0, 10, None, None), (10, 400, None, None)]  # warm-up of 50
    assert config.default_hooks.checkpoint.interval == 100
    assert config.default_hooks.logger.interval == 25
    longer = with_length(before, steps=20000)
    assert numbers(longer) == [(0, 500, None, None), (500, 20000, None, None)]


def test_a_run_of_a_few_steps_leaves_its_warm_up_and_logs_a_line():
    config = with_length(read_config('quick_detector'), steps=5)
    assert numbers(config) == [(0, 2, None, None), (2, 5, None, None)]
    assert config.train_cfg.val_interval == config.default_hooks.checkpoint.interval == 1
    assert config.default_hooks.logger.interval == 5
    config = with_length(read_config('quick_detector'), steps=1)
    assert numbers(config) == [(0, 1, None, None)]  # a cosine alone


def test_a_classifier_of_epochs_with_its_warm_up():
    config = with_length(read_config('cls_deit_s_imagenet'), epochs=30)  # of 300
    # of (0, 6) and (0, 301, 300): a warm-up has a step of its beginning and one of its end
    assert numbers(config) == [(0, 2, None, None), (0, 30, 30, None)]
    config = with_length(read_config('cls_deit_ti_shapes'), epochs=20)  # of 10
    assert numbers(config) == [(0, 2, None, None), (2, 20, 18, None)]  # of (0, 1), (1, 10, 9)
    assert config.train_cfg.val_interval == 4
    assert config.default_hooks.checkpoint.interval == 2


def test_a_warm_up_in_iterations_of_a_run_of_epochs():
    config = with_length(read_config('retinanet_pvt_s_coco'), epochs=6)  # of 12
    # of (0, 500), (0, 12) and [8, 11]; a decay at the end would have no effect
    assert numbers(config) == [(0, 250, None, None), (0, 6, None, [4, 5])]


def test_hooks_and_intervals_that_change_follow_and_minus_one_stays():
    hooks = [
        {'type': 'EMAHook', 'begin_epoch': 100},
        {'type': 'SwitchRecipeHook', 'schedule': [{'action_epoch': 50}]},
    ]
    checkpoint = {'type': 'CheckpointHook', 'interval': -1, 'save_begin': 20}
    config = Config(
        {
            'train_cfg': {'max_epochs': 200, 'val_begin': 10, 'dynamic_intervals': [(180, 2)]},
            'param_scheduler': {'type': 'CosineRestartLR', 'periods': [40, 60], 'end': 10**9},
            'custom_hooks': hooks,
            'default_hooks': {'checkpoint': checkpoint},
        }
    )
    config = with_length(config, epochs=20)
    loop = {'max_epochs': 20, 'val_begin': 1, 'dynamic_intervals': [(18, 1)]}
    assert config.train_cfg == loop
    (schedule,) = config.param_scheduler
    assert schedule['periods'] == [4, 6]
    assert schedule['end'] == 10**9
    assert config.custom_hooks[0].begin_epoch == 10
    assert config.custom_hooks[1].schedule[0].action_epoch == 5
    assert config.default_hooks.checkpoint == {**checkpoint, 'save_begin': 2}


@pytest.mark.parametrize(
    ('name', 'given', 'message'),
    [
        ('detr_aug_vit_s_coco', {'steps': 9}, '--steps: .*detr_aug_vit_s.py is in epochs; use'),
        ('quick_detector', {'epochs': 9}, '--epochs: .*quick_detector.py is in steps; use --st'),
    ],
)
def test_the_other_unit_is_refused(name, given, message):
    with pytest.raises(InputError, match=message):
        with_length(read_config(name), **given)


@pytest.mark.parametrize('steps', [300, 1000, 7000])
def test_the_rate_is_the_same_at_the_same_part_of_a_run(steps):
    parts = [part / 20 for part in range(21)]

    def rates(config):
        seen = simulated(config.param_scheduler, [1.0], config.train_cfg.max_iters, True)
        return [seen[round(part * (len(seen) - 1))][0] for part in parts]

    config = read_config('quick_detector')  # 2000 steps, 50 of them to warm up
    with DefaultScope.overwrite_default_scope('mmdet'):
        assert rates(with_length(config, steps=steps)) == pytest.approx(rates(config), abs=0.01)


@pytest.mark.parametrize('epochs', [1, 2, 3, 5, 6])
def test_the_last_decay_still_has_an_effect(epochs):
    config = with_length(read_config('dino_aug_pvt_s_coco'), epochs=epochs)  # at 11 of 12
    assert numbers(config) == [(0, epochs, None, [max(epochs - 1, 1)])]


def test_a_rate_that_falls_at_each_step_ends_where_it_did():
    decay = {'type': 'ExponentialLR', 'gamma': 0.9, 'by_epoch': False}
    config = Config({'train_cfg': {'max_iters': 100}, 'param_scheduler': decay})
    (schedule,) = with_length(config, steps=20).param_scheduler
    assert schedule['gamma'] ** 20 == pytest.approx(0.9**100)


def test_rates_of_schedules_follow_that_of_the_optimizer():
    schedules = [
        {'type': 'CosineAnnealingLR', 'eta_min': 1e-5},
        {'type': 'OneCycleLR', 'eta_max': 1e-3},
        {'type': 'PolyLR', 'eta_min': 0},
        {'type': 'CosineAnnealingMomentum', 'eta_min': 0.8},
        {'type': 'LinearLR', 'start_factor': 0.1},
    ]
    optimizer = {'type': 'AdamW', 'lr': 1e-3}
    config = Config({'param_scheduler': schedules, 'optim_wrapper': {'optimizer': optimizer}})
    changed = with_rate(config, 2e-3).param_scheduler
    assert [each.get('eta_min', each.get('eta_max')) for each in changed] == pytest.approx(
        [2e-5, 2e-3, 0, 0.8, None]
    )
    assert config.param_scheduler[0].eta_min == 1e-5
    assert with_rate(config, None) is config


def test_no_length_changes_nothing():
    config = read_config('quick_detector')
    assert with_length(config) is config


def test_every_shipped_schedule_can_be_a_tenth_as_long():
    """And is one that learns, by the rules for all runs."""
    seen = set()
    for file in config_files().values():
        config = read_config(file)
        key = repr((config.train_cfg, config.param_scheduler))
        if key in seen:
            continue
        seen.add(key)
        loop = config.train_cfg
        by_epoch = 'max_epochs' in loop
        tenth = max(2, loop['max_epochs' if by_epoch else 'max_iters'] // 10)
        shorter = with_length(config, **{'epochs' if by_epoch else 'steps': tenth})
        assert [*length_rules(shorter)] == [], file
