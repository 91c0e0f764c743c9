"""Which boxes of a data set are likely to be wrong, by detections of models that never saw them.

The idea is that of confident learning and of ObjectLab (Tkachenko, Thyagarajan, Mueller, 2023): a
label and what was found are compared in four ways, one for each kind of fault. How much that tells
is measured on the data set itself: labels are taken away, put in, renamed and moved, and what the
comparison says of these is set against what it says of all labels as they are. So the kinds and
classes are on one scale, and a class that is rarely found puts no label under suspicion.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from pycocotools import mask as masks
from scipy.optimize import isotonic_regression

from ..data.checks.coco_file import load_json
from ..data.own.pool import Pool
from . import Suspicion

SHARE = 0.05  # of the labels, that are spoiled in each way
PLACES = 30  # of which a label that is put in takes the freest
HIT, NEAR = 0.5, 0.25  # IoU of boxes at one place, and of those that may be of one object
SAMPLE = 400  # labels of each class that are spoiled
NOTHING = {'bbox': (-9, -9, 1, 1), 'category_id': 0, 'score': 0.0}  # so that there is a best one
REASONS = {
    'missing': '{found} found with a score of {score:.2f}, and no label is there',
    'spurious': 'nothing like the label {label} was found (best score {score:.2f})',
    'class': 'labeled {label}, but found as {found} with a score of {score:.2f}',
    'loose': 'the {label} was found with a score of {score:.2f}, and its box has IoU {iou:.2f}',
}


class Objects(NamedTuple):
    """Boxes (N, 4) as x, y, width, height in pixels, classes (N,) from 0, scores (N,)."""

    boxes: np.ndarray
    classes: np.ndarray
    scores: np.ndarray


def as_objects(entries: Sequence[dict]) -> Objects:
    """Return annotations or detections in COCO's format."""
    boxes = np.array([each['bbox'] for each in entries], float).reshape(-1, 4)
    classes = np.array([each['category_id'] for each in entries], int)
    return Objects(boxes, classes, np.array([each.get('score', 1) for each in entries], float))


def ious(one: np.ndarray, other: np.ndarray, crowd: bool = False) -> np.ndarray:
    """Return the IoU of boxes (N, 4) and (M, 4) as (N, M); over the first's area for a crowd."""
    if not len(one) or not len(other):
        return np.zeros((len(one), len(other)))
    return masks.iou(one, other, [crowd] * len(other))


def compare(labels: Objects, found: Objects) -> tuple[dict, dict]:
    """Return how strange each label (N,) is, by kind, and the rows of what was found that say so.

    ``'missing'`` is of what was found (M,); that is one detection at least.
    """
    overlaps = ious(labels.boxes, found.boxes)
    same = labels.classes[:, None] == found.classes
    support = found.scores * (overlaps / HIT).clip(0, 1)  # (N, M)
    best = overlaps.max(0, initial=0)
    own = np.where((overlaps >= NEAR) & (overlaps == best) & same, found.scores, 0)
    others = np.where(~same & (overlaps >= HIT), found.scores, 0)
    lower = found.scores[:, None] < found.scores
    second = (lower & (ious(found.boxes, found.boxes) >= HIT)).any(1)  # of whatever class
    values = {
        'spurious': 1 - support.max(1),
        'class': others.max(1) - np.where(same, support, 0).max(1),
        'loose': own.max(1) - (own * overlaps).max(1),
        'missing': np.where(second, 0, found.scores * (1 - best / HIT).clip(0)),
    }
    return values, dict(
        zip(values, (each.argmax(1) for each in (support, others, own)), strict=False)
    )


# ------------------------------------------------------------------------ how much that tells


class Likelihoods:
    """The share of faults among labels of a class that are so strange.

    It is that which would be there if all labels were sound, and a share of :data:`SHARE` of them
    were then spoiled in one way.

    Args:
        labels, found: of each picture.
        sizes: of the pictures, width and height (N, 2).
        classes: their number.
    """

    def __init__(
        self, labels: Sequence[Objects], found: Sequence[Objects], sizes: np.ndarray, classes: int
    ) -> None:
        places, sound, spoiled = defaultdict(list), defaultdict(list), defaultdict(list)
        for number, (own, answers) in enumerate(zip(labels, found, strict=True)):
            for row, key in enumerate(own.classes.tolist()):
                places[key].append((number, row))
            for kind, values in compare(own, answers)[0].items():
                keys = answers.classes if kind == 'missing' else own.classes
                for key, value in zip(keys.tolist(), values.tolist(), strict=True):
                    sound[kind, key].append(value)
        rng = np.random.default_rng(0)
        for rows in places.values():
            chosen = rng.permutation(len(rows))[:SAMPLE]
            weight = SHARE * len(rows) / len(chosen)
            for number, row in (rows[i] for i in chosen):
                own = labels[number], found[number], sizes[number]
                for kind, key, value in _spoiled(*own, row, classes, rng):
                    spoiled[kind, key].append((value, weight))
        self.curves = {key: _curve(sound[key], spoiled[key]) for key in spoiled}

    def __call__(self, kind: str, key: int, value: float) -> float:
        """Return the likelihood of a kind of fault at a label of a class that is so strange."""
        values, shares = self.curves.get((kind, key), ((), ()))
        place = int(np.searchsorted(values, value, 'right')) - 1
        return float(shares[place]) if place >= 0 and value > 0 else 0.0


def _curve(sound: Sequence[float], spoiled: Sequence[tuple]) -> tuple[np.ndarray, np.ndarray]:
    """Return values in order and the share that is spoiled there, which never falls."""
    values, weights = np.array(spoiled).T
    values = np.concatenate([sound, values, [np.inf]])  # the last is sound: no share is 1
    weights = np.concatenate([np.ones(len(sound)), weights, [1]])
    faulty = np.zeros(len(values))
    faulty[len(sound) : -1] = 1
    order = np.lexsort((-faulty, values))  # of equal values all get one share
    return values[order], isotonic_regression(faulty[order], weights=weights[order]).x


def _spoiled(
    labels: Objects,
    found: Objects,
    picture: np.ndarray,
    row: int,
    classes: int,
    rng: np.random.Generator,
) -> Iterator[tuple[str, int, float]]:
    """Yield each kind of fault, the class it is seen at, and how strange it makes a label."""
    box, key = labels.boxes[row], int(labels.classes[row])
    rest = Objects(*(np.delete(each, row, 0) for each in labels))
    at_box = ious(found.boxes, box[None])[:, 0] >= HIT
    missing = np.where(at_box, compare(rest, found)[0]['missing'], 0)
    yield 'missing', int(found.classes[missing.argmax()]), missing.max()
    starts = rng.random((PLACES, 2)) * (picture - box[2:]).clip(0)
    places = np.hstack([starts, np.tile(box[2:], (PLACES, 1))])
    free = places[ious(places, labels.boxes).max(1).argmin()]
    sides = rng.uniform(-0.3, 0.3, (2, 2)) * box[2:]  # left and top, right and bottom
    changes = {'spurious': (free, key), 'loose': (box + [*sides[0], *(sides[1] - sides[0])], key)}
    if classes > 1:
        changes['class'] = (box, (key + int(rng.integers(1, classes))) % classes)
    for kind, (place, label) in changes.items():
        changed = Objects(np.vstack([place, rest.boxes]), np.append(label, rest.classes), None)
        yield kind, label, compare(changed, found)[0][kind][0]


# ------------------------------------------------------------------------ the list


def of_boxes(pool: Pool, fold: np.ndarray, files: Sequence[Path]) -> list[Suspicion]:
    """Return what is likely to be wrong in a pool of boxes, the likeliest first.

    A label is named once, as what it most likely is, unless its class is in one fold alone, whose
    model has not seen it.

    Args:
        pool: the pictures and labels.
        fold: of each picture (N,).
        files: with what was found, of each fold, in COCO's format.
    """
    used = [[each for each in own if not each['iscrowd']] for own in pool.labels.values()]
    labels, found = [as_objects(each) for each in used], [as_objects([NOTHING])] * len(used)
    for file in files:  # one after the other: in JSON they take tenfold the memory
        of_picture = defaultdict(lambda: [NOTHING])
        for each in load_json(str(file)):
            of_picture[each['image_id']].append(each)
        for row, each in of_picture.items():
            crowds = as_objects([label for label in pool.labels[row] if label['iscrowd']])
            answers = as_objects(each)
            outside = ious(answers.boxes, crowds.boxes, crowd=True).max(1, initial=0) < HIT
            found[row] = Objects(*(values[outside] for values in answers))
    sizes = np.array([(each['width'], each['height']) for each in pool.content['images']])
    likelihood = Likelihoods(labels, found, sizes, len(pool.classes))
    folds = defaultdict(set)  # that have a class
    for number, own in zip(fold.tolist(), labels, strict=True):
        for key in own.classes.tolist():
            folds[key].add(number)
    listed = []
    for picture, (own, answers) in enumerate(zip(labels, found, strict=True)):
        (values, by), loose = compare(own, answers), set()
        for row, key in enumerate(own.classes.tolist()):
            scores = {kind: likelihood(kind, key, values[kind][row]) for kind in by}
            kind = max(scores, key=scores.get)
            if scores[kind] and len(folds[key]) > 1:
                at = int(by[kind][row])
                loose |= {at} if kind == 'loose' else set()
                place = (scores[kind], picture, kind, used[picture][row]['label_id'])
                listed.append(_suggested(pool.classes, own, row, answers, at, *place))
        for at, value in enumerate(values['missing'].tolist()):
            score = likelihood('missing', int(answers.classes[at]), value)
            if score and at not in loose:
                place = (score, picture, 'missing', None)
                listed.append(_suggested(pool.classes, own, None, answers, at, *place))
    return sorted(listed, key=lambda each: -each.likelihood)


def _suggested(
    names: Sequence[str], labels: Objects, row: int | None, found: Objects, at: int, *place
) -> Suspicion:
    """Return a suspicion at a ``place``: its first four values."""
    kind, words = place[2], {'score': found.scores[at], 'found': names[found.classes[at]]}
    if row is not None:
        words['label'] = names[labels.classes[row]]
        words['iou'] = ious(labels.boxes[row : row + 1], found.boxes[at : at + 1])[0, 0]
    box = found.boxes[at] if kind in ('missing', 'loose') else labels.boxes[row]
    category = found.classes[at] if kind in ('missing', 'class') else labels.classes[row]
    reason = REASONS[kind].format(**words)
    return Suspicion(*place, tuple(box.tolist()), int(category), reason)
