"""The table agrees with itself, with timm, and with what the configs ask for; names are found."""

import re
from pathlib import Path

import pytest
import torch
from packaging.licenses import canonicalize_license_expression
from timm.models import get_pretrained_cfg

from vitbackbones import create_model, list_models
from vitbackbones.configuration.names import config_files
from vitbackbones.errors import InputError
from vitbackbones.weights import DETECTORS, LEFT_RANDOM, NEVER_PUBLISHED, PUBLISHED
from vitbackbones.weights.filling import load_pretrained
from vitbackbones.weights.table import find, find_detector, is_name, license_of, name_of, packaged

CONFIGS = Path(__file__).parents[2] / 'configs'
# no models of list_models
OUTSIDE = {'vit_l', 'resnet50', 'regnety_160', 'timm:tf_efficientnet_lite0'}


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
    assert len({*coverage.used} - {'backbone.shortcut_scale'}) == len(nearest)  # the model's own
    assert coverage.missing


@pytest.mark.parametrize('name', [name for name, row in PUBLISHED.items() if row.hf_hub])
def test_the_images_are_those_of_timms_registry(name):
    row = PUBLISHED[name]
    theirs = get_pretrained_cfg(row.hf_hub.removeprefix('timm/'))
    for fact in ('mean', 'std', 'crop_pct', 'interpolation', 'input_size', 'num_classes'):
        assert getattr(row, fact) == getattr(theirs, fact), fact
    assert row.license.lower() == theirs.license
    assert packaged(name) or theirs.url in (row.url, '')


def test_every_detector_fills_a_shipped_config():
    assert {row.config for row in DETECTORS.values()} <= {*config_files()}
    for row in DETECTORS.values():
        assert row.url.startswith('https://')
        assert row.url.endswith(f'-{row.sha256}.pth')


def test_licenses_are_spdx_identifiers_and_go_by_name_address_or_hash():
    for row in (*PUBLISHED.values(), *DETECTORS.values()):
        assert canonicalize_license_expression(row.license) == row.license
    t2t, deit = PUBLISHED['t2t_14'], PUBLISHED['deit_s']
    assert license_of('t2t_14', '0' * 64) == license_of(t2t.url, '0' * 64) == 'BSD-3-Clause-Clear'
    assert license_of(f'hf-hub:{deit.hf_hub}', '0' * 64) == 'Apache-2.0'
    assert license_of('mine.pth', f'{deit.sha256}{"0" * 56}') == 'Apache-2.0'
    assert license_of('mine.pth', '0' * 64) is license_of('t2t_14.pth', '0' * 64) is None


# ------------------------------------------------------------------------ names


def test_a_name_and_a_file_are_told_apart():
    assert all(is_name(text) for text in ('deit_s', 'deit-s', 'resnet50'))
    assert not any(is_name(text) for text in ('a.pth', 'a/b', 'hf-hub:a/b', 'C:\\a', 'https://a'))


def test_a_name_without_weights_gets_the_nearest_or_is_to_be_trained():
    with pytest.raises(InputError, match=r"deit_z: no such file, and .*did you mean 'deit_"):
        find('deit_z')
    with pytest.raises(InputError, match='msf_vit_s: its weights were never published. Train'):
        find('msf_vit_s')


def test_a_file_is_called_after_its_weights():
    assert name_of('checkpoints/aug_vit_s.pth') == 'aug_vit_s'
    assert name_of('anywhere/resnet50-0676ba61.pth') == 'resnet50'
    assert name_of('81.5_T2T_ViT_14.pth.tar') == 't2t_14'
    assert name_of('mine.pth') is None
    assert name_of('hf-hub:timm/tnt_s_patch16_224.in1k') == 'tnt_s'
    assert name_of('hf-hub:timm/deit_base_patch16_384.fb_in1k@main:model.bin') == 'deit_b_384'
    assert name_of('hf-hub:mine/tnt_s') is None


def test_a_detector_is_found_by_its_name_and_by_its_config():
    assert find('detr_r50') is find('detr_r50_coco') is DETECTORS['detr_r50']
    assert find('detr_r101').options == 'model.backbone.depth=101'
    assert find_detector('detr_pvt_s_coco') is None
    with pytest.raises(InputError, match="did you mean 'detr_r50'"):
        find('detr_r5')


def test_weights_that_a_package_brings_are_known_by_name_file_and_copy():
    row = PUBLISHED['tf_efficientnet_lite0']
    places = ('tf_efficientnet_lite0', 'x/efficientnet-lite0-57934424.pth', f'hf-hub:{row.hf_hub}')
    assert all(packaged(place) is row for place in places)
    assert packaged('deit_s') is packaged('mine.pth') is packaged('sret_t') is None
    assert license_of(row.url, '') == 'Apache-2.0'
