"""timm's names on classifiers and maps."""

import pytest
import torch
from torch import nn
from torch._subclasses import FakeTensorMode

from vitbackbones import create_model
from vitbackbones.backbones.names import MODELS
from vitbackbones.errors import OptionError
from vitbackbones.training.layer_decay import depth_factors


def test_what_the_recipe_does_not_decay_has_the_names_of_the_whole_model():
    model = create_model('deit_ti', img_size=32)
    kept = model.no_weight_decay()
    assert {'backbone.cls_token', 'backbone.pos_embed'} <= kept
    assert kept <= {name for name, _ in model.named_parameters()}


def test_recomputing_can_be_switched_on():
    model = create_model('deit_ti', features_only=True, img_size=32)
    model.set_grad_checkpointing()
    assert model.backbone.with_cp
    model.set_grad_checkpointing(False)
    assert not model.backbone.with_cp


@pytest.mark.parametrize('name', ['aug_vit_ti', 'pvt_t', 'swin_t', 't2t_14'])
def test_timms_layer_decay_has_the_rates_of_a_config(name):
    optim = pytest.importorskip('timm.optim')
    with torch.device('meta'):
        model = create_model(name)
    ours = depth_factors(model, 0.75)
    groups = optim.param_groups_layer_decay(
        model, no_weight_decay_list=model.no_weight_decay(), layer_decay=0.75
    )
    for group in groups:
        for parameter in group['params']:
            factor, decayed = ours.get(id(parameter), (1.0, True))
            assert group['lr_scale'] == pytest.approx(factor)
            assert decayed or group['weight_decay'] == 0


IMAGE = torch.randn(2, 3, 32, 32, generator=torch.Generator().manual_seed(0))


def make(name='deit_ti', **options):
    return create_model(name, num_classes=5, img_size=32, **options).eval()


@pytest.mark.parametrize('name', ['deit_ti', 'deit_ti_distilled', 'swin_t'])
@torch.no_grad()
def test_features_and_head_make_up_the_model(name):
    model = make(name)
    features = model.forward_features(IMAGE)
    assert torch.equal(model.forward_head(features), model(IMAGE))
    vectors = model.forward_head(features, pre_logits=True)
    assert vectors.shape == (2, model.num_features)
    if name == 'deit_ti_distilled':
        assert torch.allclose(vectors, (features[:, 0] + features[:, 1]) / 2)


def test_the_classifier_is_the_linear_layer_and_both_of_a_distilled_model():
    model, distilled, headless = make(), make('deit_ti_distilled'), create_model('deit_ti', 0)
    assert model.get_classifier() is model.head.fc
    assert distilled.get_classifier() == (distilled.head.fc, distilled.head.fc_dist)
    assert isinstance(headless.get_classifier(), nn.Identity)


@pytest.mark.parametrize('name', ['deit_ti', 'deit_ti_distilled'])
@torch.no_grad()
def test_a_head_is_replaced_by_one_of_the_same_type(name):
    model = make(name).double()
    before = {key: value for key, value in model.state_dict().items() if 'head' not in key}
    model.reset_classifier(7)
    assert model.num_classes == 7
    assert model(IMAGE).shape == (2, 7)
    assert model(IMAGE).dtype == torch.float64
    assert all(torch.equal(model.state_dict()[key], before[key]) for key in before)
    model.reset_classifier(0)
    assert model(IMAGE).shape[-1] == model.num_features
    with pytest.raises(OptionError, match="global_pool='avg': this model was created with 'token'"):
        model.reset_classifier(3, global_pool='avg')


@torch.no_grad()
def test_the_pooling_is_chosen_in_timms_words():
    assert make('deit_ti_distilled', global_pool='token').backbone.out_type == 'cls_dist_tokens'
    pooled = make('pvt_t', global_pool='avg')
    assert pooled.backbone.out_type == 'pooled'
    assert pooled.global_pool == 'avg'
    maps = create_model('deit_ti', num_classes=0, global_pool='', img_size=32).eval()
    assert maps(IMAGE).shape == (2, 192, 2, 2)
    assert maps.global_pool == ''
    with pytest.raises(OptionError, match="global_pool='max': must be one of 'token', 'avg', ''"):
        make(global_pool='max')


ONE_OF_EACH_HOST = {host: name for name, (host, *_) in MODELS.items()}.values()
NAMES = [
    pytest.param(name, marks=[] if name in ONE_OF_EACH_HOST else pytest.mark.grid)
    for name in MODELS
]


@pytest.mark.parametrize('name', NAMES)
def test_every_name_gives_maps_of_the_channels_and_strides_that_it_says(name):
    with FakeTensorMode():
        model = create_model(name, features_only=True, img_size=64).eval()
        maps = model(torch.randn(1, 3, 96, 64))
    info = model.feature_info
    assert [x.shape[1] for x in maps] == info.channels()
    assert [96 // x.shape[2] for x in maps] == [64 // x.shape[3] for x in maps] == info.reduction()
    modules = dict(model.named_modules())
    assert all(part in modules for part in info.module_name())


def test_maps_are_read_where_they_are_asked_for_as_in_timm():
    with torch.device('meta'):
        deit = create_model('deit_ti', features_only=True, out_indices=3)
        pvt = create_model('pvt_t', features_only=True, out_indices=(1, 3))
    assert deit.feature_info.out_indices == (9, 10, 11)
    assert [each['index'] for each in pvt.feature_info] == [1, 3]
    assert pvt.feature_info.reduction() == [8, 32]


@pytest.mark.parametrize('norm', [False, True])
@pytest.mark.parametrize('fmt', ['NCHW', 'NLC'])
@torch.no_grad()
def test_intermediates_are_those_of_timm(norm, fmt, tmp_path):
    timm = pytest.importorskip('timm.models.vision_transformer')
    torch.manual_seed(0)
    theirs = timm.VisionTransformer(64, num_classes=5, embed_dim=64, depth=4, num_heads=2).eval()
    torch.save(theirs.state_dict(), tmp_path / 'timm.pth')
    arch = {'embed_dims': 64, 'depth': 4, 'num_heads': 2}
    file = tmp_path / 'timm.pth'
    ours = create_model('deit_ti', 5, checkpoint=file, arch=arch, img_size=64).eval()
    image = torch.randn(2, 3, 64, 64)
    for indices in (None, 2, [0, -1]):
        how = {'indices': indices, 'norm': norm, 'output_fmt': fmt}
        wanted = theirs.forward_intermediates(image, intermediates_only=True, **how)
        vectors, found = ours.forward_intermediates(image, **how)
        torch.testing.assert_close(found, wanted, atol=1e-5, rtol=1e-5)
        assert torch.equal(ours.forward_head(vectors), ours(image))


@pytest.mark.parametrize('name', ['pvt_t', 'swin_t', 'sret_t', 'tnt_s', 't2t_14', 'msf_vit_ti'])
@torch.no_grad()
def test_intermediates_of_a_classifier_are_the_maps_of_its_backbone(name):
    torch.manual_seed(0)
    model = create_model(name, 3, img_size=64).eval()
    maps = create_model(name, features_only=True, img_size=64, out_indices=(0, 1)).eval()
    maps.load_state_dict(model.state_dict(), strict=False)
    image = torch.randn(1, 3, 64, 96)
    found = model.forward_intermediates(image, (0, 1, 2), intermediates_only=True)
    torch.testing.assert_close(found[:2], list(maps(image)), atol=1e-5, rtol=1e-5)
    for indices in ([99], 25, 0):
        with pytest.raises(OptionError, match=r'indices=.*: must name blocks or stages of \d'):
            model.forward_intermediates(image, indices)


def test_a_classifiers_file_fills_the_maps(tmp_path):
    classifier = create_model('deit_ti', num_classes=3, img_size=32)
    file = tmp_path / 'classifier.pth'
    torch.save(classifier.state_dict(), file)
    maps = create_model('deit_ti', checkpoint=file, features_only=True, img_size=32)
    for key, value in maps.state_dict().items():
        assert torch.equal(value, classifier.state_dict()[key])
