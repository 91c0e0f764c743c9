"""What ``--patience`` watches, and when it is refused."""

import pytest
from mmengine.config import Config

from vitbackbones.errors import InputError
from vitbackbones.preparing.early_stopping import stop_early

COCO = {'type': 'CocoMetric', 'ann_file': 'a.json'}


def config(scope='mmdet', checkpoint=None, metric=COCO, **changes):
    settings = {
        'default_scope': scope,
        'train_cfg': {'max_iters': 100, 'val_interval': 30},
        'val_cfg': {},
        'val_evaluator': metric,
        'default_hooks': {'checkpoint': {'type': 'CheckpointHook', **(checkpoint or {})}},
    }
    return Config(settings | changes)


@pytest.mark.parametrize(
    ('given', 'metric'),
    [
        (config(), 'coco/bbox_mAP'),
        (config(checkpoint={'save_best': 'auto'}), 'coco/bbox_mAP'),
        (config(checkpoint={'save_best': ['coco/segm_mAP', 'x']}), 'coco/segm_mAP'),
        (config('mmpretrain', metric={'type': 'Accuracy', 'topk': (1, 5)}), 'accuracy/top1'),
        (config('mmseg', {'save_best': 'mIoU'}, {'type': 'IoUMetric'}), 'mIoU'),
    ],
)
def test_the_metric_of_the_best_checkpoint_is_watched(given, metric):
    found = stop_early(given, 2)
    (hook,) = found.custom_hooks
    assert hook['type'] == 'vitbackbones.EarlyStoppingHook'
    assert (hook['monitor'], hook['patience']) == (metric, 2)
    asked = given.default_hooks.checkpoint.get('save_best')
    assert found.default_hooks.checkpoint.save_best == (asked or metric)
    assert 'custom_hooks' not in given


def test_the_rule_is_that_of_the_best_checkpoint():
    found = stop_early(config(checkpoint={'save_best': 'x', 'rule': 'less'}), 2)
    assert found.custom_hooks[0].rule == 'less'


def test_without_patience_nothing_changes():
    given = config()
    assert stop_early(given, None) is given


@pytest.mark.parametrize(
    ('given', 'patience', 'said'),
    [
        (config(), 3, '--patience 3: this training has only 4 evaluations'),
        (config(train_cfg={'max_epochs': 2}), 2, 'only 2 evaluations, so it would never stop'),
        (config(train_cfg={'max_epochs': 9, 'val_begin': 7}), 2, 'only 3 evaluations'),
        (config(val_cfg=None), 1, 'only 0 evaluations'),
        (config(metric={'type': 'Mine'}), 1, 'give the metric to watch with --cfg-options'),
        (config('mine'), 1, 'give the metric to watch with --cfg-options'),
    ],
)
def test_what_cannot_stop_early_is_refused(given, patience, said):
    with pytest.raises(InputError, match=said):
        stop_early(given, patience)
