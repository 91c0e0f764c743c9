"""Data sets that a config has in class folders, and the disk in tar shards."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from ..datasets.shards_index import index_command, index_file
from ..errors import InputError
from ..processes import process_rank
from ..registry import SCOPE, bare_name
from .paths import resolve

FOLDERS = ('ImageNet', 'CustomDataset')
OF_FOLDERS = ('split', 'data_prefix', 'ann_file', 'with_label', 'extensions')


def use_shards(datasets: Iterable[dict], roots: Mapping[str, str]) -> None:
    """Change data sets that have shards and no folders, and print which.

    Args:
        datasets: configs of data sets, changed in place.
        roots: for each data root on this machine, the folder that is used for it.
    """
    found = []
    for dataset in datasets:
        split = dataset.get('data_prefix') or dataset.get('split')
        folder = resolve(roots.get(dataset.get('data_root'), ''))
        if bare_name(dataset['type']) in FOLDERS and _in_shards(folder, split):
            found.append(index_file(folder, split))
            for key in OF_FOLDERS:
                dataset.pop(key, None)
            dataset.update(type=f'{SCOPE}.ImageNetShards', shards=split)
    for file in dict.fromkeys(found) if process_rank() == 0 else ():
        print(f'{file}: shards are read in place of class folders')


def require_index(dataset: dict, folder: Path) -> None:
    """Check that shards, where there are some in place of a folder with classes, have an index.

    Args:
        dataset: its config.
        folder: with class folders, ``data/imagenet/train``; is not there.

    Raises:
        InputError: they have none.
    """
    of_folders = bare_name(dataset['type']) in FOLDERS
    if of_folders and any(folder.parent.glob(f'{folder.name}*.tar')):
        command = index_command(index_file(folder.parent, folder.name))
        raise InputError(
            f'{folder}*.tar: these shards have no index, and there are no class folders. Write it '
            f'with {command}.'
        )


def _in_shards(folder: Path, split: object) -> bool:
    """Return whether a folder has the shards of a split, and not its class folders."""
    named = isinstance(split, str) and split and not Path(folder, split).exists()
    return bool(named) and index_file(folder, split).is_file()
