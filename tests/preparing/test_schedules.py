"""Schedules are stepped through before a run; those that learn nothing are named."""

import pytest

from vitbackbones.preparing.schedules import _shorter, base_rates, length_rules, simulated

WARM_UP = {'type': 'LinearLR', 'start_factor': 0.1, 'by_epoch': False, 'end': 500}


def findings(schedules, lr=1e-3, **loop):
    optimizer = {'optimizer': {'type': 'SGD', 'lr': lr}}
    return [
        *length_rules({'train_cfg': loop, 'optim_wrapper': optimizer, 'param_scheduler': schedules})
    ]


@pytest.mark.parametrize(
    ('schedules', 'said'),
    [
        (
            [{'type': 'MultiStepLR', 'milestones': [2], 'gamma': float('inf')}],
            'NaN or infinite',
        ),
        ([{'type': 'MultiStepLR', 'milestones': [2], 'gamma': -1}], 'a learning rate below 0'),
        (
            [{'type': 'LinearLR', 'start_factor': 1e-9, 'end_factor': 1e-9}],
            'never above 1e-12, but',
        ),
        ([{'type': 'ExponentialLR', 'gamma': 1.2}], 'rises from 0.001 to'),
        ([{'type': 'StepLR', 'step_size': 0}], 'ZeroDivisionError'),
        ([{'type': 'ConstantParamScheduler', 'param_name': 'nope'}], "KeyError: 'nope'"),
        ([{'type': 'QuadraticWarmupLR', 'begin': 3, 'end': 1}], 'param_scheduler: KeyError'),
        ([{'type': 'CosineAnnealingLR', 'begin': 9, 'end': 3}], 'ValueError: '),
        ([{'type': 'ExponentialLR', 'gamma': 1e-30}], 'above 0 in only 10% of the run'),
        ([{'type': 'PolyLR', 'end': 3}], 'above 0 in only 20% of the run'),
        ([WARM_UP, {'type': 'CosineAnnealingLR', 'eta_min': 0.1}], '1.eta_min: is 0.1, above the'),
    ],
)
def test_a_schedule_that_learns_nothing_is_one_message(schedules, said):
    assert said in findings(schedules, max_epochs=10)[0]


@pytest.mark.parametrize(
    'schedules',
    [
        [],
        [WARM_UP, {'type': 'CosineAnnealingLR', 'eta_min': 1e-6}],
        [WARM_UP, {'type': 'MultiStepLR', 'milestones': [8, 9]}],
        {'type': 'ReduceOnPlateauLR', 'monitor': 'loss'},
        [
            {'type': 'CosineAnnealingLR', 'eta_min': 0.1, 'T_max': 4, 'end': 4},
            {'type': 'CosineAnnealingLR', 'eta_min': 1e-3, 'T_max': 6, 'begin': 4},
        ],
        [{'type': 'OneCycleLR', 'eta_max': 0.01, 'total_steps': 10}],
        [{'type': 'PolyLR', 'power': 0.9, 'convert_to_iter_based': True}],
        [{'type': 'PolyLR', 'by_epoch': False, 'end': 400}],
        [{'type': 'CosineAnnealingMomentum', 'eta_min': 0.85}],
        [{'type': 'LinearParamScheduler', 'param_name': 'weight_decay', 'start_factor': 0.5}],
        [{'type': 'CosineAnnealingParamScheduler', 'param_name': 'weight_decay', 'eta_min': 0.05}],
        [{'type': 'OneCycleLR', 'eta_max': 0.001, 'by_epoch': False, 'total_steps': 3000}],
    ],
)
def test_what_is_meant_passes(schedules):
    assert not findings(schedules, max_epochs=10)


def test_a_long_run_is_tried_in_fewer_steps_of_the_same_shape():
    schedule = {'type': 'PolyLR', 'power': 1, 'begin': 1500, 'end': 160_000, 'by_epoch': False}
    seen = simulated([schedule], [1.0, 0.1], 160_000, by_iterations=True)
    assert len(seen) == 1000
    assert seen[500] == pytest.approx([0.505, 0.0505], abs=0.01)
    assert not findings([schedule], max_iters=160_000)


def test_rates_of_zero_for_a_part_of_the_model_are_meant():
    optimizer = {'optimizer': {'lr': 0.1}, 'paramwise_cfg': {'custom_keys': {'a': {'lr_mult': 0}}}}
    assert not [*length_rules({'train_cfg': {'max_epochs': 1}, 'optim_wrapper': optimizer})]


def test_a_schedule_of_mmdet_is_found_in_a_run_of_mmdet():
    warm = {'type': 'QuadraticWarmupLR', 'begin': 0, 'end': 2}
    config = {'train_cfg': {'max_epochs': 10}, 'param_scheduler': [warm], 'default_scope': 'mmdet'}
    assert not [*length_rules(config | {'optim_wrapper': {'optimizer': {'lr': 0.1}}})]


@pytest.mark.parametrize(
    ('loop', 'split', 'said'),
    [
        ({'max_epochs': 2}, 'train', 'InfiniteSampler never ends an epoch; use DefaultSampler'),
        ({'max_iters': 2}, 'val', 'InfiniteSampler never ends an epoch; use DefaultSampler'),
        ({'max_iters': 2}, 'train', None),
    ],
)
def test_an_epoch_without_an_end(loop, split, said):
    loader = {'sampler': {'type': 'mmdet.InfiniteSampler'}}
    found = [*length_rules({'train_cfg': loop, f'{split}_dataloader': loader})]
    assert found == ([f'{split}_dataloader.sampler.type: {said}'] if said else [])


def test_schedules_are_not_stepped_twice():
    hooks = [{'type': 'ParamSchedulerHook'}]
    (found,) = length_rules({'train_cfg': {'max_epochs': 2}, 'custom_hooks': hooks})
    assert found == 'custom_hooks.0: every run already has ParamSchedulerHook; remove this one'


def test_a_run_without_an_end_is_not_stepped_through():
    assert not findings([{'type': 'StepLR', 'step_size': 9}], max_epochs=10**300)


def test_a_trial_of_one_step_is_meant():
    warm = {'type': 'LinearLR', 'start_factor': 1e-6, 'by_epoch': False, 'end': 1500}
    assert not findings([warm], max_iters=1)
    assert 'the run learns nothing' in findings([warm | {'end_factor': 1e-6}], max_iters=9)[0]


@pytest.mark.parametrize(
    ('loop', 'begins'),
    [
        ({'max_epochs': 5, 'val_begin': 6}, True),
        ({'max_epochs': 5, 'val_begin': 5}, False),
        ({'max_iters': 5, 'val_begin': 6}, True),
        ({'max_epochs': 5}, False),
        ({'max_epochs': 1}, False),
        ({'max_epochs': True, 'val_begin': 6}, False),
        ({'max_epochs': 0.5, 'val_begin': 6}, False),
        ({'max_epochs': 1, 'val_begin': 2}, True),
    ],
)
def test_an_evaluation_after_the_end(loop, begins):
    found = [*length_rules({'train_cfg': loop, 'val_cfg': {}})]
    assert [text.partition(':')[0] for text in found] == ['train_cfg.val_begin'] * begins
    assert not [*length_rules({'train_cfg': loop, 'val_cfg': None})]


@pytest.mark.parametrize(
    ('loop', 'hook', 'is_refused'),
    [
        ({'max_iters': 9}, {'interval': 1}, True),
        ({'max_iters': 9}, {'by_epoch': True}, True),
        ({'max_iters': 9}, {'by_epoch': False}, False),
        ({'max_epochs': 9}, {'interval': 1}, False),
        ({'max_iters': 9}, None, False),
    ],
)
def test_checkpoints_of_iterations(loop, hook, is_refused):
    found = [*length_rules({'train_cfg': loop, 'default_hooks': {'checkpoint': hook}})]
    assert len(found) == is_refused


@pytest.mark.parametrize(
    ('schedules', 'loop', 'said'),
    [
        ([{'type': 'StepLR', 'step_size': 1, 'begin': 10}], {'max_epochs': 10}, '0.begin: is 10'),
        ([{'type': 'StepLR', 'step_size': 1, 'begin': 9}], {'max_epochs': 10}, None),
        ([{'type': 'StepLR', 'step_size': 1}], {'max_iters': 10}, '0.by_epoch: must be False'),
        ([{'type': 'ConstantLR', 'eta_min': 1}], {'max_epochs': 10}, '0.eta_min: is 1, above'),
    ],
)
def test_schedules_of_another_length_or_unit(schedules, loop, said):
    found = findings(schedules, **loop)
    assert bool(found) == bool(said)
    assert not said or f'param_scheduler.{said}' in found[0]


def test_rates_that_groups_begin_with():
    def rates(lr, keys=None):
        wrapper = {'optimizer': {'type': 'SGD', 'lr': lr}}
        wrapper |= {'paramwise_cfg': {'custom_keys': keys}} if keys else {}
        return base_rates({'optim_wrapper': wrapper})

    assert rates(0.5) == [0.5]
    assert rates(None) == [1e-3]
    assert rates(0.5, {'a': {'lr_mult': 0.1}, 'b': {'decay_mult': 0}}) == pytest.approx([0.5, 0.05])
    assert findings([], lr=0, max_epochs=3) == [
        'optim_wrapper.optimizer.lr: is 0, so the run learns nothing'
    ]


def test_epochs_and_iterations_are_stepped_each_in_their_turn():
    halved = {'type': 'StepLR', 'step_size': 1, 'gamma': 0.5}
    assert simulated([halved], [1.0], 3, by_iterations=False)[:1] == [[1.0]]
    short = {'type': 'LinearLR', 'start_factor': 0.5, 'by_epoch': False, 'end': 6}
    seen = [rate for (rate,) in simulated([halved, short], [1.0], 3, by_iterations=False)]
    assert len(seen) == 6  # two iterations in an epoch
    assert seen[0] == 0.5
    assert seen[2] / seen[1] < 1 < seen[1] / seen[0]
    by_steps = simulated([halved | {'by_epoch': False}], [1.0, 2.0], 4, by_iterations=True)
    assert by_steps == [[1, 2], [0.5, 1], [0.25, 0.5], [0.125, 0.25]]


@pytest.mark.parametrize(
    ('value', 'shorter'),
    [(10, 4), (9, 3), (1, 1), (0, 0), (-1, -1), ([6, 7], [2, 3]), (None, None), ('x', 'x')],
)
def test_numbers_of_iterations_become_smaller_and_stay_above_0(value, shorter):
    assert _shorter(value, 3) == shorter


def test_milestones_of_a_long_run_are_where_they_were():
    schedule = {'type': 'MultiStepLR', 'milestones': [2000, 3000], 'gamma': 0.1, 'by_epoch': False}
    seen = [rate for (rate,) in simulated([schedule], [1.0], 4000, by_iterations=True)]
    assert len(seen) == 1000
    assert seen[499:501] == pytest.approx([1, 0.1])
    assert seen[749:751] == pytest.approx([0.1, 0.01])
