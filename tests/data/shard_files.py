"""Tar files with an index for tests, well made and spoilt."""

import tarfile
from io import BytesIO

from vitbackbones.data.shards.index import Index, Shard, index_file, write_index

GOOD = (
    ('cat/1.jpg', b'picture one'),
    ('cat/1.cls', b'0'),
    ('dog/2.JPG', b'two'),
    ('dog/2.cls', b'1'),
)
CLASSES = ['cat', 'dog']


def write_tar(path, members=GOOD):
    """Write pairs of a name and bytes."""
    with tarfile.open(path, 'w') as tar:
        for name, content in members:
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, BytesIO(content))
    return path


def read_tar(path):
    """Return what a shard holds, as Python's reader of tar files sees it."""
    with tarfile.open(path) as tar:
        members = tar.getmembers()
        labels = [int(tar.extractfile(m).read()) for m in members if m.name.endswith('.cls')]
    pictures = [member for member in members if not member.name.endswith('.cls')]
    return Shard(
        path.name,
        path.stat().st_size,
        [member.name for member in pictures],
        [member.offset_data for member in pictures],
        [member.size for member in pictures],
        labels,
    )


def with_index(folder, split='train', members=GOOD, classes=CLASSES):
    """Write one shard and its index; return the folder."""
    shard = read_tar(write_tar(folder / f'{split}-000000.tar', members))
    write_index(index_file(folder, split), Index(classes, [shard]))
    return folder
