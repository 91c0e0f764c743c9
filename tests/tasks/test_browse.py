"""What of samples is drawn, as pipelines and the data preprocessor give them."""

import numpy as np
import pytest
import torch
from mmdet.structures import DetDataSample
from mmdet.structures.bbox import HorizontalBoxes
from mmdet.structures.mask import BitmapMasks
from mmengine.structures import InstanceData, PixelData
from mmpretrain.structures import DataSample
from mmseg.structures import SegDataSample

from vitbackbones.drawing.predictions import GRAY
from vitbackbones.drawing.sheet import GAP, PALETTE
from vitbackbones.tasks import browse
from vitbackbones.tasks.classification.task import Classification

# ------------------------------------------------------------------------ classification


def of(label=None, scores=None):
    sample = DataSample()
    if label is not None:
        sample.set_gt_label(label)
    if scores is not None:
        sample.set_gt_score(torch.tensor(scores))
    return sample


@pytest.mark.parametrize(
    ('sample', 'classes', 'named'),
    [
        (of(1), ('cat', 'dog'), ['dog']),
        (of(0, [0.25, 0.75, 0.0]), ('cat', 'dog', 'cow'), ['75% dog', '25% cat']),
        (of(0, [1.0, 0.0]), ('cat', 'dog'), ['cat']),
        (of(), ('cat', 'dog'), []),
    ],
)
def test_classes_are_named(sample, classes, named, monkeypatch):
    texts = []
    text_label = browse.sheet.text_label
    monkeypatch.setattr(
        browse.sheet,
        'text_label',
        lambda text, color: texts.append(text) or text_label(text, color),
    )
    drawn = browse.draw_classes(np.zeros((64, 64, 3), np.uint8), sample, {'classes': classes}, 400)
    assert drawn.picture.size == (192, 192)
    assert texts == named


def test_the_preprocessor_mixes_as_the_model_says():
    mixes = {'augments': [{'type': 'Mixup', 'alpha': 0.8}]}
    model = {'train_cfg': mixes, 'data_preprocessor': {'num_classes': 3}}
    assert Classification().preprocessor(model) == {
        'type': 'ClsDataPreprocessor',
        'batch_augments': mixes,
        'num_classes': 3,
    }
    given = {'type': 'vitbackbones.ErasingPreprocessor', 'batch_augments': None}
    assert Classification().preprocessor({'train_cfg': mixes, 'data_preprocessor': given}) == given


# ------------------------------------------------------------------------ detection

THINGS = {
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
        return np.array(browse.draw_instances(PIXELS, sample, THINGS, 400).picture), given[-1]

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


# ------------------------------------------------------------------------ segmentation

REGIONS = {'classes': ('ground', 'shape'), 'palette': [[200, 0, 0], [0, 0, 200]]}
COLORED = np.full((40, 80, 3), (10, 20, 30), np.uint8)


def test_the_mask_is_below_and_names_are_given():
    labels = np.ones((40, 80), np.uint8)
    labels[:, 60:] = 255
    sample = SegDataSample(gt_sem_seg=PixelData(data=torch.tensor(labels)[None]))
    drawn = browse.draw_mask(COLORED, sample, REGIONS, 400)
    assert drawn.picture.size == (400, 2 * 200 + GAP)
    pixels = np.array(drawn.picture)
    assert (pixels[:200] == (30, 20, 10)).all()  # colors as they were
    assert drawn.colors == {1: ('shape', [0, 0, 200]), 255: ('ignored (striped)', GRAY)}
    shape, ignored = pixels[200 + GAP :, :290], pixels[200 + GAP :, 310:]
    assert (shape[..., 2] > shape[..., 0] + 50).all()
    assert len(np.unique(ignored.reshape(-1, 3), axis=0)) == 3  # two kinds of stripes on the image
