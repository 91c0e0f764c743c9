"""Measure the differences between an exported file and its model.

Detections are compared as sets. If two scores are equal up to floating-point rounding error, their
order depends on the last bits, and so does which of the two is last in the list, or missing.

A pixel at the border of a mask may flip by rounding, and a box that is drawn around the mask may
then move by any distance. So such boxes must be those around the masks of the same prediction, and
only the masks are compared with those of the other one.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from ..data.loading.coco_masks import box_around

TOLERANCE = 1e-4
NO_LABEL = -1  # of a place without an object
IN_HALF = 0.05  # of scores in 0 to 1, of the largest logit, or of the pixels, in 16 bits
PIXELS = 1e-3  # share of the pixels of a mask
ROUNDING = 1e-6  # of scores
OF_OBJECTS = ('boxes', 'scores', 'labels', 'masks')

# Largest differences; of outputs that are not here, TOLERANCE.
BOUNDS = dict.fromkeys(('mask', 'masks', 'segments'), PIXELS)

Answers = Mapping[str, np.ndarray]


def differences(found: Answers, wanted: Answers, size: tuple[int, int]) -> dict[str, float]:
    """Return the largest difference of each output between a file and the network.

    Returns:
        Of ``boxes`` in units of the longer side, of ``masks`` the share of the pixels of an object
        beyond the first that differs, of other whole numbers the share that differs, of other
        outputs in units of the largest number of ``wanted``.
    """
    objects = {name: wanted[name] for name in OF_OBJECTS if name in wanted}
    if 'boxes' not in objects:
        return {name: _difference(found[name], value) for name, value in wanted.items()}
    others = {name: _difference(found[name], wanted[name]) for name in wanted.keys() - objects}
    images = [
        _of_detections(
            {name: found[name][i] for name in found},
            {name: objects[name][i] for name in objects},
            size,
        )
        for i in range(len(objects['boxes']))
    ]
    return worst_of(images) | others


def differences_in_half(found: Answers, wanted: Answers) -> dict[str, float]:
    """Return the largest difference of scores, logits or masks, where one answer is of 16 bits.

    Scores are compared by their rank, as boxes of almost equal scores change places.
    """
    return {
        name: float(np.abs(found[name] - value).max(initial=0))
        if name == 'scores'
        else _difference(found[name], value)
        for name, value in wanted.items()
        if name in ('scores', 'logits', 'mask')
    }


def exceeded(found: Mapping[str, float]) -> dict[str, float]:
    """Return the differences that are too large, including NaN."""
    return {
        name: value
        for name, value in found.items()
        if not value <= BOUNDS.get(name, TOLERANCE)  # NaN too
    }


def _difference(found: np.ndarray, wanted: np.ndarray) -> float:
    """Return that of two arrays; infinity where their shapes differ."""
    if found.shape != wanted.shape:
        return float('inf')
    if not np.issubdtype(wanted.dtype, np.floating):
        return float((found != wanted).mean()) if wanted.size else 0.0
    largest = float(np.abs(wanted).max(initial=0)) or 1.0
    return float(np.abs(found - wanted).max(initial=0)) / largest


def _of_detections(found: Answers, wanted: Answers, size: tuple[int, int]) -> dict[str, float]:
    """Return the differences of one image's detections, each with the nearest of its score."""
    if found['boxes'].shape != wanted['boxes'].shape:
        return dict.fromkeys(wanted, float('inf'))
    pairs = _pairs(found, wanted, size)
    worst = dict.fromkeys(wanted, 0.0)
    worst['scores'] = _difference(found['scores'], wanted['scores'])
    if 'masks' in wanted and _are_around_masks(wanted):
        moved = np.abs(found['boxes'] - boxes_around(found['masks']))
        worst['boxes'] = float(moved.max(initial=0)) / max(size)
    last = _last_score(found, wanted)
    for axis, given in ((1, found), (0, wanted)):
        nearest = {name: each.min(axis) for name, each in pairs.items()}
        missed = np.any([nearest[name] > BOUNDS.get(name, TOLERANCE) for name in pairs], axis=0)
        held = (given['labels'] != NO_LABEL) & ~(missed & (given['scores'] <= last))
        alone = np.isinf(nearest['boxes'])
        worst['labels'] = max(worst['labels'], float((held & alone).mean()))
        for name, distance in nearest.items():
            worst[name] = max(worst[name], float(distance[held & ~alone].max(initial=0)))
    return worst


def _last_score(found: Answers, wanted: Answers) -> float:
    """Return the score up to which an object may be another one in the other answer.

    These are the last of a full list, equal up to the tolerance, or to rounding where all are equal
    up to the tolerance: others, which the list has no place for, may have the same score. Where all
    objects have one score, none is excused.
    """
    if (wanted['labels'] == NO_LABEL).any():
        return -np.inf
    moved = float(np.abs(found['scores'] - wanted['scores']).max(initial=0))
    least = float(wanted['scores'].min(initial=1))
    ends = (least + TOLERANCE, least + max(2 * moved, ROUNDING))
    return next((end for end in ends if (wanted['scores'] > end).any()), -np.inf)


def _pairs(found: Answers, wanted: Answers, size: tuple[int, int]) -> dict[str, np.ndarray]:
    """Return how far boxes and masks are from each other, (M, M), infinity where others' are."""
    scores = np.abs(found['scores'][:, None] - wanted['scores'])  # (M, M)
    same = (found['labels'][:, None] == wanted['labels']) & (wanted['labels'] != NO_LABEL)
    near = same & (scores <= TOLERANCE)
    boxes = np.abs(found['boxes'][:, None] - wanted['boxes']).max(-1) / max(size)
    if 'masks' not in wanted:
        return {'boxes': np.where(near, boxes, np.inf)}
    if _are_around_masks(wanted):
        boxes = np.zeros_like(boxes)
    boxes = np.where(near, boxes, np.inf)
    shares = np.where(np.isinf(boxes), np.inf, 1.0)  # masks in different places differ wholly
    for i, j in np.argwhere(boxes <= TOLERANCE):
        one = found['masks'][i]
        other = wanted['masks'][j]
        differing = max(np.count_nonzero(one != other) - 1, 0)  # beyond the first pixel
        shares[i, j] = differing / max(np.count_nonzero(one | other), 1)
    return {'boxes': boxes, 'masks': shares}


def _are_around_masks(answer: Answers) -> bool:
    return np.array_equal(answer['boxes'], boxes_around(answer['masks']))


def boxes_around(masks: np.ndarray) -> np.ndarray:
    """Return the boxes (M, 4) around masks (M, H, W), zeros around empty ones."""
    return np.reshape([box_around(mask) if mask.any() else [0] * 4 for mask in masks], (-1, 4))


def in_words(found: Mapping[str, float]) -> str:
    """Return differences as ``boxes 1.2e-07, labels 0``."""
    return ', '.join(f'{name} {value:.2g}' for name, value in found.items())


def worst_of(several: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return the largest difference of each output; what is no number is the largest."""
    return {name: float(np.max([each[name] for each in several])) for name in several[0]}
