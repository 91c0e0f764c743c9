"""EfficientNets in the keys of EfficientNet-PyTorch give the maps and logits of timm's network."""

import logging

import pytest
import timm
import torch
from safetensors.torch import save_file

from tests.weights.packages import LITE0, lite0_file
from vitbackbones import create_model
from vitbackbones.backbones.foreign.timm_models import Timm
from vitbackbones.errors import InputError
from vitbackbones.weights.convert.efficientnet import convert_efficientnet
from vitbackbones.weights.filling import load_pretrained
from vitbackbones.weights.read.load import load_file

from .random_weights import randomize

# Parts of a block there, in the order of timm's.
PARTS = {
    'InvertedResidual': ['_expand_conv', '_bn0', '_depthwise_conv', '_bn1'],
    'DepthwiseSeparableConv': ['_depthwise_conv', '_bn1'],
}
SQUEEZE = ['_se_reduce', '_se_expand']
LAST = ['_project_conv', '_bn2']


def in_their_keys(net):
    """Return the state dict of an EfficientNet of timm as EfficientNet-PyTorch names it."""
    outside = {'conv_stem': '_conv_stem', 'bn1': '_bn0', 'conv_head': '_conv_head', 'bn2': '_bn1'}
    modules = {name: getattr(net, key) for key, name in outside.items()}
    blocks = [block for stage in net.blocks for block in stage]
    for number, block in enumerate(blocks):
        own = [part for part in block.modules() if [*part.parameters(recurse=False)]]
        squeeze = SQUEEZE if len(own) % 2 == 0 and hasattr(block.se, 'conv_reduce') else []
        names = [*PARTS[type(block).__name__], *squeeze, *LAST]
        pairs = zip(names, own, strict=True)
        modules |= {f'_blocks.{number}.{name}': part for name, part in pairs}
    modules['_fc'] = net.classifier
    return {
        f'{name}.{key}': x for name, part in modules.items() for key, x in part.state_dict().items()
    }


@pytest.fixture
def real():
    """timm's network, filled from the package by the order of its tensors."""
    net = timm.create_model(LITE0).eval()
    net.load_state_dict(dict(zip(net.state_dict(), load_file(lite0_file()).values(), strict=True)))
    return net


@torch.no_grad()
def test_the_real_package_gives_timms_logits_and_maps(real, caplog):
    caplog.set_level(logging.INFO, 'vitbackbones')
    image = torch.randn(1, 3, 224, 224)
    model = create_model(f'timm:{LITE0}', pretrained=True).eval()
    assert torch.equal(model(image), real(image))
    assert model.data_config['mean'] == model.data_config['std'] == (0.5, 0.5, 0.5)
    features = create_model(f'timm:{LITE0}', pretrained=True, features_only=True).eval()
    wanted = real.forward_intermediates(image, intermediates_only=True)[1:]
    for ours, theirs in zip(features(image), wanted, strict=True):
        assert torch.equal(ours, theirs)
    said = caplog.text
    assert 'Classifier: format efficientnet, 247 of 247 tensors filled' in said
    assert 'Timm: format efficientnet, 240 of 240 tensors filled' in said
    assert f'{LITE0}: license Apache-2.0, SHA-256 579344248a93e230' in said


def test_a_backbone_starts_from_the_real_package_or_its_file(real):
    wanted = real.blocks[6][0].conv_pwl.weight
    for start in (True, str(lite0_file())):
        backbone = Timm(LITE0, pretrained=start)
        backbone.init_weights()
        assert torch.equal(backbone.net.blocks[6][0].conv_pwl.weight, wanted)
    from_file = create_model(f'timm:{LITE0}', checkpoint=lite0_file(), features_only=True)
    assert from_file.data_config['mean'] == from_file.data_config['std'] == (0.5, 0.5, 0.5)
    gray = create_model(f'timm:{LITE0}', num_classes=3, pretrained=True, in_chans=1)
    summed = real.conv_stem.weight.sum(1, keepdim=True)
    torch.testing.assert_close(gray.backbone.net.conv_stem.weight, summed)


@pytest.mark.parametrize('name', ['tf_efficientnet_b1', 'tf_efficientnet_lite1'])
def test_keys_are_renamed_in_any_order(name):
    net = timm.create_model(name)
    wanted = net.state_dict()
    theirs = in_their_keys(net)
    assert len(theirs) == len(wanted)
    converted = convert_efficientnet({key: theirs[key] for key in sorted(theirs)})
    assert converted.keys() == wanted.keys()
    assert all(torch.equal(converted[key], wanted[key]) for key in wanted)


@torch.no_grad()
def test_a_file_of_a_training_program_fills_the_classifier_too(tmp_path):
    net = randomize(timm.create_model('tf_efficientnet_lite0', num_classes=4))
    state = {f'model.{key}': x for key, x in in_their_keys(net).items() if 'tracked' not in key}
    save_file(state, tmp_path / 'w.safetensors')
    model = create_model(f'timm:{LITE0}', 4, checkpoint=tmp_path / 'w.safetensors').eval()
    image = torch.randn(1, 3, 64, 64)
    torch.testing.assert_close(model(image), net(image))


def test_an_efficientnet_of_another_size_is_refused(tmp_path):
    torch.save(in_their_keys(timm.create_model('tf_efficientnet_lite1')), tmp_path / 'w.pth')
    with pytest.raises(InputError, match=r'does not fill Timm \(efficientnet layout\)') as error:
        load_pretrained(Timm(LITE0), tmp_path / 'w.pth')
    assert 'net.blocks.1.2.' in str(error.value)


def test_another_backbone_says_what_the_file_is(tmp_path):
    torch.save(in_their_keys(timm.create_model(LITE0)), tmp_path / 'w.pth')
    with pytest.raises(InputError, match=r'does not fill Classifier \(efficientnet layout\)'):
        create_model('deit_ti', checkpoint=tmp_path / 'w.pth')
