"""Wrong values in a config, of every section: what is said of each before data are looked at."""

from argparse import ArgumentParser
from pathlib import Path

import pytest

from vitbackbones.commands.cli import ConfigOptions
from vitbackbones.configuration.lint import lint
from vitbackbones.configuration.read import read_config
from vitbackbones.errors import InputError
from vitbackbones.preparing.agreement import require_agreement
from vitbackbones.preparing.trial import try_model

TINY = Path(__file__).parents[1] / 'commands'
DETECTOR, SEGMENTOR, CLASSIFIER, MASK_RCNN, PANOPTIC = (
    TINY / f'tiny_{task}.py' for task in ('detr', 'seg', 'cls', 'mask_rcnn', 'mask2former')
)
BASE_KEYS = 'base, embed_dims, depth, num_heads'


def check(file, option, work_dir):
    """What the tools do with a config before they look at its data."""
    parser = ArgumentParser()
    parser.add_argument('--cfg-options', nargs='+', action=ConfigOptions)
    options = parser.parse_args(['--cfg-options', option]).cfg_options
    config = read_config(file, options)
    lint(config, options)
    require_agreement(config)
    config.work_dir = str(work_dir)
    try_model(config)
    return config


DETECTION = {
    # sections of another form
    'model=3': 'model: is 3, but it must be a dict with a type',
    'train_dataloader=abc': "train_dataloader: is 'abc', but it must be a dict or None",
    'val_evaluator=[1,2]': 'val_evaluator: is [1, 2], but it must be a dict or a list of 1',
    'val_evaluator=None': 'val_evaluator: is missing, but the config has val_dataloader, v',
    'custom_hooks=dict(type=EMAHook)': "custom_hooks: is {'type': 'EMAHook'}, but it must be",
    'default_scope=[1]': 'default_scope: is [1], but it must be a string or None',
    'lr=0.1': "lr is not a setting of a run, so it has no effect; did you mean 'optim_wrapper.opt",
    'batch_size=4': "did you mean 'train_dataloader.batch_size'?",
    # single settings
    'log_level=FOO': "log_level: is 'FOO', but it must be the name of a log level, such as INFO",
    'compile=x': "compile: is 'x', but it must be a dict or True or False",
    # data
    'train_dataloader.batch_size=0': 'batch_size: is 0, but it must be an integer of at l',
    'train_dataloader.dataset.pipeline.1.scale=0': 'is 0, but it must be a number above 0 or a pai',
    'val_dataloader.dataset.pipeline=[dict(type=LoadImageFromFile)]': "add 'PackDetInputs' at the",
    'train_dataloader.dataset.filter_cfg.filter_empty_gtt=1': "did you mean 'filter_empty_gt'?",
    'train_dataloader.dataset.metainfo.CLASSES=x': "did you mean 'classes'?",
    'train_dataloader.dataset.metainfo.palette=[(300,0,0)]': 'list of [red, green, blue]',
    # length and optimizer
    'train_cfg.max_epochs=0': 'train_cfg.max_epochs: is 0, but it must be an integer of at l',
    'optim_wrapper.optimizer.lr=nan': 'lr: is nan, but it must be a number of at least 0 or',
    'optim_wrapper.paramwise_cfg.custom_keys.bakbone.lr_mult=0.1': "did you mean 'backbone'?",
    'default_hooks.checkpoint.interval=0': 'is 0, but it must be an integer of at least 1 or',
    # model
    'model.backbone.arch=zz': "model.backbone: unknown arch 'zz'; known: ti, s, b, l",
    'model.backbone.arch.dept=1': f'model.backbone: arch has no dept; known: {BASE_KEYS}',
    'model.backbone.arch.num_heads=0': 'arch.num_heads=0: must be one integer of at least 1',
    'model.backbone.frozen_stages=99': 'model.backbone: frozen_stages=99: must be in [-1, 1]',
    'model.backbone.drop_rate=-1': 'model.backbone: drop_rate=-1: must be in [0, 1]',
    'model.backbone.drop_path_rate=abc': "is 'abc', but it must be a number",
    'model.neck.out_strides=16': 'out_strides: is 16, but it must be a list',
    'model.neck.in_channels=[256]': 'model.neck.in_channels: is [256], but the backbone gives [32]',
    'model.neck.in_channels=32': 'model.neck: AssertionError: assert isinstance(in_channels, list)',
    'model.neck.num_outs=2': 'but DETR reads only the last; set model.neck.num_outs=1',
    'model.neck.out_channels=64': 'embed_dims: is 32, but the neck gives [64]; set model.neck.out',
    'model.bbox_head.embed_dims=64': 'bbox_head.embed_dims: is 64, but the encoder has 32',
    'model.positional_encoding.num_feats=8': 'embed_dims should be exactly 2 times of num_feats',
    'model.num_queries=3': 'model.test_cfg.max_per_img: is 5, more than model.num_queries=3',
    'model.test_cfg.max_per_imgg=0': "max_per_imgg: unknown key; did you mean 'max_per_img'?",
    'model.train_cfg.assigner.match_costs=3': 'model.bbox_head: TypeError',
    'model.encoder.num_layers=0': 'num_layers: is 0, but it must be an integer of at l',
    'custom_imports=dict(imports=x)': 'no effect; it is read together with the file, so',
    # metrics, which would stop after an epoch
    'val_evaluator.proposal_nums=[1]': 'is [1], but it must be a list of 3 or more, because',
    'val_evaluator.iou_thrs=[2]': 'is [2], but it must be None: the COCO summary requires its',
    'val_evaluator.metric=bbx': "metric: is 'bbx', but it must be one of 'bbox', 'segm', 'proposal",
    'val_evaluator.ann_file=None': 'is missing; set it to the annotation file of val_d',
    # averages and other hooks
    'custom_hooks=[dict(type=EMAHook,momentum=2)]': 'is 2, but it must be a number above 0 and bel',
    "custom_hooks=[dict(type=EarlyStoppingHook,monitor='coco/bbox_map')]": "mean 'coco/bbox_mAP'?",
    'custom_hooks=[dict(type=EarlyStoppingHook,monitor=loss)]': "'loss' is not a metric of val_eva",
    'default_hooks.checkpoint.max_keep_ckpts=0': 'is 0, but it must be an integer of at least 1 or',
    'default_hooks.checkpoint.filename_tmpl=x': "is 'x', but it must be a file name with one",
    # schedules
    'param_scheduler.0.start_factor=2': 'is 2, but it must be a number above 0 and up to 1',
    'param_scheduler.0.end=5.5': 'end: is 5.5, but it must be an integer of at least',
    # schedules that learn nothing or the wrong way, as a dict and in a list
    'optim_wrapper.optimizer.lr=0': 'optim_wrapper.optimizer.lr: is 0, so the run learns nothing',
    'param_scheduler=dict(type=StepLR,step_size=0)': 'param_scheduler.step_size: is 0, but it must',
    'param_scheduler=dict(type=StepLR,step_size=-5)': 'param_scheduler.step_size: is -5, but it',
    'param_scheduler=dict(type=ExponentialLR,gamma=-0.5)': 'gamma: is -0.5, but it must be a numbe',
    'param_scheduler=[dict(type=ExponentialLR,gamma=1.5)]': 'gamma: is 1.5, but it must be a numbe',
    'param_scheduler=dict(type=PolyLR,power=-1)': 'param_scheduler.power: is -1, but it must be a ',
    'param_scheduler=dict(type=LinearLR,start_factor=0)': 'param_scheduler.start_factor: is 0, but',
    'param_scheduler=dict(type=PolyLR,begin=-1)': 'param_scheduler.begin: is -1, but it must be an',
    'param_scheduler=dict(type=CosineAnnealingLR,eta_min=5)': 'is 5, above the learning rate of 0',
    'param_scheduler=dict(type=CosineAnnealingLR,T_max=1.5)': 'param_scheduler.T_max: is 1.5, but',
    'train_cfg.val_begin=99': 'train_cfg.val_begin: is 99, after the end of a run of 2 epochs',
    'optim_wrapper.clip_grad={}': 'clip_grad: is {}, but it must be a dict such as dict(max_norm=1',
    'param_scheduler=[dict(type=PolyLR,begin=9,end=12)]': 'begin: is 9, at or after the end of the',
    # what would stop it after an epoch
    'default_hooks.checkpoint.out_dir=/proc/1/x': "out_dir: is '/proc/1/x', but it must be the nam",
    'val_evaluator.outfile_prefix=/proc/x/y': "outfile_prefix: is '/proc/x/y', but it must be the ",
    'val_evaluator.collect_device=tpu': "is 'tpu', but it must be one of 'cpu', 'gpu'",
    'val_evaluator.format_only=yes': "format_only: is 'yes', but it must be",
    'val_dataloader.dataset.pipeline.3.meta_keys=[img_path]': 'meta_keys: has no img_id, img_sha',
    # what a model is given
    'model.data_preprocessor.mean=[1,2,3,4]': 'mean: has 4 values, but std has 3',
    'model.data_preprocessor.mean=[0.485,0.456,0.406]': 'from 0 to 255 here; multiply both by 255',
    'model.backbone.out_type=pooled': "is 'pooled', but the heads require feature maps",
    'train_dataloader.dataset.pipeline=None': 'is None, but it must be a list of 1 or more',
    'train_dataloader.dataset.pipeline.2.with_bbox=False': 'must be True, because training req',
    'model.encoder.layer_cfg.ffn_cfg.feedforward_channels=0': 'is 0, but it must be an integer',
    'model.backbone.mlp_ratio=0': 'model.backbone.mlp_ratio: is 0, but it must be a number above 0',
    'model.bbox_head.loss_iou.type=SmoothL1Loss': 'but it must be a loss based on overlap, such as',
    'default_hooks.finite_loss=dict(type="vitbackbones.FiniteLossHook",skip=-1)': 'skip: is -1, bu',
    # losses, padding and numbers that are none
    'model.bbox_head.loss_cls.class_weight=[1,2,3,0.1]': 'is a list, but DETRHead weighs all class',
    'model.bbox_head.loss_cls.reduction=avg': "it must be one of 'none', 'mean', 'sum'",
    'model.test_cfg.max_per_img=-1': 'max_per_img: is -1, but must be at least 1 for DETR',
    'optim_wrapper.optimizer.betas=[2,0.9]': 'must be a list of 2 or more (a number of at least 0',
}
LOSS = 'model.decode_head.loss_decode=dict(type=CrossEntropyLoss,class_weight='
SEGMENTATION = {
    'model.test_cfg.stride=(99,99)': 'stride: is (99, 99), larger than crop_size=(64, 64), which',
    'model.test_cfg.crop_size=None': "crop_size: is missing, but mode='slide' requires it",
    'model.decode_head.in_channels=64': 'in_channels: is 64, but the backbone gives 32',
    'model.decode_head.in_index=5': 'in_index: is 5, but the backbone gives 1 feature map',
    'val_evaluator.iou_metrics=x': "it must be one of 'mIoU', 'mDice', 'mFscore' or a list",
    'model.backbone.attention.sharing=QK': "model.backbone: sharing='QK': must be five l",
    'model.backbone.attention=X': "attention='X': must be a dict, such as dict(type='MeanShift",
    'model.backbone.shortcut=3': "shortcut=3: must be a dict, such as dict(type='Identity",
    'model.backbone.qkv_bias=abc': "model.backbone.qkv_bias: is 'abc', but it must be True or Fa",
    f'{LOSS}[1,2])': 'class_weight: has 2 weights for 4 classes; set it to [1.0] * 4',
    f'{LOSS}2.0)': 'class_weight: is one number for 4 classes; set it to [1.0] * 4',
    f'{LOSS}[0,0,0,0])': 'or a list of such numbers (not all 0)',
    'val_evaluator.nan_to_num=x': "nan_to_num: is 'x', but it must be an integer",
    'default_hooks.checkpoint.by_epoch=True': 'by_epoch: must be False in a run of iterations',
    'param_scheduler=[dict(type=PolyLR)]': 'param_scheduler.0.by_epoch: must be False in a run of',
    'param_scheduler=[dict(type=PolyLR,end=2,by_epoch=False)]': 'above 0 in only 17% of the run',
    f'{LOSS}[1,-1,1,1])': 'is [1, -1, 1, 1], but it must be a number of at least 0, or',
    'model.data_preprocessor.size=[63,64]': 'is [63, 64], smaller than the crops of train_dat',
    'model.data_preprocessor.size=None': 'is None; set either this key to the crop',
    'model.data_preprocessor.size_divisor=32': 'is (64, 64); set either this key to the cr',
    'model.data_preprocessor.seg_pad_val=0': 'is 255, but ignored pixels have the value 0 in pad',
    'model.decode_head.ignore_index=0': 'is 0, but ignored pixels have the value 255 in padd',
}
NOTHING_LEARNS = 'custom_keys=dict(backbone=dict(lr_mult=0),head=dict(lr_mult=0)'
CLASSIFICATION = {
    f'optim_wrapper.paramwise_cfg=dict({NOTHING_LEARNS}))': 'lr_mult is 0 for every parameter of',
    'train_dataloader.sampler.num_repeats=0': 'num_repeats: is 0, but it must be an integer of',
    'train_dataloader.dataset.with_label=False': 'but it must be True, because training requires',
    'model.head.cal_acc=yes': "cal_acc: is 'yes', but it must be True or False",
    'model.train_cfg.probs=[2,-1]': 'is [2, -1], but it must be a list of numbers of at least 0',
    'model.head.in_channels=3': 'model.head.in_channels: is 3, but the backbone gives 32',
    'model.backbone.out_type=featmap': "out_type: must be 'cls_token' or 'pooled' for model.head",
    'val_evaluator.topk=(1,9)': 'val_evaluator.topk: is 9, but model.head.num_classes is only 3',
    'model.train_cfg.augments=dict(type=Mixup)': 'model.train_cfg.augments: TypeError: Mixup.__',
    'model.head.loss=dict(type=CrossEntropyLoss,class_weight=[1,2])': 'has 2 weights for 3 classes',
}
REGIONS = {
    'model.test_cfg.rcnn.nms.type=foo': "is 'foo', but it must be one of 'nms', 'soft_nms', 'nms_m",
    'model.train_cfg.rcnn.assigner.pos_iou_thr=2': 'is 2, but it must be a number from 0 to 1',
    'model.rpn_head.bbox_coder.target_stds=[1,1]': 'is [1, 1], but it must be a list of 4 (a numbe',
    'model.roi_head.bbox_head.loss_cls.class_weight=[1,2]': 'has 2 weights for 3 classes and "no o',
}
SEGMENTS = {
    'model.panoptic_head.loss_cls.class_weight=1.0': 'is one number for 4 classes and "no object"',
    'model.test_cfg.panoptic_on=False': 'must be True, because val_evaluator.0 evaluates',
    'model.test_cfg.instance_on=False': 'must be True, because val_evaluator.1 evaluates',
}
TABLES = {
    DETECTOR: DETECTION,
    SEGMENTOR: SEGMENTATION,
    CLASSIFIER: CLASSIFICATION,
    MASK_RCNN: REGIONS,
    PANOPTIC: SEGMENTS,
}
CASES = [(file, *case) for file, table in TABLES.items() for case in table.items()]


@pytest.mark.parametrize(('file', 'option', 'message'), CASES, ids=[case[1] for case in CASES])
def test_each_mistake_is_one_message(file, option, message, tmp_path):
    with pytest.raises(InputError) as error:
        check(file, option, tmp_path)
    assert message in str(error.value)
    assert option.partition('=')[0].split('.')[0] in str(error.value)


@pytest.mark.parametrize(
    ('file', 'option'),
    [
        (DETECTOR, 'model.backbone.arch=dict(embed_dims=32, depth=2, num_heads=2)'),
        (DETECTOR, 'model.backbone.shortcut.type=vitbackbones.layers.IdentityShortcut'),
        (DETECTOR, 'train_cfg.max_epochs=1e2'),
        (DETECTOR, 'train_dataloader.dataset.metainfo.remark=x'),
        (CLASSIFIER, 'model.train_cfg.augments=[dict(type=Mixup, alpha=0.8)]'),
        (CLASSIFIER, 'custom_hooks=None'),
        (DETECTOR, 'optim_wrapper.clip_grad=dict(max_norm=1, norm_type=inf)'),
        (DETECTOR, 'custom_hooks=[dict(type=EMAHook, begin_epoch=1, interval=2)]'),
        (DETECTOR, 'param_scheduler=[dict(type=CosineAnnealingLR, T_max=1e1, eta_min=0)]'),
        (SEGMENTOR, 'model.data_preprocessor=dict(size=None, size_divisor=32)'),
        (SEGMENTOR, f'{LOSS}[1,2,1,1])'),
        (MASK_RCNN, 'model.roi_head.bbox_head.loss_cls.class_weight=[1,1,1,0.1]'),
    ],
)
def test_what_is_right_passes(file, option, tmp_path):
    check(file, option, tmp_path)
    assert not list(tmp_path.iterdir())
