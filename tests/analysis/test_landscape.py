"""The loss around the weights: where it must be what, and that nothing of a long walk is lost."""

from argparse import Namespace

import numpy as np
import pytest
import torch
from mmengine.model import BaseModel
from torch import nn

from vitbackbones.analysis import landscape
from vitbackbones.analysis.landscape import draw, make_direction, mean_loss, measure, movable
from vitbackbones.analysis.subject import Subject
from vitbackbones.errors import InputError

from ..training.toy import IMAGES, ToyModel, loader, toy_config


class Bowl(BaseModel):
    """A loss that is quadratic in the weights, whatever the images are."""

    def __init__(self):
        super().__init__()
        self.line = nn.Linear(3, 4)

    def forward(self, x, mode):
        return {'loss': (self.line.weight - 1).square().sum() + self.line.bias.sum()}


class Network(nn.Module):
    """Weights that move and those that stay."""

    def __init__(self):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(2, 5, 3), nn.BatchNorm2d(5)
        self.fixed = nn.Parameter(torch.ones(2, 2), requires_grad=False)


def options(folder, **changes):
    chosen = {'points': 5, 'samples': IMAGES, 'seed': 0, 'out': folder}
    return Namespace(**chosen | {'resume': False, 'overwrite': False} | changes)


def subject(model, tmp_path):
    data = loader(batch_size=3)  # of eight images: two in the last batch
    return Subject('toy', model.eval(), config=toy_config(tmp_path, val_dataloader=data))


def bits(model):
    return [value.numpy().tobytes() for value in model.state_dict().values()]


def test_a_direction_is_as_long_as_each_filter_and_moves_weights_alone():
    model = Network()
    direction = make_direction(model, torch.Generator().manual_seed(0))
    assert list(direction) == ['conv.weight']
    lengths = [
        each.flatten(1).norm(dim=1) for each in (direction['conv.weight'], model.conv.weight)
    ]
    torch.testing.assert_close(*lengths)


def test_the_center_is_the_mean_loss_over_all_images(tmp_path):
    model = ToyModel()
    rows = measure(subject(model, tmp_path), options(tmp_path))
    assert [(row['a'], row['b']) for row in rows[:3]] == [(-1, -1), (-1, -0.5), (-1, 0)]
    inputs = torch.arange(IMAGES).remainder(3)[:, None].float()
    expected = (model.line(inputs) - 2 * inputs).square().mean()
    assert rows[12] == {'a': 0, 'b': 0, 'loss': pytest.approx(expected.item(), rel=1e-6)}


def test_a_quadratic_loss_is_a_paraboloid(tmp_path):
    model = Bowl()
    generator = torch.Generator().manual_seed(3)
    delta, eta = (make_direction(model, generator)['line.weight'] for _ in range(2))
    origin = model.line.weight.detach() - 1
    for row in measure(subject(model, tmp_path), options(tmp_path, seed=3)):
        moved = origin + row['a'] * delta + row['b'] * eta
        expected = moved.square().sum() + model.line.bias.sum()
        assert row['loss'] == pytest.approx(expected.item(), rel=1e-5)


def test_the_weights_come_back_to_the_bit_whatever_happens():
    def walk():
        with movable(model, 0) as move:
            move(0.3, -0.7)
            moved.append(bits(model))
            raise KeyboardInterrupt

    model, moved = Network(), []
    model.conv.weight.data[0, 0, 0, 0] = -0.0
    before = bits(model)
    with pytest.raises(KeyboardInterrupt):
        walk()
    assert moved != [before]
    assert bits(model) == before


def test_what_is_resumed_equals_what_was_not_interrupted(tmp_path, monkeypatch):
    model = ToyModel()
    whole = measure(subject(model, tmp_path), options(tmp_path / 'whole'))
    evaluated = []

    def interrupted(*given):
        if len(evaluated) == 7:
            raise KeyboardInterrupt
        evaluated.append(mean_loss(*given))
        return evaluated[-1]

    monkeypatch.setattr(landscape, 'mean_loss', interrupted)
    with pytest.raises(KeyboardInterrupt):
        measure(subject(model, tmp_path), options(tmp_path / 'cut'))
    monkeypatch.setattr(
        landscape, 'mean_loss', lambda *given: evaluated.append(0) or mean_loss(*given)
    )
    resumed = measure(subject(model, tmp_path), options(tmp_path / 'cut', resume=True))
    assert resumed == whole
    assert len(evaluated) == len(whole) == 25


@pytest.mark.parametrize(
    ('change', 'named'),
    [({'points': 3}, '--points'), ({'samples': 2}, '--samples'), ({}, 'checkpoint')],
)
def test_points_of_other_settings_are_refused(tmp_path, change, named):
    model = ToyModel()
    measure(subject(model, tmp_path), options(tmp_path, points=1))
    if not change:
        nn.init.ones_(model.line.weight)
    again = {'points': 1} | change
    with pytest.raises(InputError, match=rf'was begun with another {named}\.'):
        measure(subject(model, tmp_path), options(tmp_path, resume=True, **again))
    assert len(measure(subject(model, tmp_path), options(tmp_path, overwrite=True, **again))) > 0


def test_an_even_number_of_points_has_no_center(tmp_path):
    with pytest.raises(InputError, match='--points 4: an odd number'):
        measure(subject(ToyModel(), tmp_path), options(tmp_path, points=4))


def surface(function):
    steps = np.linspace(-1, 1, 5)
    return [{'model': 'toy', 'a': a, 'b': b, 'loss': function(a, b)} for a in steps for b in steps]


@pytest.mark.parametrize(
    ('function', 'bar'),
    [
        (lambda a, b: 1 + a * a + b, 'loss'),
        (lambda a, b: 10 ** (3 * a), 'log10 of the loss'),
        (lambda a, b: float('nan') if a == b == 1 else 2.0, 'loss'),  # flat, with a hole
    ],
)
def test_contours_and_surface_are_drawn(function, bar):
    figure = draw(surface(function))
    figure.canvas.draw()
    flat, raised, colors = figure.axes
    assert flat.get_title() == 'toy'
    assert raised.get_title() == f'loss at the weights: {function(0, 0):.4g}'
    assert colors.get_ylabel() == bar


def test_a_loss_that_is_finite_nowhere_is_refused():
    with pytest.raises(InputError, match='the loss is finite at no point'):
        draw(surface(lambda a, b: float('inf')))
