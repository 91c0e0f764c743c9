"""ImageNet, or any dataset for classification, in tar shards (docs/shards.md).

A million small files stall the file system of a cluster: one server looks up and opens each of them
in every epoch. In shards of 10 000 images ImageNet is 129 files, which every process opens once.

Image i is a range of bytes in a shard; the index has its place, so reading it is one call of
``pread``. So this dataset behaves like the one in class folders, in the same order: samplers,
subsets and exact resuming work alike, and a run gets bitwise identical images.

mmengine reads files through backends, chosen by the prefix of the path. An image in a shard has the
path ``shard:///data/train-000003.tar!/n01440764/7.JPEG#1536+104857``, with its place and size at
the end. So every transform that loads a file loads an image from a shard, and messages name it.
"""

import os
import re
import tarfile
from functools import lru_cache
from io import FileIO
from pathlib import Path

from mmengine.dataset import BaseDataset
from mmengine.fileio import BaseStorageBackend, register_backend

from ...utils.files import regular_file
from .index import SCHEME, read_index

OPEN_FILES = 512  # in each process; many systems allow 1024
HEADER = tarfile.BLOCKSIZE  # bytes in front of a picture
ADDRESS = re.compile(rf'{SCHEME}(.*?\.tar)!/(.*)#(\d+)\+(\d+)', re.DOTALL)
WORDNET_IDS = re.compile(r'(n\d{8} ?){1000}')  # the class folders of ImageNet


@lru_cache(OPEN_FILES)
def _opened(shard: str) -> FileIO:
    return open(shard, 'rb', buffering=0, opener=regular_file)


@register_backend('shard', prefixes='shard')
class ShardBackend(BaseStorageBackend):
    """Reads members of tar files by their addresses.

    Files stay open. Data workers that were forked may share them: reading at a place does not move
    the position in a file.
    """

    def get(self, filepath: str) -> bytes:
        """Return the bytes of a picture.

        Raises:
            OSError: the shard cannot be read.
            ValueError: the shard is truncated, or has another member at this place.
        """
        shard, member, offset, size = ADDRESS.fullmatch(filepath).groups()
        length = HEADER + int(size)
        content = os.pread(_opened(shard).fileno(), length, int(offset) - HEADER)
        if len(content) < length:
            raise ValueError('the shard is truncated')
        if not _is_header(content[:HEADER], member, int(size)):
            raise ValueError(
                'the index does not match the shard: another member is at this position'
            )
        return content[HEADER:]

    def get_text(self, filepath: str) -> str:  # the base class demands it
        return self.get(filepath).decode()


def _is_header(block: bytes, member: str, size: int) -> bool:
    """Whether a block is the header of a member; tar cuts long names off, and writes '?' for é."""
    try:
        header = tarfile.TarInfo.frombuf(block, 'utf-8', 'surrogateescape')
    except tarfile.HeaderError:
        return False
    name, known = (text.encode('ascii', 'replace') for text in (header.name, member))
    return header.size == size and known.startswith(name)


class ImageNetShards(BaseDataset):
    """Pictures and labels in tar shards; ``vitbackbones shards`` writes shards and indices.

    Samples are in the order of their names, class folder by class folder, as in folders. Classes
    are those of ``metainfo``, otherwise those of the index; a thousand WordNet ids stand for the
    names that mmpretrain gives ImageNet's classes.

    Args:
        data_root: the folder of the shards and the index.
        shards: the name of the index, ``'train'`` for ``train.index.json``.
        options: as of mmengine's ``BaseDataset``.

    Raises:
        InputError: there is no index, it is damaged, or it does not fit the shards.
    """

    def __init__(self, data_root: str = '', shards: str = 'train', **options) -> None:
        self.shards = shards
        super().__init__(data_root=data_root, **options)

    def load_data_list(self) -> list[dict]:
        index = read_index(self.data_root, self.shards)
        classes = tuple(index.classes)
        if WORDNET_IDS.fullmatch(' '.join(classes)):
            from mmpretrain.datasets.categories import IMAGENET_CATEGORIES as classes
        self._metainfo.setdefault('classes', classes)
        samples = []
        for shard in index.shards:
            path = Path(self.data_root, shard.name)
            columns = (shard.members, shard.offsets, shard.sizes, shard.labels)
            for member, offset, size, label in zip(*columns, strict=True):
                # by class folder, then by file: "a" comes before "a-b", though "a-b/1" before "a/1"
                key = os.fsencode(member).replace(b'/', b'\0', 1)
                samples.append((key, f'{SCHEME}{path}!/{member}#{offset}+{size}', label))
        return [{'img_path': address, 'gt_label': label} for _, address, label in sorted(samples)]
