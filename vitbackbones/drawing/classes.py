"""Pictures of classifications: an image, its class, and the best of the predicted ones."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

from ..data.loading.image_file import read_shown
from ..openmmlab.samples import to_answer
from .sheet import GAP, LINE, PALETTE, answered, below, draw_samples, enlarged, from_bgr, text_label

if TYPE_CHECKING:  # as in the other modules of this folder
    from torch import nn

BEST = 3  # classes that are named
WHITE = (255, 255, 255)


def name_classes(
    image: Image.Image, truth: int | None, scores: np.ndarray, classes: Sequence[str]
) -> Image.Image:
    """Name the class of an image, and those with the best scores, below an enlarged copy of it.

    Each class has its color, so a right answer has that of the ground truth.

    Args:
        image: the picture.
        truth: the class that it is of, None where that is not known.
        scores: (C,).
        classes: C names.
    """
    picture = enlarged(image)
    best = np.argsort(-scores, kind='stable')[:BEST]
    lines = [(label, f'{classes[label]} {scores[label]:.2f}') for label in best.tolist()]
    if truth is not None:
        lines.insert(0, (truth, f'ground truth: {classes[truth]}'))
    strip = Image.new('RGB', (picture.width, len(lines) * (LINE + GAP)), WHITE)
    for row, (label, text) in enumerate(lines):
        strip.paste(text_label(text, PALETTE[label % len(PALETTE)]), (0, row * (LINE + GAP)))
    return below(picture, strip, gap=GAP)


def draw_classes(model: 'nn.Module', dataset, number: int) -> Iterator[tuple[str, Image.Image]]:
    """Yield names and pictures of answers of mmpretrain's ``model`` for images of ``dataset``.

    The model is in evaluation mode, the dataset in test mode.
    """
    classes = dataset.metainfo['classes']

    def draw(place: int, path: str) -> Image.Image:
        pixels = read_shown(path) if path else dataset.get_data_info(place)['img']
        result = answered(model, dataset[place])
        truth = int(result.gt_label) if 'gt_label' in result else None
        return name_classes(from_bgr(pixels), truth, to_answer(result).scores, classes)

    return draw_samples(dataset, number, draw)
