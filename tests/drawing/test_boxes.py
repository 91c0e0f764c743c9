"""Pictures of detections: where boxes and labels come to lie."""

import numpy as np
import pytest
from PIL import Image

from vitbackbones.data.loading.coco_masks import box_around
from vitbackbones.drawing import predictions
from vitbackbones.drawing.predictions import GRAY as IGNORED_COLOR
from vitbackbones.drawing.predictions import Objects, draw_objects, write_labels
from vitbackbones.drawing.sheet import LINE, PALETTE, label_width
from vitbackbones.runtime.answers import Detected
from vitbackbones.runtime.run_lengths import to_rle

GRAY = (128, 128, 128)


def drawn(*boxes, size=(160, 160), name='a', **more):
    """The pixels of a gray image with objects of the second color of the palette, used again."""
    more.setdefault('labels', np.full(len(boxes), len(PALETTE) + 1))
    objects = Objects(np.array(boxes, float).reshape(-1, 4), **more)
    image = Image.new('RGB', size, GRAY)
    pixels = np.array(draw_objects(image, objects, [name] * 2 * len(PALETTE)))
    assert image.getcolors(size[0] * size[1]) == [(size[0] * size[1], GRAY)]
    return pixels


def colored(pixels):
    return (pixels == PALETTE[1]).all(-1)


def test_boxes_are_where_they_belong():
    pixels = drawn([40, 60, 120, 140])
    found = np.argwhere(colored(pixels))  # rows of (y, x)
    scale = 400 / 160
    assert found[:, 1].min() == 40 * scale
    assert found[:, 1].max() == 120 * scale
    assert found[:, 0].max() == 140 * scale
    assert (pixels[250, 200] == GRAY).all()  # nothing is drawn inside


def test_labels_cover_no_other_and_are_left_out_where_there_is_no_room():
    picture = Image.new('RGB', (99, 3 * LINE))
    colors = [(9, 9, i) for i in range(9)]
    write_labels(picture, np.array([[1.0, 2, 30, 40]] * 9), ['a'] * 9, colors)
    assert [picture.getpixel((2, LINE * row + 1)) for row in range(3)] == colors[:3]


def test_labels_that_touch_stand_side_by_side_and_none_leaves_the_picture():
    width = label_width('a')
    picture = Image.new('RGB', (3 * width, 4 * LINE))
    colors = [(9, 9, i) for i in range(4)]
    corners = np.array([[0, LINE, 1, 1], [width, LINE, 1, 1], [90, 99, 1, 1], [-5, 0, 1, 1]])
    write_labels(picture, corners, ['a'] * 4, colors)
    assert picture.getpixel((0, 0)) == colors[0]
    assert picture.getpixel((width, 0)) == colors[1]
    assert picture.getpixel((2 * width, 3 * LINE)) == colors[2]  # moved to the last row
    assert picture.getpixel((0, LINE)) == colors[3]  # moved below the first


@pytest.mark.parametrize('masked', [False, True])
def test_what_is_ignored_is_gray_and_striped_and_says_so(masked):
    masks = np.zeros((1, 160, 160), bool)
    masks[0, 60:140, 40:120] = True

    def pixels(ignored):
        more = {'masks': masks if masked else None, 'ignored': np.array([ignored])}
        return drawn([40, 60, 120, 140], **more)

    ignored = pixels(True)
    inside = ignored[160:340, 110:290].reshape(-1, 3)  # of 400 x 400
    assert len(np.unique(inside, axis=0)) >= 3  # two kinds of stripes, and the picture
    assert not colored(ignored).any()
    assert (ignored == IGNORED_COLOR).all(-1).any()
    assert colored(pixels(False)).any()


@pytest.mark.parametrize('masked', [False, True])
def test_the_truth_is_drawn_as_what_is_found(masked, tmp_path, monkeypatch):
    file = tmp_path / 'a.png'
    Image.new('RGB', (160, 160), GRAY).save(file)
    mask = np.zeros((160, 160), bool)
    mask[40:120, 40:120] = True
    box = box_around(mask)
    instance = {'bbox': box, 'bbox_label': 1, 'mask': to_rle(mask)}
    info = {'img_path': str(file), 'height': 160, 'width': 160, 'instances': [instance]}

    class Dataset(list):
        metainfo = {'classes': ['a', 'b']}

        def get_data_info(self, place):
            return info

    found = Detected(np.array([box]), np.ones(1), np.ones(1, int), mask[None] if masked else None)
    monkeypatch.setattr(predictions.sheet, 'answered', lambda model, sample: None)
    monkeypatch.setattr(predictions, 'to_answer', lambda sample: found)
    ((_, picture),) = predictions.draw_detections(None, Dataset([{}]), 1, 0.3)
    truth, prediction = np.split(np.array(picture.crop((0, 60, 808, 400))), [404], axis=1)
    for panel in (truth, prediction):
        assert (panel[140, 200] == GRAY).all() != masked
