"""Why a training learns nothing: links between pictures, annotations and settings that are broken.

What is looked for here needs no training. A set may be odd and yet sound, so each rule leaves room:
it names what hardly any sound set does. What cannot work at all is refused before, by the checks of
every run.
"""

import math
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
from mmengine.config import Config

from ..configuration.data_paths import first_dataset
from ..configuration.settings import as_list, value_at
from ..data.checks.coco_file import Table, read_coco
from ..data.checks.findings import spread
from ..data.loading.image_file import IMAGES, read_header, read_image, size_of
from ..registry import bare_name
from ..tasks import find_task
from ..utils.messages import some
from .levels import finest_stride, seen_sides

# By the name of a link, what to do.
LINKS = {
    'boxes as corners': 'write [x, y, width, height] in bbox',
    'boxes normalized': 'multiply them by the width and height of their image',
    'annotations of another image size': (
        'use the images that were annotated, or scale boxes, width and height together'
    ),
    'classes shifted by one': 'number category_id like the categories of the file',
    'empty targets': 'check image_id and iscrowd of the annotations, or remove such images',
    'objects too small for the finest level': (
        'enlarge the images (scale of Resize), split them into tiles, or use a finer level'
    ),
    'normalization': (
        'give mean and std for pixels from 0 to 255, such as [123.675, 116.28, 103.53] and '
        '[58.395, 57.12, 57.375]'
    ),
    'learning rate': 'use that of the config that yours is based on',
    'schedule': 'change train_cfg, or the end of each param_scheduler',
    'frozen too much': 'start from pretrained weights (--pretrained), or freeze less',
}
PICTURES = 20  # that are opened
BACKGROUND = {'background', '_background_', '__background__', 'bg'}
RATES = {'sgd': (1e-5, 0.5), 'lamb': (1e-5, 0.05)}  # of other optimizers, which adapt:
ADAPTIVE = (1e-6, 5e-3)
LEAST_STEPS = 100
Link = tuple[str, str]  # a name in LINKS, and what tells it


def broken_links(config: Config) -> list[str]:
    """Return a line for each link that is broken: its name, what tells it, what to do.

    ``config`` is that of a run whose data are there.

    Raises:
        InputError: annotations or pictures cannot be read.
    """
    dataset = first_dataset(config, 'train')
    found = []
    images = None
    prefix = dataset.get('data_prefix') or {}
    root = Path(dataset.get('data_root') or '')
    folder = root / (prefix.get('img') or prefix.get('img_path') or '')
    if bare_name(dataset['type']) == 'CocoDataset':
        images, boxes, kinds = read_coco(str(root / dataset['ann_file']))
        found += [*_boxes(config, folder, images, boxes), *_classes(boxes, kinds)]
    found += [*_normalization(config, folder), *_rate(config), *_frozen(config)]
    found += _schedule(config, len(images['id']) if images else None)
    return [f'{name}: {text}; {LINKS[name]}' for name, text in found]


# ------------------------------------------------------------------------ pictures and objects


def _boxes(config: Config, folder: Path, images: Table, boxes: Table) -> Iterator[Link]:
    rows = {key: row for row, key in enumerate(images['id'])}
    rows_of = [rows[key] for key in boxes['image_id']]
    limits = np.array([images['width'], images['height']], float).T[rows_of]  # (2, I) -> (A, 2)
    start, side = np.split(np.array(boxes['bbox'], float), 2, axis=1)  # (A, 2) each
    reach = (start + side) / limits  # 1 is the edge
    share = (start + side > limits + 1).any(1).mean()
    as_corners = ((side > start) & (side <= limits + 1)).all(1).mean()
    another = 'annotations of another image size'
    outside = f'{share:.0%} of the boxes reach outside their image'
    if (side <= 1).all(1).mean() > 0.5:
        yield 'boxes normalized', 'most boxes have no side longer than one pixel'
    elif share > 0.05 and as_corners > 0.98:
        yield 'boxes as corners', f'{outside}, but none would as x1, y1, x2, y2'
    elif wrong := _other_sizes(config, folder, images):
        yield another, some(wrong, str)
    elif share > 0.05:
        yield another, f'{outside}, up to {reach.max():.1f} times its size'
    elif len(reach) >= 30 and reach.max() < 0.6:
        text = f'all {len(reach)} boxes are within the first {reach.max():.0%} of their image'
        yield another, text
    counts = (side >= 1).all(1) & ~np.array(boxes['iscrowd'], bool)
    bare = 1 - len({*np.array(rows_of)[counts].tolist()}) / len(images['id'])
    if bare > 0.5:
        yield 'empty targets', f'{bare:.0%} of the training images have no object that counts'
    stride = finest_stride(config)
    sides = seen_sides(config, side, limits)
    if stride and (most := np.percentile(sides, 75)) < stride and (side > 1).any():
        text = f'75 % of the objects are smaller than {most:.1f} pixels, but the stride is {stride}'
        yield 'objects too small for the finest level', text


def _other_sizes(config: Config, folder: Path, images: Table) -> list[str]:
    wrong = []
    for row in spread(len(images['id']), PICTURES if _in_color(config) else 0):
        name = images['file_name'][row]
        told = (images['height'][row], images['width'][row])
        found = size_of(read_header(str(folder / name)), turns=True)
        if tuple(found) != told:
            wrong.append(f'{name} has {found[1]} x {found[0]}, not {told[1]} x {told[0]} pixels')
    return wrong


def _in_color(config: Config) -> bool:
    return value_at(config, 'model.backbone.in_channels') in (None, 3)


def _classes(boxes: Table, kinds: Table) -> Iterator[Link]:
    used = {*boxes['category_id']}
    for key, name in zip(kinds['id'], kinds['name'], strict=True):
        if key in used and name.lower() in BACKGROUND:
            yield 'classes shifted by one', f'there are annotations of the category {name!r}'


def _normalization(config: Config, folder: Path) -> Iterator[Link]:
    files = sorted(each for each in folder.rglob('*') if each.suffix.lower() in IMAGES)
    task = find_task(config)
    if not files or not task or not _in_color(config):
        return
    settings = task.preprocessor(config.model)
    mean = np.broadcast_to(settings.get('mean') or 0.0, 3)
    std = np.broadcast_to(settings.get('std') or 1.0, 3)
    counts = np.zeros((256, 3), int)  # of the pixels of each level; normalized they fill the memory
    for row in spread(len(files), 4):
        for channel, plane in enumerate(read_image(str(files[row]))[..., ::-1].transpose(2, 0, 1)):
            counts[:, channel] += np.bincount(plane.ravel(), minlength=256)
    levels = (np.arange(256)[:, None] - mean) / std  # (256, 3)
    average = np.average(levels, weights=counts)
    deviation = np.sqrt(np.average((levels - average) ** 2, weights=counts))
    if not 0.02 < deviation < 4 or abs(average) > 5:
        text = f'normalized pixels have a mean of {average:.3g}'
        yield 'normalization', f'{text} and a standard deviation of {deviation:.3g}'


# ------------------------------------------------------------------------ settings


def _rate(config: Config) -> Iterator[Link]:
    optimizer = value_at(config, 'optim_wrapper.optimizer') or {}
    rate = optimizer.get('lr')
    kind = bare_name(optimizer.get('type'))
    least, most = RATES.get(kind.lower(), ADAPTIVE)
    if rate is not None and not least <= rate <= most:
        word = 'high' if rate > most else 'low'
        text = f'{rate:g} is too {word} for {kind}, which requires {least:g} to {most:g}'
        yield 'learning rate', text


def _frozen(config: Config) -> Iterator[Link]:
    backbone = config.model.get('backbone') or {}
    keys: Mapping = value_at(config, 'optim_wrapper.paramwise_cfg.custom_keys') or {}
    still = [key for key, each in keys.items() if each.get('lr_mult', 1) == 0]
    if heads := [key for key in still if 'head' in key]:
        yield 'frozen too much', f'lr_mult is 0 for {some(heads)}'
    held = config.get('frozen') or config.get('lora') or 'backbone' in still
    held = held or backbone.get('frozen_stages', -1) > 0
    if held and not (backbone.get('init_cfg') or config.get('load_from')):
        yield 'frozen too much', 'all or part of the backbone keeps its random weights'


def _schedule(config: Config, pictures: int | None) -> Iterator[Link]:
    loop = config.train_cfg
    batch = config.train_dataloader.get('batch_size', 1)
    length = math.ceil(pictures / batch) if pictures else 0  # of an epoch
    steps = loop.get('max_iters') or loop.get('max_epochs', 0) * length
    if not steps:
        return
    if steps < LEAST_STEPS:
        yield 'schedule', f'the run has only {steps} steps, and an epoch has {length}'
    for place, each in enumerate(as_list(config.get('param_scheduler') or [])):
        kind = bare_name(each.get('type'))
        end = each.get('end') or each.get('T_max') or math.inf
        end *= length if each.get('by_epoch', True) else 1
        said = f'param_scheduler.{place} ends after {end:g} of {steps} steps'
        if each.get('start_factor', 1) < 1 and steps / 2 < end < math.inf:
            yield 'schedule', f'{said}, so the run only warms up until then'
        elif kind in ('CosineAnnealingLR', 'PolyLR') and 0 < end < steps / 5:
            yield 'schedule', f'{said}, and the rest of the run has the lowest learning rate'
