"""The table's vocabulary, and how its places are found."""

import math

import pytest

from vitbackbones.configuration import schema
from vitbackbones.configuration.schema import COUNT, SCHEMA, alternatives, misfits


def test_places(monkeypatch):
    table = {'a.**.n': COUNT, '*_b.0.n': COUNT, 'missing.n': COUNT, 'a.**.@T*.{m,k}': COUNT}
    monkeypatch.setattr(schema, 'SCHEMA', table)
    config = {'a': {'n': 0, 'c': [{'n': 1}, {'d': {'n': -1}}]}, 'x_b': ({'n': 'x'},), 'n': 0}
    config['a'] |= {'e': {'type': 'mmdet.Typed', 'm': 0, 'k': 0}, 'f': {'type': 'Other', 'm': 0}}
    assert [finding.partition(':')[0] for finding in misfits(config)] == [
        'a.n',
        'a.c.1.d.n',
        'x_b.0.n',
        'a.e.m',
        'a.e.k',
    ]
    assert "x_b.0.n: is 'x', but it must be an integer of at least 1" in misfits(config)


def test_each_place_has_one_rule():
    places = [place for row in SCHEMA for place in alternatives(row)]
    assert len(places) == len({*places})


def test_a_subset_may_be_of_the_first_or_of_the_last_samples():
    for value, count in ((3, 0), (-3, 0), ([0, 2], 0), (None, 0), (0, 1), ([], 1), ([-1], 1)):
        config = {'train_dataloader': {'dataset': {'type': 'X', 'indices': value}}}
        assert len([*misfits(config)]) == count


PIPELINE = '*_dataloader.dataset.**.pipeline.**.'
# of some places, values at the limits: those that fit, and those that do not
LIMITS = {
    '*_dataloader.num_workers': ([0, 8], [-1, 0.5, True, '2']),
    '*_dataloader.dataset.datasets': ([[], [{'type': 'x'}]], [[{}], {'type': 'x'}]),
    '*_dataloader.dataset.pipeline': ([[{'type': 'x'}], [print]], [[], [{}], None]),
    f'{PIPELINE}cat_max_ratio': ([1, 0.1], [0, 1.1]),
    f'{PIPELINE}prob': ([0, 1, None, [0.5]], [-0.1, 1.1]),
    '*_dataloader.dataset.**.max_refetch': ([0], [-1]),
    '*_dataloader.dataset.**.filter_cfg.min_size': ([0, 32], [-1, 'x']),
    '*_dataloader.dataset.**.metainfo.palette': (
        [[[0, 255, 0]], 'x', [0, 1, 255]],
        [[[0, 256, 0]], [[-1, 0, 0]], [[0, 0]], [1, 2]],
    ),
    '*_evaluator.**.topk': ([1, [1, 5]], [0, [], [0]]),
    '*_evaluator.**.thrs': ([0, 1, [0.5, None], None], [1.1, []]),
    '*_evaluator.**.proposal_nums': ([[1, 10, 100], [300]], [[], [0, 1, 2]]),
    '*_evaluator.**.ignore_index': ([0, 255, -(2**31)], [-(2**31) - 1, 0.5]),
    '*_evaluator.**.@CocoMetric.metric': (['bbox', ['bbox', 'segm']], [[], 'box']),
    'train_cfg.val_begin': ([0], [-1]),
    'train_cfg.max_iters': ([1, 1e4], [0, 1.5, '1']),
    'optim_wrapper.optimizer.lr': ([0, 0.1, None], [-1e-9, math.inf]),
    'optim_wrapper.optimizer.momentum': ([0, 0.99], [1, -0.1]),
    'optim_wrapper.optimizer.eps': ([1e-8, [1e-8, None]], [0, [1e-8], [1e-8, 0]]),
    'optim_wrapper.optimizer.betas': ([[0, 0.99], [0, 0.9, 0.9]], [[0.9], [0, 1]]),
    'optim_wrapper.optimizer.maximize': ([False], [True]),
    'optim_wrapper.clip_grad': ([{'max_norm': 1}, {'clip_value': 1, 'x': 0}, None], [{}, 1]),
    'optim_wrapper.clip_grad.norm_type': ([2, 'inf', math.inf], [0, 'x']),
    'param_scheduler.**.start_factor': ([1, 0.1], [0, 1.1]),
    'param_scheduler.**.gamma': ([1, 0.1], [0, 1.1]),
    'param_scheduler.**.factor': ([1, 0.1], [0, 1.1]),
    'param_scheduler.**.begin': ([0], [-1]),
    'param_scheduler.**.periods': ([[1]], [[], [0]]),
    'param_scheduler.**.restart_weights': ([[0]], [[], [-1]]),
    'param_scheduler.**.milestones': ([[], [0, 3]], [[-1], 3]),
    'model.*head.dropout_ratio': ([0, 0.9, -1], [1, -0.1]),
    'model.**.init_cfg.stored_size': ([[1, 2], None], [[1], [1, 2, 3], [0, 1]]),
    'model.**.anchor_generator.ratios': ([[1], [[1, 2]]], [[], [[]], [0]]),
    'model.**.target_means': ([[0, 0, 0, -1]], [[0] * 3, [0] * 5]),
    'model.**.target_stds': ([[0.1] * 4], [[0] * 4, [1] * 3, [1] * 5]),
    'model.**.class_weight': ([0, [0, 1], 'x', None], [-1, [], [0, 0], [-1, 2]]),
    'model.**.loss_iou.type': (['GIoULoss', print], ['L1Loss']),
    'model.train_cfg.probs': ([[], [0.5, 0.5], None], [[0.5, 0.6], [-0.1]]),
    'model.train_cfg.**.neg_iou_thr': ([0.5, [0, 0.5]], [1.1, [0.5], [0, 0.1, 0.2]]),
    'model.train_cfg.**.mask_size': ([28, [28, 28]], [0, [28], [28] * 3]),
    'model.train_cfg.oversample_ratio': ([1, 3.0], [0.9]),
    'model.head.topk': ([1, [1, 5]], [0]),
    '**.data_preprocessor.std': ([[0.1], None], [[0]]),
    '**.data_preprocessor.size': ([[1, 1], None], [[1], [1] * 3]),
    '**.data_preprocessor.seg_pad_val': ([0, 255], [-1, 256]),
    'model.test_cfg.crop_size': ([[1, 1], None], [[1], [1] * 3, 0]),
    'model.test_cfg.stride': ([[1, 1], None], [[1], [1] * 3]),
    'model.**.max_per_img': ([1, -1], [0, -2]),
    'model.**.score_thr': ([0, 0.9], [1, -0.1]),
    'model.**.mask_thr_binary': ([-1, 0.9], [1, -1.1]),
    'model.**.nms_pre': ([-1, 0], [-2]),
    '*_hooks.*.switch_pipeline': ([[print]], [[]]),
    '*_hooks.*.interval': ([1, -1], [0, -2]),
    '*_hooks.*.momentum': ([0.1, 0.9], [0, 1]),
    '*_hooks.*.begin_iter': ([0], [-1]),
    '*_hooks.*.begin_epoch': ([0], [-1]),
    'default_hooks.checkpoint.max_keep_ckpts': ([1, -1], [0]),
    'default_hooks.checkpoint.filename_tmpl': (['a_{}.pth', None], ['a.pth', '{}{}', 'a/{}']),
    'default_hooks.finite_loss.skip': ([0], [-1]),
    'default_hooks.unreadable_images.limit': ([0, 0.9], [1, -0.1]),
    'env_cfg.mp_cfg.opencv_num_threads': ([0], [-1]),
    'randomness.seed': ([0, 2**32 - 1, None], [-1, 2**32]),
    'lora': ([1, None], [0]),
    'log_level': (['INFO', 'DEBUG', 20], ['LOUD', 7, None, [20]]),
    '**': ([0.0, 'x', None], [math.nan]),
}


@pytest.mark.parametrize('place', LIMITS)
def test_values_at_the_limits(place):
    rules = {each: rule for row, rule in SCHEMA.items() for each in alternatives(row)}
    fit, misfit = LIMITS[place]
    assert [value for value in fit if not rules[place].fits(value)] == []
    assert [value for value in misfit if rules[place].fits(value)] == []


@pytest.mark.parametrize(
    ('rule', 'fit', 'misfit'),
    [
        (schema.SIZE, [0.5, (3, 4)], [0, (3, 0), (3,), (1, 2, 3)]),
        (schema.SIZES, [3, [3, 4], [(3, 4), 5]], [0, [(3, 4, 5)]]),
        (schema.RANGE, [(1, 1), (0.5, 2)], [(2, 1), (0, 1), (1,), (1, 2, 3)]),
        (schema.TYPED, [{'type': 'x'}, {'type': print}], [{}, {'type': ''}, 'type']),
    ],
)
def test_values_of_rules_that_several_places_share(rule, fit, misfit):
    assert [value for value in fit if not rule.fits(value)] == []
    assert [value for value in misfit if rule.fits(value)] == []


def test_a_file_can_be_written_where_there_is_a_folder(tmp_path):
    (tmp_path / 'file').touch()
    for name, expected in (('a/b/c', True), ('file/a', False), ('.', True)):
        assert schema.can_be_written(str(tmp_path / name)) is expected
    assert not schema.can_be_written('/proc/a')
    assert not schema.can_be_written(3)
