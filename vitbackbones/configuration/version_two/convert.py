"""A config of version 2 as a config of version 3, section by section.

``keys.csv`` has each key of version 2 with its place in version 3. What cannot be written
mechanically is a note. Caffe's networks keep their channels in the order blue, green, red: the
preprocessor says ``bgr_to_rgb=False`` where ``Normalize`` said ``to_rgb=False``.
"""

import copy
import csv
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...errors import InputError
from ..settings import as_list
from .data import evaluator, loaders, preprocessor
from .pipelines import MMDET, MMPRETRAIN, MMSEG
from .schedule import optim_wrapper, schedulers, train_length

with open(Path(__file__).with_name('keys.csv'), newline='', encoding='utf-8') as _file:
    _ROWS = [*csv.DictReader(_file)]
MOVED = {row['key']: row['text'] for row in _ROWS if row['table'] == 'moved'}
# the keys of version 2 that each key of version 3 comes from, for the comments of a written config
ORIGINS = {row['key']: row['text'] for row in _ROWS if row['table'] == 'origin'}
# keys that only version 2 has
SIGNS = ('data', 'optimizer', 'lr_config', 'runner', 'total_epochs', 'total_iters', 'evaluation')
THREE = ('optim_wrapper', 'train_dataloader', 'test_dataloader')  # keys that only version 3 has
KEPT = ('model', 'custom_imports', 'load_from', 'log_level', 'auto_scale_lr', 'work_dir')
BACKENDS = {
    'TensorboardLoggerHook': 'TensorboardVisBackend',
    'WandbLoggerHook': 'WandbVisBackend',
    'MMDetWandbHook': 'WandbVisBackend',
    'MlflowLoggerHook': 'MLflowVisBackend',
}
COSTS = ('cls_cost', 'reg_cost', 'iou_cost')
UNNEEDED = ('NumClassCheckHook', 'SyncNormHook', 'TextLoggerHook')
VISUALIZERS = {
    MMDET: 'DetLocalVisualizer',
    MMSEG: 'SegLocalVisualizer',
    MMPRETRAIN: 'UniversalVisualizer',
}


@dataclass
class Converted:
    """A config of version 3.

    Attributes:
        toolbox: that it is for.
        entries: the config.
        notes: what is left to do by hand.
    """

    toolbox: str
    entries: dict[str, Any]
    notes: list[str] = field(default_factory=list)


def keys_of_version_two(config: Mapping[str, Any]) -> dict[str, str]:
    """Return the keys that only version 2 has, with their places in version 3.

    In a config of version 3 they are variables, such as ``optimizer`` in most of mmseg's.
    """
    if not any(key in config for key in SIGNS) or any(key in config for key in THREE):
        return {}
    return {key: place for key, place in MOVED.items() if key in config}


def toolbox_of(config: Mapping[str, Any]) -> str:
    """Return the toolbox of a config, by its type of model."""
    scope = config.get('default_scope')
    if scope:
        return scope
    kind = str((config.get('model') or {}).get('type', ''))
    if kind == 'ImageClassifier':
        return MMPRETRAIN
    return MMSEG if kind.endswith('EncoderDecoder') else MMDET


def convert(config: Mapping[str, Any]) -> Converted:
    """Return a config of version 2 as one of version 3.

    Raises:
        InputError: a section is missing, or version 3 has nothing like it.
    """
    missing = [key for key in ('model', 'data', 'optimizer') if key not in config]
    if missing:
        raise InputError(f'the config is incomplete, it has no {", ".join(missing)}')
    old = copy.deepcopy({**config})
    toolbox = toolbox_of(old)
    found = Converted(toolbox, {'default_scope': toolbox})
    entries = found.entries
    entries |= {key: old[key] for key in KEPT if key in old}
    _model(old, entries, found)

    length = train_length(old)
    found_loaders, pipelines = loaders(old, toolbox, length)
    entries |= found_loaders
    found.notes += dict.fromkeys(note for pipeline in pipelines for note in pipeline.notes)
    settings = preprocessor(old, pipelines, toolbox)
    place = entries if toolbox == MMPRETRAIN else entries['model']
    place['data_preprocessor'] = settings

    entries['train_cfg'] = length
    for split in ('val', 'test'):
        if f'{split}_dataloader' in entries:
            dataset = entries[f'{split}_dataloader']['dataset']
            entries[f'{split}_cfg'] = {'type': f'{split.capitalize()}Loop'}
            entries[f'{split}_evaluator'] = evaluator(dataset, old.get('evaluation') or {}, toolbox)
    entries['optim_wrapper'] = optim_wrapper(old)
    entries['param_scheduler'] = schedulers(old, length)
    _hooks(old, entries)
    _environment(old, entries)
    _others(old, found)
    return found


def _model(old: dict, entries: dict, found: Converted) -> None:
    model = entries['model'] = dict(old['model'])
    for key in ('train_cfg', 'test_cfg'):  # beside the model before mmdet 2.3
        if key in old and key not in model and old[key] is not None:
            model[key] = old[key]
    if model.get('pretrained'):
        start = {'type': 'Pretrained', 'checkpoint': model['pretrained']}
        model['backbone'] = {**model['backbone'], 'init_cfg': start}
    model.pop('pretrained', None)
    entries['model'] = model = _renamed(model)
    options = model.get('train_cfg')
    if found.toolbox == MMPRETRAIN and options and 'augments' in options:
        kinds = {'BatchMixup': 'Mixup', 'BatchCutMix': 'CutMix', 'BatchResizeMix': 'ResizeMix'}
        augments = as_list(options['augments'])
        new = [{'type': kinds.get(x['type'], x['type']), 'alpha': x['alpha']} for x in augments]
        model['train_cfg'] = {'augments': new}


def _renamed(node: Any) -> Any:
    """Return the config of a part of a model in the words of version 3."""
    if isinstance(node, list | tuple):
        return type(node)(_renamed(value) for value in node)
    if not isinstance(node, Mapping):
        return node
    new = {key: _renamed(value) for key, value in node.items()}
    if 'extra_convs_on_inputs' in new:  # of FPN
        on_input = new.pop('extra_convs_on_inputs')
        if new.get('add_extra_convs') is True:
            new['add_extra_convs'] = 'on_input' if on_input else 'on_output'
    costs = [new.pop(key) for key in COSTS if key in new]
    if costs:  # of HungarianAssigner
        new['match_costs'] = costs
    return new


def _hooks(old: dict, entries: dict) -> None:
    checkpoint = {'type': 'CheckpointHook', **(old.get('checkpoint_config') or {})}
    if (old.get('evaluation') or {}).get('save_best'):
        checkpoint['save_best'] = 'auto'
    logging = old.get('log_config') or {}
    logger = {'type': 'LoggerHook', 'interval': logging.get('interval', 50)}
    entries['default_hooks'] = {'checkpoint': checkpoint, 'logger': logger}
    custom = [x for x in old.get('custom_hooks') or [] if x['type'] not in UNNEEDED]
    if custom:
        entries['custom_hooks'] = custom
    kinds = [BACKENDS.get(hook['type']) for hook in logging.get('hooks') or []]
    backends = [{'type': kind} for kind in kinds if kind]
    entries['visualizer'] = {
        'type': VISUALIZERS[entries['default_scope']],
        'name': 'visualizer',
        'vis_backends': [{'type': 'LocalVisBackend'}, *backends],
    }
    by_epoch = 'max_epochs' in entries['train_cfg']
    entries['log_processor'] = {'type': 'LogProcessor', 'by_epoch': by_epoch}
    checkpoint.setdefault('by_epoch', by_epoch)


def _environment(old: dict, entries: dict) -> None:
    parallel = {key: old[key] for key in ('mp_start_method', 'opencv_num_threads') if key in old}
    entries['env_cfg'] = {
        'cudnn_benchmark': old.get('cudnn_benchmark', False),
        'mp_cfg': {'mp_start_method': 'fork', 'opencv_num_threads': 0} | parallel,
        'dist_cfg': old.get('dist_params') or {'backend': 'nccl'},
    }
    if old.get('resume_from'):
        entries |= {'load_from': old['resume_from'], 'resume': True}
    if old.get('seed') is not None:
        entries['randomness'] = {'seed': old['seed']}
    if old.get('find_unused_parameters'):
        entries['find_unused_parameters'] = True


def _others(old: dict, found: Converted) -> None:
    known = {*MOVED, *KEPT, 'custom_hooks', 'find_unused_parameters', 'train_cfg', 'test_cfg'}
    for key, value in old.items():
        if key not in known and isinstance(value, Mapping) and 'type' in value:
            found.notes.append(f'{key}: version 3 does not read it')
    flow = old.get('workflow')
    if flow and len(flow) > 1:
        found.notes.append('workflow: validation losses are not computed; val_evaluator measures')
