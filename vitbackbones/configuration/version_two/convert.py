"""A config of version 2 as a config of version 3, section by section.

``keys.csv`` has each key of version 2 with its place in version 3. What cannot be written
mechanically is a note. Caffe's networks keep their channels in the order blue, green, red: the
preprocessor says ``bgr_to_rgb=False`` where ``Normalize`` said ``to_rgb=False``.
"""

import copy
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ...errors import InputError
from ..settings import as_list, walk
from .data import COCO_OPTIONS, evaluator, loaders, preprocessor
from .pipelines import MMDET, MMPRETRAIN, MMSEG
from .schedule import VALIDATION, optim_wrapper, schedulers, train_length
from .tables import table

MOVED = table('moved')
# the keys of version 2 that each key of version 3 comes from, for the comments of a written config
ORIGINS = table('origin')
# keys that only version 2 has
SIGNS = ('data', 'optimizer', 'lr_config', 'runner', 'total_epochs', 'total_iters', 'evaluation')
THREE = ('optim_wrapper', 'train_dataloader', 'test_dataloader')  # keys that only version 3 has
KEPT = ('model', 'custom_imports', 'load_from', 'log_level', 'auto_scale_lr', 'work_dir')
BACKENDS = table('backend')
# names of mmcls 1 (``mmcls.ConvNeXt``, ``mmcls.models``) and of parts that have others now
OF_MMCLS = re.compile(r'mmcls(?=\.|$)')
TODAY = table('renamed')
# parts of other toolboxes, by which their configs of version 2 are known
FOREIGN = table('foreign')
EMA = {'type': 'EMAHook', 'ema_type': 'ExpMomentumEMA', 'update_buffers': True}
OF_SWIN = table('swin')
# settings of models that are elsewhere or in the parts themselves now
OF_YOLOX = ('input_size', 'random_size_range', 'random_size_interval')
OLD_RPN = ('nms_across_levels', 'nms_post')  # which version 2.10 and later do not read
OF_MMSEG = ('decode_head', 'img_dir')  # of models and datasets of mmseg alone
EVALUATION = {
    *('by_epoch', 'efficient_test', 'gpu_collect', 'metric', 'metric_options', 'pre_eval'),
    *('priority', 'rule', 'save_best', 'tmpdir', 'type', *COCO_OPTIONS, *VALIDATION),
}
COSTS = ('cls_cost', 'reg_cost', 'iou_cost')
UNNEEDED = ('NumClassCheckHook', 'SyncNormHook', 'TextLoggerHook')
VISUALIZERS = table('visualizer')


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
    model = config.get('model') or {}
    kind = str(model.get('type', ''))
    parts = _dicts(config)
    foreign = [FOREIGN[part['type']] for part in parts if str(part.get('type')) in FOREIGN]
    if foreign:
        return foreign[0]
    if kind == 'ImageClassifier':
        return MMPRETRAIN
    ours = 'EncoderDecoder' in kind or any(key in part for part in parts for key in OF_MMSEG)
    return MMSEG if ours else MMDET


def in_todays_names(node: Any) -> Any:
    """Return a config, or a part of one, in which the names of mmcls are those of mmpretrain."""
    if isinstance(node, Mapping):
        return {key: in_todays_names(value) for key, value in node.items()}
    if isinstance(node, list | tuple):
        return type(node)(in_todays_names(value) for value in node)
    if not isinstance(node, str):
        return node
    return (
        OF_MMCLS.sub(MMPRETRAIN, node, count=1) if OF_MMCLS.match(node) else TODAY.get(node, node)
    )


def _dicts(node: Any) -> list[Mapping]:
    """Return all dicts in a part of a config."""
    return [part for _, part in walk(node) if isinstance(part, Mapping)]


def convert(config: Mapping[str, Any]) -> Converted:
    """Return a config of version 2 as one of version 3.

    Raises:
        InputError: a section is missing, or version 3 has nothing like it.
    """
    missing = [key for key in ('model', 'data', 'optimizer') if key not in config]
    if missing:
        raise InputError(f'the config is incomplete: it has no {", ".join(missing)}')
    old = in_todays_names(copy.deepcopy({**config}))
    toolbox = toolbox_of(old)
    found = Converted(toolbox, {'default_scope': toolbox})
    entries = found.entries
    entries |= {key: old[key] for key in KEPT if key in old}
    _model(old, entries, found)

    length = train_length(old)
    found_loaders, pipelines = loaders(old, toolbox, length)
    entries |= found_loaders
    found.notes += dict.fromkeys(note for pipeline in pipelines for note in pipeline.notes)
    scales = [pipeline.normalize for pipeline in pipelines if pipeline.normalize]
    if any(scale != scales[0] for scale in scales):
        found.notes.append('Normalize: differs; data_preprocessor has that of the first pipeline')
    settings = preprocessor(old, pipelines, toolbox)
    place = entries if toolbox == MMPRETRAIN else entries['model']
    place['data_preprocessor'] = settings

    entries['train_cfg'] = length
    for split in ('val', 'test'):
        if f'{split}_dataloader' in entries:
            dataset = entries[f'{split}_dataloader']['dataset']
            entries[f'{split}_cfg'] = {'type': f'{split.capitalize()}Loop'}
            entries[f'{split}_evaluator'] = evaluator(dataset, old.get('evaluation') or {}, toolbox)
            if dataset['type'] == 'ConcatDataset' and toolbox == MMDET:
                found.notes.append(f'{split}_evaluator: measures the first of several datasets')
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
    _of_swin(model.get('backbone') or {}, found.toolbox)
    _semantic(old['data'].get('train'), model)
    for key in OF_YOLOX:
        model.pop(key, None)
    if found.toolbox == MMPRETRAIN and model.get('train_cfg'):
        model['train_cfg'] = _mixed(model['train_cfg'])


def _semantic(train: Any, model: dict) -> None:
    """Give a semantic head the size of the masks that ``SegRescale`` made, in place."""
    head = (model.get('roi_head') or {}).get('semantic_head')
    sizes = [part['scale_factor'] for part in _dicts(train) if part.get('type') == 'SegRescale']
    if head and sizes:
        head.setdefault('seg_scale_factor', sizes[0])


def _of_swin(backbone: dict, toolbox: str) -> None:
    """Give a Swin of Microsoft's repositories the words of the toolboxes, in place."""
    if backbone.get('type') != 'SwinTransformer' or not OF_SWIN.keys() & backbone.keys():
        return
    for old in OF_SWIN.keys() & backbone.keys():
        backbone[OF_SWIN[old]] = backbone.pop(old)
    if 'mlp_ratio' in backbone:  # which is 4.0 there
        backbone['mlp_ratio'] = int(backbone['mlp_ratio'])
    if toolbox == MMDET:
        backbone['convert_weights'] = True  # which are published in other words, too


def _mixed(options: dict) -> dict:
    """Return how mmpretrain mixes images; what is left to a probability of 1 is not mixed."""
    old = as_list(options.get('augments') or [])
    early = {'mixup': 'Mixup', 'cutmix': 'CutMix'}  # of the first releases of mmcls
    old += [{'type': kind, **options[key]} for key, kind in early.items() if options.get(key)]
    augments = [mix for mix in old if mix['type'] != 'Identity']
    if not augments:
        return options
    probs = [mix.pop('prob', mix.pop('cutmix_prob', 1.0)) for mix in augments]
    new = [{key: value for key, value in mix.items() if key != 'num_classes'} for mix in augments]
    return {'augments': new} | ({'probs': probs} if sum(probs) <= 1 else {})


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
    if 'nms_thr' in new:  # of the RPN before mmdet 2.10
        new['nms'] = {'type': 'nms', 'iou_threshold': new.pop('nms_thr')}
        new['max_per_img'] = new.pop('max_num', new.get('nms_post', 1000))
        new = {key: value for key, value in new.items() if key not in OLD_RPN}
    if 'iou_thr' in new and 'nms' in str(new.get('type')):
        new['iou_threshold'] = new.pop('iou_thr')
    costs = [new.pop(key) for key in COSTS if key in new]
    if costs:  # of HungarianAssigner
        new['match_costs'] = costs
    return new


def _hooks(old: dict, entries: dict) -> None:
    checkpoint = {'type': 'CheckpointHook', **(old.get('checkpoint_config') or {})}
    evaluation = old.get('evaluation') or {}
    if evaluation.get('save_best'):
        checkpoint['save_best'] = _best(evaluation['save_best'], entries['default_scope'])
    if evaluation.get('rule'):
        checkpoint['rule'] = evaluation['rule']
    logging = old.get('log_config') or {}
    logger = {'type': 'LoggerHook', 'interval': logging.get('interval', 50)}
    entries['default_hooks'] = {'checkpoint': checkpoint, 'logger': logger}
    custom = [_hook(x) for x in old.get('custom_hooks') or [] if x['type'] not in UNNEEDED]
    if custom:
        entries['custom_hooks'] = custom
    kept = [hook for hook in logging.get('hooks') or [] if hook['type'] in BACKENDS]
    backends = [{'type': BACKENDS[hook['type']], **_start(hook)} for hook in kept]
    entries['visualizer'] = {
        'type': VISUALIZERS[entries['default_scope']],
        'name': 'visualizer',
        'vis_backends': [{'type': 'LocalVisBackend'}, *backends],
    }
    by_epoch = 'max_epochs' in entries['train_cfg']
    entries['log_processor'] = {'type': 'LogProcessor', 'by_epoch': by_epoch}
    checkpoint.setdefault('by_epoch', by_epoch)


def _best(name: str, toolbox: str) -> str:
    """Return the name of version 3 for a metric by which the best checkpoint is chosen."""
    if name == 'auto' or toolbox == MMSEG:
        return name
    if toolbox == MMPRETRAIN:
        return 'auto'
    return 'pascal_voc/mAP' if name == 'mAP' else f'coco/{name}'


def _hook(hook: dict) -> dict:
    if hook['type'] != 'ExpMomentumEMAHook':
        return hook
    return EMA | {key: hook[key] for key in ('momentum', 'priority') if key in hook}


def _start(hook: dict) -> dict:
    return {'init_kwargs': hook['init_kwargs']} if 'init_kwargs' in hook else {}


def _environment(old: dict, entries: dict) -> None:
    parallel = {key: old[key] for key in ('mp_start_method', 'opencv_num_threads') if key in old}
    entries['env_cfg'] = {
        'cudnn_benchmark': old.get('cudnn_benchmark', False),
        'mp_cfg': {'mp_start_method': 'fork', 'opencv_num_threads': 0} | parallel,
        'dist_cfg': old.get('dist_params') or {'backend': 'nccl'},
    }
    if old.get('resume_from'):
        entries |= {'load_from': old['resume_from'], 'resume': True}
    if old.get('auto_resume'):
        entries['resume'] = True
    if old.get('seed') is not None:
        entries['randomness'] = {'seed': old['seed']}
    if old.get('find_unused_parameters'):
        entries['find_unused_parameters'] = True


def _others(old: dict, found: Converted) -> None:
    known = {*MOVED, *KEPT, 'custom_hooks', 'find_unused_parameters', 'train_cfg', 'test_cfg'}
    used = _dicts([old.get(key) for key in (*known, 'model', 'data')])
    for key, value in old.items():
        variable = value in used  # such as norm_cfg
        if key not in known and isinstance(value, Mapping) and 'type' in value and not variable:
            found.notes.append(f'{key}: version 3 does not read it')
    for key in sorted({*(old.get('evaluation') or {})} - EVALUATION):
        found.notes.append(f'evaluation.{key}: is not converted')
    flow = old.get('workflow')
    if flow and len(flow) > 1:
        found.notes.append('workflow: validation losses are not computed; val_evaluator measures')
