"""Pictures of segmentations: the classes' colours over the image, annotated and predicted.

Colours are the palette of the data set, over the image in grey, so that they look the same on
every object. Pixels that evaluation ignores keep the image as it is.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from mmengine.dataset import pseudo_collate
from PIL import Image, ImageDraw
from torch import nn

from ..datasets.load_mask import IGNORED
from .boxes import FONT_SIZE, GAP, contact_sheet, enlarged, font, save, side_by_side, write_on

OPACITY = 0.55  # of the colours over the image
LEGEND = 12  # classes named at most, the largest


def overlay(image: Image.Image, labels: np.ndarray, palette: Sequence) -> Image.Image:
    """Lay the colours of ``labels`` (H, W) over a grey copy of the image, and enlarge it."""
    mixed, labelled = np.array(image), labels != IGNORED
    grey = np.asarray(image.convert('L'))[labelled][:, None]  # (pixels, 1)
    colors = np.asarray(palette)[labels[labelled]]  # (pixels, 3)
    mixed[labelled] = np.round((1 - OPACITY) * grey + OPACITY * colors)
    return enlarged(Image.fromarray(mixed))


def legend(
    labels: np.ndarray, classes: Sequence[str], palette: Sequence, width: int
) -> Image.Image:
    """Name the classes with the most of ``labels``, each on its colour, in rows of ``width``."""
    counts = np.bincount(labels[labels != IGNORED], minlength=len(classes))
    largest = [label for label in np.argsort(-counts)[:LEGEND] if counts[label]]
    boxes, x, y, height = {}, 0, 0, FONT_SIZE + 5
    for label in sorted(largest):
        side = round(font().getlength(classes[label])) + 6
        x, y = (0, y + height + GAP) if x and x + side > width else (x, y)
        boxes[label] = (x, y, x + side, y + height)
        x += side + GAP
    strip = Image.new('RGB', (width, y + height + GAP), 'white')
    for label, box in boxes.items():
        color = tuple(int(part) for part in palette[label])
        write_on(ImageDraw.Draw(strip), box, classes[label], color)
    return strip


def draw_masks(model: nn.Module, dataset, folder: Path, number: int) -> Iterator[Path]:
    """Run ``model`` on ``number`` images spread over ``dataset`` and draw what it makes of them.

    Args:
        model: an mmseg segmentor in evaluation mode.
        dataset: an mmseg data set in test mode, with masks or without.
        folder: where ``<number>_<image name>.png`` and ``contact_sheet.png`` go.
        number: of images.

    Yields:
        The path of every file, as soon as it is written.
    """
    pictures, count = [], min(number, len(dataset))
    for i in np.linspace(0, len(dataset) - 1, count).round().astype(int).tolist():
        path = dataset.get_data_info(i)['img_path']
        pixels = dataset.pipeline.transforms[0]({'img_path': path})['img'][..., ::-1]  # BGR to RGB
        image = Image.fromarray(np.ascontiguousarray(pixels))
        pictures.append(_panels(image, _labels(model, dataset[i]), dataset.metainfo))
        yield save(pictures[-1], folder / f'{i:05d}_{Path(path).stem}.png')
    yield save(contact_sheet(pictures), folder / 'contact_sheet.png')


@torch.no_grad()
def _labels(model: nn.Module, sample: dict) -> dict[str, np.ndarray]:
    """Labels (H, W) at the size of the image file, under the title of their panel."""
    result = model.test_step(pseudo_collate([sample]))[0].cpu()
    found = {'ground truth': 'gt_sem_seg', 'prediction': 'pred_sem_seg'}
    return {
        title: result.get(key).data[0].numpy().astype(np.uint8)
        for title, key in found.items()
        if key in result
    }


def _panels(image: Image.Image, labels: dict[str, np.ndarray], metainfo: dict) -> Image.Image:
    classes, palette = metainfo['classes'], metainfo['palette']
    row = side_by_side({title: overlay(image, part, palette) for title, part in labels.items()})
    names = legend(np.stack(list(labels.values())), classes, palette, row.width)
    picture = Image.new('RGB', (row.width, row.height + GAP + names.height), 'white')
    picture.paste(row)
    picture.paste(names, (0, row.height + GAP))
    return picture
