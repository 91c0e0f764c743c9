"""Samples of mmdet as pictures: boxes, masks or panoptic segments, and what is ignored."""

from collections.abc import Mapping

import numpy as np
from mmdet.structures.bbox import get_box_tensor
from mmengine.structures import BaseDataElement, InstanceData
from PIL import Image

from ...data.loading.coco_masks import box_around
from ...data.loading.load_mask import IGNORED
from ...inference.drawing.boxes import draw_objects
from ...inference.drawing.objects import Objects
from ...inference.drawing.regions import stripe
from ...inference.drawing.sample_sheet import Drawn
from ...inference.drawing.sheet import SIDES, from_bgr

PARTS = {'gt_instances': False, 'ignored_instances': True}  # of a sample; whether it is ignored


def draw(pixels: np.ndarray, sample: BaseDataElement, meta: Mapping, longest: int) -> Drawn:
    """Draw what a sample has, see ``Task.browse``: names stand at the objects."""
    image = from_bgr(pixels)
    parts = []
    for key, ignored in PARTS.items():
        found = sample.get(key)
        if found:  # and not without objects
            parts.append(_objects(found, ignored, image))
    if 'gt_sem_seg' in sample and 'stuff_classes' in meta:
        labels = sample.gt_sem_seg.sem_seg[0].numpy()  # (1, H, W) -> (H, W)
        image = stripe(image, labels == IGNORED)
        parts.append(_stuff(labels, meta))
    objects = _joined([part for part in parts if len(part.labels)])
    return Drawn(draw_objects(image, objects, meta.get('classes', ()), (SIDES[0], longest)))


def _objects(found: InstanceData, ignored: bool, image: Image.Image) -> Objects:
    labels, masks = found.labels.numpy(), found.get('masks')
    if masks is not None:
        masks = masks.pad(image.size[::-1]).to_ndarray() > 0  # a batch may have padded the image
    boxes = get_box_tensor(found.bboxes).numpy()
    return Objects(boxes, labels, masks=masks, ignored=np.full(len(labels), ignored))


def _stuff(labels: np.ndarray, meta: Mapping) -> Objects:
    """Return the regions of stuff in labels (H, W), whose classes follow those of things."""
    first, count = len(meta['thing_classes']), len(meta['classes'])
    found = [label for label in np.unique(labels).tolist() if first <= label < count]
    masks = labels == np.reshape(found, (-1, 1, 1))  # (N, H, W)
    boxes = np.reshape([box_around(mask) for mask in masks], (-1, 4))
    return Objects(boxes, np.array(found, int), masks=masks, ignored=np.zeros(len(found), bool))


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
