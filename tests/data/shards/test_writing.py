"""Shards are the same bytes wherever and however often they are written."""

import hashlib
import os
import shutil

import cv2
import numpy as np
import pytest

from vitbackbones.data.shards.writing import layout, plan, write_shard
from vitbackbones.errors import InputError

from ..shard_files import read_tar


def write(path, samples):
    """Write one shard of all samples; return what an index says of it."""
    pictures = plan(samples)
    shard = layout(path.name, pictures)
    write_shard(path.parent, shard, pictures)
    return shard


@pytest.fixture
def samples(tmp_path):
    """Pictures of two classes, one with a dot in its name."""
    found = []
    for name, label in {'cat/1.jpg': 0, 'cat/2.x.jpg': 0, 'dog/3.png': 1}.items():
        path = tmp_path / 'images' / name
        path.parent.mkdir(parents=True, exist_ok=True)
        cv2.imwrite(str(path), np.full((8, 8, 3), 50 * len(found), np.uint8))
        found.append({'img_path': str(path), 'gt_label': label})
    return found


def test_the_same_bytes_from_another_place_in_another_order(tmp_path, samples):
    write(tmp_path / 'a.tar', samples)
    shutil.copytree(tmp_path / 'images', tmp_path / 'copy' / 'images')
    moved = [{**s, 'img_path': s['img_path'].replace('/images', '/copy/images')} for s in samples]
    write(tmp_path / 'b.tar', moved[::-1])
    assert (tmp_path / 'b.tar').read_bytes() == (tmp_path / 'a.tar').read_bytes()


def test_the_same_bytes_as_every_release_before(tmp_path):
    """With names that a header cuts or replaces, and both orders of picture and label."""
    names = ('a/1.ppm', 'a/2.PPM', 'é' * 60 + '/3.ppm', 'n' * 120 + '/4.ppm')
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b'P6 1 1 255\n' + name.encode()[:3])
    samples = [{'img_path': str(tmp_path / n), 'gt_label': 7 * i} for i, n in enumerate(names)]
    write(tmp_path / 'x.tar', samples)
    digest = hashlib.sha256((tmp_path / 'x.tar').read_bytes()).hexdigest()
    assert digest == '27c324efaebbcdb0ff893ffaaeed60e0fed9e22dd36024bb7a42af0cb8af67e4'


def test_a_picture_is_where_the_layout_says(tmp_path, samples):
    shard = write(tmp_path / 'a.tar', samples)
    assert shard == read_tar(tmp_path / 'a.tar')
    labels = dict(zip(shard.members, shard.labels, strict=True))
    assert labels == {'cat/1.jpg': 0, 'cat/2_x.jpg': 0, 'dog/3.png': 1}


def test_a_shard_that_is_there_is_kept_if_it_is_what_belongs_there(tmp_path, samples):
    path = tmp_path / 'a.tar'
    shard = write(path, samples)
    before = path.stat().st_ino
    assert write(path, samples) == shard
    assert path.stat().st_ino == before
    other_label = [*samples[:2], {**samples[2], 'gt_label': 2}]
    message = r'a\.tar: contains other images than the dataset does now'
    for others in (samples[:2], samples[1:], samples[::2], other_label):
        with pytest.raises(InputError, match=message):
            write(path, others)
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(InputError, match=message):
        write(path, samples)


def test_a_bad_picture_leaves_no_shard(tmp_path, samples):
    bad = tmp_path / 'images' / 'cat' / '1.jpg'
    bad.write_bytes(bad.read_bytes()[:-2])
    with pytest.raises(InputError, match=r'cat/1\.jpg: truncated, the JPEG data stops after'):
        write(tmp_path / 'a.tar', samples)
    assert [path.name for path in tmp_path.iterdir()] == ['images']


def test_a_picture_that_changes_meanwhile_or_is_gone_leaves_no_shard(tmp_path, samples):
    pictures = plan(samples)
    shutil.copy(samples[2]['img_path'], samples[0]['img_path'])
    with pytest.raises(InputError, match=r'1\.jpg: its size changed while'):
        write_shard(tmp_path, layout('a.tar', pictures), pictures)
    assert [path.name for path in tmp_path.iterdir()] == ['images']
    os.remove(samples[0]['img_path'])
    with pytest.raises(InputError, match=r'1\.jpg: No such file'):
        plan(samples)
