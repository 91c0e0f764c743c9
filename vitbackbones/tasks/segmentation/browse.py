"""Samples of mmseg as pictures: the image, and its mask below it."""

from collections.abc import Mapping

import numpy as np
from mmengine.structures import BaseDataElement

from ...data.loading.load_mask import IGNORED
from ...inference.drawing.boxes import GRAY
from ...inference.drawing.masks import overlay
from ...inference.drawing.regions import stripe
from ...inference.drawing.sample_sheet import Drawn
from ...inference.drawing.sheet import GAP, SIDES, below, enlarged, from_bgr


def draw(pixels: np.ndarray, sample: BaseDataElement, meta: Mapping, longest: int) -> Drawn:
    """Draw what a sample has, see ``Task.browse``; ignored pixels are striped.

    The mask does not lie over the image alone: it would hide what training does to colors.
    """
    image, sides = from_bgr(pixels), (SIDES[0], longest)
    picture = enlarged(image, sides)
    if 'gt_sem_seg' not in sample:
        return Drawn(picture)
    classes, palette = meta['classes'], meta['palette']
    labels = sample.gt_sem_seg.data[0].numpy()  # (1, H, W) -> (H, W)
    ignored = labels >= len(classes)
    mask = overlay(image, np.where(ignored, IGNORED, labels), palette, sides)
    colors = {label: (classes[label], palette[label]) for label in np.unique(labels[~ignored])}
    colors |= {IGNORED: ('ignored (striped)', GRAY)} if ignored.any() else {}
    return Drawn(below(picture, stripe(mask, ignored), gap=GAP), colors)
