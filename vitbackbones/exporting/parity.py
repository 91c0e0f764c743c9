"""How far the answers of an exported file are from those of the network that it was made of.

Detections are compared as sets. Where two scores are equal up to rounding, their order is a matter
of the last bits, and so is which of them the last place of the list goes to.
"""

from collections.abc import Mapping, Sequence

import numpy as np

TOLERANCE = 1e-4
PIXELS = 1e-3  # share of the pixels of a mask
IN_PIXELS = ('mask', 'masks', 'segments')
OF_OBJECTS = ('boxes', 'scores', 'labels', 'masks')

Answers = Mapping[str, np.ndarray]


def differences(found: Answers, wanted: Answers, size: tuple[int, int]) -> dict[str, float]:
    """Return the largest difference of each output.

    Args:
        found: of the exported file, by the names of outputs.
        wanted: of the network.
        size: height and width of the images.

    Returns:
        Of ``boxes`` in units of the longer side, of whole numbers the share that differs, of other
        outputs in units of the largest number of ``wanted``.
    """
    objects = {name: wanted[name] for name in OF_OBJECTS if name in wanted}
    if 'boxes' not in objects:
        return {name: _difference(found[name], value) for name, value in wanted.items()}
    others = {name: _difference(found[name], wanted[name]) for name in wanted.keys() - objects}
    images = [
        _of_detections(_image(found, i), _image(objects, i), size)
        for i in range(len(objects['boxes']))
    ]
    return worst_of(images) | others


def exceeded(found: Mapping[str, float], tolerance: float = TOLERANCE) -> dict[str, float]:
    """Return the differences that are too large; what is no number is."""
    bounds = {name: PIXELS if name in IN_PIXELS else tolerance for name in found}
    return {name: value for name, value in found.items() if not value <= bounds[name]}


def _difference(found: np.ndarray, wanted: np.ndarray) -> float:
    """Return that of two arrays; infinity where their shapes differ."""
    if found.shape != wanted.shape:
        return float('inf')
    if not np.issubdtype(wanted.dtype, np.floating):
        return float((found != wanted).mean()) if wanted.size else 0.0
    largest = float(np.abs(wanted).max(initial=0)) or 1.0
    return float(np.abs(found - wanted).max(initial=0)) / largest


def _image(answers: Answers, number: int) -> Answers:
    return {name: value[number] for name, value in answers.items()}


def _of_detections(found: Answers, wanted: Answers, size: tuple[int, int]) -> dict[str, float]:
    """Return the differences of one image's detections, each with the nearest of its score."""
    if found['boxes'].shape != wanted['boxes'].shape:
        return dict.fromkeys(wanted, float('inf'))
    scores = np.abs(found['scores'][:, None] - wanted['scores'])  # (M, M)
    near = (scores <= TOLERANCE) & (found['labels'][:, None] == wanted['labels'])
    boxes = np.abs(found['boxes'][:, None] - wanted['boxes']).max(-1) / max(size)
    boxes = np.where(near, boxes, np.inf)
    worst = {'scores': _difference(found['scores'], wanted['scores']), 'boxes': 0.0, 'labels': 0.0}
    masks = _of_masks(found, wanted, boxes) if 'masks' in wanted else np.zeros_like(boxes)
    worst |= {'masks': 0.0} if 'masks' in wanted else {}
    # the last places may go to others of the same score, and those without an object are alike
    last = wanted['scores'].min(initial=1) + TOLERANCE
    for axis, given in ((1, found), (0, wanted)):
        held = (given['scores'] > last) & (given['labels'] >= 0)
        distance = boxes.min(axis)
        alone = held & np.isinf(distance)
        seen = held & ~alone
        parts = {'labels': alone.mean(), 'boxes': distance[seen].max(initial=0)}
        parts['masks'] = masks.min(axis)[seen].max(initial=0)
        worst = {name: max(value, float(parts.get(name, 0))) for name, value in worst.items()}
    return worst


def _of_masks(found: Answers, wanted: Answers, boxes: np.ndarray) -> np.ndarray:
    """Return the share of pixels that differ between masks (M, M).

    Only masks in one place are compared, of which there may be several; others differ wholly.

    Args:
        boxes: the differences of the boxes, (M, M).
    """
    shares = np.ones_like(boxes)
    for i, j in np.argwhere(boxes <= TOLERANCE):
        shares[i, j] = (found['masks'][i] != wanted['masks'][j]).mean()
    return shares


def in_words(found: Mapping[str, float]) -> str:
    """Return differences as ``boxes 1.2e-07, labels 0``."""
    return ', '.join(f'{name} {value:.2g}' for name, value in found.items())


def worst_of(several: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return the largest difference of each output; what is no number is the largest."""
    return {name: float(np.max([each[name] for each in several])) for name in several[0]}
