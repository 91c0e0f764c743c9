"""Pictures of classifications: a right answer has the color of the truth."""

import numpy as np
import pytest
import torch
from mmpretrain.structures import DataSample
from PIL import Image

from vitbackbones.drawing import predictions, sheet
from vitbackbones.drawing.predictions import draw_classes, name_classes
from vitbackbones.drawing.sheet import GAP, LINE, PALETTE

CLASSES = ['ant', 'bee', 'cat', 'dog']


@pytest.mark.parametrize(
    ('truth', 'scores', 'named'),
    [
        (0, (0.0, 0.5, 0.3, 0.2), CLASSES),
        (1, (0.0, 0.5, 0.3, 0.2), CLASSES[1:]),
        (None, (0.4, 0.0, 0.3, 0.3), ['ant', 'cat', 'dog']),
        (0, (0.9, 0.1), ['ant', 'bee']),
    ],
)
def test_the_truth_and_the_three_best_answers_are_named(truth, scores, named):
    picture = name_classes(Image.new('RGB', (400, 300)), truth, np.array(scores), CLASSES)
    found = {color for _, color in picture.getcolors(1 << 20)}
    assert [name for name, color in zip(CLASSES, PALETTE, strict=False) if color in found] == named
    assert picture.width == 400


def test_lines_stand_below_one_another_on_white():
    picture = name_classes(Image.new('RGB', (400, 300)), 3, np.array([0.5, 0.3, 0.2]), 'abcd')
    pixels = np.asarray(picture)
    assert pixels.shape == (300 + GAP + 4 * (LINE + GAP), 400, 3)
    tops = [300 + GAP + row * (LINE + GAP) for row in range(4)]
    assert [tuple(pixels[top, 0]) for top in tops] == [PALETTE[i] for i in (3, 0, 1, 2)]
    assert (pixels[300:, 399] == 255).all()
    assert (pixels[tops[0] + LINE : tops[1]] == 255).all()


def test_of_equal_scores_the_first_are_named_and_colors_come_again(monkeypatch):
    texts = []
    label = sheet.text_label
    monkeypatch.setattr(sheet, 'text_label', lambda *args: texts.append(args) or label(*args))
    names = [f'class {i}' for i in range(9)]
    name_classes(Image.new('RGB', (400, 300)), None, np.array([0.0] * 5 + [0.25] * 4), names)
    assert texts == [
        ('class 5 0.25', PALETTE[5]),
        ('class 6 0.25', PALETTE[6]),
        ('class 7 0.25', PALETTE[0]),
    ]
    name_classes(Image.new('RGB', (400, 300)), 8, np.array([0.0] * 9), names)
    assert texts[3] == ('ground truth: class 8', PALETTE[1])


class Images:
    """A data set of decoded images, or of files."""

    metainfo = {'classes': CLASSES}

    def __init__(self, paths):
        self.paths = paths

    def __len__(self):
        return len(self.paths)

    def get_data_info(self, place):
        path = self.paths[place]
        return {'img_path': path} if path else {'img': np.full((30, 40, 3), 7, np.uint8)}

    def __getitem__(self, place):
        return place


@pytest.mark.parametrize('truth', [None, 0, 2])
def test_answers_of_a_model_are_named(monkeypatch, tmp_path, truth):
    Image.new('RGB', (40, 30), 'red').save(tmp_path / 'a.png')
    sample = DataSample().set_pred_score(torch.tensor([0.1, 0.2, 0.3, 0.4]))
    if truth is not None:
        sample.set_gt_label(truth)
    drawn = []
    monkeypatch.setattr(sheet, 'answered', lambda model, place: sample)
    monkeypatch.setattr(predictions, 'name_classes', lambda *args: drawn.append(args) or args[0])
    dataset = Images([str(tmp_path / 'a.png'), ''])
    names = [name for name, picture in draw_classes(None, dataset, 2) if picture is not None]
    assert names == ['00000_a', '00001']
    (image, first, scores, known), (other, *_) = drawn
    assert (first, known) == (truth, CLASSES)
    assert scores.tolist() == pytest.approx([0.1, 0.2, 0.3, 0.4])
    assert image.getpixel((0, 0)) == (255, 0, 0)
    assert other.getpixel((0, 0)) == (7, 7, 7)
