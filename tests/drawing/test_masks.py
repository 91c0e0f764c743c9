"""Pictures of segmentations: colors where the labels are, the image where nothing counts."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from PIL import Image

from vitbackbones.drawing import predictions
from vitbackbones.drawing.predictions import COLOR_OPACITY, LEGEND, draw_masks, legend, overlay

PALETTE = [[200, 0, 0], [0, 0, 200]]


def test_overlay():
    pixels = np.full((400, 400, 3), (40, 90, 140), np.uint8)
    labels = np.zeros((400, 400), np.uint8)
    labels[:, 100:] = 1
    labels[:, 300:] = 255
    drawn = np.array(overlay(Image.fromarray(pixels), labels, PALETTE))
    gray = np.dot((40, 90, 140), (0.299, 0.587, 0.114))
    for column, color in ((50, PALETTE[0]), (200, PALETTE[1])):
        expected = (1 - COLOR_OPACITY) * gray + COLOR_OPACITY * np.array(color)
        assert np.abs(drawn[200, column] - expected).max() <= 1.5
    assert (drawn[:, 301:] == (40, 90, 140)).all()
    assert (pixels == (40, 90, 140)).all()


def test_the_legend_names_the_largest_classes_in_rows():
    classes = [f'a rather long name {i}' for i in range(40)]
    palette = [[i, 255 - i, 0] for i in range(40)]
    labels = np.arange(40, dtype=np.uint8).repeat(40 - np.arange(40))  # the first are the largest
    strip = legend(labels[None], classes, palette, 400)
    colors = {color for _, color in strip.getcolors(1 << 20)}
    assert {i for i in range(40) if tuple(palette[i]) in colors} == set(range(LEGEND))
    assert strip.width == 400
    assert strip.height > 100
    nothing = legend(np.full((2, 2), 255, np.uint8), ['a'], PALETTE, 50)
    assert {color for _, color in nothing.getcolors()} == {(255, 255, 255)}


def test_of_equal_pixels_and_none():
    strip = legend(np.array([[0, 1, 255]], np.uint8), ['a', 'b', 'c'], [*PALETTE, [9, 9, 9]], 90)
    colors = {color for _, color in strip.getcolors(1 << 20)}
    assert {tuple(PALETTE[0]), tuple(PALETTE[1])} <= colors
    assert (9, 9, 9) not in colors


class Answer(dict):
    """Masks by their names, as mmseg's samples have them."""


@pytest.mark.parametrize('has_truth', [True, False])
def test_answers_beside_the_truth(monkeypatch, has_truth):
    image = np.full((40, 60, 3), (10, 20, 30), np.uint8)
    answer = Answer(pred_sem_seg=SimpleNamespace(data=torch.ones(1, 40, 60)))
    if has_truth:
        answer['gt_sem_seg'] = SimpleNamespace(data=torch.zeros(1, 40, 60))
    panels = []
    monkeypatch.setattr(predictions.sheet, 'answered', lambda model, sample: answer)
    beside = predictions.sheet.side_by_side
    monkeypatch.setattr(
        predictions.sheet, 'side_by_side', lambda cells: panels.append(dict(cells)) or beside(cells)
    )

    class Images(list):
        metainfo = {'classes': ['a', 'b'], 'palette': PALETTE}
        pipeline = SimpleNamespace(transforms=[lambda info: {'img': image}])

        def get_data_info(self, place):
            return {'img_path': '/x/a.png'}

    ((name, drawn),) = draw_masks(None, Images([0]), 1)
    assert name == '00000_a'
    (titles,) = panels
    assert list(titles) == ['ground truth', 'prediction'][not has_truth :]
    colors = {color for _, color in drawn.getcolors(1 << 20)}
    assert (tuple(PALETTE[0]) in colors) is has_truth
    assert tuple(PALETTE[1]) in colors
    pixel = np.array(titles['prediction'].getpixel((200, 100)))
    assert (
        np.abs(pixel - ((1 - COLOR_OPACITY) * 22 + COLOR_OPACITY * np.array(PALETTE[1]))).max() < 2
    )
