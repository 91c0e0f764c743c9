"""Wrong values in a config, of every section: what is said of each before data are looked at."""

from argparse import ArgumentParser
from pathlib import Path

import pytest

from vitbackbones.commands.cli import ConfigOptions
from vitbackbones.configuration.lint import lint
from vitbackbones.configuration.read import read_config
from vitbackbones.errors import InputError
from vitbackbones.preflight.agreement import require_agreement
from vitbackbones.preflight.trial import try_model

TOOLS = Path(__file__).parents[1] / 'tools'
DETECTOR, SEGMENTOR, CLASSIFIER = (TOOLS / f'tiny_{task}.py' for task in ('detr', 'seg', 'cls'))
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
    'val_evaluator=[1,2]': 'val_evaluator: is [1, 2], but it must be a dict or a list (a dict with',
    'val_evaluator=None': 'val_evaluator: is missing beside val_dataloader, val_cfg; give all of',
    'default_hooks=None': 'default_hooks: is None, but it must be a dict',
    'custom_hooks=dict(type=EMAHook)': "custom_hooks: is {'type': 'EMAHook'}, but it must be",
    'default_hooks.logger=5': 'default_hooks.logger: is 5, but it must be a dict with a t',
    'default_scope=[1]': 'default_scope: is [1], but it must be a text or None',
    'model.backbone=x': "model.backbone: is 'x', but it must be a dict with a type",
    'model.backbone.init_cfg=x.pth': "init_cfg: is 'x.pth', but it must be a dict or a list",
    'param_scheduler.0=3': 'param_scheduler: is [3, {',
    # single settings
    'log_level=FOO': "log_level: is 'FOO', but it must be the name of a log level, such as INFO",
    'randomness.seed=-1': 'seed: is -1, but it must be a whole number from 0 to 4294967295 or None',
    'env_cfg.mp_cfg.mp_start_method=x': "it must be one of 'fork', 'spawn', 'forkserver', None",
    'compile=x': "compile: is 'x', but it must be a dict or True or False",
    'sync_bn=x': "sync_bn: is 'x', but it must be one of 'torch', 'mmcv', None",
    # data
    'train_dataloader.batch_size=0': 'batch_size: is 0, but it must be a whole number from 1',
    'train_dataloader.sampler=None': 'dataloader.sampler: is None, but it must be a dict with a',
    'train_dataloader.dataset.ann_file=3': 'dataset.ann_file: is 3, but it must be a text or None',
    'train_dataloader.dataset.test_mode=x': "test_mode: is 'x', but it must be True or False",
    'train_dataloader.dataset.pipeline.1.scale=0': 'is 0, but it must be a number above 0 or a pai',
    'train_dataloader.dataset.filter_cfg.filter_empty_gtt=1': "did you mean 'filter_empty_gt'?",
    'train_dataloader.dataset.metainfo.CLASSES=x': "did you mean 'classes'?",
    # length and optimizer
    'train_cfg.max_epochs=0': 'train_cfg.max_epochs: is 0, but it must be a whole number from 1',
    'train_cfg.val_interval=0': 'train_cfg.val_interval: is 0, but it must be a whole number',
    'optim_wrapper.optimizer.lr=abc': "lr: is 'abc', but it must be a number from 0 or None",
    'optim_wrapper.optimizer.lr=nan': 'lr: is nan, but it must be a number from 0 or None',
    'optim_wrapper.clip_grad.max_norm=-1': 'max_norm: is -1, but it must be a number above 0',
    'optim_wrapper.clip_grad.max_nrm=1': "clip_grad.max_nrm: unknown key; did you mean 'max_norm'?",
    'optim_wrapper.paramwise_cfg.custom_keys.bakbone.lr_mult=0.1': (
        "custom_keys.bakbone: is in no name of a parameter of the model; did you mean 'backbone'?"
    ),
    'param_scheduler.0.start_factor=0': 'start_factor: is 0, but it must be a number above 0',
    'param_scheduler.1.gamma=x': "param_scheduler.1.gamma: is 'x', but it must be a number",
    'default_hooks.checkpoint.interval=0': 'is 0, but it must be a whole number from 1 or on',
    'default_hooks.checkpoint.save_best=coco/bbox_map': "did you mean 'coco/bbox_mAP'?",
    # model
    'model.backbone.arch=zz': "model.backbone: unknown arch 'zz'; known: ti, s, b, l",
    'model.backbone.arch.dept=1': f'model.backbone: arch has no dept; known: {BASE_KEYS}',
    'model.backbone.arch.num_heads=0': 'arch.num_heads=0: must be one of the whole numbers from 1',
    'model.backbone.patch_size=0': 'model.backbone: patch_size=0: a whole number from 1',
    'model.backbone.frozen_stages=99': 'model.backbone: frozen_stages=99: a number in [-1, 1]',
    'model.backbone.out_indices=7': 'model.backbone: out_indices=7 of 1: each must be in [-1, 1)',
    'model.backbone.norm_eps=x': "model.backbone.norm_eps: is 'x', but it must be a number",
    'model.backbone.drop_rate=-1': 'model.backbone: drop_rate=-1: a rate of dropout is in [0, 1]',
    'model.neck.in_channels=[256]': 'model.neck.in_channels: is [256], but the backbone gives [32]',
    'model.neck.in_channels=32': 'model.neck: AssertionError: assert isinstance(in_channels, list)',
    'model.neck.out_channels=64': 'bbox_head.embed_dims: is 32, but model.neck.out_channels need',
    'model.positional_encoding.num_feats=8': 'is 8, but model.neck.out_channels needs 32 / 2',
    'model.num_queries=3': 'model.test_cfg.max_per_img: is 5, more than model.num_queries=3',
    'model.test_cfg.max_per_imgg=0': "max_per_imgg: unknown key; did you mean 'max_per_img'?",
    'model.train_cfg.assignerr=1': "model.train_cfg.assignerr: unknown key; did you mean 'assigner",
    'model.train_cfg.assigner.match_costs=3': 'model.bbox_head: TypeError',
    'model.bbox_head.loss_bbox.loss_weight=x': "loss_weight: is 'x', but it must be a number",
    'model.encoder.num_layers=0': 'model: IndexError: index 0 is out of range (the traceback is in',
    'model.data_preprocessor.std=[0,0,0]': 'must be a list (a number above 0 each) or None',
    'custom_imports=dict(imports=x)': 'no effect, it was read with the file; set it there',
}
SEGMENTATION = {
    'model.test_cfg.modee=slide': "model.test_cfg.modee: unknown key; did you mean 'mode'?",
    'model.test_cfg.stride=(99,99)': 'stride: is (99, 99), larger than crop_size=(64, 64): it leav',
    'model.test_cfg.crop_size=None': "model.test_cfg.crop_size: is missing, mode='slide' needs it",
    'model.decode_head.in_channels=64': 'in_channels: is 64, but the backbone gives 32',
    'model.decode_head.in_index=5': 'in_index: is 5, but the backbone gives 1 map',
    'val_evaluator.iou_metrics=x': "it must be one of 'mIoU', 'mDice', 'mFscore' or a list",
    'model.backbone.attention.sharing=QK': "model.backbone: sharing='QK': must be five l",
}
CLASSIFICATION = {
    'model.head.in_channels=3': 'model.head.in_channels: is 3, but the backbone gives 32',
    'model.backbone.out_type=featmap': "out_type: must be 'cls_token' or 'pooled' for model.head",
    'val_evaluator.topk=(1,9)': 'val_evaluator.topk: is 9, more than model.head.num_classes=3',
    'model.train_cfg.augments=dict(type=Mixup)': 'model.train_cfg.augments: TypeError: Mixup.__',
}
CASES = [
    (file, option, message)
    for file, table in (
        (DETECTOR, DETECTION),
        (SEGMENTOR, SEGMENTATION),
        (CLASSIFIER, CLASSIFICATION),
    )
    for option, message in table.items()
]


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
        (DETECTOR, 'model.backbone.shortcut=dict(type=AugmentedShortcut, location=mlp)'),
        (DETECTOR, 'model.backbone.shortcut.paths=3'),  # of AugViT's own shortcut
        (DETECTOR, "model.backbone.stem={'type': 'TokensToToken', 'tokens': 'performer'}"),
        (DETECTOR, 'model.backbone.shortcut.type=vitbackbones.layers.IdentityShortcut'),
        (DETECTOR, 'default_hooks.checkpoint.save_best=[coco/bbox_mAP,auto]'),
        (DETECTOR, 'train_cfg.max_epochs=1e2'),
        (DETECTOR, 'train_dataloader.dataset.metainfo.remark=x'),
        (SEGMENTOR, 'model.backbone.attention=dict(sharing=QKKKW)'),
        (SEGMENTOR, 'default_hooks.checkpoint.save_best=mIoU'),
        (CLASSIFIER, 'model.train_cfg.augments=[dict(type=Mixup, alpha=0.8)]'),
        (CLASSIFIER, 'custom_hooks=None'),
    ],
)
def test_what_is_right_passes(file, option, tmp_path):
    check(file, option, tmp_path)
    assert not list(tmp_path.iterdir())
