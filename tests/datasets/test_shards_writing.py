"""Shards are the same bytes wherever and however often they are written."""

import shutil

import cv2
import numpy as np
import pytest

from vitbackbones.datasets.shards_writing import plan, stored_bytes, write_shard
from vitbackbones.errors import InputError


@pytest.fixture
def samples(tmp_path):
    """Pictures of two classes, one with a dot in its name."""
    names = ('cat/1.jpg', 'cat/2.x.jpg', 'dog/3.png')
    for number, name in enumerate(names):
        path = tmp_path / 'images' / name
        path.parent.mkdir(parents=True, exist_ok=True)
        cv2.imwrite(str(path), np.full((8, 8, 3), 50 * number, np.uint8))
    labels = (0, 0, 1)
    paths = [str(tmp_path / 'images' / name) for name in names]
    return [{'img_path': p, 'gt_label': label} for p, label in zip(paths, labels, strict=True)]


def test_the_same_bytes_from_another_place_in_another_order(tmp_path, samples):
    first = tmp_path / 'a.tar'
    shard = write_shard(first, plan(samples))
    shutil.copytree(tmp_path / 'images', tmp_path / 'copy' / 'images')
    moved = [{**s, 'img_path': s['img_path'].replace('/images', '/copy/images')} for s in samples]
    write_shard(tmp_path / 'b.tar', plan(moved[::-1]))
    assert (tmp_path / 'b.tar').read_bytes() == first.read_bytes()
    assert sorted(zip(shard.members, shard.labels, strict=True)) == [
        ('cat/1.jpg', 0),
        ('cat/2_x.jpg', 0),
        ('dog/3.png', 1),
    ]
    assert 0 <= shard.bytes - stored_bytes(plan(samples)) <= 10240  # the record that ends a file


def test_a_shard_that_is_there_is_kept_if_it_is_what_belongs_there(tmp_path, samples):
    path = tmp_path / 'a.tar'
    shard = write_shard(path, plan(samples))
    before = path.stat().st_ino
    assert write_shard(path, plan(samples)) == shard
    assert path.stat().st_ino == before
    with pytest.raises(InputError, match=r'a\.tar: holds other pictures than those that belong'):
        write_shard(path, plan(samples[1:]))


@pytest.mark.parametrize(
    ('content', 'reason'),
    [
        (b'', 'the file is empty'),
        (b'GIF90 or so', 'not an image'),
        (None, 'truncated, the JPEG data stops after'),
    ],
)
def test_a_bad_picture_leaves_no_shard(tmp_path, samples, content, reason):
    bad = tmp_path / 'images' / 'cat' / '1.jpg'
    bad.write_bytes(bad.read_bytes()[:-10] if content is None else content)
    with pytest.raises(InputError) as refusal:
        write_shard(tmp_path / 'a.tar', plan(samples))
    assert str(refusal.value).startswith(f'image file {bad}: {reason}')
    assert [path.name for path in tmp_path.iterdir()] == ['images']


def test_pictures_that_cannot_be_told_apart_or_are_none(tmp_path, samples):
    clash = {**samples[0], 'img_path': samples[0]['img_path'].replace('.jpg', '.png')}
    with pytest.raises(InputError, match="1.jpg and .*1.png: both would be 'cat/1' in a shard"):
        plan([*samples, clash])
    with pytest.raises(InputError, match=r'notes\.txt: shards hold \.jpg'):
        plan([*samples, {'img_path': str(tmp_path / 'notes.txt'), 'gt_label': 0}])
    gone = {**samples[0], 'img_path': str(tmp_path / 'images' / 'cat' / '9.jpg')}
    with pytest.raises(InputError, match=r'9\.jpg: No such file'):
        plan([*samples, gone])
