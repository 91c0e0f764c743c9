"""Whether the data keep up: training images per second and core, of every task, part by part.

The recipes of ImageNet (DeiT), COCO (DETR) and ADE20K (SETR) are compared with the same ones built
of the toolboxes' own steps, of torchvision v2, and of timm. All read the pictures below
``--data-root``, a folder like ``data/imagenet/val``, up to ``--batch`` of them (64). Boxes and
masks are made up: what they cost does not depend on what they mean.

``ms`` is the median time of one image in one thread, ``ratio`` the same in units of the whole of
the first pipeline. ``whole`` is what a data worker does; what is done ``on the device`` that trains
comes on top, here on the CPU. ``cores`` is how many a node with 8 GPUs needs so that loading keeps
up with a published rate of training.
"""

import tempfile
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import cv2
import numpy as np

from ...datasets.image_file import read_image
from ...errors import InputError
from .. import pipelines
from ..loading import Pipeline, milliseconds_by_part

SUFFIXES = {'.jpg', '.jpeg', '.png'}
IMAGES = 64
BOXES = 7  # of an image of COCO, on average


@dataclass(frozen=True)
class Task:
    """What is compared.

    Attributes:
        pipelines: how to build each; the first one is the unit of ``ratio``.
        images_per_s: a published rate of training of 8 GPUs, None if none is known.
    """

    pipelines: Mapping[str, Callable[[], Pipeline]]
    images_per_s: float | None


def _both(config: str, scope: str) -> dict[str, Callable[[], Pipeline]]:
    build = partial(pipelines.of_config, config, scope)
    return {'ours': build, scope: partial(build, own=False)}


TASKS = {
    'ImageNet': Task(
        {
            **_both('cls_deit_s_imagenet', 'mmpretrain'),
            'torchvision': pipelines.of_torchvision,
            'timm': pipelines.of_timm,
        },
        images_per_s=8 * 1054,  # DeiT-S on an RTX 3090, mixed precision: timm's benchmark table
    ),
    'COCO': Task(
        {
            **_both('detr_pvt_s_coco', 'mmdet'),
            'torchvision': pipelines.detection_of_torchvision,
        },
        images_per_s=118287 / (28 * 60),  # DETR-R50 on 8 V100s, 28 minutes an epoch: its README
    ),
    'ADE20K': Task(
        {
            **_both('setr_mla_sret_s_ade20k', 'mmseg'),
            'torchvision': pipelines.segmentation_of_torchvision,
        },
        images_per_s=None,
    ),
}


def rows(options: Namespace, sources: Mapping) -> Iterator[dict]:
    """Yield a row of the table for every task, pipeline and part.

    Raises:
        InputError: no pictures are named, or there are none.
    """
    files = pictures(options.data_root, max(options.batch or [IMAGES]))
    with tempfile.TemporaryDirectory() as folder:
        samples = [annotated(file, i, Path(folder)) for i, file in enumerate(files)]
        for name, task in TASKS.items():
            built = {key: build() for key, build in task.pipelines.items()}
            found = milliseconds_by_part(built, samples, options.repeats, options.warm_up)
            unit = next(iter(found.values()))['whole']
            for key, parts in found.items():
                for part, ms in parts.items():
                    yield {'task': name, 'form': key, 'part': part} | _columns(part, ms, unit, task)


def _columns(part: str, ms: float, unit: float, task: Task) -> dict:
    known = part == 'whole' and task.images_per_s
    return {
        'ms': round(ms, 3),
        'ratio': round(ms / unit, 3),
        'images_per_s': round(1e3 / ms) if part == 'whole' else '',
        'cores': round(task.images_per_s * ms / 1e3, 1) if known else '',
    }


def pictures(root: str | None, count: int) -> list[Path]:
    """Return at most ``count`` image files below a folder, spread over all of them.

    Of an odd number the first comes twice: timm mixes pairs.

    Raises:
        InputError: none is named, or there is none.
    """
    if root is None:
        raise InputError('--suite data: name a folder with pictures by --data-root')
    found = sorted(p for p in Path(root).rglob('*') if p.suffix.lower() in SUFFIXES)
    if not found:
        raise InputError(f'--data-root {root}: no picture below it ({" ".join(sorted(SUFFIXES))})')
    chosen = found[:: -(-len(found) // count)]
    return chosen + chosen[: len(chosen) % 2]


def annotated(file: Path, number: int, folder: Path) -> dict:
    """Return a sample with boxes, and a mask of 16 x 16 cells (H, W) below ``folder``."""
    image = read_image(str(file))
    height, width = image.shape[:2]
    x, y = (np.linspace(0, side / 2, BOXES).tolist() for side in (width, height))
    boxes = [[a, b, a + width / 2, b + height / 2] for a, b in zip(x, y, strict=True)]
    cells = cv2.resize(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), (16, 16)) // 2  # below 150 classes
    mask = folder / f'{number}.png'
    cv2.imwrite(str(mask), cv2.resize(cells, (width, height), interpolation=cv2.INTER_NEAREST))
    return {
        'img_path': str(file),
        'img_id': number,
        'height': height,
        'width': width,
        'gt_label': 0,
        'instances': [{'bbox': box, 'bbox_label': 0, 'ignore_flag': 0} for box in boxes],
        'seg_map_path': str(mask),
        'seg_fields': [],
        'label_map': None,
        'reduce_zero_label': True,
    }
