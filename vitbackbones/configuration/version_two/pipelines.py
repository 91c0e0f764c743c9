"""Steps of a pipeline of version 2, as steps of version 3.

Version 3 normalizes and pads batches in ``data_preprocessor``, so :func:`convert_pipeline` takes
these steps out and returns their settings. Its ``Resize`` has one size, and random sizes are steps
of other names. Its test-time augmentation is a pipeline of its own, which is not written here.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

MMDET = 'mmdet'
MMSEG = 'mmseg'
MMPRETRAIN = 'mmpretrain'
PACK = {MMDET: 'PackDetInputs', MMSEG: 'PackSegInputs', MMPRETRAIN: 'PackInputs'}
# what packing does in version 3
PACKED = ('DefaultFormatBundle', 'ImageToTensor', 'ToTensor', 'ToDataContainer')
# arguments with other names; those under '' are of all steps
RENAMED = {
    '': {'file_client_args': 'backend_args', 'flip_ratio': 'prob', 'flip_prob': 'prob'},
    'RandomResizedCrop': {'size': 'scale'},
}


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
    if kind in PACKED:
        return
    if kind == 'Normalize':
        found.normalize = step
    elif kind == 'Pad' and (toolbox == MMSEG or 'size' not in step):
        found.pad = step
    elif kind == 'Collect':
        packed = {'type': PACK[toolbox]}
        if 'meta_keys' in step:
            packed['meta_keys'] = step['meta_keys']
        found.steps.append(packed)
    elif kind in ('MultiScaleFlipAug', 'MultiScaleFlipAug3D'):
        _without_augmentation(step, toolbox, found)
    elif kind == 'Resize':
        found.steps.append(_resize(step, toolbox))
    else:
        found.steps.append(_renamed(step))


def _renamed(step: dict) -> dict:
    names = RENAMED[''] | RENAMED.get(step['type'], {})
    return {names.get(key, key): value for key, value in step.items()}


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
