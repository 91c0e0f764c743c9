"""The best boxes of a batch are those that mmcv finds image by image."""

import pytest
import torch
from mmcv.ops import batched_nms

from vitbackbones.errors import InputError
from vitbackbones.export.models.selection import Found, best, best_apart, overlap_of

COUNT = 12


def found(images=2, boxes=60, labels=3, missing=20):
    """Random boxes that overlap a lot; the last ``missing`` of each image are none."""
    corners = torch.rand(images, boxes, 2) * 200
    sides = torch.rand(images, boxes, 2) * 200
    scores = torch.rand(images, boxes) + 0.01
    scores[:, boxes - missing :] = 0
    both = torch.cat([corners, corners + sides], dim=-1)
    return Found(both, scores, torch.randint(labels, (images, boxes)))


def test_the_same_boxes_stay_as_with_mmcv():
    given = found()
    chosen = best_apart(given, 0.4, COUNT)
    for i, one in enumerate(zip(*given.objects, strict=True)):
        boxes, scores, labels = (each[one[1] > 0] for each in one)
        expected, kept = batched_nms(boxes, scores, labels, {'type': 'nms', 'iou_threshold': 0.4})
        assert len(kept) > COUNT
        assert torch.equal(chosen.boxes[i], expected[:COUNT, :4])
        assert torch.equal(chosen.scores[i], expected[:COUNT, 4])
        assert torch.equal(chosen.labels[i], labels[kept[:COUNT]])


def test_boxes_that_are_none_change_nothing():
    """They take no part in how far labels are shifted apart, either."""
    given = found(missing=20)
    far = given.boxes.clone()
    far[:, -20:] *= 1e6
    ours, theirs = best_apart(given, 0.4, COUNT), best_apart(given._replace(boxes=far), 0.4, COUNT)
    assert all(torch.equal(a, b) for a, b in zip(ours.objects, theirs.objects, strict=True))


def test_the_place_of_a_box_goes_with_it():
    given = found()
    given = given._replace(places=torch.arange(60).expand(2, -1))
    chosen = best_apart(given, 0.4, COUNT)
    for i in range(2):
        assert torch.equal(given.boxes[i][chosen.places[i]], chosen.boxes[i])


def test_places_without_an_object_have_no_score_and_no_label():
    given = found(boxes=8, missing=5)
    boxes, scores, labels = best(given, COUNT).objects
    assert scores[:, :3].gt(0).all()
    assert torch.equal(scores[:, :3], given.scores.sort(descending=True)[0][:, :3])
    assert (scores[:, 3:] == 0).all()
    assert (labels[:, 3:] == -1).all()
    assert (boxes[:, 3:] == 0).all()


@pytest.mark.parametrize(
    'settings',
    [
        {'type': 'soft_nms', 'iou_threshold': 0.5},
        {'iou_threshold': 0.5, 'class_agnostic': True},
    ],
)
def test_other_suppression_is_refused(settings):
    with pytest.raises(InputError, match=r'^model\.test_cfg\.nms: is .*iou_threshold=\.\.\.'):
        overlap_of(settings, 'model.test_cfg.nms')
