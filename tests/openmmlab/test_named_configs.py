"""OpenMMLab's own functions take the names of shipped configs."""

import io
from dataclasses import replace

import pytest
import torch
from mmdet.apis import DetInferencer
from mmengine.config import Config
from mmpretrain import get_model
from mmseg.apis import MMSegInferencer
from safetensors.torch import save_file

import vitbackbones
from tests.weights.server import behaving
from vitbackbones.configuration.names import config_name
from vitbackbones.configuration.read import read_config
from vitbackbones.errors import InputError
from vitbackbones.openmmlab import named_configs
from vitbackbones.weights import PUBLISHED
from vitbackbones.weights.read.load import load_file
from vitbackbones.weights.trained import trained_weights

pytestmark = pytest.mark.compat


def test_the_path_that_a_config_has_in_a_clone_works_anywhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert Config.fromfile('configs/detr_aug_vit_s_coco.py').model.type == 'vitbackbones.DETR'


def test_an_unknown_base_is_one_message_with_the_nearest(tmp_path):
    file = tmp_path / 'mine.py'
    file.write_text("_base_ = 'vitbackbones::coco/detr_aug_vits.py'\n")
    near = "there is no config with this name; did you mean 'configs/coco/detr_aug_vit_s.py'"
    with pytest.raises(InputError, match=f'^{file}: vitbackbones::coco/detr_aug_vits.py: {near}'):
        read_config(file)


@pytest.mark.parametrize(
    ('inferencer', 'name'),
    [
        (DetInferencer, 'quick_detector'),
        (DetInferencer, 'configs/detr_aug_vit_s_shapes.py'),
        (MMSegInferencer, 'setr_mla_msf_vit_ti_shapes'),
    ],
)
def test_inferencers_take_a_name_and_the_weights_that_come_with_it(inferencer, name, capsys):
    made = inferencer(name, device='cpu')
    assert made.cfg.filename == vitbackbones.config(name)
    assert 'Failed to search registry' not in ''.join(capsys.readouterr())
    weights = load_file(trained_weights()[config_name(vitbackbones.config(name))])
    assert made.model.dataset_meta['classes'] == weights['meta']['dataset_meta']['classes']
    state = made.model.state_dict()
    assert all(torch.equal(state[key], value) for key, value in weights['state_dict'].items())


def test_mmpretrain_takes_a_name_and_the_weights_that_come_with_it(tmp_path, monkeypatch):
    model = get_model('cls_deit_ti_shapes')
    assert model(torch.zeros(1, 3, 64, 64)).shape == (1, 3)
    state = model.state_dict()
    file = tmp_path / 'cls_deit_ti_shapes.safetensors'
    save_file({key: torch.full_like(value, 0.5) for key, value in state.items()}, file)
    monkeypatch.setattr(named_configs, 'trained_weights', lambda: {file.stem: file})
    filled = get_model('cls_deit_ti_shapes', pretrained=True).state_dict()
    assert all(value.eq(0.5).all() for value in filled.values())


def test_mmpretrain_takes_the_weights_that_were_published_for_a_name(tmp_path, monkeypatch):
    ours = vitbackbones.create_model('deit_ti')
    with behaving(tmp_path / 'cache', monkeypatch) as (address, server):
        file = io.BytesIO()
        torch.save({'model': ours.state_dict()}, file)
        server.content = file.getvalue()
        said = {'url': f'{address}/deit_ti.pth', 'sha256': None, 'mean': (0.25, 0.5, 0.75)}
        monkeypatch.setitem(PUBLISHED, 'deit_ti', replace(PUBLISHED['deit_ti'], **said))
        untrained = get_model('cls_deit_ti_imagenet')
        assert server.asked == []
        filled = get_model('cls_deit_ti_imagenet', pretrained=True)
    state = filled.state_dict()
    assert all(torch.equal(state[key], value) for key, value in ours.state_dict().items())
    assert not torch.equal(untrained.head.fc.weight, filled.head.fc.weight)
    assert len(filled._dataset_meta['classes']) == 1000
    assert filled.data_preprocessor.mean.flatten() == pytest.approx([63.75, 127.5, 191.25])


@pytest.mark.parametrize('name', ['cls_swin_t_300e_imagenet', 'cls_resnet50_imagenet'])
def test_a_config_of_another_recipe_or_network_has_no_published_weights(name):
    assert named_configs._weights_of(vitbackbones.config(name)) is None
