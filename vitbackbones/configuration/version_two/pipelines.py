"""Steps of a pipeline of version 2, as steps of version 3.

Version 3 normalizes and pads batches in ``data_preprocessor``, so :func:`convert_pipeline` takes
these steps out and returns their settings. Its ``Resize`` has one size, and random sizes are steps
of other names. Its test-time augmentation is a pipeline of its own, which is not written here.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from .tables import table

MMDET = 'mmdet'
MMSEG = 'mmseg'
MMPRETRAIN = 'mmpretrain'
PACK = {MMDET: 'PackDetInputs', MMSEG: 'PackSegInputs', MMPRETRAIN: 'PackInputs'}
# what packing does in version 3
PACKED = ('DefaultFormatBundle', 'ImageToTensor', 'ToTensor', 'ToDataContainer')
IN_HEADS = ('SegRescale',)  # what the semantic head does in version 3
# arguments with other names: of all steps, and of single ones as TYPE.ARGUMENT
OF_ALL = table('argument')
RENAMED = table('argument of a step')
OF_MMCLS = table('argument of a step in mmcls')
# what ``efficientnet_style=True`` makes of a crop, and what only such crops take
EFFICIENT = {'RandomResizedCrop': 'EfficientNetRandomCrop', 'CenterCrop': 'EfficientNetCenterCrop'}
OF_EFFICIENT = ('min_covered', 'crop_padding')
OF_CENTER = ('interpolation', 'backend')
# what version 3 packs by default, and names that it does not have
META = ('img_id', 'img_path', 'ori_shape', 'img_shape', 'scale_factor', 'flip', 'flip_direction')
OLD_META = ('filename', 'ori_filename', 'pad_shape', 'img_norm_cfg')
# labels of boxes, which Albu leaves out together with their boxes
LABELS = {'gt_labels': ('gt_bboxes_labels', 'gt_ignore_flags')}


@dataclass
class Pipeline:
    """Steps of version 3, and what version 3 has elsewhere."""

    steps: list[dict] = field(default_factory=list)
    normalize: dict = field(default_factory=dict)  # arguments of Normalize
    pad: dict = field(default_factory=dict)  # arguments of Pad
    notes: list[str] = field(default_factory=list)  # what was left out


def convert_pipeline(steps: Sequence[dict], toolbox: str) -> Pipeline:
    """Return the steps of a pipeline as version 3 has them.

    Args:
        steps: of version 2.
        toolbox: :data:`MMDET`, :data:`MMSEG` or :data:`MMPRETRAIN`.
    """
    found = Pipeline()
    for step in steps:
        _convert(dict(step), toolbox, found)
    return found


def _convert(step: dict, toolbox: str, found: Pipeline) -> None:
    kind = step['type']
    if kind in PACKED + IN_HEADS:
        return
    if kind == 'Normalize':
        found.normalize = step
    elif kind == 'Pad' and (toolbox == MMSEG or not {'size', 'pad_to_square'} & step.keys()):
        found.pad = step
    elif kind == 'Collect':
        found.steps.append({'type': PACK[toolbox], **_own_meta(step.get('meta_keys', ()))})
    elif kind in ('MultiScaleFlipAug', 'MultiScaleFlipAug3D'):
        _without_augmentation(step, toolbox, found)
    elif kind == 'Resize':
        found.steps.append(_resize(step, toolbox))
    elif kind == 'Pad' and isinstance(step.get('pad_val'), int | float):
        found.steps.append(step | {'pad_val': {'img': (step['pad_val'],) * 3}})  # of each color
    elif kind == 'AutoAugment' and toolbox == MMDET:
        choices = [convert_pipeline(policy, toolbox).steps for policy in step['policies']]
        found.steps.append({'type': 'RandomChoice', 'transforms': choices})
    elif kind == 'Albu':
        found.steps.append(_albu(step))
    elif toolbox == MMPRETRAIN:
        found.steps.append(_renamed(_crop(step), OF_MMCLS))
    else:
        found.steps.append(_renamed(step, RENAMED))


def _renamed(step: dict, names: dict[str, str]) -> dict:
    new = {}
    for key, value in step.items():
        new[names.get(f'{step["type"]}.{key}', OF_ALL.get(key, key))] = value
    return new


def _own_meta(keys: Sequence[str]) -> dict:
    """Return ``meta_keys`` where a pipeline packs more than version 3 does by default."""
    own = [key for key in keys if key not in (*META, *OLD_META)]
    return {'meta_keys': (*META, *own)} if own else {}


def _albu(step: dict) -> dict:
    new = {key: value for key, value in step.items() if key != 'update_pad_shape'}
    boxes = new.get('bbox_params') or {}
    if 'label_fields' in boxes:
        fields = [name for old in boxes['label_fields'] for name in LABELS.get(old, (old,))]
        new['bbox_params'] = {**boxes, 'label_fields': fields}
    return new


def _crop(step: dict) -> dict:
    """Return a crop of mmcls under the type that crops as it does."""
    new = dict(step)
    if new.pop('efficientnet_style', False):
        return new | {'type': EFFICIENT[step['type']]}
    unread = OF_EFFICIENT + (OF_CENTER if step['type'] == 'CenterCrop' else ())
    return {key: value for key, value in new.items() if key not in unread}


def _without_augmentation(step: dict, toolbox: str, found: Pipeline) -> None:
    """Add the steps of a test at the first of its sizes, without flips."""
    sizes = step.get('img_scale')
    ratios = step.get('img_ratios') or 1.0
    if step.get('flip') or isinstance(sizes, list) or not isinstance(ratios, float):
        found.notes.append('test-time augmentation: give test --tta, or write a tta_pipeline')
    first = sizes[0] if isinstance(sizes, list) else sizes
    for inner in step['transforms']:
        if inner['type'] == 'RandomFlip':
            continue
        if inner['type'] == 'Resize' and 'img_scale' not in inner and first is not None:
            inner = {**inner, 'img_scale': first}
        _convert(dict(inner), toolbox, found)
    if toolbox != MMPRETRAIN and not any(x['type'] == 'LoadAnnotations' for x in found.steps):
        boxes = {'with_bbox': True} if toolbox == MMDET else {}
        found.steps.insert(-1, {'type': 'LoadAnnotations', **boxes})  # metrics of version 3 need it


def _resize(step: dict, toolbox: str) -> dict:
    """Return the step of version 3 that resizes images as ``Resize`` of version 2 does."""
    kept = {key: value for key, value in step.items() if key in ('backend', 'interpolation')}
    if toolbox == MMPRETRAIN:
        return _resize_of_mmcls(step, kept)
    kept = {'keep_ratio': step.get('keep_ratio', True)} | kept
    sizes = step.get('img_scale')
    ratios = step.get('ratio_range')
    if ratios is not None:
        size = sizes[0] if isinstance(sizes, list) else sizes
        return {'type': 'RandomResize', 'scale': size, 'ratio_range': ratios, **kept}
    if not isinstance(sizes, list):
        return {'type': 'Resize', 'scale': sizes, **kept}
    if len(sizes) == 1:
        return {'type': 'Resize', 'scale': sizes[0], **kept}
    if step.get('multiscale_mode', 'range') == 'range':
        return {'type': 'RandomResize', 'scale': sizes, **kept}
    return {'type': 'RandomChoiceResize', 'scales': sizes, **kept}


def _resize_of_mmcls(step: dict, kept: dict) -> dict:
    size = step['size']
    if isinstance(size, int):
        return {'type': 'Resize', 'scale': size, **kept}
    height, width = size
    if width == -1:  # the short side alone is given
        return {'type': 'ResizeEdge', 'scale': height, 'edge': 'short', **kept}
    return {'type': 'Resize', 'scale': (width, height), **kept}
