"""The trained models that come with the package: they fit, find what is drawn, and have cards."""

import hashlib
import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from tests.commands.conftest import data, tool  # noqa: F401
from vitbackbones.configuration.names import config_files
from vitbackbones.data import shapes
from vitbackbones.weights.downloads import local
from vitbackbones.weights.read.load import load_file
from vitbackbones.weights.trained import trained_backbones, trained_weights

pytestmark = pytest.mark.compat
NAMES = ('detr_aug_vit_s_shapes', 'quick_detector', 'setr_mla_msf_vit_ti_shapes')


@pytest.fixture(scope='module')
def drawn(tmp_path_factory):
    """Four pictures that no training has seen."""
    return shapes.write(tmp_path_factory.mktemp('drawn'), train=1, val=4, size=128)


@pytest.mark.parametrize('name', NAMES)
def test_a_card_is_of_its_file(name):
    assert tuple(trained_weights()) == NAMES
    assert name in config_files()
    file = trained_weights()[name]
    card = file.with_suffix('.md').read_text()
    assert hashlib.sha256(file.read_bytes()).hexdigest() in card
    assert f'vitbackbones predict {name} ' in card
    assert ', '.join(load_file(file)['meta']['dataset_meta']['classes']) in card


@pytest.mark.parametrize('name', trained_backbones())
def test_a_card_of_a_backbone_says_its_hash_data_and_terms(name):
    file = trained_backbones()[name]
    assert file.stat().st_size < (3e6 if name != 'quick_mosaics' else 4e6)  # a whole detector
    card = file.with_suffix('.md').read_text()
    assert hashlib.sha256(file.read_bytes()).hexdigest() in card
    assert 'Tiny-ImageNet' in card
    assert ('coco/bbox_mAP' if name == 'quick_mosaics' else 'accuracy/top1') in card
    assert all(x.dtype == torch.half for x in load_file(file)['state_dict'].values() if x.ndim)
    assert local(name) == file


def overlap(a, b):
    """IoU of two boxes x, y, width, height."""
    low = np.maximum(a[:2], b[:2])
    high = np.minimum(np.add(a[:2], a[2:]), np.add(b[:2], b[2:]))
    inside = np.prod(np.clip(high - low, 0, None))
    return inside / (a[2] * a[3] + b[2] * b[3] - inside)


def test_the_detector_finds_what_is_drawn_without_naming_a_checkpoint(tool, drawn):  # noqa: F811
    pictures = drawn / 'images/val'
    result = tool('predict', 'detr_aug_vit_s_shapes', pictures, '--out', 'out')
    assert result.status == 0, result.err
    found = json.loads(Path('out/predictions.json').read_text())
    truth = json.loads((drawn / 'annotations/instances_val.json').read_text())
    names = {each['id']: each['file_name'] for each in truth['images']}
    objects = [(names[each['image_id']], each['bbox']) for each in truth['annotations']]
    sure = [each for each in found if each['score'] > 0.5]
    assert len(sure) > len(objects) / 2
    for each in sure:
        boxes = [box for name, box in objects if name == each['file_name']]
        assert max(overlap(each['bbox'], box) for box in boxes) > 0.5


def test_the_segmentor_finds_what_is_drawn_between_two_files(tool, drawn):  # noqa: F811
    files = sorted((drawn / 'images/val').iterdir())[:2]
    result = tool('predict', 'setr_mla_msf_vit_ti_shapes', *files, '--out', 'out')
    assert result.status == 0, result.err
    for file in files:
        mask = np.asarray(Image.open(f'out/masks/{file.name}.png'))
        truth = np.asarray(Image.open(drawn / f'annotations/val/{file.stem}.png'))
        assert np.mean(mask == truth - 1) > 0.9  # no class has the number 0 in the files


def test_the_quick_detector_brings_its_classes_along(tool, drawn):  # noqa: F811
    file = next((drawn / 'images/val').iterdir())
    for folder in ('first', 'second'):  # the first one is not taken for that of a checkpoint
        Path(folder).mkdir()
        shutil.copy(file, Path(folder, f'{folder}{file.suffix}'))
    result = tool('predict', 'quick_detector', 'first', 'second', '--out', 'out')
    assert result.status == 0, result.err
    assert '2 of 2 files' in result.out


def test_a_config_without_weights_in_the_box_says_which_have_some(tool, drawn):  # noqa: F811
    result = tool('predict', 'detr_pvt_s_shapes', drawn, '--out', 'out')
    assert result.status == 2
    assert 'detr_pvt_s_shapes: the package includes no trained weights' in result.err
    assert f'only for {", ".join(NAMES)}' in result.err
