"""Whether the data keep up: training images per second and core, of every task, part by part.

The recipes of ImageNet (DeiT), COCO (DETR) and ADE20K (SETR) are compared with the same ones built
of the toolboxes' own steps. All read the pictures below --data-root, up to --images of them. Boxes
and masks are made up: what they cost does not depend on what they mean. ms is the median time of
one image in one thread, ratio the same in units of the whole of the first pipeline. whole is what a
data worker does; what is done on the device that trains comes on top, here on the CPU.
"""

import random
import tempfile
import time
from argparse import Namespace
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from statistics import median
from typing import NamedTuple

import cv2
import numpy as np
import torch
from mmengine.config import Config
from mmengine.dataset import default_collate, pseudo_collate
from mmengine.registry import MODELS, TRANSFORMS, DefaultScope

from vitbackbones.commands.cli import count
from vitbackbones.configuration.names import config as config_file
from vitbackbones.data.loading.image_file import read_image
from vitbackbones.errors import InputError
from vitbackbones.registry import bare_name

from .command import start

SUFFIXES = {'.jpg', '.jpeg', '.png'}
TASKS = {
    'ImageNet': ('cls_deit_s_imagenet', 'mmpretrain'),
    'COCO': ('detr_pvt_s_coco', 'mmdet'),
    'ADE20K': ('setr_mla_sret_s_ade20k', 'mmseg'),
}
BOXES = 7  # of an image of COCO, on average
# our steps by those of the toolboxes: what differs, and the options that these lack
THEIRS = {
    'LoadImage': ({'type': 'LoadImageFromFile'}, ('decode',)),
    'LoadMask': ({'type': 'LoadAnnotations'}, ('num_classes', 'ignored')),
    'RandomResizedCrop': ({'backend': 'pillow'}, ()),
}
OURS_ALONE = ('InOrder', 'ToPlanes')
ERASING = {'type': 'RandomErasing', 'erase_prob': 0.25, 'mode': 'rand', 'max_area_ratio': 1 / 3}
ERASING |= {'fill_color': [103.53, 116.28, 123.675], 'fill_std': [57.375, 57.12, 58.395]}


class Pipeline(NamedTuple):
    """What is done to a sample, by the name of the part; to a list of them; and on the device."""

    steps: dict[str, Callable]
    collate: Callable
    on_device: Callable


def of_config(name: str, scope: str, own: bool) -> Pipeline:
    """Build what a config of ours does to a training image, of our steps or the toolbox's own."""
    config = Config.fromfile(config_file(name))
    steps, model = dict(config.train_steps), config.model
    preprocessor = {'type': 'ClsDataPreprocessor', **model.data_preprocessor}
    if scope == 'mmpretrain':
        preprocessor['batch_augments'] = model.train_cfg
    if not own:
        steps = {part: _theirs(step) for part, step in steps.items()}
        steps = {part: step for part, step in steps.items() if step['type'] not in OURS_ALONE}
        if preprocessor.pop('erase_prob', None):  # in a pipeline there
            steps |= {'erase': ERASING, 'pack': steps.pop('pack')}
            preprocessor |= {'type': 'ClsDataPreprocessor'}
            preprocessor.pop('before_mixing', None)
    with DefaultScope.overwrite_default_scope(scope):
        built = {part: TRANSFORMS.build(step) for part, step in steps.items()}
        prepare = MODELS.build(preprocessor)
    collate = default_collate if scope == 'mmpretrain' else pseudo_collate
    return Pipeline(built, collate, partial(prepare, training=True))


def _theirs(step: dict) -> dict:
    changes, lacking = THEIRS.get(bare_name(step['type']), ({}, ()))
    kept = {key: value for key, value in step.items() if key not in lacking}
    return {**kept, 'type': bare_name(step['type']), **changes}


def rows(options: Namespace) -> Iterator[dict]:
    """Yield a row for every task, pipeline and part."""
    files = [p for p in Path(options.data_root).rglob('*') if p.suffix.lower() in SUFFIXES]
    if not files:
        raise InputError(f'--data-root {options.data_root}: no picture below it')
    chosen = sorted(files)[:: -(-len(files) // options.images)]
    torch.set_num_threads(1)  # as data workers
    cv2.setNumThreads(0)
    with tempfile.TemporaryDirectory() as folder:
        samples = [_annotated(file, Path(folder, f'{i}.png')) for i, file in enumerate(chosen)]
        for task, (config, scope) in TASKS.items():
            forms = {'ours': True, scope: False}
            pipelines = {form: of_config(config, scope, own) for form, own in forms.items()}
            rounds: dict[str, list[dict]] = {form: [] for form in pipelines}
            for number in range(options.warm_up + options.repeats):
                for form, pipeline in pipelines.items():
                    random.seed(number)
                    np.random.seed(number)
                    torch.manual_seed(number)
                    rounds[form].append(_seconds_by_part(pipeline, samples))
            unit = None
            for form, found in rounds.items():
                found = found[options.warm_up :]
                ms = {p: 1e3 * median(f[p] for f in found) / len(samples) for p in found[0]}
                unit = unit or ms['whole']
                for part, value in ms.items():
                    row = {'task': task, 'form': form, 'part': part, 'ms': round(value, 3)}
                    yield row | {'ratio': round(value / unit, 3)}


def _annotated(file: Path, mask: Path) -> dict:
    """Return a sample with boxes, and a mask of 16 x 16 cells (H, W), which is written."""
    image = read_image(str(file))
    height, width = image.shape[:2]
    corners = zip(np.linspace(0, width / 2, BOXES), np.linspace(0, height / 2, BOXES), strict=True)
    boxes = [[x, y, x + width / 2, y + height / 2] for x, y in corners]
    cells = cv2.resize(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), (16, 16)) // 2  # below 150 classes
    cv2.imwrite(str(mask), cv2.resize(cells, (width, height), interpolation=cv2.INTER_NEAREST))
    sample = {'img_path': str(file), 'img_id': 0, 'height': height, 'width': width, 'gt_label': 0}
    sample['instances'] = [{'bbox': box, 'bbox_label': 0, 'ignore_flag': 0} for box in boxes]
    mask_keys = {'seg_map_path': str(mask), 'seg_fields': [], 'label_map': None}
    return {**sample, **mask_keys, 'reduce_zero_label': True}


def _seconds_by_part(pipeline: Pipeline, samples: list[dict]) -> dict[str, float]:
    spent = dict.fromkeys((*pipeline.steps, 'collate'), 0.0)

    def timed(part: str, step: Callable, given):
        begin = time.perf_counter()
        result = step(given)
        spent[part] = spent.get(part, 0.0) + time.perf_counter() - begin
        return result

    loaded = []
    for sample in samples:
        sample = dict(sample)
        for part, step in pipeline.steps.items():
            sample = timed(part, step, sample)
        loaded.append(sample)
    batch = timed('collate', pipeline.collate, loaded)
    spent['whole'] = sum(spent.values())
    timed('on the device', pipeline.on_device, batch)
    return spent


def _add_pictures(add) -> None:
    add('--data-root', required=True, metavar='DIR', help='folder of pictures')
    add('--images', type=count, default=64, metavar='N', help='at most (default: 64)')


if __name__ == '__main__':
    start(__doc__, rows, _add_pictures)
