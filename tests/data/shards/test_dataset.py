"""A data set in tar shards is the one in class folders, picture by picture."""

import os

import numpy as np
import pytest
from mmpretrain.datasets import CustomDataset

from vitbackbones.data import shapes
from vitbackbones.data.loading.image_file import UnreadableImage
from vitbackbones.data.loading.load_image import LoadImage
from vitbackbones.data.shards import dataset as shards
from vitbackbones.data.shards.dataset import ADDRESS, ImageNetShards
from vitbackbones.data.shards.index import Index, index_file, write_index
from vitbackbones.data.shards.writing import layout, plan, write_shard

from ..shard_files import GOOD, with_index, write_tar


@pytest.fixture(scope='module')
def folders(tmp_path_factory):
    root = tmp_path_factory.mktemp('folders')
    return shapes.write(root, train=6, val=3, size=48, layout='folders') / 'train'


@pytest.fixture(scope='module')
def written(folders, tmp_path_factory):
    """A folder with two shards of the data set, of four and two pictures."""
    out = tmp_path_factory.mktemp('shards')
    dataset = CustomDataset(data_root=str(folders))
    pictures = plan([dataset.get_data_info(i) for i in range(len(dataset))])
    parts = {'train-000000.tar': pictures[:4], 'train-000001.tar': pictures[4:]}
    made = [layout(name, part) for name, part in parts.items()]
    for shard, part in zip(made, parts.values(), strict=True):
        write_shard(out, shard, part)
    write_index(index_file(out, 'train'), Index(list(dataset.CLASSES), made))
    return out


STEPS = [LoadImage()]


def test_the_same_samples_in_the_same_order(folders, written):
    one = CustomDataset(data_root=str(folders), pipeline=STEPS)
    other = ImageNetShards(data_root=str(written), pipeline=STEPS)
    assert len(one) == len(other) == 6
    assert other.metainfo['classes'] == one.CLASSES
    for left, right in zip(one, other, strict=True):
        assert left['gt_label'] == right['gt_label']
        np.testing.assert_array_equal(left['img'], right['img'])


def test_the_order_is_that_of_class_folders(tmp_path):
    """Of names: a folder's pictures stay together, whatever follows its name in another's."""
    names = ['a-b/1.jpg', 'a/2.jpg', 'a/1.jpg', 'é/1.jpg', 'b/1.jpg']
    members = [(name, b'') for name in names] + [(name[:-3] + 'cls', b'0') for name in names]
    dataset = ImageNetShards(data_root=str(with_index(tmp_path, members=members)))
    found = [ADDRESS.fullmatch(dataset.get_data_info(i)['img_path'])[2] for i in range(5)]
    assert found == ['a/1.jpg', 'a/2.jpg', 'a-b/1.jpg', 'b/1.jpg', 'é/1.jpg']


def load(folder):
    return ImageNetShards(data_root=str(folder), pipeline=STEPS)[1]


def test_a_member_that_is_no_image_is_named(tmp_path):
    with pytest.raises(UnreadableImage, match=r'train-000000\.tar!/dog/2\.JPG.*not an image'):
        load(with_index(tmp_path))


def test_a_shard_that_changes_after_the_check(tmp_path):
    path = with_index(tmp_path) / 'train-000000.tar'
    dataset = ImageNetShards(data_root=str(tmp_path), pipeline=STEPS)
    path.write_bytes(path.read_bytes()[:2048])
    with pytest.raises(UnreadableImage, match=r'dog/2\.JPG#\d+\+3: the shard is truncated'):
        dataset[1]
    shards._opened.cache_clear()
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(UnreadableImage, match=r'dog/2\.JPG#\d+\+3: not a regular file'):
        dataset[1]


@pytest.mark.parametrize('name', [b'dog/3.JPG', b'dog\0'])
def test_an_index_of_another_shard(tmp_path, name):
    """Another picture of the same size at the same place, or no header at all."""
    with_index(tmp_path)
    other = [(n.replace('dog/2', 'dog/3'), content) for n, content in GOOD]
    path = write_tar(tmp_path / 'train-000000.tar', other)
    if b'\0' in name:
        content = bytearray(path.read_bytes())
        content[2048:2060] = b'x' * 12
        path.write_bytes(content)
    with pytest.raises(UnreadableImage, match='the index does not match the shard'):
        load(tmp_path)


@pytest.mark.parametrize('member', ['é' * 30 + '/1.jpg', 'n' * 120 + '/1.jpg'])
def test_names_that_headers_cut_or_replace(tmp_path, member):
    with_index(tmp_path, members=[(member, b'picture'), (member.replace('jpg', 'cls'), b'0')])
    info = ImageNetShards(data_root=str(tmp_path)).get_data_info(0)
    assert shards.ShardBackend().get(info['img_path']) == b'picture'
