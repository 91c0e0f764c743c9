"""The check of all files of a data set, as a user calls it."""

import json
import shutil

import cv2
import numpy as np
import pytest

from vitbackbones.data.checks import masks as mask_check

from ..conftest import TINY, TINY_SEG

pytestmark = pytest.mark.compat


@pytest.fixture
def copy(data, tmp_path):
    return shutil.copytree(data, tmp_path / 'spoilt')


def test_a_good_detection_data_set(run, data):
    result = run('check', TINY, '--data-root', data, '--workers', 1)
    assert 'train_dataloader.dataset: 8 samples, 8 images' in result.out
    assert '12 files, all readable' in result.out  # val and test are the same four
    content = json.loads((data / 'annotations' / 'instances_train.json').read_text())
    rows = [line.split() for line in result.out.partition('class ')[2].splitlines()[1:4]]
    assert {row[0] for row in rows} == {'circle', 'square', 'triangle'}
    assert sum(int(row[2]) for row in rows) == len(content['annotations'])


def test_bad_images_are_listed(tool, copy):
    bad = sorted((copy / 'images' / 'train').iterdir())[2:4]
    for image in bad:
        image.write_bytes(image.read_bytes()[:100])
    result = tool('check', TINY, '--data-root', copy, '--workers', 2)
    assert result.status == 2
    assert all(f'image file {image}: truncated' in result.out for image in bad)
    assert 'error: 2 problems in 12 files, see above' in result.err


def test_names_in_files_do_not_reach_the_terminal_as_orders(run, copy):
    for path in copy.glob('annotations/*.json'):
        path.write_text(path.read_text().replace('"circle"', '"cir\\u001b[31mcle"'))
    result = run('check', 'configs/own/quick_detector.py', '--data-root', copy)
    assert r'cir\x1b[31mcle' in result.out
    assert '\x1b' not in result.out + result.err


def test_all_bad_masks_are_listed(tool, copy, monkeypatch):
    """Also those beyond the sample that a run looks at."""
    monkeypatch.setattr(mask_check, 'SAMPLE', 1)
    masks = copy / 'annotations'
    for place, pixels in (
        ('train/000003.png', np.full((64, 64), 9, np.uint8)),
        ('train/000004.png', np.full((64, 64), 7, np.uint8)),
        ('val/000001.png', np.ones((32, 64), np.uint8)),
    ):
        cv2.imwrite(str(masks / place), pixels)
    (copy / 'images' / 'val' / '000002.jpg').write_bytes(b'no picture')
    result = tool('check', TINY_SEG, '--data-root', copy)
    assert result.status == 2
    assert f'{masks}/train/000003.png: 4096 pixels have the values 9' in result.out
    assert f'{masks}/train/000004.png: 4096 pixels have the values 7' in result.out
    assert f'{masks}/val/000001.png: has 64 x 32' in result.out
    assert 'images/val/000002.jpg: ' in result.out
    assert 'problems in 24 files, see above' in result.err


@pytest.mark.parametrize(
    ('setting', 'said'),
    [
        ('train_cfg.max_epoch=3', 'train_cfg.max_epoch: unknown key'),
        ('lr=0.1', '--cfg-options lr: lr is not a setting of a run, so it has no effect'),
        ('scale=[9,9]', '--cfg-options scale: scale is not a setting of a run'),
        ('param_scheduler.0.type=Nope', "'Nope' is not registered"),
        ('optim_wrapper.optimizer.lr=fast', 'optim_wrapper.optimizer.lr'),
        ('model.bbox_head.num_classes=9', 'num_classes is 9, but'),
        ('model.bbox_head.embed_dims=7', 'embed_dims'),
    ],
)
def test_what_a_run_refuses_is_refused_before(tool, data, setting, said):
    given = ('--data-root', data, '--cfg-options', setting)
    results = tool('check', TINY, *given), tool('train', TINY, '--scratch', *given)
    for result in results:
        assert result.status == 2
        assert said in result.err
    assert results[0].err == results[1].err


@pytest.fixture
def untrained(tmp_path):
    """A config that tests alone."""
    config = tmp_path / 'test_alone.py'
    without = 'train_dataloader = train_cfg = optim_wrapper = param_scheduler = None'
    config.write_text(f"_base_ = __import__('vitbackbones').config('quick_detector')\n{without}\n")
    return config


def test_statistics_of_a_config_without_training_data_are_refused(tool, untrained):
    result = tool('check', untrained, '--statistics')
    assert result.status == 2
    assert f'--statistics: {untrained} has no train_dataloader to measure' in result.err


def test_own_data_of_a_config_without_training_data_are_checked(run, untrained, data):
    result = run('check', untrained, '--data-root', data)
    assert 'val_dataloader.dataset: 4 samples, 4 images' in result.out
    assert 'train_dataloader' not in result.out
    assert '4 files, all readable' in result.out


def test_data_of_two_splits_are_shown_once_and_libraries_are_silent(run, data):
    result = run('check', 'quick_detector', '--data-root', data)
    assert 'loading annotations' not in result.out
    assert 'test_dataloader.dataset: the same as val_dataloader.dataset' in result.out
