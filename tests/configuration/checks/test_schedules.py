"""Schedules are stepped through before a run; those that learn nothing are named."""

import pytest

from vitbackbones.configuration.checks.schedules import length_rules, simulated

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
            'infinite or not a',
        ),
        ([{'type': 'MultiStepLR', 'milestones': [2], 'gamma': -1}], 'a learning rate below 0'),
        (
            [{'type': 'LinearLR', 'start_factor': 1e-9, 'end_factor': 1e-9}],
            'never above 1e-12, where',
        ),
        ([{'type': 'ExponentialLR', 'gamma': 1.2}], 'rises from 0.001 to'),
        ([{'type': 'StepLR', 'step_size': 0}], 'ZeroDivisionError'),
        ([{'type': 'CosineAnnealingLR', 'begin': 9, 'end': 3}], 'ValueError: '),
        ([{'type': 'ExponentialLR', 'gamma': 1e-30}], 'above 0 in 10% of the run only'),
        ([{'type': 'PolyLR', 'end': 3}], 'above 0 in 20% of the run only'),
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
