"""What training and evaluation see, on a sheet, as a user calls for it."""

import shutil

import numpy as np
import pytest
from PIL import Image

from vitbackbones.configuration.names import config_files
from vitbackbones.inference.drawing.sheet import GAP

from ..conftest import TINY, TINY_SEG
from ..test_messages import refused

MSF = config_files()['cls_msf_vit_ti_imagenet']


def cells(path, columns):
    """The columns of a sheet as pixels (H, W, 3)."""
    picture = np.asarray(Image.open(path).convert('RGB'), float)
    return np.array_split(picture[:, GAP:], columns, axis=1)


def differ(one, other):
    width = min(one.shape[1], other.shape[1])
    return np.abs(one[:, :width] - other[:, :width]).mean() > 1


@pytest.mark.parametrize('config', [TINY, TINY_SEG])
def test_a_sheet_of_a_data_set_follows_from_the_seed(run, data, tmp_path, config):
    first, second, other = (tmp_path / f'{name}.png' for name in ('first', 'second', 'other'))
    for file, seed in ((first, 0), (second, 0), (other, 1)):
        words = ['--images', 2, '--draws', 2, '--seed', seed, '--out', file]
        result = run('browse', config, '--data-root', data, *words)
        assert f'{file}: 2 of 8 pictures\n' in result.out
        assert f'randomness.seed={seed}' in result.out
    assert first.read_bytes() == second.read_bytes()
    assert first.read_bytes() != other.read_bytes()


def test_a_folder_has_a_picture_of_each_row(run, data, tmp_path):
    words = ['--data-root', data, '--only', '000003.jpg', 'images/train/000005.jpg', '--out', 'out']
    run('browse', TINY_SEG, *words)
    names = sorted(file.name for file in (tmp_path / 'out').iterdir())
    assert names == ['00003_000003.png', '00005_000005.png', 'first_batch.png']


def test_what_is_not_for_training_is_drawn_as_it_is(run, data, tmp_path):
    result = run('browse', TINY, '--data-root', data, '--split', 'val', '--out', 'val.png')
    assert 'seed' not in result.out
    annotated, evaluated = cells(tmp_path / 'val.png', 2)
    assert differ(annotated, evaluated)  # boxes


def test_a_classifier_takes_pictures_without_a_data_set(run, folders, tmp_path):
    words = ['--images', 2, '--out', 'sheet.png']
    run('browse', MSF, folders / 'val', *words)
    file, *draws, evaluation = cells(tmp_path / 'sheet.png', 5)
    assert all(differ(one, file) for one in draws)
    assert len({one.tobytes() for one in draws}) == 3
    assert np.abs(file.mean() - evaluation.mean()) < 30


def test_pictures_may_stand_for_a_data_set_without_files(run, folders):
    config = config_files()['cls_tnt_s_cifar10']
    run('browse', config, folders / 'val', '--out', 'a.jpg')


def test_bad_arguments_are_refused(tool, data):
    refused(tool('browse', TINY, data / 'images', '--out', 'a.png'), 'are for a classifier')
    refused(tool('browse', TINY, '--out', 'a.txt'), 'a.txt', '.png or .jpg')
    refused(tool('browse', TINY, '--data-root', 'nowhere'), 'nowhere', 'is not there')
    refused(
        tool('browse', TINY_SEG, '--data-root', data, '--only', '000009.jpg'),
        *('--only 000009.jpg', "did you mean '00000"),
    )


def test_a_config_without_training_data_is_refused(tool, data, tmp_path):
    config = tmp_path / 'part.py'
    config.write_text(TINY.read_text().replace('train_dataloader', 'dataloader'))
    refused(tool('browse', config, '--data-root', data), 'it has no train_dataloader')


def test_a_broken_picture_is_named(tool, data, tmp_path):
    spoiled = shutil.copytree(data, tmp_path / 'spoiled')
    (spoiled / 'images' / 'train' / '000000.jpg').write_bytes(b'no picture')
    refused(tool('browse', TINY_SEG, '--data-root', spoiled), 'train/000000.jpg')


@pytest.mark.parametrize('out', ['sheet.png', 'folder'])
def test_nothing_is_replaced_unless_asked(run, tool, data, tmp_path, out):
    words = ['browse', TINY, '--data-root', data, '--images', 1, '--draws', 1, '--out', out]
    run(*words)
    files = list(tmp_path.rglob('*.png'))
    for file in files:
        file.write_bytes(b'mine')
    refused(tool(*words), f'--out {out}: is there already', '--overwrite')
    assert all(file.read_bytes() == b'mine' for file in files)
    run(*words, '--overwrite')
    assert not any(file.read_bytes() == b'mine' for file in files)
