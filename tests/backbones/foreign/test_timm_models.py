"""Networks of timm keep the contract, and their maps are those of timm's own forward."""

import pytest
import timm
import torch
from torch import nn

from tests.backbones.foreign.timm_families import NAMES as FAMILIES
from tests.backbones.foreign.timm_families import PAGE, equal_to_timm, row
from vitbackbones import create_model
from vitbackbones.backbones.foreign.timm_models import Timm, intermediates, weights_of
from vitbackbones.errors import InputError, OptionError
from vitbackbones.layers import Origin
from vitbackbones.layers.lora import add_adapters, merged_state

SMALL_VIT = {'depth': 3, 'embed_dim': 48, 'num_heads': 3}
# A small network of each kind of trouble: patches of 14, layouts (N, H, W, C), windows, strides
# that timm rounds down, one size alone.
NAMES = {
    'vit_small_patch14_reg4_dinov2': SMALL_VIT,
    'cait_xxs24_224': {'depth': 2},
    'swin_tiny_patch4_window7_224': {'embed_dim': 24, 'depths': (1, 1, 1, 1)},
    'test_convnext': {},
    'test_coatnet': {},
    'test_efficientnet': {},
}


@pytest.fixture(params=NAMES)
def name(request):
    return request.param


def test_maps_are_those_of_timm(name, tmp_path):
    equal_to_timm(name, tmp_path / 'weights.pth', NAMES[name])


@pytest.mark.grid
@pytest.mark.parametrize('family', FAMILIES)
def test_the_page_says_what_every_family_gives(family):
    assert row(family) in PAGE.read_text()


def test_the_walk_has_every_family_of_timm():
    assert [*FAMILIES] == timm.list_modules()


def test_a_network_of_one_size_pads_to_it_and_says_what_to_set():
    backbone = Timm('cait_xxs24_224', settings={'depth': 1})
    with pytest.raises(InputError, match=r'225 x 100 is larger.*img_size=\(225, 224\)'):
        backbone(torch.zeros(1, 3, 225, 100))
    larger = Timm('cait_xxs24_224', img_size=(256, 320), settings={'depth': 1})
    assert larger(torch.zeros(1, 3, 250, 300))[0].shape == (1, 192, 16, 19)


@pytest.mark.parametrize(
    ('name', 'options', 'said'),
    [
        ('resnet81', {}, r"no 'resnet81'; did you mean 'resnet\d+"),
        ('resnet18.unheard', {}, r"no 'resnet18.unheard'; it has .*resnet18.a1_in1k"),
        ('resnet18', {'settings': {'bananas': 1}}, 'bananas'),
        ('resnet18', {'out_indices': 9}, r'out_indices=9 of 5'),
        ('test_convnext', {'out_indices': 'setr_mla'}, 'networks with one stride'),
        ('resnet18', {'out_type': 'cls_token'}, "'featmap' and 'pooled'"),
        ('inception_v3', {}, 'returns no feature maps: its feature maps do not have the strides'),
        ('coatnet_nano_cc_224', {'pretrained': True}, 'has no published weights'),
        ('coat_tiny', {'with_cp': True}, 'with_cp=True: coat_tiny: gradient checkpointing not'),
    ],
)
def test_what_cannot_be_had_is_named(name, options, said):
    with pytest.raises(OptionError, match=said):
        Timm(name, **options)


def test_published_weights_have_an_address():
    address = 'hf-hub:timm/vit_small_patch14_dinov2.lvd142m'
    assert weights_of('vit_small_patch14_dinov2') == address
    assert (
        Timm('resnet18', pretrained=True).init_cfg['checkpoint'] == 'hf-hub:timm/resnet18.a1_in1k'
    )


def test_stages_depths_and_options_are_those_of_timm():
    backbone = Timm('test_vit', frozen_stages=2, with_cp=True, drop_path_rate=0.2, in_channels=5)
    assert backbone.net.grad_checkpointing
    assert backbone.net.blocks[-1].drop_path1.drop_prob == pytest.approx(0.2)
    frozen = {name for name, each in backbone.named_parameters() if not each.requires_grad}
    assert {name.split('.')[1] for name in frozen} == {
        'cls_token',
        'pos_embed',
        'patch_embed',
        'blocks',
    }
    assert {name.split('.')[2] for name in frozen if 'blocks' in name} == {'0', '1'}
    depths = [
        backbone.layer_depth(f'net.{key}')
        for key in ('pos_embed', 'blocks.0.norm1.bias', 'blocks.5.norm1.bias')
    ]
    assert depths == [(0, 8), (1, 8), (6, 8)]
    assert backbone.no_weight_decay() == {'net.pos_embed', 'net.cls_token'}
    sum(x.sum() for x in backbone(torch.zeros(1, 5, 32, 32))).backward()
    assert backbone.net.blocks[-1].mlp.fc1.weight.grad is not None


def test_running_statistics_of_frozen_stages_stay():
    backbone = Timm('test_efficientnet', frozen_stages=1).train()
    norms = [x.training for x in backbone.modules() if isinstance(x, nn.BatchNorm2d)]
    assert norms[0] is False
    assert norms[-1] is True


def test_a_file_of_another_depth_is_refused(tmp_path):
    torch.save(timm.create_model('test_vit').state_dict(), tmp_path / 'six.pth')
    shallow = Timm('test_vit', settings={'depth': 5}, pretrained=str(tmp_path / 'six.pth'))
    with pytest.raises(
        InputError, match=r'12 tensors of the file are not in the model: net\.blocks\.5'
    ):
        shallow.init_weights()
    # but not one of the same network of which earlier maps are read
    earlier = Timm('test_vit', out_indices=2, pretrained=str(tmp_path / 'six.pth'))
    earlier.init_weights()
    assert len(earlier.net.blocks) == 3


def test_positions_of_another_shape_of_image_are_refused():
    backbone = Timm('cait_xxs24_224', img_size=(96, 64), settings={'depth': 1})
    state = backbone.state_dict()
    assert backbone.adapt_state_dict(dict(state), '', Origin((192, 128))).keys() == state.keys()
    said = r'pos_embed: the file was made for images of 64 x 96, but this network for 96 x 64'
    with pytest.raises(InputError, match=said):
        backbone.adapt_state_dict(dict(state), '', Origin((64, 96)))


def test_publishers_own_layouts_go_through_the_filters_of_timm(tmp_path):
    """Meta's DINOv2 has a mask token and positions of 518 pixels, its DeiT III other names."""
    settings = {'depth': 2, 'embed_dim': 48, 'num_heads': 3}
    state = timm.create_model('vit_small_patch14_dinov2', **settings).state_dict()
    state |= {'mask_token': torch.zeros(1, 48), 'pos_embed': torch.randn(1, 1 + 37 * 37, 48)}
    torch.save(state, tmp_path / 'meta.pth')
    options = {'img_size': 224, 'settings': settings, 'pretrained': str(tmp_path / 'meta.pth')}
    backbone = Timm('vit_small_patch14_dinov2', **options)
    backbone.init_weights()
    assert backbone.net.pos_embed.shape == (1, 1 + 16 * 16, 48)
    assert torch.equal(backbone.net.blocks[1].ls1.gamma, state['blocks.1.ls1.gamma'])

    state = timm.create_model('deit3_small_patch16_224', **settings).state_dict()
    renamed = {
        key.replace('ls1.gamma', 'gamma_1').replace('ls2.gamma', 'gamma_2'): x
        for key, x in state.items()
    }
    torch.save({'model': renamed}, tmp_path / 'deit3.pth')
    backbone = Timm(
        'deit3_small_patch16_224', settings=settings, pretrained=str(tmp_path / 'deit3.pth')
    )
    backbone.init_weights()
    assert torch.equal(backbone.net.blocks[1].ls2.gamma, state['blocks.1.ls2.gamma'])


@pytest.mark.parametrize('fused', ['repghostnet_050', 'test_resnet', 'test_vit'])
@torch.no_grad()
def test_a_fused_copy_answers_alike(fused):
    backbone = Timm(fused).train()
    backbone(torch.randn(2, 3, 64, 64))  # running statistics of their own
    image = torch.randn(1, 3, 97, 130)
    wanted, copy = backbone.eval()(image), backbone.fuse_for_inference()
    for x, y in zip(copy(image), wanted, strict=True):
        torch.testing.assert_close(x, y, atol=1e-4, rtol=1e-4)
    fewer = len([*backbone.modules()]) - len([*copy.modules()])
    assert (fewer > 0) == (fused == 'repghostnet_050')


# The last one multiplies by the weight of its layers itself.
ADAPTED = ['vit_small_patch14_reg4_dinov2', 'swin_tiny_patch4_window7_224', 'beit_base_patch16_224']


@pytest.mark.parametrize('name', ADAPTED)
def test_adapters_of_all_linear_layers_learn_and_are_merged(name):
    beit = {'depth': 2, 'embed_dim': 48, 'num_heads': 3}
    backbone, plain = (Timm(name, settings=NAMES.get(name, beit)) for _ in range(2))
    add_adapters(backbone, 2)
    assert sum(n.endswith('qkv.lora_A') for n, _ in backbone.named_parameters()) > 1
    image = torch.randn(1, 3, 224, 224)
    for _ in range(2):  # the first step moves B alone
        backbone.zero_grad()
        sum(x.square().mean() for x in backbone.train()(image)).backward()
        with torch.no_grad():
            for parameter in backbone.parameters():
                if parameter.requires_grad:
                    assert parameter.grad is not None
                    parameter -= parameter.grad.sign() * 0.01
    plain.load_state_dict(merged_state(backbone.state_dict())[0])
    torch.testing.assert_close(backbone.eval()(image), plain.eval()(image), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize('name', ['test_vit', 'test_convnext', 'test_efficientnet', 'resnet10t'])
@torch.no_grad()
def test_a_classifier_by_name_gives_timms_logits(name, tmp_path):
    """The classifier is called head, head.fc, classifier and fc there."""
    net = timm.create_model(name, num_classes=7).eval()
    torch.save(net.state_dict(), tmp_path / 'w.pth')
    model = create_model(f'timm:{name}', 7, checkpoint=tmp_path / 'w.pth').eval()
    image = torch.randn(1, 3, *model.backbone.img_size)
    assert torch.equal(model(image), net(image))
    assert model.num_features == net.head_hidden_size
    torch.save(model.state_dict(), tmp_path / 'own.pth')
    again = create_model(f'timm:{name}', 7, checkpoint=tmp_path / 'own.pth').eval()
    assert torch.equal(again(image), net(image))
    vectors = create_model(f'timm:{name}', 0, checkpoint=tmp_path / 'w.pth').eval()
    read = net.forward_head(net.forward_features(image), pre_logits=True)
    assert torch.equal(vectors(image), read)


@pytest.mark.parametrize('prefix', ['model.', 'module.model.', 'encoder.', 'model.backbone.'])
def test_what_a_training_program_puts_before_the_keys_is_removed(prefix, tmp_path):
    net = timm.create_model('test_efficientnet')
    state = {f'{prefix}{key}': x for key, x in net.state_dict().items()}
    torch.save({'state_dict': state, 'hyper_parameters': {'lr': 0.1}}, tmp_path / 'a.ckpt')
    backbone = Timm('test_efficientnet', pretrained=str(tmp_path / 'a.ckpt'))
    backbone.init_weights()
    assert torch.equal(backbone.net.conv_stem.weight, net.conv_stem.weight)


def test_a_backbone_starts_from_the_detector_that_it_was_trained_in(tmp_path):
    trained = Timm('test_vit', img_size=64)
    state = {f'backbone.{key}': x for key, x in trained.state_dict().items()}
    state |= {'neck.convs.0.weight': torch.ones(1), 'bbox_head.fc_cls.weight': torch.ones(1)}
    torch.save({'state_dict': state, 'meta': {}}, tmp_path / 'epoch_1.pth')
    backbone = Timm('test_vit', img_size=64, pretrained=str(tmp_path / 'epoch_1.pth'))
    backbone.init_weights()
    assert torch.equal(backbone.net.pos_embed, trained.net.pos_embed)


def test_a_model_by_name_has_the_interface_of_ours():
    model = create_model('timm:test_vit', 5).eval()
    depth = model.group_matcher()
    names = ('backbone.net.pos_embed', 'backbone.net.blocks.0.norm1.bias', 'head.fc.weight')
    assert [depth(name) for name in names] == [0, 1, 7]
    assert model.no_weight_decay() == {'backbone.net.pos_embed', 'backbone.net.cls_token'}
    image = torch.randn(1, 3, *model.backbone.img_size)
    maps = model.forward_intermediates(image, indices=2, norm=True, intermediates_only=True)
    wanted = intermediates(model.backbone.net, image, True, 2)
    for ours, theirs in zip(maps, wanted, strict=True):
        assert torch.equal(ours, theirs)
    model.reset_classifier(3)
    assert model(image).shape == (1, 3)


def test_a_model_by_name_says_what_it_cannot_do():
    with pytest.raises(OptionError, match="timm has no 'resnet81'; did you mean"):
        create_model('timm:resnet81')
    with pytest.raises(OptionError, match="timm:test_vit has no option 'bananas'"):
        create_model('timm:test_vit', bananas=1)
    with pytest.raises(InputError, match='timm:coatnet_nano_cc_224: no such file, and not'):
        create_model('timm:coatnet_nano_cc_224', pretrained=True)
