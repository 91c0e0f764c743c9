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


def drawn(sample, pixels=PIXELS, meta=META):
    return np.array(browse.draw(pixels, sample, meta, 400).picture)


def has(pixels, color):
    return (pixels == color).all(-1).any()


@pytest.fixture
def objects(monkeypatch):
    """What is handed to the drawing of objects."""
    given = []
    real = browse.draw_objects
    monkeypatch.setattr(
        browse, 'draw_objects', lambda *words: given.append(words[1]) or real(*words)
    )
    return given


def test_boxes_and_those_that_are_ignored(objects):
    sample = DetDataSample(gt_instances=instances(1), ignored_instances=instances(0))
    pixels = drawn(sample)
    assert pixels.shape == (300, 400, 3)
    assert has(pixels, PALETTE[1])
    assert has(pixels, GRAY)
    assert objects[0].boxes.tolist() == [BOX, BOX]
    assert objects[0].ignored.tolist() == [False, True]


def test_masks_end_where_a_batch_begins_to_pad(objects):
    mask = np.zeros((1, 50, 60), np.uint8)
    mask[0, 20:50, 10:40] = 1
    drawn(DetDataSample(gt_instances=instances(0, mask)))
    assert objects[0].masks.shape == (1, 60, 80)
    assert objects[0].masks.sum() == mask.sum()


def test_things_stuff_and_what_is_neither(objects):
    labels = np.full((60, 80), 2)
    labels[20:50, 10:40] = 1
    labels[:, 70:] = 255
    sample = DetDataSample(
        gt_instances=instances(1, (labels == 1)[None].astype(np.uint8)),
        gt_sem_seg=PixelData(sem_seg=torch.tensor(labels)[None]),
    )
    pixels = drawn(sample)
    assert objects[0].labels.tolist() == [1, 2]
    assert [mask.sum() for mask in objects[0].masks] == [30 * 30, 60 * 70 - 30 * 30]
    assert len(np.unique(pixels[200:, 360:].reshape(-1, 3), axis=0)) > 2  # stripes


@pytest.mark.parametrize('sample', [DetDataSample(), DetDataSample(gt_instances=InstanceData())])
def test_a_picture_without_objects_stays_as_it_is(sample):
    assert (drawn(sample) == 90).all()
