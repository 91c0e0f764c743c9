"""The shipped configs by name and by path, and where relative paths are looked up."""

from pathlib import Path

import pytest

import vitbackbones
from vitbackbones.configuration import names
from vitbackbones.configuration.names import (
    CONFIGS,
    config,
    config_files,
    config_name,
    find_config,
    is_remote,
    looked_in,
    nearest_config,
    resolve,
    shown_path,
)
from vitbackbones.errors import InputError

TOO_LONG = 'x' * 300
FILE = CONFIGS / 'coco' / 'detr_aug_vit_s.py'


@pytest.mark.parametrize(
    'text',
    [
        'detr_aug_vit_s_coco',
        'detr_aug_vit_s_coco.py',
        'configs/detr_aug_vit_s_coco.py',
        'coco/detr_aug_vit_s',
        'configs/coco/detr_aug_vit_s.py',
        './configs/coco/detr_aug_vit_s.py',
        'vitbackbones::coco/detr_aug_vit_s.py',
        'vitbackbones::detr_aug_vit_s_coco',
        '/elsewhere/configs/deeper/configs/coco/detr_aug_vit_s.py',
    ],
)
def test_a_config_is_found_by_name_and_by_every_form_of_its_path(text):
    assert find_config(text) == FILE
    assert find_config(Path(text)) == FILE
    assert vitbackbones.config(text) == str(FILE)


@pytest.mark.parametrize(
    'text',
    ['', '.', '..', 'configs', 'coco', 'coco/..', '../README.md', 'coco/detr_aug_vit_s_coco.py']
    + ['_base_', 'configs/../setup.py', '/etc/passwd', 'mmdet::detr/detr_r50.py']
    + [TOO_LONG, f'coco/{TOO_LONG}', 'coco/a\0b', f'coco/{TOO_LONG}.py'],
)
def test_other_texts_find_nothing(text):
    assert find_config(text) is None


def test_every_config_has_one_name_and_leads_back_to_its_file():
    assert len(config_files()) > 200
    assert {file.parent.name for file in config_files().values()} > {'coco', 'ade20k', 'own'}
    for name, file in config_files().items():
        assert config_name(file) == name
        assert find_config(name) == find_config(shown_path(name)) == file
    assert config_name(Path('/mine/coco/detr_aug_vit_s.py')) == 'detr_aug_vit_s'


@pytest.mark.parametrize(
    ('text', 'near'),
    [
        ('detr_aug_vit_s_coc', "'detr_aug_vit_s_coco'"),
        ('configs/detr_aug_vit_s_coc.py', "'configs/coco/detr_aug_vit_s.py'"),
        ('vitbackbones::coco/detr_aug_vits.py', "'configs/coco/detr_aug_vit_s.py'"),
        ('coco/detr_augvit_s', "'detr_aug_vit_s_coco'"),
    ],
)
def test_the_nearest_config_is_named_in_the_form_that_was_used(text, near):
    assert f'did you mean {near}' in nearest_config(text)
    with pytest.raises(InputError, match='there is no config with this name; did you mean'):
        config(text)


def test_a_part_of_a_config_is_looked_for_among_the_parts():
    near = nearest_config('vitbackbones::_base_/recipes/retinanet_1x_coco.py')
    assert "did you mean 'configs/_base_/recipes/retinanet_12e_coco.py'" in near
    assert 'docs/versions.md' in nearest_config('vitbackbones::_base_/backbones/pvt_s.py')


def test_the_current_directory_comes_first(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (names.CLONE / 'runs').mkdir()
    assert resolve('runs') == names.CLONE / 'runs'
    (tmp_path / 'runs').mkdir()
    assert resolve('runs') == tmp_path / 'runs'
    assert resolve('data/none') == tmp_path / 'data' / 'none'
    assert looked_in('data/none') == f'{tmp_path}/data/none and {names.CLONE}/data/none'


def test_remote():
    assert is_remote('https://host/x.pth')
    assert is_remote(Path('s3://bucket/x.pth'))
    assert not is_remote('data/coco')
