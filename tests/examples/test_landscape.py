"""The loss around the weights: where it must be what, and that nothing of a long walk is lost."""

import numpy as np
import pytest
import torch
from mmengine.config import Config
from mmengine.model import BaseModel
from torch import nn

from examples import landscape
from examples.landscape import (
    draw,
    load_batches,
    make_direction,
    mean_loss,
    measure,
    movable,
    read_arguments,
)
from vitbackbones.data import shapes
from vitbackbones.errors import InputError

from ..shapes_configs import dataset
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


@pytest.fixture
def batches(tmp_path):
    data = loader(batch_size=3)  # of eight images: two in the last batch
    return load_batches(toy_config(tmp_path, val_dataloader=data), IMAGES)


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


def test_the_center_is_the_mean_loss_over_all_images(batches, tmp_path):
    model = ToyModel().eval()
    loss = measure(model, batches, 5, 0, tmp_path / 'a.csv', {})
    inputs = torch.arange(IMAGES).remainder(3)[:, None].float()
    expected = (model.line(inputs) - 2 * inputs).square().mean()
    assert loss[2, 2] == pytest.approx(expected.item(), rel=1e-6)


def test_a_quadratic_loss_is_a_paraboloid(batches, tmp_path):
    model = Bowl()
    generator = torch.Generator().manual_seed(3)
    delta, eta = (make_direction(model, generator)['line.weight'] for _ in range(2))
    origin = model.line.weight.detach() - 1
    loss = measure(model, batches, 3, 3, tmp_path / 'a.csv', {})
    for (i, j), value in np.ndenumerate(loss):
        moved = origin + (i - 1) * delta + (j - 1) * eta
        expected = moved.square().sum() + model.line.bias.sum()
        assert value == pytest.approx(expected.item(), rel=1e-5)


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


def test_what_is_continued_equals_what_was_not_interrupted(batches, tmp_path, monkeypatch):
    model, file = ToyModel().eval(), tmp_path / 'cut.csv'
    whole = measure(model, batches, 5, 0, tmp_path / 'whole.csv', {})
    evaluated = []

    def counted(*given):
        if len(evaluated) == 7:
            evaluated.append(None)
            raise KeyboardInterrupt
        evaluated.append(mean_loss(*given))
        return evaluated[-1]

    monkeypatch.setattr(landscape, 'mean_loss', counted)
    with pytest.raises(KeyboardInterrupt):
        measure(model, batches, 5, 0, file, {})
    file.write_text(file.read_text()[:-2])  # as a kill does
    assert (measure(model, batches, 5, 0, file, {}) == whole).all()
    assert len(evaluated) == 7 + 1 + (25 - 6)
    with pytest.raises(InputError, match=r'cut\.csv was started with other settings'):
        measure(model, batches, 5, 1, file, {})


def test_boxes_follow_the_resized_image(tmp_path):
    shapes.write(tmp_path, train=1, val=3, size=64)
    boxes = {}
    for side in (64, 128):
        pipeline = [
            *({'type': 'LoadImageFromFile'}, {'type': 'Resize', 'scale': (side, side)}),
            *({'type': 'LoadAnnotations', 'with_bbox': True}, {'type': 'PackDetInputs'}),
        ]
        data = dataset('val', data_root=f'{tmp_path}/', test_mode=True, pipeline=pipeline)
        given = {'batch_size': 2, 'dataset': data}
        config = Config({'default_scope': 'mmdet', 'val_dataloader': given})
        samples = [each for batch in load_batches(config, 100) for each in batch['data_samples']]
        boxes[side] = [each.gt_instances.bboxes.tensor for each in samples]
    assert len(boxes[64]) == 3
    torch.testing.assert_close(boxes[128], [2 * each for each in boxes[64]])


def test_images_are_spread_over_the_data_and_always_the_same(tmp_path):
    config = toy_config(tmp_path)
    config.val_dataloader.sampler = {'type': 'DefaultSampler', 'shuffle': True}
    batches = load_batches(config, samples=3)  # of eight: the 1st, 5th and last
    values = torch.cat([x for batch in batches for x in batch['x']])
    assert values.tolist() == [float(i % 3) for i in (0, 4, 7)]
    with pytest.raises(InputError, match='has no val_dataloader'):
        load_batches(toy_config(tmp_path, val_dataloader=None), samples=3)


@pytest.mark.parametrize(
    ('function', 'bar'),
    [
        (lambda a, b: 1 + a * a + b, 'loss'),
        (lambda a, b: 10 ** (3 * a), 'log10 of the loss'),
        (lambda a, b: np.where(a * b == 1, np.nan, 2.0), 'loss'),  # flat, with holes
    ],
)
def test_contours_and_surface_are_drawn(function, bar):
    a, b = np.meshgrid(*[np.linspace(-1, 1, 5)] * 2, indexing='ij')
    figure = draw(function(a, b))
    figure.canvas.draw()
    flat, _, colors = figure.axes
    assert flat.get_title() == f'loss at the weights: {float(function(0, 0)):.4g}'
    assert colors.get_ylabel() == bar


def test_a_loss_that_is_finite_nowhere_is_refused():
    with pytest.raises(InputError, match='the loss is finite at no point'):
        draw(np.full((3, 3), np.inf))


def test_an_even_number_of_points_has_no_center(capsys):
    with pytest.raises(SystemExit):
        read_arguments(['CONFIG', 'CHECKPOINT', '--out', 'out', '--points', '4'])
    assert 'an odd number has the weights at its center' in capsys.readouterr().err
