"""SETR by the command: a released checkpoint evaluated as it is, and in several scales."""

from pathlib import Path

import cv2
import numpy as np
import pytest
import torch

from tests.reference.setr import published_state

pytestmark = pytest.mark.compat
TINY = Path(__file__).with_name('tiny_setr.py')


@pytest.fixture(scope='module')
def ade(tmp_path_factory):
    """Two validation images with random masks, in the layout of ADE20K."""
    root, random = tmp_path_factory.mktemp('ade'), np.random.default_rng(0)
    for split in ('training', 'validation'):
        for folder, shape, suffix in (
            ('images', (70, 90, 3), 'jpg'),
            ('annotations', (70, 90), 'png'),
        ):
            (root / folder / split).mkdir(parents=True)
            for i in range(2):
                values = random.integers(0, 151, shape, np.uint8)
                cv2.imwrite(str(root / folder / split / f'{i}.{suffix}'), values)
    return root


@pytest.fixture
def released(tmp_path):
    torch.save({'state_dict': published_state('naive', classes=150)}, tmp_path / 'released.pth')
    return tmp_path / 'released.pth'


def test_a_released_checkpoint_is_evaluated_in_windows_and_scales(run, ade, released):
    for options in ((), ('--tta',)):
        assert 'mIoU' in run('test', TINY, released, '--data-root', ade, *options).out


def test_several_scales_need_a_pipeline_and_are_not_drawn(tool, ade, released):
    options = ('--data-root', ade, '--cfg-options', 'tta_pipeline=None')
    result = tool('test', TINY, released, '--tta', *options)
    assert result.status == 2
    assert 'tiny_setr.py: no complete config, it has no tta_pipeline' in result.err
    with pytest.raises(SystemExit):
        tool('test', TINY, released, '--tta', '--draw', 'pictures')
