"""``--backbone``: any backbone under the heads of any config."""

from pathlib import Path

import mmdet
import pytest
from mmengine.config import Config, ConfigDict

from vitbackbones.errors import InputError
from vitbackbones.inference.configured import read_model_config
from vitbackbones.preparing.agreement import check_normalization
from vitbackbones.preparing.backbone import KEY, _fit_neck, needs_levels, settings_of, use_backbone
from vitbackbones.preparing.pretrained import prepare_pretrained
from vitbackbones.preparing.trial import try_model

VIT = 'timm:test_vit'  # one map of 64 channels and stride 16
PYRAMID = 'timm:test_convnext'


def exchanged(config, name, **changes):
    return read_model_config(config, {KEY: name, **changes})


# every head: of a level, of several, of a vector, with and without a neck
CONFIGS = [
    *('quick_detector', 'quick_segmentor', 'cls_deit_ti_shapes', 'deformable_detr_pvt_s_shapes'),
    *('detr_r50_shapes', 'dino_pvt_s_shapes', 'faster_rcnn_pvt_s_shapes', 'mask_rcnn_pvt_s_shapes'),
    *('mask2former_pvt_s_shapes', 'mask2former_instance_pvt_s_shapes', 'retinanet_pvt_s_shapes'),
    *('mask2former_panoptic_pvt_s_shapes', 'semantic_fpn_pvt_s_shapes', 'upernet_pvt_s_shapes'),
    *('setr_mla_msf_vit_ti_shapes', 'setr_naive_msf_vit_s_ade20k', 'setr_pup_msf_vit_s_ade20k'),
]
SOME = (
    'quick_detector',
    'upernet_pvt_s_shapes',
    'setr_mla_msf_vit_ti_shapes',
    'cls_deit_ti_shapes',
)
NAMES = (
    *('timm:test_vit', 'timm:test_convnext', 'timm:vit_small_patch14_dinov2'),
    *('timm:swin_tiny_patch4_window7_224', 'hf:dinov2', 'pvt_t', 'deit_ti'),
)


@pytest.mark.parametrize(
    ('config', 'name'),
    [
        *((config, VIT) for config in SOME),
        ('faster_rcnn_pvt_s_shapes', PYRAMID),
        ('setr_mla_msf_vit_ti_shapes', PYRAMID),
        *(
            pytest.param(config, name, marks=pytest.mark.grid)
            for config in CONFIGS
            for name in NAMES
        ),
    ],
)
def test_neck_and_heads_follow(config, name):
    if name.startswith('hf:'):
        pytest.importorskip('transformers')
    try_model(exchanged(config, name))  # which builds the model, and runs what it can


@pytest.mark.parametrize(
    ('config', 'name'), [('retinanet_pvt_s_shapes', VIT), ('faster_rcnn_pvt_s_shapes', PYRAMID)]
)
def test_a_backbone_of_a_fork_that_is_not_there_is_replaced(config, name):
    read = read_model_config(config, {})
    wanted = use_backbone(read, {KEY: name})
    read.model.backbone = {'type': 'ViTAdapter', 'interaction_indexes': [[0, 2], [3, 5]]}
    read.model.neck.in_channels = [192, 192, 192, 192]
    found = use_backbone(read, {KEY: name})
    assert found.model == wanted.model


def test_a_plain_network_gets_the_simple_pyramid():
    model = exchanged('quick_detector', VIT).model
    assert model.neck == {
        'type': 'vitbackbones.Pyramid',  # the simple one, of one map
        'in_channels': [64],
        'in_strides': [16],
        'out_strides': [8, 16, 32],
        'out_channels': 64,
    }
    assert exchanged('quick_detector', PYRAMID).model.neck.type == 'vitbackbones.FPN'


def test_weights_and_normalization_come_along():
    config = exchanged('quick_detector', VIT)
    address = 'hf-hub:timm/test_vit.r160_in1k'
    assert config.model.backbone.init_cfg.checkpoint == address
    assert config.model.data_preprocessor.mean == [127.5] * 3  # of this network
    assert not check_normalization(config)
    config.model.data_preprocessor.mean = [123.675, 116.28, 103.53]
    assert 'test_vit were trained on images with mean [127.5' in check_normalization(config)[0]
    scratch = prepare_pretrained(config, scratch=True)
    assert scratch.model.backbone.init_cfg is None


def test_other_changes_of_the_command_line_come_behind():
    options = {'model.backbone.out_indices': [2, 5], 'model.backbone.frozen_stages': 1}
    config = exchanged('setr_mla_msf_vit_ti_shapes', VIT, **options)
    assert config.model.backbone.frozen_stages == 1
    assert config.model.neck.in_channels == [64, 64]


def test_ours_by_name_start_from_published_weights():
    config = exchanged('quick_detector', 'pvt_t')
    assert config.model.backbone.type == 'vitbackbones.PVT'
    assert config.model.backbone.init_cfg.checkpoint == 'pvt_t'


@pytest.mark.parametrize(
    ('name', 'said'),
    [
        ('timm:resnet81', r"--backbone timm:resnet81: timm has no 'resnet81'; did you mean"),
        ('pvt_x', r"--backbone pvt_x: unknown model 'pvt_x'; did you mean"),
        ('tim:resnet18', r'--backbone tim:resnet18: unknown model'),
    ],
)
def test_a_name_that_does_not_exist_is_refused(name, said):
    with pytest.raises(InputError, match=said):
        exchanged('quick_detector', name)


def test_a_name_that_transformers_does_not_have_is_refused():
    pytest.importorskip('transformers')
    with pytest.raises(InputError, match="transformers has no backbone 'dinov'; did you mean"):
        exchanged('quick_detector', 'hf:dinov')


@pytest.mark.parametrize('changes', [{}, {KEY: {'type': 'X'}}, {'model': 'x'}])
def test_a_config_without_another_backbone_stays(changes):
    config = Config({'model': {'backbone': {'type': 'Y'}}})
    assert use_backbone(config, changes) is config
    assert config.model.backbone == {'type': 'Y'}


def test_a_model_without_a_backbone_is_refused():
    with pytest.raises(InputError, match='--backbone pvt_t'):
        use_backbone(Config({'model': {'type': 'X'}}), {KEY: 'pvt_t'})


def test_settings_of_ours_and_of_a_library():
    old = {'type': 'X', 'in_channels': 4, 'with_cp': True, 'depth': 3}
    found = settings_of('pvt_t', old)
    kept = {'in_channels': 4, 'with_cp': True, 'type': 'vitbackbones.PVT', 'out_type': 'featmap'}
    assert found.items() >= kept.items()
    assert 'depth' not in found or found['depth'] != 3
    assert settings_of('pvt_t', {'out_type': 'pooled'})['out_type'] != 'featmap'
    timm = settings_of('timm:test_vit', {'out_type': 'cls_token'})
    assert timm.items() >= {'type': 'vitbackbones.Timm', 'name': 'test_vit'}.items()
    assert timm['out_type'] == 'pooled'
    assert 'out_type' not in settings_of('timm:test_vit', {})


def fitted(before, strides, **model):
    model = ConfigDict(model)
    _fit_neck(model, before, strides)
    return model


def test_heads_without_a_neck():
    several = {'type': 'UPerHead', 'in_channels': [1, 2], 'in_index': [0, 1]}
    model = fitted([4, 8], [16], decode_head=several)
    assert model.neck == {'type': 'vitbackbones.Levels', 'out_strides': [4, 8]}
    assert model.decode_head == {'type': 'UPerHead', 'in_index': [0, 1]}
    as_many = fitted([4, 8], [8, 16], decode_head=dict(several))
    assert 'neck' not in as_many
    one = {'type': 'FCNHead', 'in_channels': 1, 'in_index': 1}
    assert fitted([4, 8], [16], decode_head=dict(one)).decode_head == {'type': 'FCNHead'}
    assert fitted([4, 8], [8, 16], decode_head=dict(one)).decode_head == {
        **{'type': 'FCNHead', 'in_index': 1}
    }


def test_necks():
    mla = {'type': 'MLANeck', 'in_channels': [1]}
    assert fitted([16], [32], neck=dict(mla)).neck == {'type': 'MLANeck', 'stride': 32}
    assert fitted([16], [16], neck=dict(mla)).neck == {'type': 'MLANeck'}
    given = {'type': 'MLANeck', 'stride': 8}
    assert fitted([8], [8, 32], neck=dict(given)).neck == given
    other = {'type': 'Other', 'in_channels': [1]}
    assert fitted([8], [32], neck=dict(other)).neck == {'type': 'Other'}
    fpn = {'type': 'FPN', 'in_channels': [1, 2, 3], 'out_channels': 64, 'start_level': 1}
    assert fitted([4, 8, 16], [4, 8, 16], neck=dict(fpn)).neck.type == 'FPN'
    pyramid = fitted([4, 8, 16], [16, 32], neck=dict(fpn)).neck
    assert pyramid == {
        **{'type': 'vitbackbones.Pyramid', 'out_channels': 64, 'out_strides': [8, 16]}
    }
    assert fitted([8], [8], neck={'type': 'FPN'}).neck.type == 'vitbackbones.Pyramid'


@pytest.mark.parametrize(
    ('neck', 'before', 'strides', 'expected'),
    [
        ('YOLOXPAFPN', [8, 16, 32], [4, 8, 16, 32], True),
        ('mmdet.CSPNeXtPAFPN', [8, 16, 32], [4, 8, 16, 32], True),
        ('YOLOXPAFPN', [8, 16, 32], [8, 16, 32], False),
        ('YOLOXPAFPN', [8, 16, 64], [4, 8, 16, 32], False),
        ('FPN', [8, 16, 32], [4, 8, 16, 32], False),
        (None, [8, 16, 32], [4, 8, 16, 32], False),
    ],
)
def test_necks_of_a_head_with_strides_get_as_many_maps(neck, before, strides, expected):
    model = {'neck': {'type': neck}} if neck else {}
    assert needs_levels(model, before, strides) is expected


def test_a_yolox_of_mmdet_gets_the_levels_of_its_head_from_a_pyramid():
    shipped = Path(mmdet.__file__).parent / '.mim/configs/yolox/yolox_tiny_8xb8-300e_coco.py'
    config = use_backbone(Config.fromfile(shipped), {KEY: 'pvt_t'})
    assert config.model.backbone.out_indices == [1, 2, 3]
    assert 'in_channels' not in config.model.neck
    config.model.backbone.init_cfg = None
    config.model.init_cfg = None
    try_model(config)
