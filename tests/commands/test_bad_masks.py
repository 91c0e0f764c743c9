"""Masks as users have them: one that cannot be used is refused by name, in every tool."""

import shutil

import numpy as np
import pytest
import torch
from PIL import Image

from vitbackbones.data.checks import masks as mask_check

from .conftest import TINY_SEG

pytestmark = pytest.mark.compat
SPLITS = {'train': 'train', 'test': 'val', 'check': 'train'}  # what each tool reads
SIDE = 64


@pytest.fixture
def copy(data, tmp_path):
    """A copy of the data that a test may change."""
    return shutil.copytree(data, tmp_path / 'changed')


@pytest.fixture
def call(tool, copy, tmp_path):
    """``call('train', ...)`` runs a tool on the copy; the checkpoint of 'test' is empty."""

    def run(name, *options):
        torch.save({'state_dict': {}, 'meta': {}}, tmp_path / 'empty.pth')
        given = {'train': ['--scratch'], 'test': [tmp_path / 'empty.pth'], 'check': []}
        return tool(name, TINY_SEG, *given[name], '--data-root', copy, *options)

    return run


def save(values, path):
    Image.fromarray(values).save(path)


def full(value, kind=np.uint8, height=SIDE):
    return np.full((height, SIDE), value, kind)


def shorten(path):
    path.write_bytes(path.read_bytes()[:60])


@pytest.mark.parametrize(
    ('name', 'spoil', 'text'),
    [
        ('train', lambda path: save(full(1, height=32), path), 'has 64 x 32 pixels, its image'),
        ('test', lambda path: save(full(9), path), '4096 pixels hold 9, which is no class'),
        ('check', lambda path: save(full(259, np.uint16), path), '4096 pixels hold 259'),
        ('train', lambda path: Image.new('RGB', (SIDE, SIDE)).save(path), 'of kind RGB'),
        ('check', shorten, 'Put a good copy there'),
        ('test', lambda path: path.unlink(), "'000003.png'"),
    ],
)
def test_a_bad_mask_is_named(call, copy, name, spoil, text):
    mask = copy / 'annotations' / SPLITS[name] / '000003.png'
    spoil(mask)
    result = call(name)
    said = result.err + (result.out if name == 'check' else '')
    assert result.status == 2, result.out
    assert text in said
    assert str(mask.with_suffix('') if mask.exists() else mask.parent) in said
    assert 'Traceback' not in said


def test_all_bad_masks_are_listed(call, copy, monkeypatch):
    """Also those beyond the sample that a run looks at."""
    monkeypatch.setattr(mask_check, 'SAMPLE', 1)
    masks = copy / 'annotations'
    save(full(9), masks / 'train' / '000003.png')
    save(full(7), masks / 'train' / '000004.png')
    save(full(1, height=32), masks / 'val' / '000001.png')
    (copy / 'images' / 'val' / '000002.jpg').write_bytes(b'no picture')
    result = call('check')
    assert result.status == 2
    assert f'{masks}/train/000003.png: 4096 pixels hold 9' in result.out
    assert f'{masks}/train/000004.png: 4096 pixels hold 7' in result.out
    assert f'{masks}/val/000001.png: has 64 x 32' in result.out
    assert 'images/val/000002.jpg: ' in result.out
    assert 'faults in 24 files, see above' in result.err
