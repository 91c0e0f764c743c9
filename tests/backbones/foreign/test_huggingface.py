"""Backbones of transformers keep the contract, and their maps are those of ``AutoBackbone``."""

import json

import pytest
import torch

from vitbackbones.backbones.foreign.huggingface import HuggingFace
from vitbackbones.errors import InputError, OptionError
from vitbackbones.inference.configured import read_model_config
from vitbackbones.preparing.agreement import check_normalization

transformers = pytest.importorskip('transformers')
VIT = {'hidden_size': 48, 'num_hidden_layers': 3, 'num_attention_heads': 3}
SETTINGS = {
    'dinov2': VIT,
    'swin': {'embed_dim': 24, 'depths': [1, 2, 1, 1], 'num_heads': [1, 2, 4, 8]},
}


@pytest.mark.parametrize('name', SETTINGS)
@torch.no_grad()
def test_maps_are_those_of_transformers(name, tmp_path):
    config = transformers.AutoConfig.for_model(name, **SETTINGS[name])
    published = transformers.AutoModel.from_config(config)  # whose files are on the hub
    torch.save(published.state_dict(), tmp_path / 'weights.pth')
    backbone = HuggingFace(name, settings=SETTINGS[name], pretrained=str(tmp_path / 'weights.pth'))
    backbone.init_weights()
    config.out_indices = list(backbone.out_indices)
    wanted = transformers.AutoBackbone.from_config(config).eval()
    key = 'embeddings.patch_embeddings.projection.weight'
    assert torch.equal(
        backbone.net.state_dict()[key if name == 'dinov2' else f'swin.{key}'],
        published.state_dict()[key],
    )
    wanted.load_state_dict(backbone.net.state_dict())
    for size in ((224, 224), (97, 130)):
        image = torch.randn(1, 3, *size)
        maps = backbone.eval()(image)
        theirs = wanted(pixel_values=backbone.padded(image)).feature_maps
        for x, y, c, stride in zip(
            maps, theirs, backbone.out_channels, backbone.out_strides, strict=True
        ):
            h, w = (-(-side // stride) for side in size)
            assert x.shape == (1, c, h, w)
            torch.testing.assert_close(x, y[..., :h, :w])


def test_stages_and_depths_follow_the_layers():
    backbone = HuggingFace('dinov2', settings=VIT, frozen_stages=1, with_cp=True, in_channels=4)
    frozen = {name for name, each in backbone.named_parameters() if not each.requires_grad}
    assert {'.'.join(name.split('.')[1:4]) for name in frozen if 'layer.' in name} == {
        'encoder.layer.0'
    }
    keys = ('embeddings.cls_token', 'encoder.layer.0.norm1.weight', 'layernorm.weight')
    assert [backbone.layer_depth(f'net.{key}') for key in keys] == [(0, 5), (1, 5), (3, 5)]
    assert 'net.embeddings.cls_token' in backbone.no_weight_decay()
    backbone(torch.zeros(1, 4, 28, 28))[0].sum().backward()


def test_a_file_of_another_depth_is_refused(tmp_path):
    torch.save(HuggingFace('dinov2', settings=VIT).net.state_dict(), tmp_path / 'three.pth')
    for depth, said in (
        (4, '18 tensors of the model are not in the file'),
        (2, '18 tensors of the file are not in the model'),
    ):
        settings = {**VIT, 'num_hidden_layers': depth}
        backbone = HuggingFace('dinov2', settings=settings, pretrained=str(tmp_path / 'three.pth'))
        with pytest.raises(InputError, match=said):
            backbone.init_weights()


@pytest.mark.parametrize(
    ('name', 'options', 'said'),
    [
        ('dinov', {}, "no backbone 'dinov'; did you mean 'dinov2'"),
        ('dinov2', {'settings': {'hiden_size': 3}}, 'has no hiden_size'),
        ('dinov2', {'out_indices': 13}, 'out_indices=13 of 13'),
    ],
)
def test_what_cannot_be_had_is_named(name, options, said):
    with pytest.raises(OptionError, match=said):
        HuggingFace(name, **options)


def test_images_are_normalized_as_the_processor_of_the_folder_does(tmp_path):
    transformers.AutoConfig.for_model('dinov2', **VIT).save_pretrained(tmp_path)
    assert HuggingFace(str(tmp_path)).preprocessing == {}
    numbers = {'image_mean': [0.5, 0.4, 0.3], 'image_std': [0.1, 0.2, 0.4]}
    (tmp_path / 'preprocessor_config.json').write_text(json.dumps(numbers))
    config = read_model_config('quick_detector', {'model.backbone': f'hf:{tmp_path}'})
    assert config.model.data_preprocessor.mean == [127.5, 102, 76.5]
    config.model.backbone.pretrained = True
    assert check_normalization(config) == []
    config.model.data_preprocessor.std = [58.0, 57.0, 57.0]
    assert 'of mean [127.5,102,76.5] and std [25.5,51,102]' in check_normalization(config)[0]


def test_a_folder_that_transformers_saved_fills_a_backbone(tmp_path):
    published = transformers.AutoModel.from_config(
        transformers.AutoConfig.for_model('dinov2', **VIT)
    )
    published.save_pretrained(tmp_path)
    backbone = HuggingFace(str(tmp_path), pretrained=True)
    backbone.init_weights()
    key = 'encoder.layer.2.mlp.fc1.weight'
    assert torch.equal(backbone.net.state_dict()[key], published.state_dict()[key])


def test_a_repository_that_is_not_here_is_one_message(monkeypatch):
    monkeypatch.setenv('HF_HUB_OFFLINE', '1')
    with pytest.raises(InputError, match='nobody/nothing: cannot be downloaded'):
        HuggingFace('nobody/nothing')
