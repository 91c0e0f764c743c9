"""Models in folders and on the hub: written by huggingface_hub's mixin, read safely."""

import json
import os

import pytest
import torch

from vitbackbones import create_model
from vitbackbones.backbones.by_name import Classifier, Features
from vitbackbones.errors import InputError
from vitbackbones.layers import fuse_for_inference

hub = pytest.importorskip('huggingface_hub')
SMALL = {'arch': {'embed_dims': 64, 'depth': 2, 'num_heads': 2}, 'img_size': 32}


def small(**options):
    return create_model('deit_ti', **SMALL, **options).eval()


def test_a_model_comes_back_with_its_options_classes_and_images(tmp_path):
    model = small(num_classes=7, attention={'type': 'MeanShiftAttention'})
    model.reset_classifier(3)
    model.data_config['mean'] = (0.1, 0.2, 0.3)
    model.save_pretrained(tmp_path / 'it')
    assert {'config.json', 'model.safetensors', 'README.md'} == {
        file.name for file in (tmp_path / 'it').iterdir()
    }
    again = Classifier.from_pretrained(tmp_path / 'it')
    image = torch.randn(1, 3, 32, 32)
    assert torch.equal(again(image), model(image))
    assert again(image).shape == (1, 3)
    assert again.data_config == model.data_config


def test_maps_come_back(tmp_path):
    maps = small(features_only=True, out_indices=(0, 1))
    maps.save_pretrained(tmp_path)
    again = Features.from_pretrained(tmp_path)
    image = torch.ones(1, 3, 32, 32)
    for found, wanted in zip(again(image), maps(image), strict=True):
        assert torch.equal(found, wanted)


def test_a_repository_is_downloaded_and_uploaded(tmp_path, monkeypatch):
    model, seen = small(num_classes=2), []
    model.save_pretrained(tmp_path)
    fetched = lambda repo_id, filename, **options: str(tmp_path / filename)  # noqa: E731
    monkeypatch.setattr(hub, 'hf_hub_download', fetched)
    monkeypatch.setattr('huggingface_hub.hub_mixin.hf_hub_download', fetched)
    again = Classifier.from_pretrained('me/mine', revision='v1')
    assert torch.equal(again(torch.ones(1, 3, 32, 32)), model(torch.ones(1, 3, 32, 32)))

    class Api:
        def __init__(self, **options):
            pass

        def create_repo(self, repo_id, **options):
            return type('Repository', (), {'repo_id': repo_id})

        def upload_folder(self, folder_path, **options):
            seen.extend(file.name for file in sorted(folder_path.iterdir()))
            return 'https://there'

    monkeypatch.setattr('huggingface_hub.hub_mixin.HfApi', Api)
    assert model.push_to_hub('me/mine', private=True) == 'https://there'
    assert seen == ['README.md', 'config.json', 'model.safetensors']


@pytest.mark.parametrize(
    ('change', 'said'),
    [
        ({'attention': {'type': 'subprocess.Popen'}}, r'attention\.type is .subprocess\.Popen'),
        ({'stem': '/etc/passwd'}, r'stem is ./etc/passwd'),
        ({'checkpoint': 'detr_r50'}, r'config\.json is missing, belongs to another package'),
        ({'pretrained': True}, r'config\.json is missing, belongs to another package'),
        ({'name': 'deit_z'}, 'deit_z'),
        ({'arch': 'ti'}, 'describes a much larger network than'),
        ({'arch': SMALL['arch'] | {'depth': 3}}, 'does not fill Classifier'),
        (None, r'config\.json cannot be read'),
        ('{', 'damaged'),
    ],
)
def test_a_damaged_or_hostile_folder_is_one_message(change, said, tmp_path):
    small().save_pretrained(tmp_path)
    file = tmp_path / 'config.json'
    if isinstance(change, dict):
        change = json.dumps(json.loads(file.read_text()) | change)
    file.write_text(change) if change else file.unlink()
    with pytest.raises(InputError, match=said) as caught:
        Classifier.from_pretrained(tmp_path)
    assert str(tmp_path) in str(caught.value)


@pytest.mark.parametrize(
    'change',
    [
        {'arch': {'embed_dims': 64, 'depth': 10**7, 'num_heads': 2}},
        {'arch': {'embed_dims': 2**20, 'depth': 2, 'num_heads': 2}},
        {'shortcut': {'type': 'AugmentedShortcut', 'paths': 10**6}},
        {'img_size': 10**6},
    ],
)
def test_a_network_that_is_much_larger_than_its_weights_is_not_built(change, tmp_path):
    small().save_pretrained(tmp_path)
    file = tmp_path / 'config.json'
    file.write_text(json.dumps(json.loads(file.read_text()) | change))
    with pytest.raises(
        InputError, match=r'config\.json describes a much larger network than model'
    ):
        Classifier.from_pretrained(tmp_path)


@pytest.mark.parametrize('kind', ['pipe', 'device', 'digits'])
def test_a_config_that_cannot_be_read_to_its_end_is_refused(kind, tmp_path):
    small().save_pretrained(tmp_path)
    file = tmp_path / 'config.json'
    file.unlink()
    if kind == 'pipe':
        os.mkfifo(file)
    elif kind == 'device':
        file.symlink_to('/dev/zero')
    else:
        file.write_text(f'{{"name": "deit_ti", "depth": 1{"0" * 5000}}}')
    with pytest.raises(InputError, match=r'config\.json (cannot be read|is not JSON)'):
        Classifier.from_pretrained(tmp_path)


def test_a_model_comes_back_in_another_shape_of_image(tmp_path):
    model = create_model('deit_ti', **SMALL | {'img_size': (16, 64)}, num_classes=2).eval()
    torch.nn.init.normal_(model.backbone.pos_embed)
    model.save_pretrained(tmp_path)
    image = torch.randn(1, 3, 64, 16)
    turned = Classifier.from_pretrained(tmp_path, img_size=(64, 16))
    torch.testing.assert_close(turned(image), model(image))


def test_an_option_that_is_no_data_cannot_be_written(tmp_path):
    model = small()
    model.made_with['stem'] = object
    with pytest.raises(InputError, match='deit_ti: an option cannot be written as JSON'):
        model.save_pretrained(tmp_path)


def test_what_nothing_can_make_again_is_not_written(tmp_path):
    for model in (fuse_for_inference(small()), Classifier(small().backbone, 3)):
        with pytest.raises(
            InputError, match='only a model that create_model returned can be saved'
        ):
            model.save_pretrained(tmp_path / 'it')
    assert not (tmp_path / 'it').exists()


def test_a_repository_that_cannot_be_reached_is_not_called_damaged(monkeypatch, tmp_path):
    monkeypatch.setattr('huggingface_hub.constants.HF_HUB_OFFLINE', True)
    with pytest.raises(
        InputError, match='^me/none is not a folder here, and on the hub: cannot be downloaded'
    ):
        Classifier.from_pretrained('me/none', cache_dir=tmp_path)
