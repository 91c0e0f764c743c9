"""The table agrees with itself, with timm's registry, and with what the configs ask for."""

import re
from pathlib import Path

import pytest
import timm
import torch
from safetensors.torch import save_file
from timm.models import get_pretrained_cfg

from vitbackbones import create_model, list_models
from vitbackbones.configuration.names import config_files
from vitbackbones.weights import DETECTORS, LEFT_RANDOM, NEVER_PUBLISHED, PUBLISHED
from vitbackbones.weights.filling import load_pretrained

CONFIGS = Path(__file__).parents[2] / 'configs'
OUTSIDE = {'vit_l', 'resnet50', 'regnety_160'}  # no models of create_model


def test_every_model_was_published_or_never():
    models = {row.model for row in PUBLISHED.values()} | {*NEVER_PUBLISHED}
    assert {*list_models()} - models == set()
    assert {row.model for row in PUBLISHED.values()} - {*list_models()} == OUTSIDE
    assert PUBLISHED.keys() & NEVER_PUBLISHED.keys() == set()


def test_every_file_that_a_config_starts_from_has_an_entry():
    texts = ''.join(file.read_text() for file in CONFIGS.rglob('*.py'))
    asked = set(re.findall(r"'checkpoints/([^']+)\.pth'", texts))
    files = {Path(row.url).stem for row in PUBLISHED.values() if row.url}
    assert len(asked) > 25
    assert asked - {*PUBLISHED, *NEVER_PUBLISHED} - files == set()


def test_a_nearest_start_was_published():
    assert {*NEVER_PUBLISHED.values()} - {*PUBLISHED} == {''}
    assert LEFT_RANDOM.keys() <= NEVER_PUBLISHED.keys()


def uninitialized(name):
    """Return a model without the seconds that random numbers take."""
    with torch.device('meta'):
        return create_model(name).to_empty(device='cpu')


@pytest.mark.parametrize('name', ['aug_pvt_s', 'aug_t2t_14', 'recursive_mixer_b16', 'tnt_s_se'])
def test_a_nearest_start_fills_all_but_what_is_left_random(name, tmp_path):
    state = uninitialized(NEVER_PUBLISHED[name]).state_dict()
    nearest = {key: torch.zeros_like(value) for key, value in state.items()}
    torch.save(nearest, tmp_path / 'nearest.pth')
    coverage = load_pretrained(uninitialized(name), tmp_path / 'nearest.pth', LEFT_RANDOM[name])
    assert len(coverage.used) == len(nearest)
    assert coverage.missing


@pytest.mark.parametrize('name', [name for name, row in PUBLISHED.items() if row.hf_hub])
def test_the_images_are_those_of_timms_registry(name):
    row = PUBLISHED[name]
    theirs = get_pretrained_cfg(row.hf_hub.removeprefix('timm/'))
    for fact in ('mean', 'std', 'crop_pct', 'interpolation', 'input_size', 'num_classes'):
        assert getattr(row, fact) == getattr(theirs, fact), fact
    assert row.license == theirs.license
    assert theirs.url in (row.url, '')


@pytest.mark.parametrize('name', ['deit_ti', 'deit_ti_distilled', 'swin_t', 'mixer_b16'])
def test_the_copy_on_the_hub_fills_its_model(name, tmp_path):
    """The hub has the state dicts of timm's models, here with random weights."""
    theirs = timm.create_model(PUBLISHED[name].hf_hub.removeprefix('timm/'))
    save_file(theirs.state_dict(), tmp_path / 'model.safetensors')
    coverage = load_pretrained(uninitialized(name), tmp_path / 'model.safetensors')
    assert not coverage.missing + coverage.unused + coverage.mismatched


def test_what_is_known_of_a_file():
    row = PUBLISHED['deit_b_384']
    assert row.model == 'deit_b'
    assert row.url == 'https://dl.fbaipublicfiles.com/deit/deit_base_patch16_384-8de9b5d1.pth'
    assert (row.sha256, row.num_classes) == ('8de9b5d1', 1000)
    assert (row.input_size, row.crop_pct) == ((3, 384, 384), 1.0)
    assert PUBLISHED['pvt_s'].sha256 is None  # no hash in its name
    assert PUBLISHED['sret_s'].url is None  # Google Drive shows a page first


def test_every_detector_fills_a_shipped_config():
    assert {row.config for row in DETECTORS.values()} <= {*config_files()}
    for row in DETECTORS.values():
        assert row.url.startswith('https://')
        assert row.url.endswith(f'-{row.sha256}.pth')
