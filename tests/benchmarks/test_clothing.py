"""Clothing co-parsing becomes a folder that --data-root reads."""

import numpy as np
import pytest
from PIL import Image
from scipy.io import savemat

from benchmarks import clothing
from benchmarks.own_sets_data import RealSet
from vitbackbones.errors import InputError


def write_clone(clone):
    """Write six photos, five of them with masks."""
    (clone / 'annotations' / 'pixel-level').mkdir(parents=True)
    (clone / 'photos').mkdir()
    names = np.array(['null', 'bag', 't-shirt'], object)
    savemat(clone / 'label_list.mat', {'label_list': names})
    for row in range(6):
        Image.new('RGB', (5, 4)).save(clone / 'photos' / f'{row:04}.jpg')
    for row in range(5):  # the last photo has none
        mask = np.full((4, 5), row % 3, np.uint8)
        savemat(clone / 'annotations' / 'pixel-level' / f'{row:04}.mat', {'groundtruth': mask})


def test_photos_with_masks_become_images_and_masks_in_two_splits(tmp_path, monkeypatch):
    monkeypatch.setattr(clothing, 'VALIDATION', 2)
    write_clone(tmp_path / 'clone')
    clothing.convert(tmp_path / 'clone', tmp_path / 'sets' / 'clothing')
    found = RealSet(tmp_path / 'sets' / 'clothing', tmp_path / 'work')
    assert found.pool.classes == ['null', 'bag', 't-shirt']
    assert (len(found.drawable), len(found.val)) == (3, 2)
    for file in found.pool.masks:
        assert (np.asarray(Image.open(file)) == int(file.stem) % 3).all()


def test_a_folder_without_masks_is_one_message(tmp_path):
    with pytest.raises(InputError, match='has no masks, annotations/pixel-level/'):
        clothing.convert(tmp_path, tmp_path / 'out')
