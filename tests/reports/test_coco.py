"""The scores of classes are those of pycocotools: their means are what mmdet prints."""

import weakref

import numpy as np
import pytest

from vitbackbones.data.checks.coco_file import many_objects
from vitbackbones.reports.coco import (
    class_names,
    class_table,
    count_matches,
    evaluate,
    match,
    mean_of_known,
    precisions,
)

from . import toy

pytestmark = pytest.mark.compat
PRINTED = {'AP': '', 'AP50': '_50', 'AP75': '_75', 'AP small': '_s', 'AP medium': '_m'}


def table_of(metric, kind='bbox', score=0.3):
    evaluation = evaluate(metric, kind)
    counts = count_matches(match(metric, kind, score), evaluation.params.catIds)
    return class_table(evaluation, counts, score)


@pytest.mark.parametrize('kind', ['bbox', 'segm'])
def test_means_over_classes_are_what_mmdet_prints(evaluated, kind):
    metric, printed = evaluated(metric=[kind], proposal_nums=(1, 2, 100))
    row = dict(zip(table_of(metric, kind).head, table_of(metric, kind).rows[-1], strict=True))
    assert row['objects'] == 3
    for name, end in PRINTED.items():
        assert row[name] == pytest.approx(printed[f'coco/{kind}_mAP{end}'], abs=5.1e-4)


def test_more_detections_than_a_hundred_count_where_they_do_in_mmdet(evaluated):
    """Its AP takes a hundred in a picture, its AP50 all; here the right one comes last."""
    wrong = [(0, 0.9 - i / 1000, (60, 60, 5, 5)) for i in range(120)]
    metric, printed = evaluated({**toy.FOUND, 2: [*wrong, (0, 0.1, (10, 50, 40, 40))]})
    evaluation = evaluate(metric, 'bbox')
    for name, end in PRINTED.items():
        mean = mean_of_known(precisions(evaluation, name).mean(1))
        assert mean == pytest.approx(printed[f'coco/bbox_mAP{end}'], abs=5.1e-4)
    cats = [precisions(evaluation, name)[0].mean() for name in ('AP50', 'AP')]
    assert cats[0] > 0.5 > cats[1]


def test_scores_of_a_class_by_hand(evaluated):
    metric, _ = evaluated()
    evaluation = evaluate(metric, 'bbox')
    assert class_names(evaluation) == {1: 'cat', 2: 'dog', 3: 'emu'}
    # cats by score: right, two false, right; so precision is 1 up to recall 1/2, then 1/2
    lines = precisions(evaluation, 'AP50')
    np.testing.assert_allclose(lines[0], [1] * 51 + [0.5] * 50)
    assert lines[1].mean() == pytest.approx(1)  # what is in the crowd does not count
    assert np.isnan(lines[2]).all()
    cat, dog, emu, mean = table_of(metric).rows
    assert [each[1] for each in (cat, dog, emu, mean)] == [2, 1, 0, 3]  # the crowd of dogs is none
    assert cat[-3:] == [pytest.approx(cat[-3]), 0.5, pytest.approx(1 / 3)]
    assert dog[-2:] == [0, 0]
    assert np.isnan(emu[2:-1]).all()
    assert emu[-1] == 0
    assert mean[-2:] == pytest.approx([0.25, 1 / 9])


def test_an_evaluation_begins_without_the_memory_of_the_last_one(evaluated):
    metric, _ = evaluated()
    first = evaluate(metric, 'bbox')
    first.again = first  # a cycle, as others have that pycocotools makes
    last = weakref.ref(first)
    with many_objects():  # without which Python looks for cycles at any time
        del first
        assert last()
        evaluate(metric, 'bbox')
    assert last() is None


def labels(pairs):
    return [tuple(each and each['category_id'] for each in pair) for pair in pairs]


@pytest.mark.parametrize('kind', ['bbox', 'segm'])
def test_matches_by_hand(evaluated, kind):
    """Of picture 1 the dog is taken for a cat, and what finds it after that is false."""
    metric, _ = evaluated(metric=[kind])
    pairs = match(metric, kind, 0.3)
    assert labels(pairs[1]) == [(1, 1), (2, 1), (None, 2)]
    assert labels(pairs[2]) == [(1, None), (None, 1)]  # the dog in the crowd is left out
    assert labels(pairs[3]) == [(None, 3)]
    assert count_matches(pairs, [1, 2, 3]).tolist() == [
        [1, 0, 0, 1],  # cats: one found, one missed; what finds it has a low score
        [1, 0, 0, 0],  # the dog is taken for a cat
        [0, 0, 0, 0],  # no emus
        [1, 1, 1, 0],  # nothing: a cat, a second dog, an emu
    ]
    assert labels(match(metric, kind, 0.1)[2])[0] == (1, 1)
