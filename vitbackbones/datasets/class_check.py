"""Check a classification data set before a run: class folders, or images and a label file.

mmpretrain numbers class folders in the order of their names and compares at most how many there
are. So a folder that is missing from one split shifts the labels of all that follow, a class
without images is a log line, and a label file that was cut short is a smaller data set.

Looked at are data sets in the form of mmpretrain's ``CustomDataset`` (``ImageNet`` is one); the
others (CIFAR, Flowers-102, Pets, iNaturalist) have files of fixed names and forms.
"""

import os
from collections.abc import Sequence
from pathlib import Path

from ..errors import InputError
from .files import not_there, some

KINDS = ('CustomDataset', 'ImageNet')
IMAGES = ('.jpg', '.jpeg', '.png', '.ppm', '.bmp', '.pgm', '.tif')  # mmpretrain's default
IMAGENET_CLASSES = 1000


def check_dataset(dataset: dict) -> list[str]:
    """Look into the folders or the label file of a data set and return what deserves a warning.

    Args:
        dataset: its config.

    Raises:
        InputError: class folders that are missing, too many or empty; a label file that names
            files that are not there, or whose lines are no labels.
    """
    if not _is_looked_at(dataset):
        return []
    labels = label_file(dataset)
    if labels is not None:
        return _check_labels(labels, image_folder(dataset), _count(dataset))
    _check_folders(image_folder(dataset), _names(dataset), _count(dataset))
    return []


def _is_looked_at(dataset: dict) -> bool:
    kind = str(dataset.get('type')).rpartition('.')[2]  # also 'mmpretrain.ImageNet'
    return kind in KINDS and dataset.get('with_label') is not False


def _is_imagenet(dataset: dict) -> bool:
    return dataset['type'].endswith('ImageNet')


def image_folder(dataset: dict) -> Path:
    prefix = dataset.get('data_prefix') or dataset.get('split') or ''
    prefix = prefix if isinstance(prefix, str) else prefix.get('img_path', '')
    return Path(dataset.get('data_root') or '', prefix)


def label_file(dataset: dict) -> Path | None:
    """The file of the config, or the one that ``ImageNet`` takes if it is there."""
    root = Path(dataset.get('data_root') or '')
    if dataset.get('ann_file'):
        return root / dataset['ann_file']
    usual = root / 'meta' / f'{dataset.get("split")}.txt'
    return usual if _is_imagenet(dataset) and usual.is_file() else None


def _names(dataset: dict) -> Sequence[str] | None:
    """Class names that the config gives; those of ``ImageNet`` itself are not its folders'."""
    names = (dataset.get('metainfo') or {}).get('classes') or dataset.get('classes')
    return names if isinstance(names, list | tuple) else None


def _count(dataset: dict) -> int | None:
    names = _names(dataset)
    known = IMAGENET_CLASSES if _is_imagenet(dataset) else None
    return len(names) if names else known


# ---------------------------------------------------------------------------- class folders


def class_folders(folder: Path) -> list[str]:
    """The names of the class folders, in the order of their labels.

    Raises:
        InputError: there are none.
    """
    if not folder.is_dir():
        raise InputError(f'{folder}: no such folder; it should hold a folder for each class.')
    found = sorted(e.name for e in os.scandir(folder) if e.is_dir())
    if not found:
        raise InputError(f'{folder}: no folders there; it should hold one for each class.')
    return found


def _check_folders(folder: Path, names: Sequence[str] | None, count: int | None) -> None:
    found = class_folders(folder)
    if count not in (None, len(found)):
        raise InputError(
            f'{folder}: {len(found)} class folders, but the data set has {count} classes'
            f'{_difference(found, names)}.'
        )
    if names and sorted(names) == found != list(names):
        raise InputError(
            f'{folder}: labels are numbered by the order of the folders, {some(found)}; name the '
            f'classes in this order, not as {some(names)}.'
        )
    empty = [name for name in found if not has_images(folder / name)]
    if empty:
        raise InputError(
            f'{folder}: no image in the class folders {some(empty)} '
            f'({", ".join(IMAGES)}). Put images there, or take the class out of every split.'
        )


def _difference(found: list[str], names: Sequence[str] | None) -> str:
    """Which folders are missing and too many, where they are named like the classes."""
    if not set(found) & set(names or ()):
        return ''
    missing, extra = sorted(set(names) - set(found)), sorted(set(found) - set(names))
    return (f'; missing: {some(missing)}' if missing else '') + (
        f'; of no class: {some(extra)}' if extra else ''
    )


def has_images(folder: Path) -> bool:
    """Whether there is an image in ``folder`` or below."""
    files = (file for _, _, files in os.walk(folder) for file in files)
    return any(file.lower().endswith(IMAGES) for file in files)


def check_same_folders(datasets: Sequence[dict]) -> None:
    """Compare the class folders of all splits, which give the labels their numbers.

    Raises:
        InputError: a folder is in one split only.
    """
    looked_at = filter(_is_looked_at, datasets)
    folders = list(dict.fromkeys(image_folder(d) for d in looked_at if label_file(d) is None))
    for folder in folders[1:]:
        first, other = (set(class_folders(each)) for each in (folders[0], folder))
        for place, only in ((folders[0], other - first), (folder, first - other)):
            if only:
                raise InputError(
                    f'{place}: the class folders {some(sorted(only))} are missing, the other '
                    'split has them; labels are numbered by the order of the folders'
                )


# ---------------------------------------------------------------------------- label files


def _check_labels(file: Path, folder: Path, count: int | None) -> list[str]:
    names = []
    for number, line in enumerate(file.read_text().splitlines(), start=1):
        name, _, label = line.strip().rpartition(' ')
        if not name or not label.isdecimal() or int(label) >= (count or int(label) + 1):
            most = '' if count is None else f' from 0 to {count - 1}'
            raise InputError(f'{file}:{number}: {line!r} is not a file name and a label{most}.')
        names.append(name)
    missing = not_there(str(folder), names)
    if missing or not names:
        what = f'{len(missing)} of {len(names)} files are not in' if names else 'names no file of'
        raise InputError(f'{file}: {what} {folder}: {some(missing)}')
    present = sum(f.lower().endswith(IMAGES) for _, _, files in os.walk(folder) for f in files)
    if len(set(names)) < present:
        return [f'{file} has labels of {len(names)} of the {present} images in {folder}']
    return []
