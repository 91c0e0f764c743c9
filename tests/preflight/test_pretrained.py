"""The checkpoint a config starts from: found, replaced, left out, or explained when missing."""

import pytest

from vitbackbones.configuration.read import read_config
from vitbackbones.errors import InputError
from vitbackbones.preflight import pretrained
from vitbackbones.preflight.pretrained import prepare_pretrained, prepare_teacher


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def config():
    return read_config('configs/coco/detr_aug_vit_s.py')


def test_found(config, elsewhere):
    (elsewhere / 'checkpoints').mkdir()
    (elsewhere / 'checkpoints' / 'aug_vit_s.pth').touch()
    config = prepare_pretrained(config)
    assert config.model.backbone.init_cfg == {
        'type': 'vitbackbones.Pretrained',
        'checkpoint': str(elsewhere / 'checkpoints' / 'aug_vit_s.pth'),
        'allow_missing': ['*.shortcut_*'],
    }


def test_missing_says_how_to_get_one(config, elsewhere):
    with pytest.raises(InputError) as error:
        prepare_pretrained(config)
    text = str(error.value)
    assert text.startswith('checkpoints/aug_vit_s.pth: the ImageNet checkpoint that detr_aug_vit')
    assert f'{elsewhere}/checkpoints/aug_vit_s.pth' in text
    pretraining = 'configs/imagenet/cls_aug_vit_s.py'
    for way in (pretraining, '--pretrained FILE', 'DeiT weights fit', '--scratch', '--smoke'):
        assert way in text


def test_missing_names_the_pretraining_config_where_there_is_one(config, elsewhere, monkeypatch):
    with pytest.raises(InputError, match=r'"python tools/train\.py configs/imagenet/cls_aug_vit_s'):
        prepare_pretrained(config)
    monkeypatch.setattr(pretrained, 'find_config', lambda text: None)
    with pytest.raises(InputError, match='an ImageNet classification checkpoint of this backbone'):
        prepare_pretrained(config)


def test_no_hint_at_deit_where_it_does_not_fit():
    with pytest.raises(InputError) as error:
        prepare_pretrained(read_config('configs/coco/detr_pvt_s.py'))
    assert 'DeiT' not in str(error.value)


def test_scratch(config):
    without = prepare_pretrained(config, scratch=True)
    assert without.model.backbone.init_cfg is None
    assert config.model.backbone.init_cfg is not None  # a copy is changed


def test_given_replaces_the_file_and_keeps_what_may_be_missing(config, elsewhere):
    (elsewhere / 'deit.pth').touch()
    config = prepare_pretrained(config, given='deit.pth')
    assert config.model.backbone.init_cfg.checkpoint == str(elsewhere / 'deit.pth')
    assert config.model.backbone.init_cfg.allow_missing == ['*.shortcut_*']


def test_given_to_a_config_without_weights(elsewhere):
    (elsewhere / 'w.pth').touch()
    config = read_config('configs/shapes/detr_aug_vit_s.py')
    config = prepare_pretrained(config, given='w.pth')
    assert config.model.backbone.init_cfg == {
        'type': 'vitbackbones.Pretrained',
        'checkpoint': str(elsewhere / 'w.pth'),
    }


def test_given_is_missing(config):
    with pytest.raises(InputError, match='--pretrained none.pth: no such file'):
        prepare_pretrained(config, given='none.pth')


def test_addresses_are_left_to_mmengine(config):
    config.model.backbone.init_cfg.checkpoint = 'https://host/x.pth'
    config = prepare_pretrained(config)
    assert config.model.backbone.init_cfg.checkpoint == 'https://host/x.pth'


def test_fine_tuning_names_the_run_before(elsewhere):
    config = read_config('configs/imagenet/cls_sret_t_384.py')
    with pytest.raises(InputError, match=r'configs/imagenet/cls_sret_t_distill\.py'):
        prepare_pretrained(config)


def test_given_to_fine_tuning_fills_the_head_too(elsewhere):
    (elsewhere / 'w.pth').touch()
    config = read_config('configs/imagenet/cls_sret_t_384.py')
    config = prepare_pretrained(config, given='w.pth')
    assert config.model.init_cfg.checkpoint == str(elsewhere / 'w.pth')
    assert 'init_cfg' not in config.model.backbone


def test_a_teacher(elsewhere):
    config = read_config('configs/imagenet/cls_sret_t_distill.py')
    with pytest.raises(InputError, match='the weights of the teacher of cls_sret_t_distill'):
        prepare_teacher(config)
    (elsewhere / 'checkpoints').mkdir()
    (elsewhere / 'checkpoints' / 'regnety_160.pth').touch()
    filled = prepare_teacher(config)
    assert filled.model.teacher_checkpoint == str(elsewhere / 'checkpoints' / 'regnety_160.pth')
    assert prepare_teacher(config, scratch=True).model.teacher_checkpoint is None
