"""Pictures of segmentations: the classes' colors over the image, annotated and predicted.

Colors are the palette of the dataset, over the image in gray, so that they look the same on
every object. Pixels that evaluation ignores keep the image as it is.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import cv2
import numpy as np
from PIL import Image

from ..data.loading import IGNORED
from . import sheet

if TYPE_CHECKING:  # masks of any origin are drawn where there is no torch
    from torch import nn

PANELS = {'ground truth': 'gt_sem_seg', 'prediction': 'pred_sem_seg'}
OPACITY = 0.55  # of the colors over the image
LEGEND = 12  # classes named at most, the largest


def overlay(
    image: Image.Image, labels: np.ndarray, palette: Sequence, sides: tuple[int, int] = sheet.SIDES
) -> Image.Image:
    """Lay the colors of ``labels`` (H, W) over a gray copy of the image, enlarged to ``sides``."""
    table = np.zeros((1, 256, 3), np.uint8)
    table[0, : len(palette)] = palette
    colors = cv2.LUT(cv2.merge([labels.astype(np.uint8)] * 3), table)  # (H, W, 3)
    pixels = np.asarray(image)
    gray = cv2.cvtColor(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY), cv2.COLOR_GRAY2RGB)
    mixed = cv2.addWeighted(gray, 1 - OPACITY, colors, OPACITY, 0)
    cv2.copyTo(pixels, (labels == IGNORED).astype(np.uint8), mixed)
    return sheet.enlarged(Image.fromarray(mixed), sides)


def legend(
    labels: np.ndarray, classes: Sequence[str], palette: Sequence, width: int
) -> Image.Image:
    """Name the classes with the most of ``labels``, each on its color, in rows of ``width``."""
    counts = np.bincount(labels.ravel(), minlength=len(classes))[: len(classes)]
    largest = [label for label in np.argsort(-counts)[:LEGEND] if counts[label]]
    return sheet.name_strip({classes[label]: palette[label] for label in sorted(largest)}, width)


def draw_masks(model: 'nn.Module', dataset, number: int) -> Iterator[tuple[str, Image.Image]]:
    """Yield names and pictures of answers of mmseg's ``model`` for images of ``dataset``.

    The model is in evaluation mode, the dataset in test mode, with masks or without.
    """
    palette = dataset.metainfo['palette']
    load = dataset.pipeline.transforms[0]

    def draw(place: int, path: str) -> Image.Image:
        image = sheet.from_bgr(load({'img_path': path})['img'])
        result = sheet.answered(model, dataset[place])
        labels = {  # (H, W) at the size of the image file
            title: result.get(key).data[0].numpy().astype(np.uint8)
            for title, key in PANELS.items()
            if key in result
        }
        row = sheet.side_by_side(
            [(title, overlay(image, part, palette)) for title, part in labels.items()]
        )
        names = legend(
            np.stack(list(labels.values())), dataset.metainfo['classes'], palette, row.width
        )
        return sheet.below(row, names, gap=sheet.GAP)

    return sheet.draw_samples(dataset, number, draw)
