"""Which boxes of a data set are likely to be wrong, by detections of models that never saw them.

The idea is that of confident learning and of ObjectLab (Tkachenko, Thyagarajan, Mueller, 2023): a
label and what was found are compared in four ways, one for each kind of fault. How much that tells
is measured on the data set itself: labels are taken away, put in, renamed and moved, and what the
comparison says of these is set against what it says of all labels as they are. So the kinds and
classes are on one scale, and a class that is rarely found puts no label under suspicion.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from scipy.optimize import isotonic_regression

from ...data.checks.coco_file import load_json
from ...data.own.pool import Pool
from .suspicion import Suspicion

SHARE = 0.05  # of the labels that are expected to have a fault of each kind
PLACES = 30  # of which a label that is put in takes the freest
HIT = 0.5  # IoU from which on a box is at the place of another
NEAR = 0.25  # IoU from which on a detection may be of a label
SAMPLE = 400  # labels of each class that faults are tried on
NONE = np.zeros(0)
REASONS = {
    'missing': '{found} found with a score of {score:.2f}, and no label is there',
    'spurious': 'nothing like the label {label} was found (best score {score:.2f})',
    'class': 'labeled {label}, but found as {found} with a score of {score:.2f}',
    'loose': 'the {label} was found with a score of {score:.2f}, and its box has IoU {iou:.2f}',
}


@dataclass
class Objects:
    """Boxes (N, 4) as x1, y1, x2, y2 in pixels, classes (N,) from 0, and scores (N,) if found."""

    boxes: np.ndarray
    classes: np.ndarray
    scores: np.ndarray | None = None


@dataclass
class Doubts:
    """How strange each label (N,) is in each way, with the detection that says so.

    ``'missing'`` is of detections (M,).
    """

    values: dict[str, np.ndarray]
    by: dict[str, np.ndarray]  # rows of detections, (N,); -1 where there is none


def ious(one: np.ndarray, other: np.ndarray, of_first: bool = False) -> np.ndarray:
    """Return the IoU of each pair of boxes, (N, 4) and (M, 4), as (N, M).

    With ``of_first`` it is what is shared over the area of the first.
    """
    corners = np.minimum(one[:, None, 2:], other[:, 2:]) - np.maximum(
        one[:, None, :2], other[:, :2]
    )
    shared = corners.clip(0).prod(2)
    areas = [(each[:, 2:] - each[:, :2]).prod(1) for each in (one, other)]
    whole = areas[0][:, None] + (0 if of_first else areas[1] - shared)
    return shared / np.maximum(whole, 1e-9)


def compare(labels: Objects, found: Objects) -> Doubts:
    """Compare the labels of a picture (N) with what was found there (M)."""
    if not len(found.boxes):
        zeros = np.zeros(len(labels.boxes))
        values = {'spurious': zeros + 1, 'class': zeros, 'loose': zeros}
        by = dict.fromkeys(values, zeros.astype(int) - 1)
        return Doubts(values | {'missing': NONE}, by)
    overlaps = ious(labels.boxes, found.boxes)
    same = labels.classes[:, None] == found.classes
    support = found.scores * (overlaps / HIT).clip(0, 1)  # (N, M)
    best = overlaps.max(0, initial=0)
    own = (overlaps >= NEAR) & (overlaps == best) & same
    scores = np.where(own, found.scores, 0)
    others = np.where(~same & (overlaps >= HIT), found.scores, 0)
    alike = np.where(same, support, 0).max(1, initial=0)
    values = {
        'spurious': 1 - support.max(1, initial=0),
        'class': others.max(1, initial=0) - alike,
        'loose': scores.max(1) - (scores * overlaps).max(1),
        'missing': np.where(_kept(found), found.scores * (1 - best / HIT).clip(0), 0),
    }
    by = {'spurious': support.argmax(1), 'class': others.argmax(1), 'loose': scores.argmax(1)}
    return Doubts(values, by)


def _kept(found: Objects) -> np.ndarray:
    """Tell which detections (M,) overlap none of a higher score, whatever their classes."""
    above = found.scores[:, None] < found.scores
    return ~(above & (ious(found.boxes, found.boxes) >= HIT)).any(1)


# ------------------------------------------------------------------------ how much that tells


class Likelihoods:
    """The share of faults among labels of a class that are so strange.

    It is that which would be there if all labels were sound, and a share of :data:`SHARE` of them
    were then spoiled: what is tried tells how strange these are.
    """

    def __init__(
        self,
        labels: Sequence[Objects],
        found: Sequence[Objects],
        classes: int,
        sizes: np.ndarray,
    ) -> None:
        places, observed, tried = defaultdict(list), defaultdict(list), defaultdict(list)
        for number, (own, answers) in enumerate(zip(labels, found, strict=True)):
            for row, key in enumerate(own.classes.tolist()):
                places[key].append((number, row))
            for kind, values in compare(own, answers).values.items():
                keys = answers.classes if kind == 'missing' else own.classes
                for key, value in zip(keys.tolist(), values.tolist(), strict=True):
                    observed[kind, key].append(value)
        rng = np.random.default_rng(0)
        for rows in places.values():
            chosen = rng.permutation(len(rows))[:SAMPLE]
            weight = SHARE * len(rows) / len(chosen)
            for number, row in (rows[i] for i in chosen):
                own = labels[number], found[number], sizes[number]
                for kind, key, value in _tried(*own, row, classes, rng):
                    tried[kind, key].append((value, weight))
        self.curves = {key: _curve(observed[key], tried[key]) for key in tried}

    def __call__(self, kind: str, key: int, value: float) -> float:
        """Return the likelihood of a kind of fault at a label of a class that is so strange."""
        values, shares = self.curves.get((kind, key), (NONE, NONE))
        place = int(np.searchsorted(values, value, 'right')) - 1
        return float(shares[place]) if place >= 0 else 0.0


def _curve(observed: Sequence[float], tried: Sequence[tuple]) -> tuple[np.ndarray, np.ndarray]:
    """Return values in order, and the share of what was tried among all that have such a value.

    It never falls: the stranger a label, the likelier a fault (isotonic regression).
    """
    values, weights = np.array(tried).T
    values = np.concatenate([observed, values, [np.inf]])  # no share is ever quite 1
    weights = np.concatenate([np.ones(len(observed)), weights, [1]])
    faulty = np.zeros(len(values))
    faulty[len(observed) : -1] = 1
    order = np.lexsort((-faulty, values))  # of equal values all get one share
    fitted = isotonic_regression(faulty[order], weights=weights[order])
    return values[order], fitted.x


def _tried(
    labels: Objects,
    found: Objects,
    picture: np.ndarray,
    row: int,
    classes: int,
    rng: np.random.Generator,
) -> Iterator[tuple[str, int, float]]:
    """Yield each kind of fault, the class it is seen at, and how strange it makes a label."""
    box, key = labels.boxes[row], int(labels.classes[row])
    rest = Objects(np.delete(labels.boxes, row, 0), np.delete(labels.classes, row))
    missing = np.where(
        ious(box[None], found.boxes)[0] < HIT, 0, compare(rest, found).values['missing']
    )
    if len(missing):
        yield 'missing', int(found.classes[missing.argmax()]), missing.max()
    size = box[2:] - box[:2]
    starts = rng.random((PLACES, 2)) * (picture - size).clip(0)
    places = np.hstack([starts, starts + size])
    free = places[ious(places, labels.boxes).max(1).argmin()]
    moved = box + rng.uniform(-0.3, 0.3, 4) * np.tile(size, 2)
    changes = {'spurious': (free, key), 'loose': (moved, key)}
    if classes > 1:
        changes['class'] = (box, (key + int(rng.integers(1, classes))) % classes)
    for kind, (place, label) in changes.items():
        changed = Objects(np.vstack([place, rest.boxes]), np.append(label, rest.classes))
        yield kind, label, compare(changed, found).values[kind][0]


# ------------------------------------------------------------------------ the list


def of_boxes(pool: Pool, fold: np.ndarray, found: Sequence[Path]) -> list[Suspicion]:
    """Return what is likely to be wrong in a pool of boxes, the likeliest first.

    Labels of a class that the model of their fold has not seen are left out.

    Args:
        pool: the pictures and labels.
        fold: of each picture (N,).
        found: the detections of each fold, a file in COCO's format.
    """
    rows = range(len(pool.files))
    used = [[each for each in pool.labels[row] if not each['iscrowd']] for row in rows]
    labels = [as_objects(each) for each in used]
    answers = [as_objects([])] * len(rows)
    for file in found:  # one after the other: in JSON they take tenfold the memory
        of_picture = defaultdict(list)
        for each in load_json(str(file)):
            of_picture[each['image_id']].append(each)
        for row, each in of_picture.items():
            answers[row] = _outside(as_objects(each), pool.labels[row])
    places = defaultdict(set)  # the folds that have a class
    for row, own in enumerate(labels):
        for key in own.classes.tolist():
            places[key].add(int(fold[row]))
    listed = []
    sizes = np.array([(each['width'], each['height']) for each in pool.content['images']])
    for each in suspicions(labels, answers, pool.classes, sizes):
        if each.label is None:
            listed.append(each)
        elif len(places[labels[each.picture].classes[each.label]]) > 1:
            listed.append(replace(each, label=used[each.picture][each.label]['label_id']))
    return listed


def as_objects(entries: Sequence[dict]) -> Objects:
    """Return annotations or detections in COCO's format."""
    boxes = np.array([each['bbox'] for each in entries], float).reshape(-1, 4)
    boxes[:, 2:] += boxes[:, :2]  # width and height -> the other corner
    classes = np.array([each['category_id'] for each in entries], int)
    return Objects(boxes, classes, np.array([each.get('score', 1) for each in entries], float))


def _outside(found: Objects, labels: Sequence[dict]) -> Objects:
    """Return what is not in a crowd, where nothing is labeled one by one."""
    crowds = as_objects([each for each in labels if each['iscrowd']]).boxes
    kept = ious(found.boxes, crowds, of_first=True).max(1, initial=0) < HIT
    return Objects(found.boxes[kept], found.classes[kept], found.scores[kept])


def suspicions(
    labels: Sequence[Objects],
    found: Sequence[Objects],
    names: Sequence[str],
    sizes: np.ndarray,
) -> list[Suspicion]:
    """Return what is likely to be wrong in pictures of ``sizes`` (N, 2), the likeliest first.

    A label is named once, as what it most likely is; a detection beside no label once.
    """
    likelihood, listed = Likelihoods(labels, found, len(names), sizes), []
    for picture, (own, answers) in enumerate(zip(labels, found, strict=True)):
        doubts, loose = compare(own, answers), set()
        for row, key in enumerate(own.classes.tolist()):
            values = {kind: doubts.values[kind][row] for kind in doubts.by}
            scores = {k: likelihood(k, key, value) for k, value in values.items() if value > 0}
            if scores:
                kind = max(scores, key=scores.get)
                by = int(doubts.by[kind][row])
                loose |= {by} if kind == 'loose' else set()
                listed.append((scores[kind], picture, kind, row, by))
        for by, value in enumerate(doubts.values['missing'].tolist()):
            if value and by not in loose:
                score = likelihood('missing', int(answers.classes[by]), value)
                listed.append((score, picture, 'missing', None, by))
    listed.sort(key=lambda each: -each[0])
    return [_in_words(labels[each[1]], found[each[1]], names, *each) for each in listed]


def _in_words(
    labels: Objects,
    found: Objects,
    names: Sequence[str],
    likelihood: float,
    picture: int,
    kind: str,
    row: int | None,
    by: int,
) -> Suspicion:
    source, at = (found, by) if kind in ('missing', 'loose') else (labels, row)
    category = found.classes[by] if kind in ('missing', 'class') else labels.classes[row]
    words = {'score': 0.0, 'iou': 0.0, 'found': '', 'label': ''}
    if row is not None:
        words['label'] = names[labels.classes[row]]
    if by >= 0:
        words |= {'score': found.scores[by], 'found': names[found.classes[by]]}
    if row is not None and by >= 0:
        words['iou'] = ious(labels.boxes[row : row + 1], found.boxes[by : by + 1])[0, 0]
    reason = REASONS[kind].format(**words)
    box = tuple(source.boxes[at].tolist())
    return Suspicion(picture, kind, likelihood, row, box, int(category), reason)
