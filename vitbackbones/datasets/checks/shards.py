"""Check a data set in tar shards before a run: its index, and the sizes of the shards.

A run looks at the index and at the size of each shard, which shows one that was cut short.
``tools/check_dataset.py`` reads the shards: their headers must be what the index says.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from ...errors import InputError
from ...messages import some
from ...registry import bare_name
from ..shards_index import Shard, index_command, index_file, read_index, scan, size_fault
from .findings import Findings, Look

KIND = 'ImageNetShards'


def check_dataset(dataset: dict) -> Findings:
    """Look at the index and the sizes of the shards, and count the pictures of each class.

    Args:
        dataset: its config.

    Raises:
        InputError: there is no index, it is damaged, or a shard is missing or cut short.
    """
    place = _place(dataset)
    index = read_index(*place)
    names = (dataset.get('metainfo') or {}).get('classes')
    if isinstance(names, list | tuple) and len(names) != len(index.classes):
        raise InputError(
            f'{index_file(*place)}: has {len(index.classes)} classes, but metainfo.classes names '
            f'{len(names)}. Correct the names, or leave them out.'
        )
    faults = filter(None, (size_fault(place[0], shard) for shard in index.shards))
    if fault := next(faults, ''):
        raise InputError(fault)
    counts = Counter(label for shard in index.shards for label in shard.labels)
    occurs = {name: counts[label] for label, name in enumerate(names or index.classes)}
    return Findings(samples=counts.total(), occurs=occurs)


def _place(dataset: dict) -> tuple[str, str]:
    """Return the folder of the shards, and which of them are meant."""
    return dataset.get('data_root') or '', dataset.get('shards', 'train')


def check_same_classes(datasets: Iterable[dict]) -> None:
    """Compare the classes of all splits, whose places are the labels.

    Raises:
        InputError: two splits have different classes.
    """
    places = dict.fromkeys(_place(d) for d in datasets if bare_name(d.get('type')) == KIND)
    classes = {index_file(*place): read_index(*place).classes for place in places}
    for file, names in classes.items():
        first = next(iter(classes))
        if names != classes[first]:
            only = sorted({*names} ^ {*classes[first]})
            raise InputError(
                f'{first} and {file}: the classes differ ({some(only or names)}). Write both from '
                'folders with the same classes.'
            )


def shard_checks(dataset: dict) -> dict[str, Callable[[], Look]]:
    """Return for each shard of a data set what compares it with the index."""
    if bare_name(dataset.get('type')) != KIND:
        return {}
    folder, shards = _place(dataset)
    known = read_index(folder, shards).shards
    return {str(Path(folder, shard.name)): partial(_look, folder, shards, shard) for shard in known}


def _look(folder: str, shards: str, shard: Shard) -> Look:
    path = Path(folder, shard.name)
    try:
        fits = scan(path) == shard
    except InputError as error:
        return Look(str(error))
    file = index_file(folder, shards)
    return Look(
        ''
        if fits
        else f'shard {path}: {file} does not fit it. Write it with {index_command(file)}.'
    )
