"""Settings that are valid for themselves and not together, or not for their recipe or weights."""

from argparse import ArgumentParser

import pytest
from mmengine.config import Config, DictAction

from vitbackbones.configuration.read import with_options
from vitbackbones.errors import InputError
from vitbackbones.preparing.agreement import (
    check_batch_size,
    check_evaluation,
    check_normalization,
    disagreements,
    listed,
    missing_sections,
    require_agreement,
    require_fit,
)
from vitbackbones.weights import PUBLISHED

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


def test_without_validation_nothing_is_watched():
    config = with_best('mIoU', **IOU) | {'val_evaluator': None}
    assert disagreements(config) == []


@pytest.mark.parametrize('watched', [{}, {'monitor': 'nope'}])
def test_a_schedule_watches_what_is_measured(watched):
    schedule = {'type': 'ReduceOnPlateauLR', **watched}
    for each in (schedule, [schedule]):
        (found,) = disagreements(with_best(None, **COCO) | {'param_scheduler': each})
        assert f'{watched.get("monitor", "loss")!r} is not a metric of val_evaluator' in found


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
    assert finding == f'{place}: {name!r} is not a metric of val_evaluator; {hint}'


SIGMOID = {'loss_cls': {'use_sigmoid': True}}


def detr(**model):
    return {'default_scope': 'mmdet', 'model': {'type': 'vitbackbones.DETR', **model}}


@pytest.mark.parametrize(
    ('model', 'agrees'),
    [
        ({'test_cfg': {'max_per_img': 100}}, True),
        ({'test_cfg': {'max_per_img': 101}}, False),
        ({'bbox_head': SIGMOID, 'test_cfg': {'max_per_img': 300}}, True),
        ({'type': 'RetinaNet', 'test_cfg': {'max_per_img': 300}}, True),
        ({'neck': {'out_channels': 64}, 'bbox_head': {'embed_dims': 64}}, True),
    ],
)
def test_detr(model, agrees):
    assert (disagreements(detr(**model)) == []) is agrees


def weighted(weights, scope='mmseg', kind='FCNHead', **head):
    """What is said of a head of four classes whose loss has these weights."""
    loss = {key: head.pop(key) for key in ('use_sigmoid',) if key in head}
    head = {'type': kind, 'num_classes': 4, 'loss_decode': {'class_weight': weights, **loss}} | head
    return disagreements({'default_scope': scope, 'model': {'type': 'X', 'decode_head': head}})


@pytest.mark.parametrize(
    ('weights', 'options', 'said'),
    [
        ([1.0] * 4, {}, None),
        ((1.0,) * 4, {}, None),
        ([1.0] * 5, {}, 'has 5 weights for 4 classes; set it to [1.0] * 4'),
        ([1.0] * 3, {}, 'has 3 weights for 4 classes; set it'),
        ([1.0], {'num_classes': 2, 'out_channels': 1}, None),
        ([1.0] * 2, {'num_classes': 2, 'out_channels': 1}, 'has 2 weights for 1 classes'),
        ([1.0] * 5, {'scope': 'mmdet'}, None),
        ([1.0] * 4, {'scope': 'mmdet'}, 'has 4 weights for 4 classes and "no object"; set it to '),
        ([1.0] * 4, {'scope': 'mmdet', 'use_sigmoid': True}, None),
        ([1.0] * 4, {'scope': 'mmdet', 'out_channels': 1, 'use_sigmoid': True}, None),
        ([1.0] * 5, {'kind': 'Mask2FormerHead'}, None),
        ([1.0] * 5, {'kind': 'MaskFormerHead'}, None),
        ([1.0] * 5, {'kind': 'SideAdapterCLIPHead'}, None),
        (
            [1.0] * 4,
            {'kind': 'vitbackbones.EoMTDecodeHead'},
            'has 4 weights for 4 classes and "no ',
        ),
        (2.0, {}, 'is one number for 4 classes'),
        (2.0, {'use_sigmoid': True}, None),
        (2.0, {'kind': 'DETRHead'}, None),
        ([1.0] * 5, {'scope': 'mmdet', 'kind': 'DETRHead'}, 'is a list, but DETRHead weighs all'),
        (None, {}, None),
        (__file__, {}, None),
        ('nowhere.npy', {}, "is 'nowhere.npy', a file that does not exist"),
        ([1.0] * 3, {'num_classes': 0}, None),
        ([1.0], {'num_classes': 0, 'num_things_classes': 2}, None),
        ([1.0] * 4, {'num_classes': 0, 'num_things_classes': 2, 'num_stuff_classes': 2}, None),
    ],
)
def test_losses_weigh_each_class(weights, options, said):
    found = weighted(weights, **options)
    assert len(found) == (said is not None)
    for text in found:
        assert text.startswith(f'model.decode_head.loss_decode.class_weight: {said}')


def test_each_loss_of_a_list_is_looked_at():
    losses = [{'class_weight': [1.0] * 3}, {'class_weight': [1.0] * 4}, {}]
    found = weighted(None, loss_decode=losses, other={'class_weight': [1.0]})
    assert len(found) == 1


def pipeline(*kinds, scope='mmdet'):
    steps = [{'type': kind} for kind in kinds]
    return disagreements(
        {'default_scope': scope, 'train_dataloader': {'dataset': {'type': 'X', 'pipeline': steps}}}
    )


@pytest.mark.parametrize(
    ('kinds', 'is_packed'),
    [
        (['LoadImageFromFile', 'PackDetInputs'], True),
        (['PackDetInputs', 'Resize'], False),
        (['LoadImageFromFile'], False),
        (['mmdet.RandomFlip'], False),
        (['NoSuchStep'], True),  # of someone, who knows
        ([], False),
    ],
)
def test_pipelines_end_in_a_step_that_packs(kinds, is_packed):
    found = pipeline(*kinds)
    assert len(found) == (not is_packed)
    assert all(text.startswith('train_dataloader.dataset.pipeline: ') for text in found)
    assert all("'mmdet.PackDetInputs'" in text or 'PackDetInputs' in text for text in found)


def test_a_split_has_all_of_its_sections_or_none():
    parts = {'val_dataloader': {}, 'val_cfg': {}, 'val_evaluator': {}}
    assert [*missing_sections(parts)] == [*missing_sections({})] == []
    (text,) = missing_sections(parts | {'val_cfg': None})
    assert text.startswith('val_cfg: is missing, but the config has val_dataloader, val_evaluator')
    (text,) = missing_sections({'test_evaluator': {}})
    assert text.startswith('test_dataloader: is missing, but the config has test_evaluator')


def test_settings_that_do_not_fit_are_refused():
    bad = Config(with_best('nope', **COCO))
    with pytest.raises(InputError, match='nope'):
        require_agreement(bad)
    bad.model = {'type': 'X', 'bbox_head': {'num_classes': 3}}
    with pytest.raises(InputError, match='nope'):
        require_fit(bad, ('train',))
    dataset = {'type': 'CocoDataset', 'metainfo': {'classes': ('a', 'b')}}
    bad.train_dataloader = {'dataset': dataset}
    with pytest.raises(InputError, match='num_classes'):
        require_fit(bad, ('train',))
    assert disagreements({'default_scope': 'mmpose'}) == []


def test_numbers_as_options_read_them():
    assert listed([123.675, 1.0, 0.5]) == '[123.675,1,0.5]'


VIT = {'type': 'vitbackbones.ViT'}
TWO = {'head': {'type': 'vitbackbones.DistillationHead'}}


@pytest.mark.parametrize(
    ('backbone', 'others', 'agrees'),
    [
        (VIT, {}, False),
        (VIT, {'neck': {'type': 'GlobalAveragePooling'}}, True),
        (VIT | {'out_type': 'pooled'}, {}, True),
        (VIT | {'out_type': 'cls_dist_tokens'}, {}, False),
        ({'type': 'VisionTransformer'}, {}, True),
        (VIT | {'out_type': 'cls_token'}, TWO, False),
        (VIT | {'out_type': 'cls_dist_tokens'}, TWO, True),
    ],
)
def test_a_head_reads_what_the_backbone_gives(backbone, others, agrees):
    model = {'backbone': backbone, 'head': {'type': 'LinearClsHead'}, **others}
    assert (disagreements({'default_scope': 'mmpretrain', 'model': model}) == []) is agrees


def found(launcher='none', loop=None, **changes):
    config = Config(
        {
            'train_dataloader': {'batch_size': 2},
            'train_cfg': loop or {'by_epoch': True, 'max_epochs': 50},
            'optim_wrapper': {'type': 'OptimWrapper'},
            'auto_scale_lr': {'enable': False, 'base_batch_size': 16},
        }
    )
    config.merge_from_dict(changes)
    return check_batch_size(config, launcher)


@pytest.mark.parametrize('is_list', [False, True])
def test_a_validation_that_only_writes_files_is_said_and_not_refused(is_list):
    metric = {'type': 'CocoMetric', 'format_only': True, 'outfile_prefix': 'a'}
    config = {'val_evaluator': [metric] if is_list else metric, 'test_evaluator': metric}
    (line,) = check_evaluation(config)
    place = 'val_evaluator.0' if is_list else 'val_evaluator'
    assert line.startswith(f'{place}.format_only: is True, so validation only writes files: it ')
    assert check_evaluation({'val_evaluator': {**metric, 'format_only': False}}) == []
    assert check_evaluation({'val_evaluator': None}) == []


ENABLED, COUNTED = {'auto_scale_lr.enable': True}, {'optim_wrapper.accumulative_counts': 8}


def test_one_process_at_the_rate_of_eight_is_told_what_to_do():
    (line,) = found()
    assert line.startswith(
        'the learning rate is meant for a total batch size of 16, but this run has 2: '
    )
    assert line.endswith('in 8 processes, or set optim_wrapper.accumulative_counts=8')
    for changes in (ENABLED, COUNTED, {'train_dataloader.batch_size': 16}, {'auto_scale_lr': None}):
        assert found(**changes) == []


@pytest.mark.parametrize(
    ('launcher', 'name'), [('pytorch', 'WORLD_SIZE'), ('slurm', 'SLURM_NTASKS')]
)
def test_the_processes_of_the_launcher_count(monkeypatch, launcher, name):
    monkeypatch.setenv(name, '8')
    assert found(launcher) == []
    assert found('none') != []  # inside of a Slurm allocation, too
    monkeypatch.setenv(name, '32')
    (line,) = found(launcher)
    assert 'this run has 64: ' in line
    assert 'train in 8 processes' in line
    assert 'accumulative_counts' not in line


def test_scaling_and_accumulation_are_not_for_each_other():
    (line,) = found(**ENABLED, **COUNTED)
    assert 'batch size of 2, but optim_wrapper.accumulative_counts=8 makes it 16' in line


@pytest.mark.parametrize(
    ('enable', 'begins'), [(False, 'the learning rate'), (True, '160000 iterations')]
)
def test_iterations_of_fewer_images_see_less_whether_scaled_or_not(enable, begins):
    loop = {'by_epoch': False, 'max_iters': 160000}
    (line,) = found(loop=loop, **{'auto_scale_lr.enable': enable})
    assert line.startswith(begins)
    assert '160000 iterations with a batch size of 2 use 0.125 times as many images' in line


IMAGENET = {'mean': [123.675, 116.28, 103.53], 'std': [58.395, 57.12, 57.375]}
PARSER = ArgumentParser()
PARSER.add_argument('--cfg-options', nargs='+', action=DictAction)
HALF = {'mean': [127.5] * 3, 'std': [127.5] * 3}


def config(checkpoint, images, whole=False):
    start = {'init_cfg': {'type': 'vitbackbones.Pretrained', 'checkpoint': checkpoint}}
    model = {'data_preprocessor': images, 'backbone': {'type': 'vitbackbones.TNT'}}
    return Config({'model': model | start if whole else model | {'backbone': start}})


@pytest.mark.parametrize(
    ('file', 'whole'),
    [('checkpoints/tnt_s.pth', True), ('tnt_s', False), (PUBLISHED['tnt_s'].url, False)],
)
def test_weights_of_another_mean_are_named_with_what_to_type(file, whole):
    given = config(file, IMAGENET, whole)
    (line,) = check_normalization(given)
    start, _, options = line.partition('--cfg-options ')
    assert start.startswith('the weights of tnt_s were trained on images with mean [127.5,127.5,')
    assert 'but model.data_preprocessor has [123.675,116.28,103.53] and [58.395,' in start
    settings = PARSER.parse_args(['--cfg-options', *options.split()]).cfg_options
    followed = with_options(given, settings)
    assert followed.model.data_preprocessor.mean == HALF['mean']
    assert check_normalization(followed) == []


@pytest.mark.parametrize(
    ('file', 'images'),
    [
        ('checkpoints/deit_s.pth', IMAGENET),
        ('checkpoints/aug_vit_s.pth', HALF),
        ('checkpoints/mine.pth', HALF),
        ('checkpoints/deit_s.pth', {}),
    ],
)
def test_weights_of_the_same_mean_or_of_unknown_origin_are_not(file, images):
    given = config(file, images)
    assert check_normalization(given) == []
    given.model.backbone.init_cfg = None  # random weights
    given.model.data_preprocessor = IMAGENET
    assert check_normalization(given) == []


@pytest.mark.parametrize(('kind', 'count'), [('CondInst', 1), ('BoxInst', 0)])
def test_a_mask_head_needs_masks_unless_it_learns_from_boxes(kind, count):
    steps = [{'type': 'LoadAnnotations', 'with_bbox': True}, {'type': 'PackDetInputs'}]
    config = {
        'default_scope': 'mmdet',
        'model': {'type': kind, 'mask_head': {'type': f'{kind}MaskHead'}},
        'train_dataloader': {'dataset': {'type': 'CocoDataset', 'pipeline': steps}},
    }
    found = [text for text in disagreements(config) if 'loads no masks' in text]
    assert len(found) == count
