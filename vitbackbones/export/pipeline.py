"""Convert a test pipeline to the plain steps of a metadata file.

What the steps mean is in :mod:`..runtime.preparing`. A graph for any size takes the picture as the
pipeline leaves it. One for a fixed size gets it

* resized to that size, where the pipeline resizes without keeping the ratio of the sides;
* resized into that size, and padded below and to the right, where it keeps the ratio;
* cropped to that size, from a picture of which the crop is as large a part as in the pipeline;
* unchanged, where windows of that size slide over it.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from mmengine.config import Config

from ..configuration.settings import as_list, model_settings, value_at
from ..errors import InputError
from ..registry import bare_name
from ..tasks.predictor import steps_after_loading

Size = tuple[int, int]  # height, width
HOW = ('interpolation', 'backend')


def steps_of(config: Config, size: Size | None = None) -> list[dict]:
    """Return the steps from an image to the input of an exported model.

    Args:
        config: its test pipeline, data preprocessor and ``test_cfg`` are read.
        size: of the graph's images, None where any will do.

    Raises:
        InputError: a step of the pipeline, or an option of one, has no plain form, or windows of
            another size slide.
    """
    steps = []
    for step in steps_after_loading(config):
        kind = bare_name(step['type'])
        if not kind.startswith('Pack'):
            steps.append(_plain(kind, step, config))
    if value_at(config, 'model.test_cfg.mode') == 'slide':
        test = config.model.test_cfg
        crop, stride = (list(as_list(test[key])) for key in ('crop_size', 'stride'))
        if size and list(size) != crop:
            raise InputError(
                f'{config.filename}: model.test_cfg slides windows of {crop[0]} x {crop[1]} '
                f'over the image; use --size {crop[0]}x{crop[1]}'
            )
        return [*steps, {'type': 'slide', 'crop': crop, 'stride': stride}]
    if size:
        return _fixed(steps, size)
    if config.default_scope == 'mmdet' and 'panoptic_head' not in config.model:
        return steps  # graphs of detectors pad, but for those of Mask2Former
    settings: Any = model_settings(config).get('data_preprocessor') or {}
    test = settings.get('test_cfg') or {}  # of mmseg
    if test.get('size'):
        return [*steps, {'type': 'pad', 'size': list(test['size'])}]
    divisor = settings.get('pad_size_divisor') or test.get('size_divisor') or 1
    padding = [{'type': 'pad_to_multiple', 'divisor': divisor}] if divisor > 1 else []
    return steps + padding


def steps_of_data(data_config: Mapping, size: Size | None = None) -> list[dict]:
    """Return the steps of a ``data_config`` in timm's words; arguments as :func:`steps_of`."""
    height, width = data_config['input_size'][1:]
    how = {'interpolation': data_config['interpolation'], 'backend': 'pillow'}
    sides = [math.floor(side / data_config['crop_pct']) for side in (height, width)]
    if sides[0] == sides[1]:
        covering = {'type': 'resize_edge', 'length': sides[0], 'edge': 'short'}
    else:
        covering = {'type': 'resize_over', 'size': sides}
    steps = [covering | how, {'type': 'center_crop', 'size': [height, width]}]
    return _fixed(steps, size) if size else steps


def native_size(steps: list[dict]) -> Size | None:
    """Return the size of images that a model was tested with, in the shape of a picture 4 : 3.

    Args:
        steps: see :func:`steps_of`, for any size.

    Returns:
        (height, width), None where no step says them.
    """
    height = width = 0
    for step in steps:
        if 'divisor' in step:
            height, width = (
                -(-side // step['divisor']) * step['divisor'] for side in (height, width)
            )
        elif 'length' in step:
            height = width = step['length']
        elif 'shorter' in step:
            height = step['shorter']
            width = min(step['longer'], height * 4 // 3)
        elif step['type'] != 'pad_pixels':
            height, width = step.get('size') or step['crop']
    return (height, width) if height else None


def one_size(steps: list[dict]) -> Size | None:
    """Return the size that all pictures get, None where it depends on the picture.

    A window is no size of all: a picture may be smaller.
    """
    kinds = [step['type'] for step in steps if not step['type'].startswith('pad')]
    return native_size(steps) if kinds and kinds[-1] in ('resize', 'center_crop') else None


# ------------------------------------------------------------------------ steps of pipelines


# By the type of a step: the keys of a config that are read.
READ = {
    'Resize': ('scale', 'keep_ratio', 'clip_object_border', *HOW),
    'ResizeEdge': ('scale', 'edge', *HOW),
    'ResizeToMultiple': ('size_divisor', 'interpolation'),
    'CenterCrop': ('crop_size', 'clip_object_border'),
    'Pad': ('size', 'size_divisor', 'pad_to_square', 'pad_val'),
}


def _plain(kind: str, step: Mapping, config: Config) -> dict:
    """Return the plain form of a step.

    Raises:
        InputError: it has none, or not with such an option.
    """
    what = f'{config.filename}: {kind} of the test pipeline'
    if kind not in READ:
        raise InputError(f'{what} cannot be exported; supported: {", ".join(READ)}')
    if unread := sorted(step.keys() - {'type', *READ[kind]}):
        raise InputError(
            f'{what} cannot be exported with {", ".join(unread)}; remove that from the step'
        )
    how = {key: step[key] for key in HOW if step.get(key)}
    if kind == 'Resize':
        sides = _sides(step['scale'])
        if not step.get('keep_ratio', False):
            return {'type': 'resize', 'size': sides} | how
        return {'type': 'resize_within', 'longer': max(sides), 'shorter': min(sides)} | how
    if kind == 'ResizeEdge':
        edge = step.get('edge', 'short')
        return {'type': 'resize_edge', 'length': step['scale'], 'edge': edge} | how
    if kind == 'ResizeToMultiple':
        return {'type': 'resize_to_multiple', 'divisor': step.get('size_divisor', 32)} | how
    if kind == 'CenterCrop':
        return {'type': 'center_crop', 'size': _sides(step['crop_size'])}
    value = step.get('pad_val', 0)
    value = value.get('img', 0) if isinstance(value, Mapping) else value
    padding = {'type': 'pad_pixels', 'value': [*value] if isinstance(value, tuple) else value}
    if step.get('size'):
        return padding | {'size': _sides(step['size'])}
    if step.get('pad_to_square'):
        padding['square'] = True
    return padding | {'multiple': step.get('size_divisor') or 1}


def _sides(given: int | Sequence[int]) -> list[int]:
    """Return height and width of what a config gives as width and height, or as one number."""
    return [given, given] if isinstance(given, int) else list(given[::-1])


# ------------------------------------------------------------------------ behind them

# Steps before a crop that can be made for a crop of another size.
SCALABLE = ('resize', 'resize_edge', 'resize_over')


def _fixed(steps: list[dict], size: Size) -> list[dict]:
    """Return steps that end in a fixed size."""
    if crop := next((step for step in steps if step['type'] == 'center_crop'), None):
        if list(size) == crop['size']:
            return steps
        return [_proportional(step, crop['size'], size) for step in steps]
    first = steps[0] if steps else {'type': 'resize'}
    how = {key: first[key] for key in HOW if key in first}
    if first['type'] == 'resize':
        return [{'type': 'resize', 'size': list(size)} | how]
    padding = {'type': 'pad', 'size': list(size)}
    for step in steps:
        if step['type'] == 'pad_pixels':
            padding['value'] = step['value']
    return [{'type': 'resize_into', 'size': list(size)} | how, padding]


def _proportional(step: dict, crop: list[int], size: Size) -> dict:
    """Return a step before, or of, a crop of another size.

    Raises:
        InputError: such a step has no size that grows with the crop.
    """
    if step['type'] == 'center_crop':
        return step | {'size': list(size)}
    if step['type'] not in SCALABLE:
        raise InputError(
            f'--size {size[0]}x{size[1]}: the test pipeline crops images after {step["type"]}, '
            f'which has no form for another crop; use --size {crop[0]}x{crop[1]}'
        )
    if 'length' in step and size[0] == size[1]:
        return step | {'length': round(step['length'] * size[0] / crop[0])}
    sides = step.get('size') or [step['length']] * 2
    sides = [round(side * new / old) for side, new, old in zip(sides, size, crop, strict=True)]
    kind = 'resize' if step['type'] == 'resize' else 'resize_over'
    return {'type': kind, 'size': sides} | {key: step[key] for key in HOW if key in step}
