"""The scores of classes are those of pycocotools: their means are what mmdet prints."""

import numpy as np
import pytest

from vitbackbones.reporting.coco import (
    SCORES,
    class_names,
    class_table,
    count_objects,
    evaluate,
    mean,
    precisions,
    scores,
)

from . import toy

pytestmark = pytest.mark.compat
PRINTED = {'AP': '', 'AP50': '_50', 'AP75': '_75', 'AP small': '_s', 'AP medium': '_m'}


@pytest.mark.parametrize('kind', ['bbox', 'segm'])
def test_means_over_classes_are_what_mmdet_prints(evaluated, kind):
    metric, printed = evaluated(metric=[kind], proposal_nums=(1, 2, 100))
    evaluation = evaluate(metric, kind)
    for name, end in PRINTED.items():
        assert mean(scores(evaluation, name)) == pytest.approx(
            printed[f'coco/{kind}_mAP{end}'], abs=5.1e-4
        )
    row = class_table(evaluation).rows[-1]
    assert row[1:4] == [3, pytest.approx(mean(scores(evaluation, 'AP'))), pytest.approx(row[3])]


def test_more_detections_than_a_hundred_count_where_they_do_in_mmdet(evaluated):
    """Its AP takes a hundred in a picture, its AP50 all; here the right one comes last."""
    crowded = [(0, 0.9 - i / 1000, (60, 60, 5, 5)) for i in range(120)] + [
        (0, 0.1, (10, 50, 40, 40))
    ]
    metric, printed = evaluated({**toy.FOUND, 2: crowded})
    evaluation = evaluate(metric, 'bbox')
    for name, end in PRINTED.items():
        assert mean(scores(evaluation, name)) == pytest.approx(
            printed[f'coco/bbox_mAP{end}'], abs=5.1e-4
        )
    assert scores(evaluation, 'AP50')[0] > 0.5 > scores(evaluation, 'AP')[0]


def test_scores_of_a_class_by_hand(evaluated):
    metric, _ = evaluated()
    evaluation = evaluate(metric, 'bbox')
    assert class_names(evaluation) == ['cat', 'dog', 'emu']
    assert count_objects(evaluation) == [2, 1, 0]  # the crowd of dogs is none
    # cats by score: right, two false, right; so precision is 1 up to recall 1/2, then 1/2
    expected = (51 * 1 + 50 * 0.5) / 101
    assert scores(evaluation, 'AP50')[0] == pytest.approx(expected)
    assert scores(evaluation, 'AP50')[1] == pytest.approx(1)  # what is in the crowd does not count
    lines = precisions(evaluation, 0.5)
    np.testing.assert_allclose(lines[0], [1] * 51 + [0.5] * 50)
    assert np.isnan(lines[2]).all()


def test_a_class_without_objects_has_dashes(evaluated):
    table = class_table(evaluate(evaluated()[0], 'bbox'))
    assert table.head == ['class', 'objects', *SCORES]
    assert table.rows[2] == ['emu', 0, *[None] * len(SCORES)]
    assert table.rows[-1][table.head.index('AP large')] is None


def test_no_detections_at_all(evaluated):
    metric, printed = evaluated({1: [], 2: [], 3: []})
    assert printed['coco/bbox_mAP'] == 0
    table = class_table(evaluate(metric, 'bbox'))
    assert [row[:3] for row in table.rows[:-1]] == [['cat', 2, 0], ['dog', 1, 0], ['emu', 0, None]]
