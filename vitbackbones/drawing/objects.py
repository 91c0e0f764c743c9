"""What is on an image, annotated or found: boxes, masks and panoptic segments alike."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import ArrayLike

from ..data.loading.coco_masks import VOID, Segments, box_around, from_mmdet, to_ids, to_mask
from ..runtime.answers import Detected


@dataclass
class Objects:
    """What is drawn on an image of (H, W) pixels.

    Attributes:
        boxes: (N, 4) as x1, y1, x2, y2 in pixels.
        labels: (N,).
        scores: (N,), None where there are none.
        masks: (N, H, W) in bool, None where there are boxes alone.
        tracks: (N,) numbers of what is followed, -1 of the rest; None where nothing is.
        ignored: (N,) in bool, what training and evaluation leave out; None where nothing is.
    """

    boxes: np.ndarray
    labels: np.ndarray
    scores: np.ndarray | None = None
    masks: np.ndarray | None = None
    ignored: np.ndarray | None = None
    tracks: np.ndarray | None = None


def annotated(info: dict) -> Objects:
    """Return what mmdet's dataset knows of an image: its segments, or its objects."""
    if info.get('segments_info'):
        segments = info['segments_info']
        content = np.fromfile(info['seg_map_path'], np.uint8)  # cv2.imread takes only UTF-8 paths
        ids = to_ids(cv2.imdecode(content, cv2.IMREAD_COLOR)[..., ::-1])
        found = sum((ids == each['id']) * place for place, each in enumerate(segments, start=1))
        labels = [each['category'] for each in segments]
        return of_segments(Segments(found, labels, [each['is_thing'] for each in segments]))
    size = (info['height'], info['width'])
    instances = info['instances']
    boxes = np.array([instance['bbox'] for instance in instances]).reshape(-1, 4)
    labels = np.array([instance['bbox_label'] for instance in instances], int)
    masks = [to_mask(instance['mask'], *size) for instance in instances if 'mask' in instance]
    complete = len(masks) == len(instances) > 0
    return Objects(boxes, labels, masks=np.stack(masks) if complete else None)


def predicted(found: Detected, classes: int, threshold: ArrayLike) -> Objects:
    """Return what is drawn of a detector's answer: its segments, or sure objects.

    Args:
        found: the answer.
        classes: their number.
        threshold: objects of a lower score are left out, one for all or for each class (classes,);
            segments have no scores.
    """
    if found.segments is not None:
        return of_segments(from_mmdet(found.segments, classes))
    sure = found.sure(np.broadcast_to(threshold, classes))
    return Objects(sure.boxes, sure.labels, sure.scores, sure.masks, tracks=sure.tracks)


def of_segments(segments: Segments) -> Objects:
    """Return the segments that have pixels, in boxes around them."""
    places = np.setdiff1d(segments.ids, [VOID]) - 1
    masks = segments.ids == places[:, None, None] + 1  # (N, H, W)
    boxes = np.array([box_around(mask) for mask in masks]).reshape(-1, 4)
    return Objects(boxes, np.array(segments.labels, int)[places], masks=masks)
