"""The contact sheet of a recipe, as a user calls for it."""

import numpy as np
import pytest
from PIL import Image

from vitbackbones.catalog import config_files
from vitbackbones.datasets import shapes

from .conftest import TINY
from .test_messages import refused

MSF = config_files()['cls_msf_vit_ti_imagenet']


@pytest.fixture(scope='module')
def folder(tmp_path_factory):
    root = tmp_path_factory.mktemp('folders')
    return shapes.write(root, train=1, val=3, size=64, layout='folders') / 'val'


def panels(path, rows, columns):
    """Mean colors (rows, columns, 3) of the panels."""
    picture = np.asarray(Image.open(path).convert('RGB'), float)
    assert picture.shape[0] > rows * 128
    assert picture.shape[1] > columns * 128
    cells = [np.array_split(row, columns, axis=1) for row in np.array_split(picture, rows)]
    return np.array([[cell.mean((0, 1)) for cell in row] for row in cells])


def test_a_sheet(tool, folder, tmp_path):
    first, second = (tmp_path / name for name in ('first.png', 'second.png'))
    for file in (first, second):
        result = tool('show_augmentations', MSF, folder, '--out', file, '--images', 2)
        assert result.status == 0, result.err
        assert result.out.endswith(f'{file}: 2 of 3 images\n')
    assert first.read_bytes() == second.read_bytes()
    seen = panels(first, rows=2, columns=7)
    assert len({tuple(color) for color in seen[0, 1:5]}) == 4  # all draws differ
    assert np.abs(seen[:, 0] - seen[:, 6]).max() < 30  # evaluation keeps the colors
    assert np.abs(seen[:, 4] - seen[:, 5]).max() > 0  # mixing changes something


def test_only_classifiers(tool, folder):
    refused(tool('show_augmentations', TINY, folder, '--out', 'a.png'), 'no classification config')


def test_data_sets_that_bring_the_image_themselves(tool, folder):
    config = config_files()['cls_tnt_s_cifar10']
    assert tool('show_augmentations', config, folder, '--out', 'a.jpg').status == 0
