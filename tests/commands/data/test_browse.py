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
def test_a_sheet_of_a_data_set_follows_from_the_seed(tool, data, tmp_path, config):
    first, second, other = (tmp_path / f'{name}.png' for name in ('first', 'second', 'other'))
    for file, seed in ((first, 0), (second, 0), (other, 1)):
        words = ['--images', 2, '--draws', 2, '--seed', seed, '--out', file]
        result = tool('browse', config, '--data-root', data, *words)
        assert result.status == 0, result.err
        assert f'{file}: 2 of 8 pictures\n' in result.out
        assert f'randomness.seed={seed}' in result.out
    assert first.read_bytes() == second.read_bytes()
    assert first.read_bytes() != other.read_bytes()


def test_a_folder_has_a_picture_of_each_row(tool, data, tmp_path):
    words = ['--data-root', data, '--only', '000003.jpg', 'images/train/000005.jpg', '--out', 'out']
    result = tool('browse', TINY_SEG, *words)
    assert result.status == 0, result.err
    names = sorted(file.name for file in (tmp_path / 'out').iterdir())
    assert names == ['00003_000003.png', '00005_000005.png', 'first_batch.png']


def test_what_is_not_for_training_is_drawn_as_it_is(tool, data, tmp_path):
    result = tool('browse', TINY, '--data-root', data, '--split', 'val', '--out', 'val.png')
    assert result.status == 0, result.err
    assert 'seed' not in result.out
    annotated, evaluated = cells(tmp_path / 'val.png', 2)
    assert differ(annotated, evaluated)  # boxes


def test_a_classifier_takes_pictures_without_a_data_set(tool, folders, tmp_path):
    words = ['--images', 2, '--out', 'sheet.png']
    result = tool('browse', MSF, folders / 'val', *words)
    assert result.status == 0, result.err
    file, *draws, evaluation = cells(tmp_path / 'sheet.png', 5)
    assert all(differ(one, file) for one in draws)
    assert len({one.tobytes() for one in draws}) == 3
    assert np.abs(file.mean() - evaluation.mean()) < 30


def test_pictures_may_stand_for_a_data_set_without_files(tool, folders):
    config = config_files()['cls_tnt_s_cifar10']
    assert tool('browse', config, folders / 'val', '--out', 'a.jpg').status == 0


def test_pictures_without_annotations_are_for_classifiers(tool, data):
    refused(tool('browse', TINY, data / 'images', '--out', 'a.png'), 'are for a classifier')


def test_the_file_is_looked_at_first(tool):
    refused(tool('browse', TINY, '--out', 'a.txt'), 'a.txt', '.png or .jpg')


def test_a_config_without_training_data_is_refused(tool, data, tmp_path):
    config = tmp_path / 'part.py'
    config.write_text(TINY.read_text().replace('train_dataloader', 'dataloader'))
    refused(tool('browse', config, '--data-root', data), 'it has no train_dataloader')


def test_a_folder_that_is_not_there_is_named(tool):
    refused(tool('browse', TINY, '--data-root', 'nowhere'), 'nowhere', 'is not there')


def test_an_empty_folder_is_named(tool, tmp_path):
    (tmp_path / 'empty').mkdir()
    refused(tool('browse', 'quick_detector', '--data-root', 'empty'), 'empty')
    refused(tool('browse', MSF, 'empty'), 'no image or video there')


def test_a_name_that_no_picture_has_is_refused_with_the_nearest(tool, data):
    words = ['--data-root', data, '--only', '000009.jpg']
    refused(tool('browse', TINY_SEG, *words), '--only 000009.jpg', "did you mean '00000")


def test_a_broken_picture_is_named(tool, data, tmp_path):
    spoiled = shutil.copytree(data, tmp_path / 'spoiled')
    (spoiled / 'images' / 'train' / '000000.jpg').write_bytes(b'no picture')
    refused(tool('browse', TINY_SEG, '--data-root', spoiled), 'train/000000.jpg')


def test_a_broken_annotation_is_named(tool, data, tmp_path):
    spoiled = shutil.copytree(data, tmp_path / 'spoiled')
    (spoiled / 'annotations' / 'instances_train.json').write_text('{')
    refused(tool('browse', TINY, '--data-root', spoiled), 'instances_train.json')


@pytest.mark.parametrize('out', ['sheet.png', 'folder'])
def test_nothing_is_replaced_unless_asked(tool, data, tmp_path, out):
    words = ['browse', TINY, '--data-root', data, '--images', 1, '--draws', 1, '--out', out]
    assert tool(*words).status == 0
    files = list(tmp_path.rglob('*.png'))
    for file in files:
        file.write_bytes(b'mine')
    refused(tool(*words), f'--out {out}: is there already', '--overwrite')
    assert all(file.read_bytes() == b'mine' for file in files)
    assert tool(*words, '--overwrite').status == 0
    assert not any(file.read_bytes() == b'mine' for file in files)
