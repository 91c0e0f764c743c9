"""Samples of the toolboxes as pictures, for ``Task.browse``, which says what the arguments are."""

from collections.abc import Iterator, Mapping

import numpy as np
from mmengine.structures import BaseDataElement

from ..data.loading.coco_masks import box_around
from ..data.loading.load_mask import IGNORED
from ..drawing import sheet
from ..drawing.objects import Objects
from ..drawing.predictions import GRAY, draw_objects, overlay, stripe
from ..drawing.sample_sheet import Drawn

# ------------------------------------------------------------------------ classification

SMALLEST = 192  # longer side of a picture at least
PART = 5 / 8  # of the longest side for other tasks: there are no details to be seen
SHARE = 0.005  # of a class that is named


def draw_classes(pixels: np.ndarray, sample: BaseDataElement, meta: Mapping, longest: int) -> Drawn:
    """Draw an image of mmpretrain, with its classes at the lower left, mixed ones with shares."""
    picture = sheet.enlarged(sheet.from_bgr(pixels), (SMALLEST, round(PART * longest)))
    texts = [sheet.one_line(text) for text in _texts(sample, meta.get('classes') or ())]
    for place, text in enumerate(texts):
        while sheet.label_width(text) > picture.width:
            text = f'{text.removesuffix("...")[:-1]}...'
        corner = (0, picture.height - sheet.LINE * (len(texts) - place))
        picture.paste(sheet.text_label(text, (255, 255, 255)), corner)
    return Drawn(picture)


def _texts(sample: BaseDataElement, classes: tuple[str, ...]) -> Iterator[str]:
    """Yield the classes of a sample; where several are mixed, the largest first."""
    if not classes or 'gt_label' not in sample:
        return
    shares = sample.get('gt_score')
    if shares is None:
        yield from (classes[label] for label in sample.gt_label.tolist())
        return
    largest, labels = shares.sort(descending=True)
    for share, label in zip(largest.tolist(), labels.tolist(), strict=True):
        if share > SHARE and label < len(classes):
            yield classes[label] if share > 1 - SHARE else f'{share:.0%} {classes[label]}'


# ------------------------------------------------------------------------ detection


def draw_instances(
    pixels: np.ndarray, sample: BaseDataElement, meta: Mapping, longest: int
) -> Drawn:
    """Draw boxes, masks or panoptic segments of mmdet, and what is ignored, with their names."""
    image = sheet.from_bgr(pixels)
    parts = []
    for key in ('gt_instances', 'ignored_instances'):
        if found := sample.get(key):  # and not without objects
            labels = found.labels.numpy()
            masks = found.get('masks')
            if masks is not None:  # a batch may have padded the image
                masks = masks.pad(image.size[::-1]).to_ndarray() > 0
            boxes = getattr(found.bboxes, 'tensor', found.bboxes).numpy()  # of mmdet's boxes
            ignored = np.full(len(labels), key == 'ignored_instances')
            parts.append(Objects(boxes, labels, masks=masks, ignored=ignored))
    if 'gt_sem_seg' in sample and 'stuff_classes' in meta:
        labels = sample.gt_sem_seg.sem_seg[0].numpy()  # (1, H, W) -> (H, W)
        image = stripe(image, labels == IGNORED)
        # regions of stuff: its classes follow those of things
        first = len(meta['thing_classes'])
        count = len(meta['classes'])
        found = [label for label in np.unique(labels).tolist() if first <= label < count]
        masks = labels == np.reshape(found, (-1, 1, 1))  # (N, H, W)
        boxes = np.reshape([box_around(mask) for mask in masks], (-1, 4))
        ignored = np.zeros(len(found), bool)
        parts.append(Objects(boxes, np.array(found, int), masks=masks, ignored=ignored))
    objects = _joined([part for part in parts if len(part.labels)])
    return Drawn(draw_objects(image, objects, meta.get('classes', ()), (sheet.SIDES[0], longest)))


def _joined(parts: list[Objects]) -> Objects:
    if not parts:
        return Objects(np.zeros((0, 4)), np.zeros(0, int))
    boxes, labels, ignored = (
        np.concatenate([getattr(part, key) for part in parts])
        for key in ('boxes', 'labels', 'ignored')
    )
    masked = all(part.masks is not None for part in parts)
    masks = np.concatenate([part.masks for part in parts]) if masked else None
    return Objects(boxes, labels, masks=masks, ignored=ignored)


# ------------------------------------------------------------------------ segmentation


def draw_mask(pixels: np.ndarray, sample: BaseDataElement, meta: Mapping, longest: int) -> Drawn:
    """Draw an image of mmseg, and its mask below it; ignored pixels are striped.

    The mask does not lie over the image alone: it would hide what training does to colors.
    """
    image = sheet.from_bgr(pixels)
    sides = (sheet.SIDES[0], longest)
    picture = sheet.enlarged(image, sides)
    if 'gt_sem_seg' not in sample:
        return Drawn(picture)
    classes = meta['classes']
    palette = meta['palette']
    labels = sample.gt_sem_seg.data[0].numpy()  # (1, H, W) -> (H, W)
    ignored = labels >= len(classes)
    mask = overlay(image, np.where(ignored, IGNORED, labels), palette, sides)
    colors = {label: (classes[label], palette[label]) for label in np.unique(labels[~ignored])}
    colors |= {IGNORED: ('ignored (striped)', GRAY)} if ignored.any() else {}
    return Drawn(sheet.below(picture, stripe(mask, ignored), gap=sheet.GAP), colors)
