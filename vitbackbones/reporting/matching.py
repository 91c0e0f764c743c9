"""Which objects of a picture a detector found, missed, or took for another class.

Detections of at least a score are taken from the highest to the lowest. Each is matched to the
free object that it overlaps most, by an IoU of at least 0.5, one of its own class before all
others. So an object is matched once, whatever is found in its place a second time is false, and a
match of another class is a confusion. Crowd regions are ignored as in COCO: what is matched to
nothing else, and has at least half of its area in a crowd of its class, does not count.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from pycocotools import mask as masks
from pycocotools.cocoeval import COCOeval

from .coco import class_names
from .parts import Matrix, Table

IOU = 0.5
FALSE, IGNORED = -1, -2  # in place of the number of an object
BACKGROUND, MISSED = '(nothing)', '(missed)'


@dataclass(frozen=True)
class Matches:
    """What became of the objects and detections of one picture.

    Attributes:
        image: its id.
        objects, found: COCO annotations and results; results by falling score.
        labels, answers: the classes of both, as places in the list of classes.
        crowd: which objects are crowd regions (objects,).
        taken: the object that each detection is matched to, or FALSE or IGNORED (found,).
    """

    image: int | str
    objects: list[dict]
    found: list[dict]
    labels: np.ndarray
    answers: np.ndarray
    crowd: np.ndarray
    taken: np.ndarray

    def right(self) -> np.ndarray:
        """Tell which detections are matched to an object of their class (found,)."""
        return (self.taken >= 0) & (self._labels_of_taken() == self.answers)

    def missed(self) -> int:
        """Count objects of which no detection is right."""
        return int((~self.crowd).sum() - self.right().sum())

    def false(self) -> int:
        """Count detections that are not right, without the ignored ones."""
        return int((self.taken != IGNORED).sum() - self.right().sum())

    def takers(self) -> dict[int, int]:
        """Return the detection of each object that has one."""
        return {int(self.taken[i]): int(i) for i in np.flatnonzero(self.taken >= 0)}

    def _labels_of_taken(self) -> np.ndarray:
        return np.append(self.labels, -1)[np.maximum(self.taken, -1)]


def match(
    ious: np.ndarray, labels: np.ndarray, crowd: np.ndarray, answers: np.ndarray
) -> np.ndarray:
    """Match detections to objects.

    Args:
        ious: (D, G) of detections, by falling score, with objects.
        labels: the classes of the objects (G,).
        crowd: which objects are crowd regions (G,).
        answers: the classes of the detections (D,).

    Returns:
        The object of each detection (D,), or FALSE or IGNORED.
    """
    taken = np.full(len(answers), FALSE)
    free = ~crowd
    for i, answer in enumerate(answers):
        near = ious[i] >= IOU
        if (candidates := np.flatnonzero(free & near)).size:
            order = np.lexsort((ious[i, candidates], labels[candidates] == answer))
            taken[i] = candidates[order[-1]]
            free[taken[i]] = False
        elif (crowd & near & (labels == answer)).any():
            taken[i] = IGNORED
    return taken


def match_all(evaluation: COCOeval, score: float) -> Iterator[Matches]:
    """Match the detections of at least ``score`` in each picture of an evaluation."""
    places = {category: i for i, category in enumerate(evaluation.params.catIds)}
    for image in evaluation.params.imgIds:
        objects = _of_image(evaluation.cocoGt, image, places)
        found = [
            one for one in _of_image(evaluation.cocoDt, image, places) if one['score'] >= score
        ]
        found.sort(key=lambda one: -one['score'])
        labels = np.array([places[one['category_id']] for one in objects], int)
        answers = np.array([places[one['category_id']] for one in found], int)
        crowd = np.array([bool(one.get('iscrowd')) for one in objects], bool)
        shape = 'bbox' if evaluation.params.iouType == 'bbox' else 'segmentation'
        ious = masks.iou(*([one[shape] for one in each] for each in (found, objects)), crowd)
        ious = np.reshape(ious, (len(found), len(objects)))  # a list where one of both is empty
        taken = match(ious, labels, crowd, answers)
        yield Matches(image, objects, found, labels, answers, crowd, taken)


def _of_image(coco, image: int | str, places: dict) -> list[dict]:
    return [one for one in coco.imgToAnns[image] if one['category_id'] in places]


# ------------------------------------------------------------------------ sums


def count(matches: Matches, counts: np.ndarray) -> None:
    """Add a picture to ``counts`` (C + 1, C + 1).

    Rows are the classes of objects, the last: nothing is there. Columns are the classes of
    detections, the last: missed.
    """
    whole = np.append(matches.labels, len(counts) - 1)  # FALSE, -1, is the last: nothing
    counted = matches.taken != IGNORED
    np.add.at(counts, (whole[matches.taken[counted]], matches.answers[counted]), 1)
    missed = ~matches.crowd
    missed[matches.taken[matches.taken >= 0]] = False
    np.add.at(counts, (matches.labels[missed], -1), 1)


def confusion(evaluation: COCOeval, counts: np.ndarray, score: float) -> Matrix:
    """Name the rows and columns of counts."""
    names = class_names(evaluation)
    overlap = 'mask' if evaluation.params.iouType == 'segm' else 'box'
    return Matrix(
        rows=[*names, BACKGROUND],
        columns=[*names, MISSED],
        counts=counts,
        classes=len(names),
        text=(
            f'Rows: what is there; columns: what was found. Detections with a score of at least '
            f'{score:g}, from the highest to the lowest, each take the free object that they '
            f'overlap most ({overlap} IoU at least {IOU}), one of their own class before others. '
            'Objects that nothing takes are in the last column, detections that take none in the '
            'last row; those in crowd regions are left out.'
        ),
    )


def found_table(evaluation: COCOeval, counts: np.ndarray, score: float) -> Table:
    """Return what the counts say of each class."""
    rows = []
    for i, name in enumerate(class_names(evaluation)):
        right, objects, answers = (
            int(n) for n in (counts[i, i], counts[i].sum(), counts[:, i].sum())
        )
        recall = right / objects if objects else None
        precision = right / answers if answers else None
        rows.append([name, objects, right, int(counts[i, -1]), answers, recall, precision])
    return Table(
        head=['class', 'objects', 'found', 'missed', 'detections', 'recall', 'precision'],
        rows=rows,
        text=(
            f'At a score of at least {score:g}, from the matrix below. Objects that are neither '
            'found nor missed were taken for another class.'
        ),
    )
