"""What a config of version 2 becomes is what the toolboxes ship for version 3."""

import copy
from importlib.util import find_spec
from pathlib import Path

import pytest
from mmengine.config import Config

from vitbackbones.configuration.lint import lint
from vitbackbones.configuration.version_two.convert import (
    convert,
    in_todays_names,
    keys_of_version_two,
    toolbox_of,
)
from vitbackbones.errors import InputError

pytestmark = pytest.mark.compat
NORMALIZE = {'mean': [123.675, 116.28, 103.53], 'std': [58.395, 57.12, 57.375], 'to_rgb': True}
LOGS = {
    'checkpoint_config': {'interval': 1},
    'log_config': {'interval': 50, 'hooks': [{'type': 'TextLoggerHook'}]},
    'dist_params': {'backend': 'nccl'},
    'log_level': 'INFO',
    'load_from': None,
    'resume_from': None,
    'workflow': [('train', 1)],
}


def shipped(package, name):
    root = Path(find_spec(package).origin).parent / '.mim' / 'configs'
    return Config.fromfile(root / name).to_dict()


def without_order(value):
    """Return a config with lists in place of tuples."""
    if isinstance(value, dict):
        return {key: without_order(x) for key, x in value.items()}
    return [without_order(x) for x in value] if isinstance(value, list | tuple) else value


def detector():
    """Faster R-CNN on COCO, as version 2 wrote it."""
    test = [
        {'type': 'LoadImageFromFile'},
        {
            'type': 'MultiScaleFlipAug',
            'img_scale': (1333, 800),
            'flip': False,
            'transforms': [
                {'type': 'Resize', 'keep_ratio': True},
                {'type': 'RandomFlip'},
                {'type': 'Normalize', **NORMALIZE},
                {'type': 'Pad', 'size_divisor': 32},
                {'type': 'ImageToTensor', 'keys': ['img']},
                {'type': 'Collect', 'keys': ['img']},
            ],
        },
    ]
    train = [
        {'type': 'LoadImageFromFile'},
        {'type': 'LoadAnnotations', 'with_bbox': True},
        {'type': 'Resize', 'img_scale': (1333, 800), 'keep_ratio': True},
        {'type': 'RandomFlip', 'flip_ratio': 0.5},
        {'type': 'Normalize', **NORMALIZE},
        {'type': 'Pad', 'size_divisor': 32},
        {'type': 'DefaultFormatBundle'},
        {'type': 'Collect', 'keys': ['img', 'gt_bboxes', 'gt_labels']},
    ]
    model = shipped('mmdet', 'faster_rcnn/faster-rcnn_r50_fpn_1x_coco.py')['model']
    del model['data_preprocessor']
    model['pretrained'] = model['backbone'].pop('init_cfg')['checkpoint']
    splits = {
        split: {
            'type': 'CocoDataset',
            'ann_file': f'data/coco/annotations/instances_{part}2017.json',
            'img_prefix': f'data/coco/{part}2017/',
            'pipeline': train if split == 'train' else test,
        }
        for split, part in (('train', 'train'), ('val', 'val'), ('test', 'val'))
    }
    return {
        'model': model,
        'data': {'samples_per_gpu': 2, 'workers_per_gpu': 2, **splits},
        'evaluation': {'interval': 1, 'metric': 'bbox'},
        'optimizer': {'type': 'SGD', 'lr': 0.02, 'momentum': 0.9, 'weight_decay': 0.0001},
        'optimizer_config': {'grad_clip': None},
        'lr_config': {
            'policy': 'step',
            'warmup': 'linear',
            'warmup_iters': 500,
            'warmup_ratio': 0.001,
            'step': [8, 11],
        },
        'runner': {'type': 'EpochBasedRunner', 'max_epochs': 12},
        'custom_hooks': [{'type': 'NumClassCheckHook'}],
        **LOGS,
    }


def test_faster_rcnn_of_version_two_is_that_of_version_three():
    expected = shipped('mmdet', 'faster_rcnn/faster-rcnn_r50_fpn_1x_coco.py')
    new = without_order(convert(detector()).entries)
    expected = without_order(expected)
    for key in ('train_cfg', 'val_cfg', 'test_cfg', 'optim_wrapper', 'param_scheduler'):
        assert new[key] == expected[key], key
    assert new['model'] == expected['model']
    for split in ('train', 'val'):
        made = new[f'{split}_dataloader']
        whole = expected[f'{split}_dataloader']
        assert [step['type'] for step in made['dataset']['pipeline']] == [
            step['type'] for step in whole['dataset']['pipeline']
        ]
        assert made['sampler'] == whole['sampler']
        assert made['batch_size'] == whole['batch_size']
    assert new['train_dataloader']['dataset']['pipeline'][2:4] == [
        {'type': 'Resize', 'scale': [1333, 800], 'keep_ratio': True},
        {'type': 'RandomFlip', 'prob': 0.5},
    ]
    assert new['train_dataloader']['dataset']['filter_cfg'] == {
        'filter_empty_gt': True,
        'min_size': 32,
    }
    assert new['val_evaluator']['metric'] == ['bbox']
    assert 'custom_hooks' not in new


def test_a_converted_config_has_no_mistake(tmp_path):
    file = tmp_path / 'old.py'
    file.write_text('')
    lint(Config(convert(detector()).entries, filename=str(file)))


def test_the_config_itself_stays_as_it_is():
    old = detector()
    before = copy.deepcopy(old)
    convert(old)
    assert old == before


def test_keys_of_version_two_are_named_with_their_places():
    places = keys_of_version_two(detector())
    assert places['lr_config'] == 'param_scheduler'
    assert places['runner'] == 'train_cfg'
    assert keys_of_version_two(shipped('mmdet', 'retinanet/retinanet_r50_fpn_1x_coco.py')) == {}


@pytest.mark.parametrize(
    ('kind', 'toolbox'),
    [
        ('ImageClassifier', 'mmpretrain'),
        ('EncoderDecoder', 'mmseg'),
        ('EncoderDecoderMask2Former', 'mmseg'),
        ('RetinaNet', 'mmdet'),
    ],
)
def test_the_toolbox_follows_from_the_model(kind, toolbox):
    assert toolbox_of({'model': {'type': kind}}) == toolbox
    assert toolbox_of({'default_scope': 'mmdet3d', 'model': {'type': kind}}) == 'mmdet3d'


@pytest.mark.parametrize(
    ('changes', 'text'),
    [
        ({'lr_config': {'policy': 'OneCycle'}}, "lr_config.policy='OneCycle': write it as"),
        ({'lr_config': {'policy': 'step', 'step': [8], 'warmup': 'exp'}}, "lr_config.warmup='exp'"),
        ({'runner': None}, 'none of runner, total_epochs and total_iters says'),
    ],
)
def test_what_version_three_has_nothing_for_is_refused(changes, text):
    with pytest.raises(InputError, match=text):
        convert({**detector(), **changes})


def test_incomplete_configs_are_refused():
    old = detector()
    del old['data'], old['optimizer']
    with pytest.raises(InputError, match='it has no data, optimizer'):
        convert(old)


def segmentor():
    crop = [
        {'type': 'LoadImageFromFile'},
        {'type': 'LoadAnnotations', 'reduce_zero_label': True},
        {'type': 'Resize', 'img_scale': (2048, 512), 'ratio_range': (0.5, 2.0)},
        {'type': 'RandomCrop', 'crop_size': (512, 512), 'cat_max_ratio': 0.75},
        {'type': 'RandomFlip', 'prob': 0.5},
        {'type': 'PhotoMetricDistortion'},
        {'type': 'Normalize', **NORMALIZE},
        {'type': 'Pad', 'size': (512, 512), 'pad_val': 0, 'seg_pad_val': 255},
        {'type': 'DefaultFormatBundle'},
        {'type': 'Collect', 'keys': ['img', 'gt_semantic_seg']},
    ]
    dataset = {
        'type': 'ADE20KDataset',
        'data_root': 'data/ade/ADEChallengeData2016',
        'img_dir': 'images/training',
        'ann_dir': 'annotations/training',
        'pipeline': crop,
    }
    return {
        'model': {'type': 'EncoderDecoder', 'pretrained': None, 'backbone': {}},
        'data': {'samples_per_gpu': 4, 'workers_per_gpu': 4, 'train': dataset},
        'optimizer': {'type': 'SGD', 'lr': 0.01, 'momentum': 0.9, 'weight_decay': 0.0005},
        'lr_config': {'policy': 'poly', 'power': 0.9, 'min_lr': 1e-4, 'by_epoch': False},
        'runner': {'type': 'IterBasedRunner', 'max_iters': 80000},
        'evaluation': {'interval': 8000, 'metric': 'mIoU'},
        **LOGS,
    }


def test_a_segmentor_of_version_two_is_that_of_version_three():
    new = without_order(convert(segmentor()).entries)
    expected = without_order(shipped('mmseg', 'pspnet/pspnet_r50-d8_4xb4-80k_ade20k-512x512.py'))
    made = new['train_dataloader']
    assert made['dataset'] == expected['train_dataloader']['dataset']
    assert made['sampler'] == expected['train_dataloader']['sampler']
    assert new['param_scheduler'] == expected['param_scheduler']
    assert new['train_cfg'] == expected['train_cfg']
    assert new['model']['data_preprocessor'] == expected['model']['data_preprocessor']
    assert new['default_hooks']['checkpoint']['by_epoch'] is False


def test_test_time_augmentation_is_left_to_do_by_hand():
    old = detector()
    old['data']['test']['pipeline'][1].update(flip=True)
    assert convert(old).notes == [
        'test-time augmentation: give test --tta, or write a tta_pipeline'
    ]


def test_words_of_parts_that_have_others_now():
    old = detector()
    old['model']['neck'].update(add_extra_convs=True, extra_convs_on_inputs=False)
    cost = {'type': 'FocalLossCost', 'weight': 2.0}
    old['model']['train_cfg']['rcnn']['assigner'] = {'type': 'HungarianAssigner', 'cls_cost': cost}
    model = convert(old).entries['model']
    assert model['neck']['add_extra_convs'] == 'on_output'
    assert 'extra_convs_on_inputs' not in model['neck']
    assert model['train_cfg']['rcnn']['assigner']['match_costs'] == [cost]


def test_the_rpn_of_early_releases_suppresses_as_it_did():
    old = detector()
    early = {'nms_across_levels': False, 'nms_pre': 2000, 'nms_post': 2000, 'max_num': 1000}
    old['model']['test_cfg']['rpn'] = early | {'nms_thr': 0.7, 'min_bbox_size': 0}
    rpn = convert(old).entries['model']['test_cfg']['rpn']
    expected = shipped('mmdet', 'faster_rcnn/faster-rcnn_r50_fpn_1x_coco.py')['model']['test_cfg']
    assert rpn == expected['rpn'] | {'nms_pre': 2000}


def test_swin_of_its_authors_has_the_words_of_the_toolboxes():
    old = detector()
    old['model']['pretrained'] = 'swin.pth'
    old['model']['backbone'] = {'type': 'SwinTransformer', 'embed_dim': 96, 'ape': False}
    old['model']['backbone']['mlp_ratio'] = 4.0
    backbone = convert(old).entries['model']['backbone']
    assert backbone['embed_dims'] == 96
    assert backbone['use_abs_pos_embed'] is False
    assert backbone['convert_weights'] is True
    assert isinstance(backbone['mlp_ratio'], int)
    assert not {'embed_dim', 'ape'} & backbone.keys()


def test_names_of_mmcls_are_those_of_mmpretrain():
    old = {'imports': ['mmcls.models', 'my_mmcls'], 'type': 'mmcls.ConvNeXt', 'scope': 'mmcls'}
    new = in_todays_names(old | {'checkpoint': 'mmcls://resnet50', 'pack': ('PackClsInputs',)})
    assert new['imports'] == ['mmpretrain.models', 'my_mmcls']
    assert new['type'] == 'mmpretrain.ConvNeXt'
    assert new['scope'] == 'mmpretrain'
    assert new['checkpoint'] == 'mmcls://resnet50'
    assert new['pack'] == ('PackInputs',)


@pytest.mark.parametrize(
    ('old', 'new'),
    [
        (
            {'augments': {'type': 'BatchMixup', 'alpha': 0.2, 'num_classes': 10, 'prob': 0.5}},
            {'augments': [{'type': 'Mixup', 'alpha': 0.2}], 'probs': [0.5]},
        ),
        (
            {
                'augments': [
                    {'type': 'BatchCutMix', 'alpha': 1.0, 'num_classes': 10, 'prob': 0.3},
                    {'type': 'Identity', 'num_classes': 10, 'prob': 0.7},
                ]
            },
            {'augments': [{'type': 'CutMix', 'alpha': 1.0}], 'probs': [0.3]},
        ),
        (
            {'mixup': {'alpha': 0.2, 'num_classes': 10}},
            {'augments': [{'type': 'Mixup', 'alpha': 0.2}], 'probs': [1.0]},
        ),
    ],
)
def test_images_are_mixed_as_often(old, new):
    config = detector()
    config['model'] = {'type': 'ImageClassifier', 'backbone': {}, 'train_cfg': old}
    config['data'] = {}
    assert convert(config).entries['model']['train_cfg'] == new


def test_yolox_resizes_its_batches_and_averages_its_weights_as_it_did():
    old = detector()
    old['model'] |= {'input_size': (640, 640), 'random_size_range': (15, 25)}
    average = {'type': 'ExpMomentumEMAHook', 'resume_from': None, 'momentum': 0.0001}
    old['custom_hooks'] = [average | {'priority': 49}]
    made = convert(old).entries
    expected = shipped('mmdet', 'yolox/yolox_s_8xb8-300e_coco.py')
    resized = made['model']['data_preprocessor']['batch_augments']
    assert resized == expected['model']['data_preprocessor']['batch_augments']
    assert 'input_size' not in made['model']
    assert made['custom_hooks'] == expected['custom_hooks'][-1:]


def test_variables_that_are_used_need_no_hand_and_others_do():
    old = detector()
    old['norm_cfg'] = {'type': 'BN', 'requires_grad': True}
    old['model']['backbone']['norm_cfg'] = dict(old['norm_cfg'])
    old['uda'] = {'type': 'DACS'}
    old['evaluation'] |= {'dynamic': True}
    assert convert(old).notes == [
        'uda: version 3 does not read it',
        'evaluation.dynamic: is not converted',
    ]


def test_trackers_keep_their_project():
    old = detector()
    start = {'project': 'fruit'}
    old['log_config'] = {'hooks': [{'type': 'WandbLoggerHook', 'init_kwargs': start}]}
    (_, backend) = convert(old | {'auto_resume': True}).entries['visualizer']['vis_backends']
    assert backend == {'type': 'WandbVisBackend', 'init_kwargs': start}
    assert convert(old | {'auto_resume': True}).entries['resume'] is True


def test_the_semantic_head_of_htc_makes_masks_smaller_itself():
    old = detector()
    old['model']['roi_head']['semantic_head'] = {'type': 'FusedSemanticHead'}
    steps = old['data']['train']['pipeline']
    steps[1]['with_seg'] = True
    steps.insert(5, {'type': 'SegRescale', 'scale_factor': 1 / 8})
    made = convert(old).entries
    head = made['model']['roi_head']['semantic_head']
    shipped_model = shipped('mmdet', 'htc/htc_r50_fpn_1x_coco.py')['model']
    assert (
        head['seg_scale_factor'] == shipped_model['roi_head']['semantic_head']['seg_scale_factor']
    )
    assert made['model']['data_preprocessor']['pad_seg'] is True
    kinds = [step['type'] for step in made['train_dataloader']['dataset']['pipeline']]
    assert 'SegRescale' not in kinds


def test_a_test_that_normalizes_otherwise_is_left_to_do_by_hand():
    old = detector()
    (step,) = [x for x in old['data']['train']['pipeline'] if x['type'] == 'Normalize']
    step['to_rgb'] = False
    assert convert(old).notes == [
        'Normalize: differs; data_preprocessor has that of the first pipeline'
    ]
