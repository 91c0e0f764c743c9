"""Tar files for tests, well made and spoilt."""

import tarfile
from io import BytesIO

from vitbackbones.datasets.shards_index import Index, index_file, scan, write_index

GOOD = (
    ('cat/1.jpg', b'picture one'),
    ('cat/1.cls', b'0'),
    ('dog/2.JPG', b'two'),
    ('dog/2.cls', b'1'),
)
CLASSES = ['cat', 'dog']


def write_tar(path, members=GOOD):
    """Write pairs of a name and bytes, which may repeat a name."""
    with tarfile.open(path, 'w') as tar:
        for name, content in members:
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, BytesIO(content))
    return path


def with_index(folder, split='train', members=GOOD, classes=CLASSES):
    """Write one shard and its index; return the folder."""
    shard = scan(write_tar(folder / f'{split}-000000.tar', members))
    write_index(index_file(folder, split), Index(classes, [shard]))
    return folder
