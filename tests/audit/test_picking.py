"""Which pictures are worth labeling next."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from vitbackbones.audit import picking
from vitbackbones.audit.picking import LEAST, MOST, Looks, pick


def looks(*rows):
    """Looks of (angle in degrees, doubt)."""
    angles, doubts = zip(*rows, strict=True)
    radians = np.radians(angles)
    return Looks(np.stack([np.cos(radians), np.sin(radians)], 1), np.array(doubts, float))


@pytest.mark.parametrize(
    ('unlabeled', 'number', 'order'),
    [
        ([(10, 1), (90, 1), (40, 1)], 3, [1, 2, 0]),  # far from what is known, and from the chosen
        ([(90, 1), (92, 1), (40, 1)], 2, [1, 2]),
        ([(90, 0.1), (40, 0.9)], 1, [1]),  # distance times doubt
        ([(90, 1)], 5, [0]),
        ([(90, 1)], 0, []),
        ([(0, 1), (0, 0.5)], 2, [0, 1]),  # no distance at all: each is chosen once
    ],
)
def test_what_is_in_doubt_and_unlike_what_is_known_comes_first(
    monkeypatch, unlabeled, number, order
):
    found = {'known': looks((0, 1)), 'unlabeled': looks(*unlabeled)}
    names = [str(row) for row in range(len(unlabeled))]
    monkeypatch.setattr(
        picking, '_look', lambda _, files: found['known' if files == ['k'] else 'unlabeled']
    )
    chosen = pick(None, ['k'], names, number)
    assert chosen == [(names[row], unlabeled[row][1]) for row in order]


class Pixels(dict):
    """A prediction of one pixel, by the probabilities of its classes."""

    def __init__(self, *logits):
        data = torch.tensor(logits).log()[:, None, None]
        self.seg_logits = self['seg_logits'] = SimpleNamespace(data=data)


class Detections(dict):
    """A prediction of objects with these scores."""

    def __init__(self, *scores):
        self.pred_instances = SimpleNamespace(scores=torch.tensor(scores))


@pytest.mark.parametrize(
    ('pred', 'doubt'),
    [
        (Detections(0.5), 1),
        (Detections(1.0), 0),
        (Detections(0.25, 0.5), 0.75),
        (Detections(), 0),
        (Detections(*[0.5] * MOST, *[1.0] * 5), 1),  # the most doubtful ones count
        (Pixels(0.6, 0.3, 0.1), 0.7),
        (Pixels(1.0, 0.0, 0.0), 0),
    ],
)
def test_doubt(pred, doubt):
    assert picking._doubt(pred) == pytest.approx(doubt)


class Predictor:
    """One of pictures with two bands, which answers as it is told."""

    color = 2

    def __init__(self, backbone, answer):
        self.model = SimpleNamespace(backbone=backbone)
        self.answer = answer

    def prepare(self, frame):
        return frame

    def __call__(self, frames):
        return self.answer(frames)


def test_a_model_looks_at_each_picture(monkeypatch, tmp_path):
    class Backbone(torch.nn.Module):
        def forward(self, x):
            return [
                x,
                torch.full((1, 2, 3, 3), 4.0) * torch.tensor([3.0, 4.0])[None, :, None, None],
            ]

    backbone = Backbone()

    def answer(frames):
        backbone(torch.zeros(1))
        return [Detections(0.5 if frames[0].source.name == 'a.png' else 1.0)]

    bands = []
    monkeypatch.setattr(picking, 'read_image', lambda file, color: bands.append(color))
    vectors, doubts = picking._look(
        Predictor(backbone, answer), [tmp_path / 'a.png', tmp_path / 'b.png']
    )
    assert bands == [2, 2]
    assert vectors == pytest.approx(np.array([[0.6, 0.8]] * 2))
    assert doubts.tolist() == [1, LEAST]
    assert not backbone._forward_hooks


def test_all_windows_that_slide_over_a_picture_count(monkeypatch, tmp_path):
    """None of their maps stays: of many pictures they would fill the memory."""

    class Backbone(torch.nn.Module):
        def forward(self, x):
            return [x]

    backbone = Backbone()

    def answer(frames):
        for value in (6.0, 0.0):
            backbone(torch.tensor([value, 4.0])[None, :, None, None].expand(1, 2, 3, 3))
        return [Detections(0.5)]

    monkeypatch.setattr(picking, 'read_image', lambda file, color: None)
    vectors, _ = picking._look(
        Predictor(backbone, answer), [tmp_path / 'a.png', tmp_path / 'b.png']
    )
    assert vectors == pytest.approx(np.array([[0.6, 0.8]] * 2))
