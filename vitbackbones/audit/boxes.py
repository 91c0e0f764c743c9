"""Which boxes of a dataset are likely to be wrong, by detections of models that never saw them.

The idea is that of confident learning and of ObjectLab (Tkachenko, Thyagarajan, Mueller, 2023). The
labels and the detections of an image are compared in four ways, one for each kind of fault, and in
a fifth where they have outlines. How much a comparison tells is measured on the dataset itself:
some labels are removed, added, renamed or moved, or get another outline, and the values of these
spoiled labels are set against those of all labels as they are. So all kinds of faults and all
classes share one scale, and a class that the models rarely detect puts no label under suspicion.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from pycocotools import mask as masks
from scipy.optimize import isotonic_regression

from ..data.checks.coco_file import load_json
from ..data.loading.coco_masks import to_code
from ..data.own.pool import Pool
from .outlines import spoiled, suggested
from .suspicion import Suspicion

SHARE = 0.05  # of the labels that are assumed to be spoiled, in each of the four ways
PLACES = 30  # random places; an added label gets the one that overlaps other labels least
HIT = 0.5  # IoU of two boxes at one place
NEAR = 0.25  # IoU of two boxes that may show the same object
SAMPLE = 400  # labels of each class that are spoiled
# A detection of no score far outside of each image, so that there is always one to compare with.
NOTHING = {'bbox': (-9, -9, 1, 1), 'category_id': 0, 'score': 0.0}
REASONS = {
    'missing': '{pred} detected with a score of {score:.2f}, but there is no label',
    'spurious': 'labeled {gt}, but no detection matches it (best score {score:.2f})',
    'class': 'labeled {gt}, but detected as {pred} with a score of {score:.2f}',
    'loose': '{gt} detected with a score of {score:.2f}, but the IoU with its label is {iou:.2f}',
    'outline': '{gt} detected with a score of {score:.2f}, but the IoU of the masks is {masks:.2f}',
}
DRAWN = ('missing', 'loose', 'outline')  # faults whose suggestion is where the detection is


class Objects(NamedTuple):
    """N labels or detections.

    Attributes:
        boxes: x, y, width, height in pixels, (N, 4).
        classes, scores: from 0, (N,).
        masks: in RLE, (N,); None where outlines are not compared.
        usual: how strange the outlines of labels of this size are as a rule, (N,).
    """

    boxes: np.ndarray
    classes: np.ndarray
    scores: np.ndarray
    masks: np.ndarray | None = None
    usual: np.ndarray | float = 0.0

    def select(self, rows) -> 'Objects':
        """Return the objects of these rows: a mask, a slice, or numbers."""
        return Objects(*(each[rows] if isinstance(each, np.ndarray) else each for each in self))


class LabeledImage(NamedTuple):
    """Labels and detections of one image.

    Attributes:
        row: of the image in the pool.
        size: width and height in pixels, (2,).
        gt: the N labels.
        label_ids: their ids in the pool.
        pred: the M detections, at least one.
    """

    row: int
    size: np.ndarray
    gt: Objects
    label_ids: Sequence[int | str]
    pred: Objects


class Comparison(NamedTuple):
    """How the labels of an image differ from its detections.

    Attributes:
        strangeness: by kind of fault, of each label (N,); of each detection (M,) for ``'missing'``.
            Values above 0 are suspicious; 1 is the most.
        evidence: by kind of fault except ``'missing'``, the row of the detection that tells most
            about each label (N,).
    """

    strangeness: dict[str, np.ndarray]
    evidence: dict[str, np.ndarray]


class Spoiled(NamedTuple):
    """A label that was spoiled on purpose: how, the class it now shows, and how strange it is."""

    fault: str
    category: int
    strangeness: float


def as_objects(entries: Sequence[dict], codes: Sequence[dict | None] | None = None) -> Objects:
    """Return annotations or detections in COCO's format as arrays, with the RLE of their masks."""
    boxes = np.array([entry['bbox'] for entry in entries], float).reshape(-1, 4)
    classes = np.array([entry['category_id'] for entry in entries], int)
    scores = np.array([entry.get('score', 1) for entry in entries], float)
    return Objects(boxes, classes, scores, None if codes is None else np.array(codes, object))


def ious(one: np.ndarray, other: np.ndarray, crowd: bool = False) -> np.ndarray:
    """Return the IoU of boxes (N, 4) and (M, 4) as (N, M); over the first's area for a crowd."""
    if not len(one) or not len(other):
        return np.zeros((len(one), len(other)))
    return masks.iou(one, other, [crowd] * len(other))


def compare(gt: Objects, pred: Objects) -> Comparison:
    """Compare N labels with M detections, of which there is at least one."""
    overlaps = ious(gt.boxes, pred.boxes)  # (N, M)
    best = overlaps.max(0, initial=0)  # (M,)
    same = gt.classes[:, None] == pred.classes
    support = pred.scores * (overlaps / HIT).clip(0, 1)
    others = np.where(~same & (overlaps >= HIT), pred.scores, 0)
    # a detection says how well only the label fits that it overlaps most
    closest = np.where(same & (overlaps >= NEAR) & (overlaps == best), pred.scores, 0)
    # of detections at one place, of whatever class, only the surest can lack a label
    lower = pred.scores[:, None] < pred.scores
    second = (lower & (ious(pred.boxes, pred.boxes) >= HIT)).any(1)
    strangeness = {
        'spurious': 1 - support.max(1),
        'class': others.max(1) - np.where(same, support, 0).max(1),
        'loose': closest.max(1) - (closest * overlaps).max(1),
        'missing': np.where(second, 0, pred.scores * (1 - best / HIT).clip(0)),
    }
    evidence = {'spurious': support, 'class': others, 'loose': closest}
    if gt.masks is not None:
        shown = np.where(overlaps >= HIT, closest, 0)
        evidence['outline'] = shown
        strangeness['outline'] = _outline_strangeness(gt, pred, shown)
    return Comparison(strangeness, {fault: by.argmax(1) for fault, by in evidence.items()})


def _outline_strangeness(gt: Objects, pred: Objects, shown: np.ndarray) -> np.ndarray:
    """Return how strange outlines are (N,), for scores ``shown`` (N, M) where boxes agree, else -1.

    A model draws masks at a low resolution, so those of small objects always differ.
    """
    scores = shown.max(1)
    overlaps = [
        masks.iou([code], [pred.masks[at]], [0])[0, 0] if score else 0
        for code, at, score in zip(gt.masks, shown.argmax(1), scores, strict=True)
    ]
    return np.where(scores > 0, scores * (1 - np.array(overlaps)) - gt.usual, -1)


def _with_usual(images: Sequence[LabeledImage]) -> list[LabeledImage]:
    """Return the images whose labels know how strange outlines of their size are as a rule."""
    sizes = [image.gt.boxes[:, 2:].prod(1) ** 0.5 / image.size.max() for image in images]
    strange = [compare(image.gt, image.pred).strangeness['outline'] for image in images]
    pairs = np.stack([np.concatenate(sizes), np.concatenate(strange)], 1)
    pairs = pairs[pairs[:, 1] >= 0]  # of objects that are found
    if not len(pairs):
        return [*images]
    known, values = pairs[np.lexsort(pairs.T[::-1])].T
    usual = isotonic_regression(values, increasing=False).x  # the larger, the less strange
    return [
        image._replace(gt=image.gt._replace(usual=np.interp(own, known, usual)))
        for image, own in zip(images, sizes, strict=True)
    ]


# ------------------------------------------------------------------------ how much that tells


class Likelihoods:
    """The share of faults among the labels of a class that are equally strange.

    It is the share that there would be if all labels were right, and :data:`SHARE` of them were
    then spoiled in one way.

    Args:
        images: with labels and detections.
        num_classes: their number.
    """

    def __init__(self, images: Sequence[LabeledImage], num_classes: int) -> None:
        sound = defaultdict(list)  # strangeness of all labels as they are, by fault and class
        labels = defaultdict(list)  # image and row of the labels, by class
        for image in images:
            for row, category in enumerate(image.gt.classes.tolist()):
                labels[category].append((image, row))
            for fault, values in compare(image.gt, image.pred).strangeness.items():
                classes = image.pred.classes if fault == 'missing' else image.gt.classes
                for category, value in zip(classes.tolist(), values.tolist(), strict=True):
                    sound[fault, category].append(value)
        spoiled = defaultdict(list)  # strangeness and weight of the spoiled ones, alike
        rng = np.random.default_rng(0)
        for of_class in labels.values():
            chosen = rng.permutation(len(of_class))[:SAMPLE]
            weight = SHARE * len(of_class) / len(chosen)
            for image, row in (of_class[i] for i in chosen):
                for label in _spoiled(image, row, num_classes, rng):
                    spoiled[label.fault, label.category].append((label.strangeness, weight))
        self.curves = {key: _curve(sound[key], spoiled[key]) for key in spoiled}

    def __call__(self, fault: str, category: int, strangeness: float) -> float:
        """Return the likelihood of a kind of fault at a label of a class that is so strange."""
        values, shares = self.curves.get((fault, category), ((), ()))
        last = int(np.searchsorted(values, strangeness, 'right')) - 1
        return float(shares[last]) if last >= 0 and strangeness > 0 else 0.0


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
    image: LabeledImage, row: int, num_classes: int, rng: np.random.Generator
) -> Iterator[Spoiled]:
    """Spoil the label of this row in each way, and yield how strange it is then."""
    box = image.gt.boxes[row]
    category = int(image.gt.classes[row])
    rest = image.gt.select(np.arange(len(image.gt.boxes)) != row)._replace(masks=None)
    at_box = ious(image.pred.boxes, box[None])[:, 0] >= HIT
    missing = np.where(at_box, compare(rest, image.pred).strangeness['missing'], 0)
    yield Spoiled('missing', int(image.pred.classes[missing.argmax()]), missing.max())

    def changed(fault: str, new_box: np.ndarray, new_category: int) -> Spoiled:
        boxes = np.vstack([new_box, rest.boxes])
        gt = Objects(boxes, np.append(new_category, rest.classes), np.ones(len(boxes)))
        return Spoiled(fault, new_category, compare(gt, image.pred).strangeness[fault][0])

    corners = rng.random((PLACES, 2)) * (image.size - box[2:]).clip(0)
    places = np.hstack([corners, np.tile(box[2:], (PLACES, 1))])
    free = places[ious(places, image.gt.boxes).max(1).argmin()]
    yield changed('spurious', free, category)
    left_top, right_bottom = rng.uniform(-0.3, 0.3, (2, 2)) * box[2:]
    yield changed('loose', box + [*left_top, *(right_bottom - left_top)], category)
    if num_classes > 1:
        other = (category + int(rng.integers(1, num_classes))) % num_classes
        yield changed('class', box, other)
    if image.gt.masks is not None:
        codes = image.gt.masks.copy()
        # with a generator of its own, so that the likelihoods of boxes are those without outlines
        codes[row] = spoiled(codes[row], np.random.default_rng((image.row, row)))
        found = compare(image.gt._replace(masks=codes), image.pred).strangeness['outline']
        yield Spoiled('outline', category, found[row])


# ------------------------------------------------------------------------ the list


def of_boxes(pool: Pool, fold: np.ndarray, files: Sequence[Path]) -> list[Suspicion]:
    """Return what is likely to be wrong in a pool of boxes or outlines, the likeliest first.

    A label is listed once, with its likeliest fault. A class that only one fold contains is not
    listed: the model of that fold was trained without it.

    Args:
        pool: the images and labels.
        fold: of each image (N,).
        files: the detections of each fold, in COCO's format.
    """
    images = labeled_images(pool, files)
    likelihoods = Likelihoods(images, len(pool.classes))
    folds = defaultdict(set)  # that contain a class
    for image in images:
        for category in image.gt.classes.tolist():
            folds[category].add(int(fold[image.row]))
    learned = {category for category in folds if len(folds[category]) > 1}
    listed = [each for image in images for each in _listed(image, likelihoods, learned, pool)]
    return sorted(listed, key=lambda suspicion: -suspicion.likelihood)


def labeled_images(pool: Pool, files: Sequence[Path]) -> list[LabeledImage]:
    """Return the images with their labels, and with their detections outside of crowds."""
    preds = {}
    for file in files:  # one after the other: in JSON they take tenfold the memory
        entries = defaultdict(lambda: [NOTHING])
        for entry in load_json(str(file)):
            if 'segmentation' in entry and not any(entry['bbox']):  # SOLO finds masks alone
                entry['bbox'] = masks.toBbox(entry['segmentation'])
            entries[entry['image_id']].append(entry)
        for row, of_image in entries.items():
            preds[row] = as_objects(of_image, [entry.get('segmentation') for entry in of_image])
    images = []
    for row, anns in pool.labels.items():
        crowds = as_objects([ann for ann in anns if ann['iscrowd']])
        anns = [ann for ann in anns if not ann['iscrowd']]
        pred = preds.get(row, as_objects([NOTHING]))
        outside = ious(pred.boxes, crowds.boxes, crowd=True).max(1, initial=0) < HIT
        info = pool.content['images'][row]
        size = np.array([info['width'], info['height']])
        label_ids = [ann['label_id'] for ann in anns]
        codes = None
        if pool.outlined:
            codes = [to_code(ann['segmentation'], *size[::-1].tolist()) for ann in anns]
        gt = as_objects(anns, codes)
        images.append(LabeledImage(row, size, gt, label_ids, pred.select(outside)))
    return _with_usual(images) if pool.outlined else images


def _listed(
    image: LabeledImage, likelihoods: Likelihoods, learned: set[int], pool: Pool
) -> Iterator[Suspicion]:
    """Yield what is likely to be wrong in an image."""
    strangeness, evidence = compare(image.gt, image.pred)
    loose = set()  # detections that show how a label should be placed, so none is missing there
    for row, category in enumerate(image.gt.classes.tolist()):
        of_faults = {
            fault: likelihoods(fault, category, strangeness[fault][row]) for fault in evidence
        }
        fault = max(of_faults, key=of_faults.get)
        if of_faults[fault] and category in learned:
            at = int(evidence[fault][row])
            if fault == 'loose':
                loose.add(at)
            yield _suspicion(image, fault, of_faults[fault], row, at, pool.classes)
    for at, category in enumerate(image.pred.classes.tolist()):
        likelihood = likelihoods('missing', category, strangeness['missing'][at])
        if likelihood and at not in loose:
            yield _suspicion(image, 'missing', likelihood, None, at, pool.classes)


def _suspicion(
    image: LabeledImage,
    fault: str,
    likelihood: float,
    gt_row: int | None,
    pred_row: int,
    names: Sequence[str],
) -> Suspicion:
    """Describe a fault: of the label ``gt_row``, None if it is missing; ``pred_row`` shows it."""
    gt = image.gt.select(slice(gt_row, gt_row + 1)) if gt_row is not None else None
    pred = image.pred.select(slice(pred_row, pred_row + 1))
    box = pred.boxes[0] if fault in DRAWN else gt.boxes[0]
    category = pred.classes[0] if fault in ('missing', 'class') else gt.classes[0]
    words = {'pred': names[pred.classes[0]], 'score': pred.scores[0]}
    if gt is not None:
        words['gt'] = names[gt.classes[0]]
        words['iou'] = ious(gt.boxes, pred.boxes)[0, 0]
    if fault == 'outline':
        words['masks'] = masks.iou([gt.masks[0]], [pred.masks[0]], [0])[0, 0]
    is_drawn = fault in DRAWN and image.gt.masks is not None
    return Suspicion(
        likelihood=likelihood,
        image=image.row,
        fault=fault,
        label_id=None if gt_row is None else image.label_ids[gt_row],
        box=tuple(box.tolist()),
        category=int(category),
        reason=REASONS[fault].format(**words),
        outlines=suggested(pred.masks[0], box.tolist()) if is_drawn else (),
    )
