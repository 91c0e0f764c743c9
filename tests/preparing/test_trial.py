"""What a model built without memory tells of its config: keys, and parts that do not fit."""

from pathlib import Path

import mmpretrain
import pytest
import torch
from mmengine.config import Config
from mmengine.registry import MODELS
from torch import nn

from vitbackbones.configuration.names import config_files
from vitbackbones.configuration.read import read_config
from vitbackbones.errors import InputError
from vitbackbones.preparing import trial
from vitbackbones.preparing.trial import _differ, try_model

ROOT = Path(__file__).parents[2]
TINY = ROOT / 'tests' / 'commands' / 'tiny_detr.py'


@pytest.mark.parametrize('name', ['detr_pvt_s_coco', 'setr_pup_vit_l_ade20k'])
def test_a_shipped_config_passes_and_nothing_changes(name, capsys):
    config = read_config(config_files()[name])
    before, numbers = config.to_dict(), torch.random.get_rng_state()
    try_model(config)
    assert capsys.readouterr().err == ''
    assert config.to_dict() == before
    assert torch.equal(torch.random.get_rng_state(), numbers)


def test_custom_keys_without_effect_are_warned_of(capsys):
    config = read_config(TINY)
    config.optim_wrapper.paramwise_cfg.custom_keys = {
        name: {'lr_mult': 0.1} for name in ('zzz', 'pixel_pos', 'query_embedding', 'encoder.layers')
    }
    try_model(config)
    warning = capsys.readouterr().err
    assert warning.startswith('warning: optim_wrapper.paramwise_cfg.custom_keys.zzz: matches no pa')
    assert warning.count('\n') == 1


def test_another_constructor_matches_names_in_its_own_way():
    config = read_config(TINY)
    config.optim_wrapper.constructor = 'Mine'
    config.optim_wrapper.paramwise_cfg.custom_keys = {'bakbone': {}}
    try_model(config)


@MODELS.register_module()
class OwnBackbone(nn.Module):
    """As in the README: knows nothing of this package."""

    def __init__(self, width, side=None):
        super().__init__()
        self.stem = nn.Conv2d(3, width, kernel_size=16, stride=16)
        self.rates = [rate.item() for rate in torch.linspace(0, 1, 2)] if side else []
        self.side = side

    def forward(self, image):
        if self.side:
            assert image.shape[2] == self.side, 'for images of one size only'
        return (self.stem(image),)


@MODELS.register_module()
class TwoMaps(OwnBackbone):
    def __init__(self):
        super().__init__(width=64)

    def forward(self, image):
        return 2 * super().forward(image)


def own(**options):
    config = read_config(TINY)
    config.model.backbone = {'type': 'OwnBackbone', **options}
    return config


def test_someone_elses_backbone_is_measured():
    try_model(own(width=32))
    with pytest.raises(InputError, match=r'in_channels: is \[32\], but the backbone gives \[64\]'):
        try_model(own(width=64))


def test_what_cannot_be_tried_is_left_to_the_run():
    """It needs numbers in its constructor, and images of a size that is not tried."""
    try_model(own(width=64, side=96))


VIT = {'type': 'vitbackbones.ViT', 'arch': {'embed_dims': 16, 'depth': 1, 'num_heads': 2}}


def changed(head, **changes):
    """The small config of a head, with these parts of the model changed."""
    config = read_config(config_files()[f'{head}_pvt_s_shapes'])
    for key, value in changes.items():
        place = config.model
        *way, last = key.split('__')
        for part in way:
            place = place[part]
        place[last] = value
    return config


GIVEN = r'in_channels=\[16\], in_strides=\[16\]'
FOUR = {'neck__in_channels': [32, 64, 96, 128], 'neck__in_strides': [4, 8, 16, 32]}
FPN = {'type': 'FPN', 'in_channels': [32, 64, 96, 128], 'out_channels': 64, 'num_outs': 5}
STRIDES = r'anchor_generator.strides: is \[8, 16, 32\], but the'
LACKS = 'make the feature maps in the neck: model.neck=dict'
MISFITS = [
    ('retinanet', {'backbone': VIT, **FOUR}, r'gives \[16\]; remove in_channels and in_strides'),
    ('retinanet', {'backbone': VIT, 'neck': FPN}, r"\[16\]; type='vitbackbones.Pyramid' without"),
    (
        *('retinanet', {'backbone': VIT, 'neck': {**FPN, 'in_channels': [16], 'num_outs': 3}}),
        rf'{STRIDES} neck gives 3 feature maps of strides \[16, 32, ...\]; '
        "use type='vitbackbones.Pyramid' for model.neck",
    ),
    (
        *('retinanet', {'backbone': VIT, 'neck': None, 'bbox_head__in_channels': 16}),
        rf'{STRIDES} backbone gives 1 feature map of strides \[16\]; {LACKS}'
        rf"\(type='vitbackbones.Pyramid', {GIVEN}, out_channels=16\)",
    ),
    ('retinanet', {'neck__out_channels': 32}, 'bbox_head.in_channels: is 64, but .* gives 32'),
    (
        *('mask_rcnn', {'roi_head__bbox_roi_extractor__featmap_strides': [8, 16, 32, 64]}),
        r'featmap_strides: is \[8, 16, 32, 64\], but the neck gives 3 feature maps',
    ),
    (
        'mask_rcnn',
        {'roi_head__mask_head__in_channels': 256},
        'is 256, but the feature maps of .* have 64',
    ),
    ('dino', {'neck__num_outs': 4}, 'levels: is 3, but .* gives 4 feature maps .*; set it to 4'),
    ('dino', {'neck__out_channels': 32}, 'is 128, but .*; set model.neck.out_channels=128'),
    (
        *('upernet', {'neck': None, 'backbone': VIT}),
        rf'in_index: is .*, but the backbone gives 1 feature map; {LACKS}'
        rf"\(type='vitbackbones.Levels', ",
    ),
]


@pytest.mark.parametrize(('head', 'changes', 'message'), MISFITS)
def test_a_wrong_pair_is_named_with_what_to_add(head, changes, message):
    with pytest.raises(InputError, match=message):
        try_model(changed(head, **changes))


@pytest.mark.parametrize(
    ('backbone', 'remedy'),
    [
        ({'type': 'ResNet', 'depth': 18}, 'change model.backbone.out_indices'),
        ({'type': 'TwoMaps'}, 'change the forward method of'),
    ],
)
def test_a_detr_that_gets_several_maps_is_told_to_take_the_last(backbone, remedy):
    neck = {'type': 'ChannelMapper', 'in_channels': [64], 'out_channels': 128, 'num_outs': 1}
    with pytest.raises(InputError, match=f'return only the last feature map; {remedy}'):
        try_model(changed('detr', backbone=backbone, neck=neck))


@pytest.mark.parametrize(
    ('wanted', 'index', 'differ'),
    [
        (32, None, False),
        (48, None, True),
        ([32, 64], None, False),
        ([32, 32], None, True),
        (32, [0, 1], True),
        ('what the neck gives', None, False),  # what a head of others takes is not known
        (None, None, False),
    ],
)
def test_widths_of_a_head_are_compared_where_they_are_numbers(wanted, index, differ):
    assert _differ(wanted, index, [32, 64]) is differ


def test_a_list_of_necks_is_tried_as_one():
    shipped = Path(mmpretrain.__file__).parent / '.mim/configs/hrnet/hrnet-w18_4xb32_in1k.py'
    config = Config.fromfile(shipped)
    try_model(config)
    config.model.head.in_channels = 7
    with pytest.raises(InputError, match='head.in_channels: is 7, but the neck gives 2048'):
        try_model(config)


def test_no_weights_are_fetched(monkeypatch):
    config = read_config('configs/coco/detr_pvt_s.py')
    config.model.teacher_ckpt = 'https://example.org/teacher.pth'
    config.model.backbone.pretrained = True
    asked = []
    monkeypatch.setattr(trial, 'build_without_memory', lambda model, registry: asked.append(model))
    trial.build_model(config)
    assert asked[0].teacher_ckpt is None
    assert asked[0].backbone.pretrained is False
    assert config.model.backbone.pretrained is True
