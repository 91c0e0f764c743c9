"""What judges an INT8 file."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from vitbackbones.errors import InputError
from vitbackbones.export import judges
from vitbackbones.export.judges import Agreement, Validation
from vitbackbones.runtime.answers import Classified, Detected, Segmented

BOXES = np.array([[0, 0, 10, 10], [20, 20, 30, 30], [0, 0, 5, 10], [0, 0, 4, 10]], np.float32)
CAT, DOG = Classified(np.array([0.9, 0.1])), Classified(np.array([0.4, 0.6]))


def objects(*rows, scores=(0.9, 0.3, 0.29, 0.5), labels=(0, 1, 2, 0)):
    rows = [*rows]
    return Detected(BOXES[rows], np.array(scores)[rows], np.array(labels)[rows])


def answering(*answers):
    """An exported file that answers one file after the other."""
    known = dict(zip('abcdef', answers, strict=False))
    return SimpleNamespace(predict=lambda file: known[file])


@pytest.fixture(autouse=True)
def read_names(monkeypatch):
    monkeypatch.setattr(judges, 'read_image', lambda file: file)


@pytest.mark.parametrize(
    ('found', 'wanted', 'count'),
    [
        (CAT, CAT, (1, 1)),
        (DOG, CAT, (0, 1)),
        (Segmented(np.array([[1, 2], [3, 4]])), Segmented(np.array([[1, 2], [3, 0]])), (3, 4)),
        (Detected(segments=np.array([[1, 2]])), Detected(segments=np.array([[1, 3]])), (1, 2)),
        (objects(1, 0), objects(0, 1, 2), (2, 2)),  # an unsure object does not count
        (objects(0), objects(0, 1), (1, 2)),
        (objects(), objects(0), (0, 1)),
        (objects(0), objects(), (0, 0)),
        (objects(2, labels=(0, 1, 0, 0)), objects(0), (1, 1)),  # IoU of just a half
        (objects(3), objects(0), (0, 1)),
        (objects(0, labels=(1, 1, 1, 1)), objects(0), (0, 1)),
    ],
)
def test_what_is_found_again(found, wanted, count):
    judge = Agreement(answering(wanted), ['a'])
    assert judge.count(answering(found), 'a') == count


def test_the_share_is_of_all_pictures():
    judge = Agreement(answering(CAT, CAT, DOG), [*'abc'])
    assert judge.score(answering(CAT, DOG, DOG)) == pytest.approx(2 / 3)
    assert judge.files == [*'abc']
    nothing = Agreement(answering(objects()), ['a'])
    with pytest.raises(InputError, match='detects nothing'):
        nothing.score(answering(objects(0)))


@pytest.fixture
def validation():
    """``validation(**metrics)`` judges by these metrics of a test set of cats."""

    def make(**metrics):
        made = Validation.__new__(Validation)
        dataset = SimpleNamespace(metainfo={'classes': ['cat']})
        made.runner = SimpleNamespace(
            test_loop=SimpleNamespace(dataloader=SimpleNamespace(dataset=dataset)),
            model=SimpleNamespace(exported=None),
            test=lambda: {name.replace('__', '/'): value for name, value in metrics.items()},
        )
        return made

    return make


EXPORTED = SimpleNamespace(card=SimpleNamespace(classes=['cat'], name='tiny'))


@pytest.mark.parametrize(
    ('metrics', 'name', 'value'),
    [
        ({'coco__bbox_mAP': 0.4, 'coco__segm_mAP': 0.3}, 'coco/segm_mAP', 0.3),
        ({'coco__bbox_mAP': 1.0}, 'coco/bbox_mAP', 1),
        ({'mIoU': 40.0, 'aAcc': 90.0}, 'mIoU', 0.4),
        ({'coco_panoptic__PQ': 40.0, 'coco__bbox_mAP': 0.3}, 'coco_panoptic/PQ', 0.4),
        ({'accuracy__top1': 0.0}, 'accuracy/top1', 0),
    ],
)
def test_the_metric_of_the_task_judges(validation, metrics, name, value):
    judge = validation(**metrics)
    assert judge.score(EXPORTED) == pytest.approx(value)
    assert judge.metric == name
    assert judge.runner.model.exported is EXPORTED


@pytest.mark.parametrize(
    ('metrics', 'message'),
    [
        ({'other': 1.0}, 'give other, but'),
        ({}, 'give no number'),
        ({'coco__bbox_mAP': -1}, 'coco/bbox_mAP is -1: the test set'),
        ({'mIoU': float('nan')}, 'mIoU is nan'),
        ({'mIoU': 101.0}, 'mIoU is 1.01'),
    ],
)
def test_metrics_that_judge_nothing(validation, metrics, message):
    with pytest.raises(InputError, match=message):
        validation(**metrics).score(EXPORTED)


def test_a_test_set_of_other_classes_judges_nothing(validation):
    other = SimpleNamespace(card=SimpleNamespace(classes=['dog'], name='tiny'))
    with pytest.raises(InputError, match='tiny'):
        validation(mIoU=40.0).score(other)


def test_masks_of_the_pictures_are_not_kept():
    """Those of a hundred objects in a photo of 12 megapixels take a gigabyte."""
    wanted = replace(objects(0), masks=np.ones((1, 30, 30), bool))
    judge = Agreement(answering(wanted), ['a'])
    assert judge.wanted['a'].masks is None
    assert judge.count(answering(wanted), 'a') == (1, 1)
