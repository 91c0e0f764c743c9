"""Indices of tar shards: what a tar file must be, and what an index may say of it."""

import json
import tarfile

import pytest

from vitbackbones.datasets.shards_index import index_file, read_index, scan, size_fault
from vitbackbones.errors import InputError

from .shard_files import GOOD, with_index, write_tar


def test_a_picture_is_where_the_index_says(tmp_path):
    path = write_tar(tmp_path / 'train-000000.tar')
    shard = scan(path)
    content = path.read_bytes()
    places = zip(shard.members, shard.offsets, shard.sizes, shard.labels, strict=True)
    found = [(name, content[start : start + size], label) for name, start, size, label in places]
    assert found == [('cat/1.jpg', b'picture one', 0), ('dog/2.JPG', b'two', 1)]
    assert shard.bytes == len(content)


def test_labels_of_others_and_members_that_are_neither(tmp_path):
    members = {
        '__meta__/x.cls': b'9',
        'a.png': b'picture',
        'a.json': b'{"label": 3}',
        'a.seg.png': b'not the picture',
        'a.txt': b'a caption',
        'b.cls': b' 4\n',
        'b.json': b'[]',
        'b.webp': b'picture',
    }
    shard = scan(write_tar(tmp_path / 'x.tar', members.items()))
    assert (shard.members, shard.labels) == (['a.png', 'b.webp'], [3, 4])


def test_members_that_webdataset_would_unpickle_are_not_read(tmp_path, monkeypatch):
    """Neither read nor taken for a label."""
    read = []
    extract = tarfile.TarFile.extractfile
    monkeypatch.setattr(
        tarfile.TarFile,
        'extractfile',
        lambda tar, member: read.append(member.name) or extract(tar, member),
    )
    harmful = [(f'cat/1.{suffix}', b'cos\nsystem\n') for suffix in ('pyd', 'pickle', 'pth')]
    scan(write_tar(tmp_path / 'x.tar', [*GOOD, *harmful]))
    assert read == ['cat/1.cls', 'dog/2.cls']


@pytest.mark.parametrize(
    ('added', 'message'),
    [
        ([('a.jpg', b'x')], "'a' is a picture without a label (.cls or .json). Add one."),
        ([('a.cls', b'1')], "'a' is a label without a picture (.jpg"),
        ([('a.jpg', b'x'), ('a.png', b'x')], "'a' has several pictures (jpg, png). Leave one."),
        ([('cat/1.JPG', b'x')], "'cat/1.JPG' is there twice. Leave one."),
        ([('a.jpg', b''), ('a.cls', b'cat')], "'a.cls' holds b'cat', not a number from 0"),
        ([('a.jpg', b''), ('a.cls', b'-1')], "'a.cls' holds b'-1', not a number from 0"),
        ([('a.jpg', b''), ('a.json', b'{}')], "'a.json' holds b'{}', not JSON with a number"),
        ([('a.jpg', b''), ('a.json', b'{"label": true}')], 'not JSON with a number from 0'),
        ([('a.jpg', b''), ('a.json', b'[' * 100_000)], 'not JSON with a number from 0'),
        ([('shard://x.jpg', b'')], "the header of 'shard://x.jpg' is damaged"),
    ],
)
def test_bad_members(tmp_path, added, message):
    path = write_tar(tmp_path / 'train-000000.tar', [*GOOD, *added])
    with pytest.raises(InputError) as refusal:
        scan(path)
    assert str(refusal.value).startswith(f'shard {path}: ')
    assert message in str(refusal.value)


@pytest.mark.parametrize('kept', [0, 100, 512 + 4, 1024, 2048, 4096, 4096 + 512])
def test_a_shard_that_was_cut_anywhere(tmp_path, kept):
    """Python's reader takes an end between two members, here 1024 and 2048, for the end."""
    path = write_tar(tmp_path / 'train-000000.tar')
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(InputError, match='train-000000.tar: .*Copy the shard again'):
        scan(path)


def test_a_header_that_is_damaged_in_the_middle(tmp_path):
    path = write_tar(tmp_path / 'x.tar')
    content = bytearray(path.read_bytes())
    content[2048 + 10] ^= 1
    path.write_bytes(content)
    with pytest.raises(InputError, match='no member follows byte 2048'):
        scan(path)


def test_a_size_that_leads_backwards(tmp_path):
    """Python's reader would go in circles."""
    member = tarfile.TarInfo('a.jpg')
    member.size = -1024
    path = tmp_path / 'x.tar'
    path.write_bytes(member.tobuf(tarfile.GNU_FORMAT) + bytes(1024))
    with pytest.raises(InputError, match=r"the header of 'a\.jpg' is damaged"):
        scan(path)


def test_other_files(tmp_path):
    empty = write_tar(tmp_path / 'x.tar', [('a.txt', b'')])
    with pytest.raises(InputError, match=r'x\.tar: holds no picture \(\.jpg'):
        scan(empty)
    with pytest.raises(InputError, match='none.tar: No such file'):
        scan(tmp_path / 'none.tar')
    with tarfile.open(tmp_path / 'packed.tar', 'w:gz') as tar:
        tar.add(empty, 'a.jpg')
    with pytest.raises(InputError, match=r'packed\.tar: '):
        scan(tmp_path / 'packed.tar')


# ------------------------------------------------------------------------ index files


def test_what_is_written_is_read(tmp_path):
    index = read_index(with_index(tmp_path), 'train')
    assert index.classes == ['cat', 'dog']
    assert index.shards == [scan(tmp_path / 'train-000000.tar')]


def test_a_pattern_chooses_shards(tmp_path):
    file = index_file(with_index(tmp_path), 'train')
    content = json.loads(file.read_text())
    content['shards'] += [{**content['shards'][0], 'name': f'train-00000{i}.tar'} for i in (1, 2)]
    file.write_text(json.dumps(content))
    chosen = read_index(tmp_path, 'train-{000001..000002}.tar').shards
    assert [shard.name for shard in chosen] == ['train-000001.tar', 'train-000002.tar']
    with pytest.raises(InputError, match="has no 'train-000003.tar'; it has 'train-000000.tar',"):
        read_index(tmp_path, 'train-{000002..000003}.tar')
    with pytest.raises(InputError, match='a brace is not closed'):
        read_index(tmp_path, 'train-{000002..000003.tar')


def test_no_index(tmp_path):
    with pytest.raises(InputError, match=r'train\.index\.json: no index .*No such file') as refusal:
        read_index(tmp_path, 'train')
    assert f"vitbackbones shards '{tmp_path}/train*.tar'" in str(refusal.value)


@pytest.mark.parametrize(
    ('change', 'message'),
    [
        ({'offsets': [0, 1536]}, 'a picture lies outside of train-000000.tar'),
        ({'offsets': [512, 10**9]}, 'a picture lies outside of train-000000.tar'),
        ({'sizes': [11, -1]}, 'a picture lies outside of train-000000.tar'),
        ({'sizes': [11]}, "columns of 'train-000000.tar' are no lists of one length"),
        ({'labels': [0, 1.5]}, "columns of 'train-000000.tar' are no lists of one length"),
        ({'members': [0, 1]}, "columns of 'train-000000.tar' are no lists of one length"),
        ({'name': '../train-000000.tar'}, 'is not the name of a tar file'),
        ({'name': None}, 'damaged'),
        ({'more': 1}, 'damaged'),
        ({'labels': [0, 2]}, "the label 2 of 'dog/2.JPG' in train-000000.tar has no class"),
    ],
)
def test_an_index_that_was_changed(tmp_path, change, message):
    file = index_file(with_index(tmp_path), 'train')
    content = json.loads(file.read_text())
    content['shards'][0].update(change)
    file.write_text(json.dumps(content))
    with pytest.raises(InputError) as refusal:
        read_index(tmp_path, 'train')
    assert message in str(refusal.value)


@pytest.mark.parametrize('text', ['', '[', '[' * 100_000, '[]', '{"classes": []}', '{"format": 2}'])
def test_files_that_are_no_index(tmp_path, text):
    index_file(tmp_path, 'train').write_text(text)
    with pytest.raises(InputError, match=r'train\.index\.json: damaged .*Write it again with'):
        read_index(tmp_path, 'train')


def test_the_size_of_a_shard_shows_that_it_was_cut(tmp_path):
    (shard,) = read_index(with_index(tmp_path), 'train').shards
    path = tmp_path / shard.name
    assert size_fault(tmp_path, shard) == ''
    path.write_bytes(path.read_bytes()[:1000])
    assert f'{path}: cut short, 1000 bytes in place of {shard.bytes}' in size_fault(tmp_path, shard)
    path.write_bytes(bytes(shard.bytes + 1))
    assert 'changed' in size_fault(tmp_path, shard)
    path.unlink()
    assert 'No such file' in size_fault(tmp_path, shard)
