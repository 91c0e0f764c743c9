"""The factor of the shortcuts of Aug-PVT and Aug-T2T goes with the weights."""

import logging

import pytest
import torch
from mmengine.runner.checkpoint import load_state_dict

from vitbackbones.backbones import PVT, T2T, AugPVT, AugT2T, AugViT
from vitbackbones.layers import AugmentedShortcut
from vitbackbones.training.hooks.fitting_checkpoint import fitting_state
from vitbackbones.weights.filling import load_pretrained

KEY = 'shortcut_scale'
ROW = {'embed_dims': 32, 'depth': 2, 'num_heads': 2}
HOSTS = [(AugPVT, PVT, {'base': 't', 'depths': (1, 1, 1, 1)}), (AugT2T, T2T, ROW)]
each_host = pytest.mark.parametrize(('host', 'plain', 'arch'), HOSTS)
IMAGE = torch.randn(1, 3, 64, 64, generator=torch.Generator().manual_seed(0))


def build(host, arch, **shortcut):
    torch.manual_seed(0)
    return host(arch, img_size=64, **({'shortcut': shortcut} if shortcut else {})).eval()


def factors(model):
    return {part.scale for part in model.modules() if isinstance(part, AugmentedShortcut)}


def of_before(model):
    """The state dict that the same weights had before the factor was in it."""
    return {key: value for key, value in model.state_dict().items() if key != KEY}


def test_aug_vit_has_that_of_its_code_and_no_entry():
    model = build(AugViT, ROW)
    assert factors(model) == {0.75}
    assert KEY not in model.state_dict()


@each_host
def test_it_is_one_and_no_parameter(host, plain, arch):
    model = build(host, arch)
    assert factors(model) == {1.0}
    assert model.state_dict()[KEY] == 1
    assert KEY not in dict(model.named_parameters())


@each_host
def test_weights_of_before_keep_three_quarters(host, plain, arch, caplog):
    before = build(host, arch, scale=0.75)
    model = build(host, arch)
    with caplog.at_level(logging.WARNING):
        model.load_state_dict(of_before(before))
    assert 'shortcut scale 0.75' in caplog.text
    assert 'backbone.shortcut.scale' in caplog.text
    with torch.no_grad():
        assert all(map(torch.equal, model(IMAGE), before(IMAGE)))
    assert model.state_dict()[KEY] == 0.75  # and so do files written from now on


def test_another_number_of_paths_had_no_factor_before():
    model = build(AugT2T, ROW, paths=1)
    model.load_state_dict(of_before(model))
    assert factors(model) == {1.0}


@each_host
def test_the_factor_of_a_file_is_taken(host, plain, arch):
    model = build(host, arch)
    model.load_state_dict(build(host, arch, scale=0.5).state_dict())
    assert factors(model) == {0.5}


@each_host
def test_a_factor_that_was_asked_for_stays(host, plain, arch, caplog):
    given = build(host, arch, scale=0.9)
    given.load_state_dict(build(host, arch).state_dict())
    assert factors(given) == {0.9}
    assert given.state_dict()[KEY] == torch.tensor(0.9)
    given.load_state_dict(of_before(given))
    assert factors(given) == {0.9}
    assert not caplog.records


@each_host
def test_files_start_a_backbone_with_their_factor(host, plain, arch, tmp_path):
    file = tmp_path / 'weights.pth'
    torch.save(of_before(build(host, arch)), file)
    model = build(host, arch)
    assert not load_pretrained(model, file).missing
    assert factors(model) == {0.75}


@each_host
def test_a_checkpoint_of_before_fits_and_is_resumed_with_its_factor(host, plain, arch):
    model = torch.nn.ModuleDict({'backbone': build(host, arch)})
    before = {f'backbone.{key}': value for key, value in of_before(model['backbone']).items()}
    assert fitting_state('epoch_1.pth', model, {'state_dict': before}).keys() == set(
        model.state_dict()
    )
    assert factors(model) == {1.0}  # nothing was loaded yet
    load_state_dict(model, before)
    assert factors(model) == {0.75}


@each_host
def test_weights_of_the_plain_host_bring_none(host, plain, arch, tmp_path):
    file = tmp_path / 'weights.pth'
    torch.save(build(plain, arch).state_dict(), file)
    model = build(host, arch)
    load_pretrained(model, file, allow_missing=['*.shortcut_*'])
    assert factors(model) == {1.0}


@each_host
def test_other_shortcuts_have_none(host, plain, arch):
    model = build(host, arch, type='IdentityShortcut')
    model.load_state_dict(build(plain, arch).state_dict())
    assert KEY not in model.state_dict()
