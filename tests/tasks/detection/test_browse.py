"""What of mmdet's samples is drawn, as pipelines and the data preprocessor give them."""

import numpy as np
import pytest
import torch
from mmdet.structures import DetDataSample
from mmdet.structures.bbox import HorizontalBoxes
from mmdet.structures.mask import BitmapMasks
from mmengine.structures import InstanceData, PixelData

from vitbackbones.inference.drawing.boxes import GRAY
from vitbackbones.inference.drawing.sheet import PALETTE
from vitbackbones.tasks.detection import browse

META = {
    'classes': ('cell', 'nucleus', 'tissue'),
    'thing_classes': ('cell', 'nucleus'),
    'stuff_classes': ('tissue',),
}
PIXELS = np.full((60, 80, 3), 90, np.uint8)
BOX = [10.0, 20.0, 40.0, 50.0]


def instances(label, masks=None):
    found = InstanceData(bboxes=HorizontalBoxes([BOX]), labels=torch.tensor([label]))
    if masks is not None:
        found.masks = BitmapMasks(masks, *masks.shape[1:])
    return found


@pytest.fixture
def drawn(monkeypatch):
    """``drawn(sample)`` returns the picture, and what was handed to the drawing of objects."""
    given = []
    draw_objects = browse.draw_objects
    monkeypatch.setattr(
        browse, 'draw_objects', lambda *words: given.append(words[1]) or draw_objects(*words)
    )

    def draw(sample):
        return np.array(browse.draw(PIXELS, sample, META, 400).picture), given[-1]

    return draw


def test_boxes_and_those_that_are_ignored(drawn):
    sample = DetDataSample(gt_instances=instances(1), ignored_instances=instances(0))
    pixels, objects = drawn(sample)
    assert pixels.shape == (300, 400, 3)
    for color in (PALETTE[1], GRAY):
        assert (pixels == color).all(-1).any()
    assert objects.boxes.tolist() == [BOX, BOX]
    assert objects.ignored.tolist() == [False, True]


def test_masks_end_where_a_batch_begins_to_pad(drawn):
    mask = np.zeros((1, 50, 60), np.uint8)
    mask[0, 20:50, 10:40] = 1
    _, objects = drawn(DetDataSample(gt_instances=instances(0, mask)))
    assert objects.masks.shape == (1, 60, 80)
    assert objects.masks.sum() == mask.sum()


def test_things_stuff_and_what_is_neither(drawn):
    labels = np.full((60, 80), 2)
    labels[20:50, 10:40] = 1
    labels[:, 70:] = 255
    sample = DetDataSample(
        gt_instances=instances(1, (labels == 1)[None].astype(np.uint8)),
        gt_sem_seg=PixelData(sem_seg=torch.tensor(labels)[None]),
    )
    pixels, objects = drawn(sample)
    assert objects.labels.tolist() == [1, 2]
    assert [mask.sum() for mask in objects.masks] == [30 * 30, 60 * 70 - 30 * 30]
    assert len(np.unique(pixels[200:, 360:].reshape(-1, 3), axis=0)) > 2  # stripes


@pytest.mark.parametrize('sample', [DetDataSample(), DetDataSample(gt_instances=InstanceData())])
def test_a_picture_without_objects_stays_as_it_is(sample, drawn):
    pixels, _ = drawn(sample)
    assert (pixels == 90).all()
