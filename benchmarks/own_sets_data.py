"""The images that :mod:`benchmarks.own_sets` draws, as folders to train on.

Drawn are the first n by a hash of the seed and the name of the file. So the images of a smaller n
are among those of a larger one, and neither the order in an annotation file nor an image that is
added later changes which of two images comes first.
"""

from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path

from vitbackbones.data.own.coco_folder import is_counted
from vitbackbones.data.own.folder import held_out
from vitbackbones.data.own.pool import Pool, find_pool
from vitbackbones.errors import InputError
from vitbackbones.utils.messages import some


class RealSet:
    """A set that ``--data-root`` reads.

    Args:
        root: the folder of the set, which is not changed.
        work_dir: where its parts are written.

    Attributes:
        kind: of its labels, ``'boxes'`` or ``'masks'``.
        drawable: the training images, numbers in the pool by file name. Each has labels, and none
            is a validation image too.
        val: the numbers of the validation images.

    Raises:
        InputError: the set cannot be read, lacks files, or has no such images.
    """

    def __init__(self, root: Path, work_dir: Path) -> None:
        self.pool = find_pool(root)
        self.folder = work_dir / root.name
        self.kind = 'boxes' if self.pool.content else 'masks'
        names = [file.relative_to(root).as_posix() for file in self.pool.files]
        splits = divided(self.pool, names)
        self.val = [row for row, split in enumerate(splits) if split == 'val']
        tested = {self.pool.files[row] for row in self.val}
        self.drawable = {
            name: row
            for row, name in enumerate(names)
            if splits[row] == 'train'
            and is_labeled(self.pool, row)
            and self.pool.files[row] not in tested
        }
        self._require_whole(root)

    def _require_whole(self, root: Path) -> None:
        if missing := [file for file in self.pool.files if not file.is_file()]:
            names = some((file.relative_to(root) for file in missing), str)
            raise InputError(
                f'{root}: images are missing: {names}. Add them, or remove their labels.'
            )
        tested = [row for row in self.val if is_labeled(self.pool, row)]
        for split, rows in (('training', self.drawable), ('validation', tested)):
            if not rows:
                raise InputError(
                    f'{root}: has no labeled images for {split}. Add some, and name their split, '
                    'as in train.json and val.json.'
                )

    def draw(self, n: int, seed: int) -> list[int]:
        """Return the numbers of n training images."""
        return [self.drawable[name] for name in shuffled(self.drawable, seed)[:n]]

    def write(self, n: int, seed: int) -> Path:
        """Write a folder with n training images and all validation images, and return it."""
        linked = self.folder / 'all'
        self.pool.link(linked)
        folder = self.folder / f'n{n}_seed{seed}'
        self.pool.write_part(folder, linked, {'train': self.draw(n, seed), 'val': self.val})
        return folder


def divided(pool: Pool, names: Sequence[str]) -> list[str | None]:
    """Return the split of each image; a fixed share is for validation where none is named so."""
    if 'val' in pool.splits:
        return pool.splits
    rest = [row for row, split in enumerate(pool.splits) if split != 'test']
    if len(rest) < 2:
        return pool.splits
    labeled = [names[row] for row in rest if is_labeled(pool, row)]
    held = held_out([names[row] for row in rest], labeled)
    return [
        split if split == 'test' else 'val' if name in held else 'train'
        for name, split in zip(names, pool.splits, strict=True)
    ]


def is_labeled(pool: Pool, row: int) -> bool:
    """Tell whether an image has a mask, or a box that counts."""
    return pool.content is None or any(map(is_counted, pool.labels[row]))


def shuffled(names: Iterable[str], seed: int) -> list[str]:
    """Return names in an order that depends on the seed and on each name alone."""
    return sorted(names, key=lambda name: sha256(f'{seed} {name}'.encode()).digest())
