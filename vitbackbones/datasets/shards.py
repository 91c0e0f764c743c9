"""ImageNet, or any data set for classification, in tar shards.

A million small files stall the file system of a cluster: one server looks up and opens each of them
in every epoch. In shards of 10000 pictures ImageNet is 129 files, which every process opens once.

webdataset reads its shards as streams and shuffles in a buffer. Then the order depends on the
number of workers, the length of an epoch has to be made up, and a run cannot be resumed within one.
So its format is kept and read in another way: picture i is bytes of a shard at a place that the
index knows, one call of ``pread``. To everything else this is a data set like the one in class
folders, in the same order. Samplers, repeated augmentation, subsets and exact resuming work as they
do there, and a run gets the same pictures to the bit.

Shuffling is the sampler's. Those of OpenMMLab (``DefaultSampler``, ``RepeatAugSampler``) shuffle
all pictures, as from folders. This is right wherever it is cheap to read 100 KB from anywhere in a
large file: on local disks, flash, and in the page cache. For spinning disks,
:class:`~vitbackbones.datasets.shards_sampler.ShardSampler` reads a few shards at a time.

mmengine takes files from backends, by what their address begins with. A picture in a shard has the
address ``shard:///data/train-000003.tar!/n01440764/7.JPEG#1536+104857``, with its place and size at
the end. So every transform that loads a file loads a picture from a shard, and messages name it.
"""

import os
import re
import tarfile
from collections.abc import Sequence
from functools import lru_cache
from io import FileIO
from pathlib import Path
from typing import NamedTuple

import numpy as np
from mmengine.dataset import BaseDataset
from mmengine.fileio import BaseStorageBackend, register_backend

from .shards_index import SCHEME, Index, read_index

OPEN_FILES = 512  # in each process; many systems allow 1024
HEADER = tarfile.BLOCKSIZE  # bytes in front of a picture
MARK = '.tar!/'  # between a shard and a member
WORDNET_IDS = re.compile(r'(n\d{8} ?){1000}')  # the class folders of ImageNet


class Place(NamedTuple):
    """Where a picture is: the path of a shard, the name of a member, its bytes."""

    shard: str
    member: str
    offset: int
    size: int

    def address(self) -> str:
        return f'{SCHEME}{self.shard[: -len(".tar")]}{MARK}{self.member}#{self.offset}+{self.size}'

    @classmethod
    def at(cls, address: str) -> 'Place':
        names, _, numbers = address.removeprefix(SCHEME).rpartition('#')
        shard, _, member = names.partition(MARK)
        offset, _, size = numbers.partition('+')
        return cls(f'{shard}.tar', member, int(offset), int(size))


@lru_cache(OPEN_FILES)
def _opened(shard: str) -> FileIO:
    return open(shard, 'rb', buffering=0)


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
            ValueError: the shard is cut short, or has another member at this place.
        """
        place = Place.at(filepath)
        shard = _opened(place.shard).fileno()
        content = os.pread(shard, HEADER + place.size, place.offset - HEADER)
        if len(content) < HEADER + place.size:
            raise ValueError('the shard is cut short')
        if not _is_header(content[:HEADER], place):
            raise ValueError('the index does not fit the shard, another member is there')
        return content[HEADER:]

    def get_text(self, filepath: str) -> str:
        return self.get(filepath).decode()


def _is_header(block: bytes, place: Place) -> bool:
    """Whether a block is the header of a member; some tar formats cut names off, or write '?'."""
    try:
        header = tarfile.TarInfo.frombuf(block, 'utf-8', 'surrogateescape')
    except tarfile.HeaderError:
        return False
    name, known = (text.encode('ascii', 'replace') for text in (header.name, place.member))
    return header.size == place.size and known.startswith(name)


class Infos(Sequence):
    """What a data set lists: an entry is made when it is asked for, out of columns in its order.

    A list of dicts of ImageNet needs 1.6 GB in each process while it is made; the columns need 60
    bytes a picture, which data workers share.
    """

    def __init__(self, folder: str, index: Index) -> None:
        self.paths = [str(Path(folder, shard.name)) for shard in index.shards]
        members = [name for shard in index.shards for name in shard.members]
        # by class folder, then by file: "a" comes before "a-b", though "a-b/1" before "a/1"
        order = np.array([os.fsencode(name.replace('/', '\0', 1)) for name in members]).argsort()
        counts = [len(shard.members) for shard in index.shards]
        self.members = np.array([os.fsencode(name) for name in members])[order]
        self.shards = np.repeat(np.arange(len(counts)), counts)[order]  # (pictures,), as the others
        self.offsets, self.sizes, self.labels = (
            np.concatenate([getattr(shard, column) for shard in index.shards])[order]
            for column in ('offsets', 'sizes', 'labels')
        )

    def __len__(self) -> int:
        return len(self.members)

    def __getitem__(self, i: int | slice) -> dict | list[dict]:
        """Return ``img_path``, ``gt_label`` and the number of the ``shard`` of a picture."""
        if isinstance(i, slice):
            return [self[k] for k in range(*i.indices(len(self)))]
        shard = int(self.shards[i])
        numbers = int(self.offsets[i]), int(self.sizes[i])
        place = Place(self.paths[shard], os.fsdecode(self.members[i]), *numbers)
        return {'img_path': place.address(), 'gt_label': int(self.labels[i]), 'shard': shard}


class ImageNetShards(BaseDataset):
    """Pictures and labels in tar shards; ``tools/make_shards.py`` writes shards and indices.

    Samples are in the order of their names, class folder by class folder, as in folders. Classes
    are those of ``metainfo``, otherwise those of the index; a thousand WordNet ids stand for the
    names that mmpretrain gives ImageNet's classes.

    Args:
        data_root: the folder of the shards and the index.
        shards: ``'train'`` for all shards in ``train.index.json``, or a pattern that names some of
            them, ``'train-{000000..000009}.tar'``.
        options: as of mmengine's ``BaseDataset``.

    Raises:
        InputError: there is no index, or it is damaged.
    """

    def __init__(self, data_root: str = '', shards: str = 'train', **options) -> None:
        self.shards = shards
        super().__init__(data_root=data_root, serialize_data=False, **options)

    def load_data_list(self) -> Infos:
        index = read_index(self.data_root, self.shards)
        self._metainfo.setdefault('classes', class_names(index))
        return Infos(self.data_root, index)

    def shard_numbers(self) -> list[int]:
        """Return the number of the shard of each sample."""
        return [info['shard'] for info in self.data_list]


def class_names(index: Index) -> tuple[str, ...]:
    """Return the names of the classes of an index, for ImageNet's in words."""
    if WORDNET_IDS.fullmatch(' '.join(index.classes)):
        from mmpretrain.datasets.categories import IMAGENET_CATEGORIES

        return IMAGENET_CATEGORIES
    return tuple(index.classes)
