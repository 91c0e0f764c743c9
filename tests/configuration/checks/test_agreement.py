"""Settings that are valid for themselves and not together."""

import pytest
from mmengine.config import Config

from vitbackbones.configuration.checks.agreement import (
    disagreements,
    missing_sections,
    require_agreement,
)
from vitbackbones.errors import InputError

SCOPES = {'CocoMetric': 'mmdet', 'mmseg.IoUMetric': 'mmseg', 'Accuracy': 'mmpretrain'}


def with_best(save_best, **evaluator):
    return {
        'default_scope': SCOPES.get(evaluator['type'], 'mmdet'),
        'default_hooks': {'checkpoint': {'type': 'CheckpointHook', 'save_best': save_best}},
        'val_evaluator': evaluator,
    }


COCO = {'type': 'CocoMetric', 'metric': ['bbox', 'segm']}
IOU = {'type': 'mmseg.IoUMetric', 'iou_metrics': ['mIoU', 'mDice']}
MEASURED = [
    ('coco/segm_mAP_50', COCO),
    ('coco/circle_precision', COCO | {'classwise': True}),
    ('coco/AR@100', COCO | {'metric': 'proposal'}),
    ('coco_panoptic/PQ_th', {'type': 'CocoPanopticMetric'}),
    ('mDice', IOU),
    ('val/mIoU', IOU | {'prefix': 'val'}),
    ('accuracy/top1_thr-0.50', {'type': 'Accuracy', 'thrs': (0.5, 0.6)}),
    ('whatever', {'type': 'SomeonesMetric'}),
    ('auto', COCO),
    (None, COCO),
]


@pytest.mark.parametrize(('name', 'evaluator'), MEASURED)
def test_what_is_measured_can_be_the_best(name, evaluator):
    assert disagreements(with_best(name, **evaluator)) == []
    assert disagreements(with_best([name], **evaluator)) == []


@pytest.mark.parametrize(
    ('name', 'evaluator', 'hint'),
    [
        ('coco/bbox_map', COCO, "did you mean 'coco/bbox_mAP'?"),
        ('mIou', IOU, "did you mean 'mIoU'?"),
        ('loss', IOU, 'known: aAcc, mIoU, mAcc, mDice'),
        ('top1', {'type': 'Accuracy'}, 'known: accuracy/top1'),
    ],
)
def test_what_is_not_measured(name, evaluator, hint):
    place = 'default_hooks.checkpoint.save_best'
    (finding,) = disagreements(with_best(['auto', name], **evaluator))
    assert finding == f'{place}: {name!r} is not measured by val_evaluator; {hint}'


@pytest.mark.parametrize(
    ('missing', 'given'), [('val_cfg', 'val_dataloader, val_evaluator'), ('test_dataloader', None)]
)
def test_splits_come_whole(missing, given):
    config = {f'val_{part}': {} for part in ('dataloader', 'cfg', 'evaluator')}
    assert list(missing_sections(config)) == []
    config[missing] = None
    wrong = f'{missing}: is missing beside {given}; give all of them, or leave all of them out'
    assert list(missing_sections(config)) == ([wrong] if given else [])


SIGMOID = {'loss_cls': {'use_sigmoid': True}}


def detr(**model):
    return {'default_scope': 'mmdet', 'model': {'type': 'vitbackbones.DETR', **model}}


@pytest.mark.parametrize(
    ('model', 'agrees'),
    [
        ({'test_cfg': {'max_per_img': 100}}, True),
        ({'test_cfg': {'max_per_img': 101}}, False),
        (
            {'bbox_head': {'loss_cls': {'use_sigmoid': True}}, 'test_cfg': {'max_per_img': 300}},
            True,
        ),
        ({'type': 'RetinaNet', 'test_cfg': {'max_per_img': 300}}, True),
        ({'neck': {'out_channels': 64}, 'bbox_head': {'embed_dims': 64}}, True),
    ],
)
def test_detr(model, agrees):
    assert (disagreements(detr(**model)) == []) is agrees


@pytest.mark.parametrize(
    ('backbone', 'neck', 'agrees'),
    [
        ({'type': 'vitbackbones.ViT'}, None, False),
        ({'type': 'vitbackbones.ViT'}, {'type': 'GlobalAveragePooling'}, True),
        ({'type': 'vitbackbones.ViT', 'out_type': 'pooled'}, None, True),
        ({'type': 'vitbackbones.ViT', 'out_type': 'cls_dist_tokens'}, None, False),
        ({'type': 'VisionTransformer'}, None, True),
    ],
)
def test_a_linear_head_reads_vectors(backbone, neck, agrees):
    model = {'backbone': backbone, 'neck': neck, 'head': {'type': 'LinearClsHead'}}
    config = {'default_scope': 'mmpretrain', 'model': model}
    assert (disagreements(config) == []) is agrees


@pytest.mark.parametrize(('out_type', 'agrees'), [('cls_token', False), ('cls_dist_tokens', True)])
def test_the_head_of_two_tokens_reads_both(out_type, agrees):
    backbone = {'type': 'vitbackbones.ViT', 'with_dist_token': True, 'out_type': out_type}
    model = {'backbone': backbone, 'head': {'type': 'vitbackbones.DistillationHead'}}
    config = {'default_scope': 'mmpretrain', 'model': model}
    assert (disagreements(config) == []) is agrees


def test_a_config_of_no_known_task_is_left_alone():
    assert disagreements(detr(test_cfg={'max_per_img': 101}) | {'default_scope': 'mmpose'}) == []


def test_what_does_not_fit_together_is_refused():
    config = Config(detr(num_queries=5, test_cfg={'max_per_img': 6}))
    with pytest.raises(InputError, match=r'max_per_img: is 6, more than model\.num_queries=5'):
        require_agreement(config)
