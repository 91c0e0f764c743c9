"""How large objects are when a model sees them, and what its finest level can tell apart."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
from mmengine.config import Config

from ..configuration.data_paths import first_dataset
from ..configuration.settings import as_list, value_at
from ..registry import bare_name

MOST_SMALL = 0.2  # of the objects, that may be smaller than a cell
FEW = 20  # objects of a class, below which it takes more pictures


def finest_stride(config: Config) -> int | None:
    """Return the pixels of a cell of a detector's finest level, None where nothing says them."""
    places = ('bbox_head.prior', 'bbox_head.anchor', 'rpn_head.anchor')
    found = [value_at(config, f'model.{place}_generator.strides') for place in places]
    found.append(value_at(config, 'model.neck.out_strides'))
    return next((int(np.min(strides)) for strides in found if strides), None)


def seen_sides(config: Config, boxes: np.ndarray, pictures: np.ndarray) -> np.ndarray:
    """Return the sides (N,) of objects, roots of areas, in pixels of what a model is tested on.

    ``boxes`` and ``pictures`` are width and height, (N, 2), of each object and of its picture.
    """
    factors = np.ones((len(boxes), 1))
    split = 'test' if config.get('test_dataloader') else 'train'
    for step in first_dataset(config, split).get('pipeline') or ():
        scale = step.get('scale') if bare_name(step['type']) == 'Resize' else None
        if scale and step.get('keep_ratio'):
            sides = as_list(scale)  # mmcv takes one number for both
            factors = np.minimum(max(sides) / pictures.max(1), min(sides) / pictures.min(1))
            factors = factors[:, None]  # (B,) -> (B, 1)
        elif scale:
            factors = np.array(scale) / pictures
    return np.sqrt((boxes * factors).prod(1).clip(0))


def advice(config: Config, samples: Sequence[dict], classes: Sequence[str], is_train: bool) -> str:
    """Return lines on the objects of a split, what the model sees of them, and what would help.

    They are '' where the samples have no boxes.
    """
    objects = [
        (sample, each)
        for sample in samples
        for each in sample.get('instances', ())
        if not each['ignore_flag']
    ]
    if not objects:
        return ''
    corners = np.array([each['bbox'] for _, each in objects])
    pictures = np.array([(sample['width'], sample['height']) for sample, _ in objects])
    sides = seen_sides(config, corners[:, 2:] - corners[:, :2], pictures)
    low, middle, high = np.percentile(sides, [10, 50, 90])
    text = (
        f'  object sizes in the input of the model: {low:.0f}, {middle:.0f} and {high:.0f} pixels '
        '(10th, 50th and 90th percentile)'
    )
    changes = []
    counts = Counter(classes[each['bbox_label']] for _, each in objects)
    if stride := finest_stride(config):
        text += (
            f'; {(sides < stride).mean():.0%} are smaller than {stride}, the stride of the '
            'finest level'
        )
        if (least := np.percentile(sides, 100 * MOST_SMALL)) < stride:
            factor = f'{2 * stride / max(least, 0.1):.1f}'
            changes.append(f'images {factor} times as large (scale of Resize), or tiles')
    rare = [f'{name} ({counts[name]})' for name in classes if counts[name] < FEW]
    if is_train and rare:
        changes.append(f'more images of {", ".join(rare[:5])}')
    return text + (f'\n  this would help: {"; ".join(changes)}' if changes else '')
