"""Which objects were found, missed or confused: by hand, and as pycocotools sees it."""

import numpy as np
import pytest

from vitbackbones.reporting.coco import evaluate
from vitbackbones.reporting.matching import (
    FALSE,
    IGNORED,
    confusion,
    count,
    found_table,
    match,
    match_all,
)

pytestmark = pytest.mark.compat


def counted(evaluation, score):
    counts, pictures = np.zeros((4, 4), int), list(match_all(evaluation, score))
    for picture in pictures:
        count(picture, counts)
    return counts, pictures


@pytest.mark.parametrize('kind', ['bbox', 'segm'])
def test_a_confusion_matrix_by_hand(evaluated, kind):
    """Of picture 1 the dog is taken for a cat, and what finds it after that is false."""
    metric, _ = evaluated(metric=[kind])
    evaluation = evaluate(metric, kind)
    counts, (first, second, third) = counted(evaluation, 0.3)
    assert counts.tolist() == [
        [1, 0, 0, 1],  # cats: one found, one missed; what finds it has a low score
        [1, 0, 0, 0],  # the dog is taken for a cat
        [0, 0, 0, 0],  # no emus
        [1, 1, 1, 0],  # nothing: a cat, a second dog, an emu; the dog in the crowd is ignored
    ]
    assert first.taken.tolist() == [0, 1, FALSE]
    assert second.taken.tolist() == [IGNORED, FALSE]
    assert [(each.missed(), each.false()) for each in (first, second, third)] == [
        (1, 2),
        (1, 1),
        (0, 1),
    ]
    with_low_scores, _ = counted(evaluation, 0.1)
    assert with_low_scores[0].tolist() == [2, 0, 0, 0]

    matrix = confusion(evaluation, counts, 0.3)
    assert matrix.rows[:3] == matrix.columns[:3] == ['cat', 'dog', 'emu']
    assert found_table(evaluation, counts, 0.3).rows == [
        ['cat', 2, 1, 1, 3, 0.5, 1 / 3],
        ['dog', 1, 0, 0, 1, 0.0, 0.0],
        ['emu', 0, 0, 0, 1, None, 0.0],
    ]


def test_an_object_of_the_same_class_comes_before_one_that_overlaps_more():
    ious, labels, crowd = np.array([[0.9, 0.6]]), np.array([0, 1]), np.zeros(2, bool)
    assert match(ious, labels, crowd, np.array([1])).tolist() == [1]
    assert match(ious, labels, crowd, np.array([2])).tolist() == [0]
    assert match(ious - 0.2, labels, crowd, np.array([1])).tolist() == [0]


def test_a_crowd_takes_any_number_but_only_of_its_class():
    ious, labels, crowd = np.ones((3, 1)), np.array([0]), np.array([True])
    assert match(ious, labels, crowd, np.array([0, 0, 1])).tolist() == [IGNORED, IGNORED, FALSE]


def test_pictures_without_objects_or_detections(evaluated):
    metric, _ = evaluated({1: [], 2: [], 3: []})
    counts, pictures = counted(evaluate(metric, 'bbox'), 0.3)
    assert counts[:, 3].tolist() == [2, 1, 0, 0]
    assert counts[:, :3].sum() == 0
    assert [each.missed() for each in pictures] == [2, 1, 0]
    assert found_table(evaluate(metric, 'bbox'), counts, 0.3).rows[0][-2:] == [0.0, None]
