"""What training and evaluation see, on a sheet, as a user calls for it."""

import shutil

import numpy as np
import pytest
from PIL import Image

from vitbackbones.drawing.sheet import GAP

from ..conftest import TINY, TINY_CLS, TINY_SEG
from ..test_messages import refused


def cells(path, columns):
    """The columns of a sheet as pixels (H, W, 3)."""
    picture = np.asarray(Image.open(path).convert('RGB'), float)
    return np.array_split(picture[:, GAP:], columns, axis=1)


@pytest.mark.parametrize('config', [TINY, TINY_SEG])
def test_a_sheet_of_a_data_set_follows_from_the_seed(run, data, tmp_path, config):
    first, second, other = (tmp_path / f'{name}.png' for name in ('first', 'second', 'other'))
    for file, seed in ((first, 0), (second, 0), (other, 1)):
        words = ['--images', 2, '--draws', 2, '--seed', seed, '--out', file]
        result = run('browse', config, '--data-root', data, *words)
        assert f'{file}: 2 of 8 images\n' in result.out
        assert f'randomness.seed={seed}' in result.out
    assert first.read_bytes() == second.read_bytes()
    assert first.read_bytes() != other.read_bytes()


def test_pictures_may_be_chosen_and_large(run, data):
    words = ['--data-root', data, '--only', '000003.jpg', 'images/train/000005.jpg']
    assert '2 of 8 images' in run('browse', TINY_SEG, *words, '--out', 'small.png').out
    run('browse', TINY_SEG, *words, '--side', 32, '--out', 'smaller.png')
    small, smaller = (Image.open(f'{name}.png') for name in ('small', 'smaller'))
    assert smaller.height < small.height


def test_what_is_not_for_training_is_drawn_as_it_is(run, data, tmp_path):
    alone = 'train_dataloader = train_cfg = optim_wrapper = param_scheduler = None'
    config = tmp_path / 'evaluated.py'
    config.write_text(f'_base_ = {str(TINY)!r}\n{alone}\n')
    result = run('browse', config, '--data-root', data, '--split', 'val', '--out', 'val.png')
    assert 'seed' not in result.out
    annotated, evaluated = cells(tmp_path / 'val.png', 2)
    width = min(annotated.shape[1], evaluated.shape[1])
    assert np.abs(annotated[:, :width] - evaluated[:, :width]).mean() > 1  # boxes


def test_pictures_of_classes_are_drawn(run, folders):
    assert '4 of 6 images' in run('browse', TINY_CLS, '--data-root', folders).out


def test_what_cannot_be_drawn_is_refused(tool, data, tmp_path):
    refused(tool('browse', TINY, '--out', 'a.txt'), 'a.txt', '.png or .jpg')
    refused(tool('browse', TINY, '--data-root', 'nowhere'), 'nowhere: no such folder')
    refused(
        tool('browse', TINY_SEG, '--data-root', data, '--only', '000009.jpg'),
        *('--only 000009.jpg', "did you mean '00000", 'of val or test, use --split'),
    )
    spoiled = shutil.copytree(data, tmp_path / 'spoiled')
    (spoiled / 'images' / 'train' / '000000.jpg').write_bytes(b'no picture')
    refused(tool('browse', TINY_SEG, '--data-root', spoiled), 'train/000000.jpg')


def test_nothing_is_replaced_unless_asked(run, tool, data, tmp_path):
    sheet = tmp_path / 'sheet.png'
    sheet.write_bytes(b'mine')
    words = ['browse', TINY, '--data-root', data, '--images', 1, '--draws', 1, '--out', sheet]
    refused(tool(*words), f'--out {sheet}: already exists', '--overwrite')
    assert sheet.read_bytes() == b'mine'
    run(*words, '--overwrite')
    assert sheet.read_bytes() != b'mine'
