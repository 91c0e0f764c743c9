"""What each setting of a config may be, as one table.

mmengine passes values on unseen. A text in place of a number surfaces as an error out of the middle
of a library, and some values, such as a negative limit for gradients, as a run that learns nothing.
"""

import logging
import math
import os
import sys
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from ..utils.messages import cut
from ..utils.rules import (
    COLORS,
    DICT,
    FLAG,
    NONE,
    TEXT,
    Rule,
    choice,
    is_number,
    listed,
    named,
    number,
    whole,
)
from .settings import entries, type_at


def can_be_written(path: Any) -> bool:
    """Return whether the nearest folder above a path that is there can be written to."""
    if not isinstance(path, str) or not path:
        return False
    folder = Path(path).expanduser().absolute()
    while not folder.is_dir():
        if folder.exists():  # a file
            return False
        folder = folder.parent
    return os.access(folder, os.W_OK) and os.statvfs(folder).f_blocks > 0  # /proc has none


TYPED = Rule('a dict with a type', lambda x: isinstance(x, Mapping) and bool(x.get('type')))
STEP = TYPED | Rule('a function', callable)  # of a pipeline
CLIP = Rule(
    'a dict such as dict(max_norm=1.0)',
    lambda x: isinstance(x, Mapping) and bool({'max_norm', 'clip_value'} & {*x}),
)
COUNT = whole(1)
FACTOR = number(least=0)
POSITIVE = number(above=0)
PART = number(least=0, most=1)
RANGE = named(
    'two numbers above 0, the smaller one first',
    Rule('', lambda x: listed(POSITIVE, 2).fits(x) and x[0] <= x[1]),
)
PARTS = Rule(
    'a list of numbers of at least 0 with a sum of at most 1',
    lambda x: listed(PART).fits(x) and sum(x) < 1 + 1e-6,
)
WEIGHTS = Rule(
    'a number of at least 0, or a list of such numbers (not all 0)',
    lambda x: FACTOR.fits(x) or listed(FACTOR, least=1).fits(x) and any(x),
)
OF_BOXES = Rule(
    'a loss based on overlap, such as GIoULoss',
    lambda x: callable(x) or x == 'MSELoss' or 'iou' in str(x).lower(),  # MSELoss of MaskIoUHead
)
LEVEL = Rule(
    'the name of a log level, such as INFO',
    lambda x: isinstance(x, int | str) and logging.getLevelName(x) != f'Level {x}',
)
LENGTH = Rule(
    'an integer of at least 1',  # 1e4 is one
    lambda x: is_number(x) and x >= 1 and float(x).is_integer(),
)
IOU = choice('mIoU', 'mDice', 'mFscore')
LABELS = 'train_dataloader.dataset.**.with_label'
COCO = choice('bbox', 'segm', 'proposal', 'proposal_fast')
COCO_ITEMS = choice(
    *('mAP', 'mAP_50', 'mAP_75', 'mAP_s', 'mAP_m', 'mAP_l', 'AR@100', 'AR@300', 'AR@1000'),
    *('AR_s@1000', 'AR_m@1000', 'AR_l@1000'),
)
SCORES = choice('precision', 'recall', 'f1-score', 'support')
RULE = choice('greater', 'less', None)
SEED = whole(0, 2**32 - 1)
FILE_NAME = Rule(
    "a file name with one '{}', such as epoch_{}.pth",
    lambda x: isinstance(x, str) and x.count('{}') == 1 and '/' not in x,
)
WRITABLE = Rule('the name of a file or folder that you can write to', can_be_written)
SIZE = named(
    'a number above 0 or a pair of such numbers',  # pixels, or parts of the image
    POSITIVE | listed(POSITIVE, 2),
)
SIZES = named(f'{SIZE.text}, or a list of these', SIZE | listed(SIZE))

# By the place of the value: parts of keys as in a shell (``*_dataloader``, ``{begin,end}``),
# ``**`` for any depth, ``@CocoMetric`` for nothing but to go on in dicts of that type alone.
SCHEMA: dict[str, Rule] = {
    # -- sections
    '{model,model.backbone}': TYPED,
    '{*_dataloader,train_cfg,val_cfg,test_cfg,optim_wrapper,auto_scale_lr}': DICT | NONE,
    '{data_preprocessor,visualizer,log_processor,custom_imports}': DICT | NONE,
    '*_evaluator': DICT | listed(TYPED, least=1) | NONE,
    'param_scheduler': listed(TYPED) | DICT | NONE,
    '{default_hooks,env_cfg,randomness}': DICT,
    'default_hooks.*': TYPED | NONE,
    'custom_hooks': listed(TYPED) | NONE,
    '{strategy,model_wrapper_cfg,tta_model}': TYPED | NONE,
    'tta_pipeline': listed(STEP) | NONE,
    'compile': DICT | FLAG,
    # -- single settings
    '{default_scope,experiment_name,work_dir,load_from}': TEXT | NONE,
    '{resume,find_unused_parameters,fsdp}': FLAG,
    'launcher': choice('none', 'pytorch', 'slurm', 'mpi'),
    'log_level': LEVEL,
    'sync_bn': choice('torch', 'mmcv', None),
    'frozen': choice('backbone', None),
    'lora': whole(1) | NONE,
    # -- data
    'own_data': FLAG,
    '*_dataloader.{batch_size,num_batch_per_epoch,sampler.num_repeats,dataset.**.times}': COUNT,
    '*_dataloader.{num_workers,dataset.**.max_refetch}': whole(0),
    '*_dataloader.prefetch_factor': COUNT | NONE,
    '*_dataloader.{persistent_workers,pin_memory,drop_last,sampler.shuffle,sampler.round_up}': FLAG,
    '*_dataloader.{dataset,dataset.dataset}': TYPED,  # the second one of a wrapper
    '*_dataloader.{sampler,batch_sampler}': TYPED | NONE,
    '*_dataloader.collate_fn': STEP,
    '*_dataloader.dataset.datasets': listed(TYPED),
    '*_dataloader.dataset.pipeline': listed(STEP, least=1),
    '*_dataloader.dataset.**.pipeline': listed(STEP) | NONE,
    'train_dataloader.dataset.**.with_bbox': named(
        'True, because training requires boxes', choice(True)
    ),
    LABELS: named('True, because training requires labels', choice(True)),
    '*_dataloader.dataset.**.{metainfo,filter_cfg}': DICT | NONE,
    '*_dataloader.dataset.**.{metainfo.classes,pipeline.**.meta_keys}': listed(TEXT) | TEXT,
    '*_dataloader.dataset.**.metainfo.palette': COLORS | listed(whole(0, 255), 3) | TEXT,
    '*_dataloader.dataset.**.{filter_cfg.filter_empty_gt,pipeline.**.keep_ratio,test_mode}': FLAG,
    '*_dataloader.{timeout,dataset.**.filter_cfg.min_size}': FACTOR,
    '*_dataloader.dataset.**.{data_root,ann_file,*_suffix,data_prefix.*}': TEXT | NONE,
    '*_dataloader.dataset.**.data_prefix': DICT | TEXT,
    '*_dataloader.dataset.**.reduce_zero_label': FLAG | NONE,
    '*_dataloader.dataset.**.pipeline.**.*ratio_range': RANGE | NONE,
    '*_dataloader.dataset.**.pipeline.**.prob': PART | listed(PART) | NONE,
    '*_dataloader.dataset.**.pipeline.**.scale': SIZES | NONE,
    '*_dataloader.dataset.**.pipeline.**.crop_size': SIZE | NONE,
    '*_dataloader.dataset.**.pipeline.**.cat_max_ratio': number(above=0, most=1),
    '*_dataloader.sampler.seed': SEED | NONE,
    # as many of the first samples; of the last ones where it is negative
    '*_dataloader.dataset.**.indices': (
        whole(1) | whole(-sys.maxsize, most=-1) | listed(whole(0), least=1) | NONE
    ),
    # -- metrics
    '*_evaluator.**.prefix': TEXT | NONE,
    '*_evaluator.**.{outfile_prefix,output_dir}': WRITABLE | NONE,
    '*_evaluator.**.collect_device': choice('cpu', 'gpu'),
    '*_evaluator.**.nan_to_num': whole(-(2**31)) | NONE,
    '*_evaluator.**.ignore_index': whole(-(2**31)),
    '*_evaluator.**.items': listed(SCORES, least=1),
    '*_evaluator.**.{num_classes,@MultiLabelMetric.topk}': COUNT | NONE,
    '*_evaluator.**.{use_mp_eval,@CocoMetric.classwise,@CocoMetric.sort_categories}': FLAG,
    '*_evaluator.**.format_only': FLAG,
    '*_evaluator.**.topk': COUNT | listed(COUNT, least=1),
    '*_evaluator.**.thrs': PART | listed(PART | NONE, least=1) | NONE,
    '*_evaluator.**.average': choice('micro', 'macro', None),
    '*_evaluator.**.iou_metrics': IOU | listed(IOU, least=1),
    '*_evaluator.**.beta': POSITIVE,
    '*_evaluator.**.nproc': COUNT,
    '*_evaluator.**.proposal_nums': listed(COUNT, least=1),
    '*_evaluator.**.@CocoMetric.metric': COCO | listed(COCO, least=1),
    '*_evaluator.**.@CocoMetric.metric_items': listed(COCO_ITEMS, least=1) | NONE,
    '*_evaluator.**.@CocoMetric.iou_thrs': named(
        'None: the COCO summary requires its own thresholds', NONE
    ),
    # -- length
    'train_cfg.by_epoch': FLAG,
    'train_cfg.{max_epochs,max_iters,val_interval}': LENGTH,
    'train_cfg.val_begin': whole(0),
    # -- optimizer
    'optim_wrapper.{optimizer,paramwise_cfg.custom_keys,paramwise_cfg.custom_keys.*}': DICT,
    'optim_wrapper.optimizer.lr': FACTOR | NONE,
    'optim_wrapper.optimizer.weight_decay': FACTOR,
    'optim_wrapper.optimizer.momentum': number(least=0, below=1),
    'optim_wrapper.optimizer.dampening': PART,
    'optim_wrapper.optimizer.maximize': named('False, because losses are minimized', choice(False)),
    'optim_wrapper.optimizer.eps': POSITIVE | listed(POSITIVE | NONE, 2),
    'optim_wrapper.optimizer.betas': listed(number(least=0, below=1), least=2),
    '{optim_wrapper.accumulative_counts,param_scheduler.**.step_size}': COUNT,
    'optim_wrapper.clip_grad': CLIP | NONE,
    'optim_wrapper.clip_grad.type': choice('norm', 'value'),
    'optim_wrapper.clip_grad.{max_norm,clip_value}': POSITIVE,
    'optim_wrapper.paramwise_cfg.layer_decay_rate': POSITIVE,
    'optim_wrapper.clip_grad.norm_type': POSITIVE | choice('inf', math.inf),
    'optim_wrapper.paramwise_cfg': DICT | NONE,
    '{optim_wrapper.paramwise_cfg.bypass_duplicate,auto_scale_lr.enable}': FLAG,
    'optim_wrapper.paramwise_cfg.{*_mult,custom_keys.*.*_mult}': FACTOR,
    'param_scheduler.**.{by_epoch,convert_to_iter_based}': FLAG,
    'param_scheduler.**.{start_factor,factor,gamma}': number(above=0, most=1),
    'param_scheduler.**.{end_factor,eta_min_ratio}': PART,
    'param_scheduler.**.begin': whole(0),
    'param_scheduler.**.end': LENGTH,
    'param_scheduler.**.T_max': LENGTH | NONE,
    'param_scheduler.**.power': POSITIVE,
    'param_scheduler.**.periods': listed(LENGTH, least=1),
    'param_scheduler.**.restart_weights': listed(FACTOR, least=1),
    'param_scheduler.**.eta_min': FACTOR | NONE,
    'param_scheduler.**.milestones': listed(whole(0)),
    'auto_scale_lr.base_batch_size': COUNT,
    # -- model
    'model.backbone.{with_cp,with_*_token,final_norm,**.qkv_bias,**.proj_bias}': FLAG,
    'model.{**.cal_acc,test_cfg.*_on}': FLAG,
    'model.backbone.mlp_ratio': POSITIVE | listed(POSITIVE),
    'model.{**.feedforward_channels,*coder.num_layers,decode_head.channels,num_queries}': COUNT,
    'model.*head': DICT | listed(DICT) | NONE,
    'model.*head.dropout_ratio': number(least=0, below=1) | choice(-1),
    'model.{*head.sampler.thresh,decode_head.threshold}': PART | NONE,
    'model.backbone.drop*_rate': number() | listed(number()),
    'model.**.init_cfg': DICT | listed(DICT) | NONE,
    'model.**.init_cfg.checkpoint': TEXT | NONE,
    'model.**.{init_cfg.**.std,match_costs.*.weight}': FACTOR,
    '{model.**.init_cfg.stored_size,**.data_preprocessor.size}': listed(COUNT, 2) | NONE,
    'model.neck.out_channels': COUNT | listed(COUNT) | NONE,
    'model.neck.out_strides': listed(COUNT) | NONE,
    'model.{neck.num_outs,*head.num_classes}': COUNT | NONE,
    'model.**.eps': POSITIVE,
    'model.{**.kernel_size,head.topk}': COUNT | listed(COUNT),
    'model.**.align_corners': FLAG | NONE,
    'model.**.anchor_generator.scales': listed(POSITIVE, least=1) | NONE,
    'model.**.anchor_generator.ratios': listed(POSITIVE | listed(POSITIVE, least=1), least=1),
    'model.**.target_means': listed(number(), 4),
    'model.**.target_stds': listed(POSITIVE, 4),
    # -- losses and targets
    'model.**.loss_weight': FACTOR | listed(FACTOR),
    'model.**.class_weight': WEIGHTS | TEXT | NONE,
    'model.**.loss_iou.type': OF_BOXES,
    'model.train_cfg.probs': PARTS | NONE,
    'model.**.@*Loss.reduction': choice('none', 'mean', 'sum'),
    'model.**.@*L1Loss.beta': POSITIVE,
    'model.**.iou_mode': choice('iou', 'iof', 'giou'),
    'model.train_cfg.**.{pos_iou_thr,min_pos_iou,sampler.pos_fraction}': PART,
    'model.{train_cfg.importance_sample_ratio,**.nms.iou_threshold}': PART,
    'model.train_cfg.**.neg_iou_thr': PART | listed(PART, 2),
    'model.{train_cfg.**.sampler.num,train_cfg.num_points,**.max_per_image}': COUNT,
    'model.{train_cfg.**.allowed_border,**.min_bbox_size}': number(),
    'model.train_cfg.**.mask_size': COUNT | listed(COUNT, 2),
    'model.train_cfg.oversample_ratio': number(least=1),
    'model.train_cfg.augments': TYPED | listed(TYPED) | NONE,
    'model.{data_preprocessor,test_cfg}': DICT | NONE,
    '**.data_preprocessor.pad_size_divisor': COUNT,
    '**.data_preprocessor.std': listed(POSITIVE) | NONE,
    '**.data_preprocessor.mean': listed(number()) | NONE,
    '**.data_preprocessor.{size_divisor,num_classes}': COUNT | NONE,
    '**.data_preprocessor.seg_pad_val': whole(0, 255),
    '**.data_preprocessor.{pad_val,*pad_value}': number(),
    '**.data_preprocessor.*to_rgb': FLAG,
    'model.test_cfg.mode': choice('whole', 'slide', 'slide_flip'),
    'model.test_cfg.{crop_size,stride}': listed(COUNT, 2) | NONE,
    'model.test_cfg.{object_mask_thr,iou_thr}': PART,
    'model.**.max_per_img': COUNT | choice(-1),
    'model.**.score_thr': number(least=0, below=1),
    'model.**.mask_thr_binary': number(least=-1, below=1),
    'model.**.nms_pre': whole(-1),
    'model.**.nms': DICT | NONE,
    'model.**.nms.type': choice('nms', 'soft_nms', 'nms_match'),
    # -- hooks
    '*_hooks.*.switch_pipeline': listed(STEP, least=1),
    '{*_hooks.*.interval,default_hooks.checkpoint.max_keep_ckpts}': COUNT | choice(-1),
    '*_hooks.*.momentum': number(above=0, below=1),
    '{default_hooks.logger.interval,*_hooks.*.patience,*_hooks.*.@*EMAHook.interval}': COUNT,
    '{*_hooks.*.begin_iter,*_hooks.*.begin_epoch,default_hooks.finite_loss.skip}': whole(0),
    'default_hooks.checkpoint.out_dir': WRITABLE | NONE,
    'default_hooks.checkpoint.filename_tmpl': FILE_NAME | NONE,
    'default_hooks.checkpoint.{save_last,by_epoch}': FLAG,
    'default_hooks.unreadable_images.limit': number(least=0, below=1),
    'default_hooks.checkpoint.save_best': TEXT | listed(TEXT) | NONE,
    'default_hooks.checkpoint.rule': RULE | listed(RULE),
    # -- the rest
    'log_processor.window_size': COUNT,
    '{log_processor.by_epoch,env_cfg.cudnn_benchmark}': FLAG,
    'env_cfg.{mp_cfg,dist_cfg}': DICT | NONE,
    'env_cfg.mp_cfg.mp_start_method': choice('fork', 'spawn', 'forkserver', None),
    'env_cfg.mp_cfg.opencv_num_threads': whole(0),
    'randomness.seed': SEED | NONE,
    'randomness.{deterministic,diff_rank_seed}': FLAG,
    '**': Rule('a number', lambda x: not (isinstance(x, float) and math.isnan(x))),
}


def misfits(config: Mapping) -> Iterator[str]:
    """Yield findings for all values that :data:`SCHEMA` does not allow."""
    rows = dict(SCHEMA)
    if type_at(config.get('model')) == 'RPN':  # it learns boxes of no class
        del rows[LABELS]
    patterns = [(pattern, rule) for row, rule in rows.items() for pattern in alternatives(row)]
    for pattern, rule in patterns:
        for place, value in _matches(config, pattern.split('.')):
            if not rule.fits(value):
                yield f'{place}: is {cut(value)}, but it must be {rule.text}'


def alternatives(pattern: str) -> list[str]:
    """Return the patterns that one with braces stands for, as in a shell.

    >>> alternatives('train_cfg.{max_epochs,max_iters}')
    ['train_cfg.max_epochs', 'train_cfg.max_iters']
    """
    before, brace, rest = pattern.partition('{')
    if not brace:
        return [pattern]
    names, _, behind = rest.partition('}')
    return [f'{before}{name}{behind}' for name in names.split(',')]


def _matches(node: Any, pattern: list[str], place: str = '') -> Iterator[tuple[str, Any]]:
    """Yield the places below ``node`` that fit ``pattern``, and what stands there."""
    if not pattern:
        yield place, node
        return
    first, *rest = pattern
    if first.startswith('@'):
        if fnmatchcase(type_at(node), first[1:]):
            yield from _matches(node, rest, place)
        return
    if first == '**':
        yield from _matches(node, rest, place)
    for key, value in entries(node):
        here = f'{place}.{key}' if place else key
        if first == '**':
            yield from _matches(value, pattern, here)
        elif fnmatchcase(key, first):
            yield from _matches(value, rest, here)
