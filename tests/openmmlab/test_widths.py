"""What a config leaves out of neck and heads is what the backbone gives."""

import copy
from pathlib import Path

import pytest
import torch
from mmdet.apis import init_detector
from mmengine.config import Config
from mmengine.registry import MODELS, DefaultScope
from torch import nn

from tests.small_backbones import SMALL, small
from vitbackbones.errors import InputError
from vitbackbones.openmmlab import widths
from vitbackbones.openmmlab.widths import fill_widths, with_widths
from vitbackbones.preparing.trial import build_model, misfits

pytestmark = pytest.mark.compat
BASES = Path(__file__).parents[2] / 'configs' / '_base_' / 'models'


@MODELS.register_module()
class Quiet(nn.Module):
    """A guest that declares nothing, and gives maps of strides 8 and 16."""

    def __init__(self, width=8):
        super().__init__()
        self.fine = nn.Conv2d(3, width, 8, stride=8)
        self.coarse = nn.Conv2d(width, 3 * width, 2, stride=2)

    def forward(self, image):
        fine = self.fine(image)
        return fine, self.coarse(fine)


@MODELS.register_module()
class Declared(Quiet):
    """A guest that runs on nothing but images of 96 pixels, and says what it gives."""

    out_channels, out_strides = (8, 24), (8, 16)

    def forward(self, image):
        assert image.shape[2] == 96
        return super().forward(image)


@MODELS.register_module()
class Unknown(Declared):
    out_channels = out_strides = ()


def on(head, backbone, **changes):
    """The config of a head's base on a backbone."""
    config = Config.fromfile(BASES / f'{head}.py')
    segments = config.model.type == 'EncoderDecoder'
    config.default_scope = 'mmseg' if segments else 'mmdet'
    config.model.backbone = {**config.model.get('backbone', {}), **backbone}
    config.merge_from_dict({'model': changes})
    return config


@pytest.mark.parametrize('guest', ['Quiet', 'Declared'])
def test_a_guest_is_looked_at_or_asked(guest):
    config = with_widths(on('retinanet', {'type': guest}))
    assert config.model.neck.in_channels == [8, 24]
    assert config.model.neck.in_strides == [8, 16]


def test_what_cannot_be_known_is_left_out():
    config = on('retinanet', {'type': 'Unknown'})
    assert 'in_channels' not in with_widths(config).model.neck
    with pytest.raises(TypeError, match='in_channels'):
        build_model(config)


def test_numbers_that_are_written_stay_and_the_config_that_was_given_too():
    config = on('retinanet', {'type': 'Quiet'}, neck={'in_channels': [1, 2]})
    before = copy.deepcopy(config.to_dict())
    assert with_widths(config).model.neck.in_channels == [1, 2]
    assert with_widths(config).model.neck.in_strides == [8, 16]
    assert config.to_dict() == before


def test_a_model_with_all_numbers_is_itself_and_nothing_is_built(monkeypatch):
    config = with_widths(on('upernet', small('PVT')))
    monkeypatch.setattr(widths, 'build_without_memory', None)
    with DefaultScope.overwrite_default_scope('mmseg'):
        assert fill_widths(config.model, MODELS) is config.model


def test_random_numbers_of_a_run_are_not_drawn():
    torch.manual_seed(0)
    with_widths(on('detr', {'type': 'ResNet', 'depth': 18}))
    after = torch.rand(1)
    torch.manual_seed(0)
    assert torch.equal(after, torch.rand(1))


def test_a_part_that_knows_what_is_wrong_with_it_is_heard():
    @MODELS.register_module(force=True)
    class Refusing(Quiet):
        def forward(self, image):
            raise InputError('no maps today')

    with pytest.raises(InputError, match='no maps today'):
        with_widths(on('retinanet', {'type': 'Refusing'}))


def test_a_part_that_cannot_be_built_is_left_to_what_builds_the_model():
    config = on('retinanet', {'type': 'Quiet', 'width': 'wide'})
    assert 'in_channels' not in with_widths(config).model.neck
    with pytest.raises(TypeError):
        build_model(config)


def test_an_error_of_the_rules_themselves_is_not_hidden(monkeypatch):
    monkeypatch.setattr(widths, 'strides_of', lambda *maps, **known: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        with_widths(on('retinanet', {'type': 'Quiet'}))


def test_a_toolbox_builds_a_config_without_numbers():
    """mmdet's own function, without a step of ours between."""
    config = Config.fromfile('vitbackbones::shapes/retinanet_pvt_s.py')
    config.model.backbone = small('SReT')
    model = init_detector(config, device='cpu')
    assert model.neck.in_channels == [64, 128, 256]


HEADS = ('retinanet', 'faster_rcnn', 'mask_rcnn', 'deformable_detr', 'dino', 'detr')
HEADS += ('upernet', 'semantic_fpn', 'mask2former', 'mask2former_instance', 'mask2former_panoptic')
HEADS += ('setr_naive', 'setr_pup', 'setr_mla')


@pytest.mark.parametrize(
    ('head', 'backbone'),
    [
        pytest.param(head, name, marks=() if (i + k) % 5 == 0 else pytest.mark.grid)
        for i, head in enumerate(HEADS)
        for k, name in enumerate(SMALL)
        if not (head.startswith('setr') and name == 'ResNet')  # has no blocks of that name
    ],
)
def test_any_head_fits_any_backbone(head, backbone):
    config = on(head, small(backbone))
    assert list(misfits(with_widths(config), build_model(config))) == []
