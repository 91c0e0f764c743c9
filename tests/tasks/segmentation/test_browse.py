"""What of mmseg's samples is drawn: the image, and below it the mask."""

import numpy as np
import torch
from mmengine.structures import PixelData
from mmseg.structures import SegDataSample

from vitbackbones.inference.drawing.boxes import GRAY
from vitbackbones.inference.drawing.sheet import GAP
from vitbackbones.tasks.segmentation.browse import draw

META = {'classes': ('ground', 'shape'), 'palette': [[200, 0, 0], [0, 0, 200]]}
PIXELS = np.full((40, 80, 3), (10, 20, 30), np.uint8)


def test_the_mask_is_below_and_names_are_given():
    labels = np.ones((40, 80), np.uint8)
    labels[:, 60:] = 255
    sample = SegDataSample(gt_sem_seg=PixelData(data=torch.tensor(labels)[None]))
    drawn = draw(PIXELS, sample, META, 400)
    assert drawn.picture.size == (400, 2 * 200 + GAP)
    pixels = np.array(drawn.picture)
    assert (pixels[:200] == (30, 20, 10)).all()  # colors as they were
    assert drawn.colors == {1: ('shape', [0, 0, 200]), 255: ('ignored (striped)', GRAY)}
    shape, ignored = pixels[200 + GAP :, :290], pixels[200 + GAP :, 310:]
    assert (shape[..., 2] > shape[..., 0] + 50).all()
    assert len(np.unique(ignored.reshape(-1, 3), axis=0)) == 3  # two kinds of stripes on the image


def test_a_picture_without_a_mask_is_alone():
    drawn = draw(PIXELS, SegDataSample(), META, 400)
    assert drawn.picture.size == (400, 200)
    assert not drawn.colors
