"""Check a classification dataset before a run: class folders, a label file, or tar shards.

mmpretrain numbers class folders in the order of their names and compares at most how many there
are. So a folder that is missing from one split shifts the labels of all that follow, a class
without images is a log line, and a label file that was truncated is a smaller dataset.

Looked at are datasets in the form of mmpretrain's ``CustomDataset`` (``ImageNet`` is one); the
others (CIFAR, Flowers-102, Pets, iNaturalist) have files of fixed names and forms.
"""

import os
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from ...errors import InputError
from ...registry import bare_name
from ...utils.messages import cut, some
from ..loading.image_file import IMAGES
from ..own.folder import read_text
from ..shards.index import index_file, read_index
from .findings import Findings, not_there

KINDS = ('CustomDataset', 'ImageNet')
SHARDS = 'ImageNetShards'
EXTENSIONS = ('.jpg', '.jpeg', '.png', '.ppm', '.bmp', '.pgm', '.tif')  # mmpretrain's default
IMAGENET_CLASSES = 1000
SHOWN = 8  # names of classes in a message


def check_dataset(dataset: dict) -> Findings:
    """Look into what lists the images of a dataset and count those of each class.

    Args:
        dataset: its config.

    Raises:
        InputError: class folders that are missing, too many or empty; a label file that names
            files that are not there, or whose lines are no labels; an index of shards that is
            damaged, or does not fit them.
    """
    if bare_name(dataset.get('type')) == SHARDS:
        return _check_shards(dataset)
    if not _is_looked_at(dataset):
        return Findings()
    # those of ``ImageNet`` itself are not the names of its folders
    names = (dataset.get('metainfo') or {}).get('classes') or dataset.get('classes')
    names = names if isinstance(names, list | tuple) else ()
    count = len(names) or (IMAGENET_CLASSES if _is_imagenet(dataset) else None)
    suffixes = tuple(suffix.lower() for suffix in dataset.get('extensions', EXTENSIONS))
    labels, folder = label_file(dataset), image_folder(dataset)
    if labels is None:
        return _check_folders(folder, names, count, suffixes)
    return _check_labels(labels, folder, names, count, suffixes)


def _is_looked_at(dataset: dict) -> bool:
    return bare_name(dataset.get('type')) in KINDS and dataset.get('with_label') is not False


def _is_imagenet(dataset: dict) -> bool:
    return dataset['type'].endswith('ImageNet')


def image_folder(dataset: dict) -> Path:
    prefix = dataset.get('data_prefix') or dataset.get('split') or ''
    prefix = prefix if isinstance(prefix, str) else prefix.get('img_path', '')
    return Path(dataset.get('data_root') or '', prefix)


def label_file(dataset: dict) -> Path | None:
    """Return the label file of a config, or the one that ``ImageNet`` takes if it is there."""
    root = Path(dataset.get('data_root') or '')
    if dataset.get('ann_file'):
        return root / dataset['ann_file']
    usual = root / 'meta' / f'{dataset.get("split")}.txt'
    return usual if _is_imagenet(dataset) and usual.is_file() else None


def class_folders(folder: Path) -> list[str]:
    """Return the names of the class folders, in the order of their labels.

    Raises:
        InputError: there are none.
    """
    if not folder.is_dir():
        raise InputError(f'{folder}: no such folder. It must contain a folder for each class.')
    found = sorted(entry.name for entry in os.scandir(folder) if entry.is_dir())
    if not found:
        raise InputError(f'{folder}: contains no folders. It must contain one for each class.')
    return found


def _check_folders(
    folder: Path, names: Sequence[str], count: int | None, suffixes: tuple[str, ...]
) -> Findings:
    found = class_folders(folder)
    _require_no_hidden(folder)
    if count not in (None, len(found)):
        text = f'{folder}: {len(found)} class folders, but the dataset has {count} classes'
        if set(found) & set(names):  # they are named like the classes
            missing, extra = sorted(set(names) - set(found)), sorted(set(found) - set(names))
            text += f'; missing: {some(missing)}' if missing else ''
            text += f'; not a class: {some(extra)}' if extra else ''
        number = f'num_classes={len(found)}'
        listed = ','.join(found[:SHOWN]) + ',...' * (len(found) > SHOWN)
        raise InputError(
            f'{text}. To train on these: --cfg-options model.head.{number} '
            f'model.data_preprocessor.{number} train_dataloader.dataset.metainfo.classes='
            f'[{listed}], and the same metainfo.classes for val and test.'
        )
    if names and sorted(names) == found != list(names):
        raise InputError(
            f'{folder}: labels are numbered in the order of the folders, {some(found)}. Name '
            f'the classes in this order, not as {some(names)}.'
        )
    occurs = {name: sum(1 for _ in _images(folder / name, suffixes)) for name in found}
    if empty := [name for name, images in occurs.items() if not images]:
        raise InputError(
            f'{folder}: no image in the class folders {some(empty)} ({", ".join(suffixes)}). '
            'Add images, or remove the class from every split.'
        )
    warnings = [*_left_out_warnings(folder, suffixes)]
    return Findings(warnings, samples=sum(occurs.values()), occurs=occurs)


def _require_no_hidden(folder: Path) -> None:
    """Refuse hidden folders, whose pictures mmpretrain reads as those of a class."""
    for place, folders, _ in os.walk(folder):
        if hidden := [name for name in folders if name.startswith('.')]:
            raise InputError(
                f'{Path(place, hidden[0])}: is a hidden folder, but its images would be read '
                'too. Remove it.'
            )


def _left_out_warnings(folder: Path, suffixes: tuple[str, ...]) -> Iterator[str]:
    """Name the pictures that mmpretrain does not read."""
    if names := sorted(_images(folder, tuple({*IMAGES} - {*suffixes}))):
        wanted = ','.join([*suffixes, *{Path(name).suffix.lower() for name in names}])
        yield (
            f'{folder}: {len(names)} images are skipped because their format is not '
            f'{", ".join(suffixes)}: {some(names)}. To read them, set extensions=({wanted}) of '
            'the datasets'
        )


def _images(folder: Path, suffixes: tuple[str, ...]) -> Iterator[str]:
    files = (file for _, _, files in os.walk(folder) for file in files)
    return (file for file in files if file.lower().endswith(suffixes))


def check_same_classes(datasets: Collection[dict]) -> None:
    """Compare the class folders of all splits, which give the labels their numbers.

    Raises:
        InputError: a folder is in one split only.
    """
    looked_at = [image_folder(d) for d in datasets if _is_looked_at(d) and label_file(d) is None]
    _require_same({folder: class_folders(folder) for folder in looked_at})
    places = dict.fromkeys(_place(d) for d in datasets if bare_name(d.get('type')) == SHARDS)
    _require_same({index_file(*place): read_index(*place).classes for place in places})


def _require_same(classes: dict[Path, list[str]]) -> None:
    for (place, names), (other, known) in pairwise(classes.items()):
        if only := {*names} ^ {*known}:
            raise InputError(
                f'{place} and {other}: the class folders {some(sorted(only))} are in only one '
                'of them. Labels are numbered in the order of the folders, so use the same '
                'folders in both.'
            )
        if names != known:
            raise InputError(f'{other}: its classes are in a different order than in {place}.')


def _check_shards(dataset: dict) -> Findings:
    place = _place(dataset)
    index = read_index(*place)
    names = (dataset.get('metainfo') or {}).get('classes') or index.classes
    if len(names) != len(index.classes):
        raise InputError(
            f'{index_file(*place)}: has {len(index.classes)} classes, but metainfo.classes '
            f'names {len(names)}. Correct the names, or remove them.'
        )
    counts = Counter(label for shard in index.shards for label in shard.labels)
    occurs = {name: counts[label] for label, name in enumerate(names)}
    return Findings(samples=counts.total(), occurs=occurs)


def _place(dataset: dict) -> tuple[str, str]:
    """Return the folder of the shards, and the name of their index."""
    return dataset.get('data_root') or '', dataset.get('shards', 'train')


def _check_labels(
    file: Path, folder: Path, names: Sequence[str], count: int | None, suffixes: tuple[str, ...]
) -> Findings:
    labels = []
    counts = Counter()
    for number, line in enumerate(read_text(file).splitlines(), start=1):
        name, _, label = line.strip().rpartition(' ')
        if not name or not label.isdecimal() or (count is not None and int(label) >= count):
            most = '' if count is None else f' from 0 to {count - 1}'
            raise InputError(f'{file}:{number}: {cut(line)} is not a file name and a label{most}.')
        labels.append(name)
        counts[int(label)] += 1
    missing = not_there(str(folder), labels)
    if missing or not labels:
        what = f'{len(missing)} of {len(labels)} files are not in' if labels else 'names no file of'
        raise InputError(f'{file}: {what} {folder}: {some(missing, cut)}')
    present = sum(1 for _ in _images(folder, suffixes))
    warnings = []
    if len(labels) < present:
        warnings.append(f'{file} has labels for {len(labels)} of the {present} images in {folder}')
    return Findings(warnings, len(labels), {name: counts[i] for i, name in enumerate(names)})
