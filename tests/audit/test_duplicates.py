"""Near duplicates among pictures."""

import cv2
import numpy as np
import pytest
from PIL import Image

from vitbackbones.audit import duplicates
from vitbackbones.audit.duplicates import near_duplicates, perceptual_hashes


def photo(seed):
    pixels = np.random.default_rng(seed).integers(0, 256, (8, 12, 3), np.uint8)
    return np.asarray(Image.fromarray(pixels).resize((240, 160), Image.Resampling.BICUBIC))


CHANGES = {
    'smaller': lambda pixels: cv2.resize(pixels, (90, 60), interpolation=cv2.INTER_AREA),
    'darker': lambda pixels: (pixels * 0.6).astype(np.uint8),
    'encoded': lambda pixels: cv2.imdecode(cv2.imencode('.jpg', pixels, [1, 20])[1], 1),
    'mirrored': lambda pixels: pixels[:, ::-1],
    'upside down': lambda pixels: pixels[::-1],
    'turned': lambda pixels: np.rot90(pixels),
    'turned by 180 degrees': lambda pixels: np.rot90(pixels, 2),
    'turned back': lambda pixels: np.rot90(pixels, 3),
    'transposed': lambda pixels: pixels.swapaxes(0, 1),
    'mirrored, smaller': lambda pixels: cv2.resize(pixels[:, ::-1].copy(), (90, 60)),
    'noisy': lambda pixels: np.random.default_rng(0).normal(pixels, 8).clip(0, 255).astype('u1'),
}


@pytest.mark.parametrize('change', CHANGES)
def test_a_changed_copy_is_found_among_others(tmp_path, change):
    pictures = [photo(seed) for seed in range(8)]
    pictures.append(CHANGES[change](pictures[3]))
    for number, pixels in enumerate(pictures):
        cv2.imwrite(str(tmp_path / f'{number}.png'), pixels)
    files = [tmp_path / f'{number}.png' for number in range(len(pictures))]
    assert near_duplicates(perceptual_hashes(files, threads=2)) == [[3, 8]]


def test_a_hash_does_not_depend_on_brightness_and_one_picture_is_no_group(tmp_path):
    pixels = photo(0) // 2
    for number, each in enumerate((pixels, pixels + 100)):
        cv2.imwrite(str(tmp_path / f'{number}.png'), each)
    first, second = perceptual_hashes([tmp_path / '0.png', tmp_path / '1.png'], threads=1)
    assert first.shape == (8, 32)
    assert (np.unpackbits(first ^ second).sum()) <= 8 * 2
    assert near_duplicates(first[None]) == []
    assert near_duplicates(np.zeros((0, 8, 32), np.uint8)) == []


def test_the_first_hash_is_that_of_the_picture_as_it_is(tmp_path):
    pixels = photo(0)
    for number, each in enumerate((pixels, pixels[:, ::-1])):
        cv2.imwrite(str(tmp_path / f'{number}.png'), each)
    first, mirrored = perceptual_hashes([tmp_path / '0.png', tmp_path / '1.png'], threads=1)
    gray = cv2.cvtColor(np.ascontiguousarray(pixels), cv2.COLOR_BGR2GRAY)
    small = cv2.resize(gray, (duplicates.SIDE,) * 2, interpolation=cv2.INTER_AREA)
    waves = cv2.dct(small.astype(np.float32))[: duplicates.KEPT, : duplicates.KEPT]
    waves[0, 0] = 0
    assert (first[0] == np.packbits(waves > np.median(waves))).all()
    assert min(np.unpackbits(mirrored[0] ^ each).sum() for each in first) <= 4


def test_signs_that_differ_as_much_as_that_are_near():
    hashes = np.zeros((2, 1, 32), np.uint8)
    hashes[1, 0, : duplicates.MOST // 8] = 255
    assert near_duplicates(hashes) == [[0, 1]]
    hashes[1, 0, duplicates.MOST // 8] = 1
    assert near_duplicates(hashes) == []


def test_groups_hold_what_is_near_through_others_and_across_blocks():
    hashes = np.random.default_rng(0).integers(0, 256, (600, 32), np.uint8)
    hashes[300], hashes[599] = hashes[5], hashes[5]
    hashes[300, :4] ^= 255  # 32 signs
    hashes[599, 4:8] ^= 255  # 32 from 5, 64 from 300
    assert near_duplicates(hashes[:, None]) == [[5, 300, 599]]


def test_many_that_are_alike_are_compared_once(monkeypatch):
    hashes = np.random.default_rng(0).integers(0, 256, (1, 8, 32), np.uint8).repeat(4000, 0)
    compared, near = [], duplicates._near
    monkeypatch.setattr(
        duplicates, '_near', lambda a, b: compared.append(len(a) * len(b)) or near(a, b)
    )
    assert near_duplicates(hashes) == [[*range(4000)]]
    assert sum(compared) < 8 * 4000 * 2
