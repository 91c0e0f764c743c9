"""What each setting of a config may be, as one table.

mmengine passes values on unseen. A text in place of a number surfaces as an error out of the middle
of a library, and some values, such as a negative limit for gradients, as a run that learns nothing.
"""

import logging
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any

from ..messages import cut
from .settings import entries


@dataclass(frozen=True)
class Rule:
    """What a value has to be; ``text`` completes "it must be ..."."""

    text: str
    fits: Callable[[Any], bool]

    def __or__(self, other: 'Rule') -> 'Rule':
        return Rule(f'{self.text} or {other.text}', lambda x: self.fits(x) or other.fits(x))


def whole(least: int, most: float = math.inf) -> Rule:
    text = f'a whole number from {least}' + (f' to {most}' if most < math.inf else '')
    return Rule(text, lambda x: type(x) is int and least <= x <= most)


def number(least: float = -math.inf, above: float = -math.inf) -> Rule:
    limits = f' from {least}' if least > -math.inf else f' above {above}' if above == 0 else ''
    return Rule(f'a number{limits}', lambda x: _is_number(x) and x >= least and x > above)


def choice(*values: Any) -> Rule:
    return Rule(f'one of {", ".join(map(repr, values))}', lambda x: x in values)


def listed(rule: Rule, count: int | None = None) -> Rule:
    """Return a rule for a list or tuple, of ``count`` entries if given, that all fit ``rule``."""
    return Rule(
        f'a list{"" if count is None else f" of {count}"} ({rule.text} each)',
        lambda x: (
            isinstance(x, list | tuple) and count in (None, len(x)) and all(map(rule.fits, x))
        ),
    )


def named(text: str, rule: Rule) -> Rule:
    return replace(rule, text=text)


def _is_number(x: Any) -> bool:
    return isinstance(x, int | float) and not isinstance(x, bool) and x == x


DICT = Rule('a dict', lambda x: isinstance(x, Mapping))
TYPED = Rule('a dict with a type', lambda x: isinstance(x, Mapping) and bool(x.get('type')))
STEP = TYPED | Rule('a function', callable)  # of a pipeline
TEXT = Rule('a text', lambda x: isinstance(x, str))
FLAG = Rule('True or False', lambda x: isinstance(x, bool))
NONE = Rule('None', lambda x: x is None)
COUNT = whole(1)
FACTOR = number(least=0)
LEVEL = Rule(
    'the name of a log level, such as INFO',
    lambda x: isinstance(x, int | str) and logging.getLevelName(x) != f'Level {x}',
)
LENGTH = Rule(
    'a whole number from 1',  # 1e4 is one
    lambda x: _is_number(x) and x >= 1 and float(x).is_integer(),
)
IOU = choice('mIoU', 'mDice', 'mFscore')
RULE = choice('greater', 'less', None)
SEED = whole(0, 2**32 - 1)
SIDES = named('a number of pixels or a pair of them', COUNT | listed(COUNT, 2))
SIZE = named(
    'a number above 0 or a pair of them',  # pixels, or parts of the image
    number(above=0) | listed(number(above=0), 2),
)
SIZES = named(f'{SIZE.text}, or a list of such', SIZE | listed(SIZE))

# By the place of the value: parts of keys as in a shell (``*_dataloader``), ``**`` for any depth.
SCHEMA: dict[str, Rule] = {
    # -- sections
    'model': TYPED,
    'train_dataloader': DICT | NONE,
    'val_dataloader': DICT | NONE,
    'test_dataloader': DICT | NONE,
    'train_cfg': DICT | NONE,
    'val_cfg': DICT | NONE,
    'test_cfg': DICT | NONE,
    'val_evaluator': DICT | listed(TYPED) | NONE,
    'test_evaluator': DICT | listed(TYPED) | NONE,
    '*_evaluator.**.prefix': TEXT | NONE,
    '*_evaluator.**.topk': COUNT | listed(COUNT),
    '*_evaluator.**.iou_metrics': IOU | listed(IOU),
    'optim_wrapper': DICT | NONE,
    'param_scheduler': listed(TYPED) | DICT | NONE,
    'auto_scale_lr': DICT | NONE,
    'default_hooks': DICT,
    'default_hooks.*': TYPED | NONE,
    'custom_hooks': listed(TYPED) | NONE,
    'data_preprocessor': DICT | NONE,
    'visualizer': DICT | NONE,
    'log_processor': DICT | NONE,
    'env_cfg': DICT,
    'randomness': DICT,
    'custom_imports': DICT | NONE,
    'strategy': TYPED | NONE,
    'model_wrapper_cfg': TYPED | NONE,
    'tta_model': TYPED | NONE,
    'tta_pipeline': listed(STEP) | NONE,
    'compile': DICT | FLAG,
    # -- single settings
    'default_scope': TEXT | NONE,
    'experiment_name': TEXT | NONE,
    'work_dir': TEXT | NONE,
    'load_from': TEXT | NONE,
    'resume': FLAG,
    'launcher': choice('none', 'pytorch', 'slurm', 'mpi'),
    'log_level': LEVEL,
    'sync_bn': choice('torch', 'mmcv', None),
    'find_unused_parameters': FLAG,
    # -- data
    'own_data': FLAG,
    '*_dataloader.batch_size': COUNT,
    '*_dataloader.num_workers': whole(0),
    '*_dataloader.prefetch_factor': COUNT | NONE,
    '*_dataloader.persistent_workers': FLAG,
    '*_dataloader.pin_memory': FLAG,
    '*_dataloader.drop_last': FLAG,
    '*_dataloader.num_batch_per_epoch': COUNT,
    '*_dataloader.dataset': TYPED,
    'train_dataloader.sampler': TYPED,
    'val_dataloader.sampler': TYPED | NONE,
    'test_dataloader.sampler': TYPED | NONE,
    '*_dataloader.batch_sampler': TYPED | NONE,
    '*_dataloader.collate_fn': STEP,
    '*_dataloader.dataset.dataset': TYPED,  # of a wrapper
    '*_dataloader.dataset.datasets': listed(TYPED),
    '*_dataloader.dataset.**.pipeline': listed(STEP) | NONE,
    '*_dataloader.dataset.**.metainfo': DICT | NONE,
    '*_dataloader.dataset.**.metainfo.classes': listed(TEXT) | TEXT,
    '*_dataloader.dataset.**.filter_cfg': DICT | NONE,
    '*_dataloader.dataset.**.filter_cfg.filter_empty_gt': FLAG,
    '*_dataloader.dataset.**.filter_cfg.min_size': number(least=0),
    '*_dataloader.dataset.**.data_root': TEXT | NONE,
    '*_dataloader.dataset.**.ann_file': TEXT | NONE,
    '*_dataloader.dataset.**.data_prefix': DICT | TEXT | NONE,
    '*_dataloader.dataset.**.data_prefix.*': TEXT | NONE,
    '*_dataloader.dataset.**.*_suffix': TEXT | NONE,
    '*_dataloader.dataset.**.pipeline.**.ratio_range': listed(number(above=0), 2) | NONE,
    '*_dataloader.dataset.**.pipeline.**.scale': SIZES | NONE,
    '*_dataloader.dataset.**.pipeline.**.crop_size': SIZE,
    # -- length
    'train_cfg.by_epoch': FLAG,
    'train_cfg.max_epochs': LENGTH,
    'train_cfg.max_iters': LENGTH,
    'train_cfg.val_interval': LENGTH,
    'train_cfg.val_begin': whole(0),
    # -- optimizer
    'optim_wrapper.optimizer': DICT,
    'optim_wrapper.optimizer.lr': FACTOR | NONE,
    'optim_wrapper.optimizer.weight_decay': FACTOR,
    'optim_wrapper.optimizer.momentum': FACTOR,
    'optim_wrapper.optimizer.eps': FACTOR,
    'optim_wrapper.optimizer.betas': listed(FACTOR),
    'optim_wrapper.accumulative_counts': COUNT,
    'optim_wrapper.clip_grad': DICT | NONE,
    'optim_wrapper.clip_grad.max_norm': number(above=0),
    'optim_wrapper.clip_grad.clip_value': number(above=0),
    'optim_wrapper.clip_grad.norm_type': number(above=0) | choice('inf'),
    'optim_wrapper.paramwise_cfg': DICT | NONE,
    'optim_wrapper.paramwise_cfg.bypass_duplicate': FLAG,
    'optim_wrapper.paramwise_cfg.*_mult': FACTOR,
    'optim_wrapper.paramwise_cfg.layer_decay_rate': number(above=0),
    'optim_wrapper.paramwise_cfg.custom_keys': DICT,
    'optim_wrapper.paramwise_cfg.custom_keys.*': DICT,
    'optim_wrapper.paramwise_cfg.custom_keys.*.*_mult': FACTOR,
    'param_scheduler.*.by_epoch': FLAG,
    'param_scheduler.*.start_factor': number(above=0),
    'param_scheduler.*.end_factor': FACTOR,
    'param_scheduler.*.begin': whole(0),
    'param_scheduler.*.end': number(above=0),
    'param_scheduler.*.milestones': listed(whole(0)),
    'auto_scale_lr.enable': FLAG,
    'auto_scale_lr.base_batch_size': COUNT,
    # -- model
    'model.backbone': TYPED,
    'model.backbone.in_channels': COUNT,
    'model.backbone.mlp_ratio': number(above=0),
    'model.**.init_cfg': DICT | listed(DICT) | NONE,
    'model.**.init_cfg.checkpoint': TEXT | NONE,
    'model.*_head.channels': COUNT,
    'model.head.num_classes': COUNT | NONE,
    'model.bbox_head.num_classes': COUNT,
    'model.decode_head.num_classes': COUNT,
    'model.num_queries': COUNT,
    'model.head.topk': COUNT | listed(COUNT),
    'model.train_cfg.augments': TYPED | listed(TYPED) | NONE,
    'model.data_preprocessor': DICT | NONE,
    '**.data_preprocessor.pad_size_divisor': COUNT,
    '**.data_preprocessor.std': listed(number(above=0)) | NONE,
    '**.data_preprocessor.mean': listed(number()) | NONE,
    '**.data_preprocessor.size': listed(COUNT, 2) | NONE,
    '**.data_preprocessor.seg_pad_val': number(),
    '**.data_preprocessor.num_classes': COUNT | NONE,
    'model.test_cfg': DICT | NONE,
    'model.test_cfg.mode': choice('whole', 'slide', 'slide_flip'),
    'model.test_cfg.crop_size': SIDES | NONE,
    'model.test_cfg.stride': SIDES | NONE,
    'model.test_cfg.max_per_img': whole(-1),
    # -- the rest
    'default_hooks.logger.interval': COUNT,
    'default_hooks.checkpoint.interval': COUNT | choice(-1),
    'default_hooks.checkpoint.save_best': TEXT | listed(TEXT) | NONE,
    'default_hooks.checkpoint.rule': RULE | listed(RULE),
    'log_processor.window_size': COUNT,
    'log_processor.by_epoch': FLAG,
    'env_cfg.cudnn_benchmark': FLAG,
    'env_cfg.mp_cfg': DICT | NONE,
    'env_cfg.mp_cfg.mp_start_method': choice('fork', 'spawn', 'forkserver', None),
    'env_cfg.mp_cfg.opencv_num_threads': whole(0),
    'env_cfg.dist_cfg': DICT | NONE,
    'randomness.seed': SEED | NONE,
    'randomness.deterministic': FLAG,
    'randomness.diff_rank_seed': FLAG,
}


def misfits(config: Mapping) -> Iterator[str]:
    """Yield findings for all values that :data:`SCHEMA` does not allow."""
    for pattern, rule in SCHEMA.items():
        for place, value in _matches(config, pattern.split('.')):
            if not rule.fits(value):
                yield f'{place}: is {cut(value)}, but it must be {rule.text}'


def _matches(node: Any, pattern: list[str], place: str = '') -> Iterator[tuple[str, Any]]:
    """Yield the places below ``node`` that fit ``pattern``, and what stands there."""
    if not pattern:
        yield place, node
        return
    first, *rest = pattern
    if first == '**':
        yield from _matches(node, rest, place)
    for key, value in entries(node):
        here = f'{place}.{key}' if place else key
        if first == '**':
            yield from _matches(value, pattern, here)
        elif fnmatchcase(key, first):
            yield from _matches(value, rest, here)
