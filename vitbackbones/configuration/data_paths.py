"""The datasets and metrics of a config: where they stand in it, and which files are missing."""

import copy
from collections.abc import Iterator
from pathlib import Path

from mmengine.config import Config

from ..data.shards.index import index_file
from ..errors import InputError
from ..registry import SCOPE, bare_name
from ..utils.messages import command_line, did_you_mean_path
from ..utils.processes import process_rank
from . import SPLITS
from .names import candidates, is_remote, resolve

OF_FOLDERS = ('split', 'data_prefix', 'ann_file', 'with_label', 'extensions')  # not of shards
# what writes the data roots of the configs in shapes/, behind the folder
SHAPES = {'shapes': '', 'shapes_folders': ' --layout folders --size 64'}


def loaders(config: Config, splits: tuple[str, ...] = SPLITS) -> Iterator[tuple[str, dict]]:
    """Yield name and config of every data loader that ``config`` has."""
    for split in splits:
        if config.get(f'{split}_dataloader') is not None:
            yield f'{split}_dataloader', config[f'{split}_dataloader']


def datasets(config: Config, splits: tuple[str, ...] = SPLITS) -> Iterator[tuple[str, dict]]:
    """Yield key and config of every dataset; of a wrapper, those inside."""
    waiting = [(f'{name}.dataset', loader['dataset']) for name, loader in loaders(config, splits)]
    while waiting:
        path, dataset = waiting.pop(0)
        inside = [(f'{path}.{i}', part) for i, part in enumerate(dataset.get('datasets', ()))]
        if 'dataset' in dataset:
            inside = [(f'{path}.dataset', dataset['dataset'])]
        if not inside:
            yield path, dataset
        waiting += inside


def separated(config: Config) -> Config:
    """Return a copy of ``config`` whose splits share no dataset or metric, to change one alone."""
    config = copy.deepcopy(config)
    for split in SPLITS:
        for key in (f'{split}_dataloader', f'{split}_evaluator'):
            if config.get(key) is not None:
                config[key] = copy.deepcopy(config[key])
    return config


def use_files(dataset: dict, settings: dict) -> None:
    """Give a dataset other files, of another type perhaps, in place; it is read as before.

    Suffixes, lists and subsets belong to the files that it had, and are left out.
    """
    kept = {key: dataset[key] for key in ('pipeline', 'test_mode') if key in dataset}
    dataset.clear()
    dataset.update(settings | kept)


def first_dataset(config: Config, split: str) -> dict:
    """Return the config of the dataset of a split; of a wrapper, the first one inside."""
    return next(datasets(config, (split,)))[1]


def evaluators(config: Config, splits: tuple[str, ...] = SPLITS) -> Iterator[tuple[str, dict]]:
    """Yield key and config of every metric."""
    for split in splits:
        path = f'{split}_evaluator'
        given = config.get(path) or []
        if 'metrics' in given:
            given, path = given['metrics'], f'{path}.metrics'
        if isinstance(given, dict):
            yield path, given
        else:
            yield from ((f'{path}.{i}', metric) for i, metric in enumerate(given))


def locate_data(config: Config, given: str | None, splits: tuple[str, ...]) -> Config:
    """Check that the files of ``splits`` are there; return a config with absolute data roots.

    The data root stands in each dataset and again in the paths of the evaluators; ``given``,
    ``--data-root``, takes its place. Tar shards are used where they are there in place of folders.

    Raises:
        InputError: the first thing that is missing, where it was looked for, and what to do.
    """
    require_folder(given)
    roots = {dataset['data_root'] for _, dataset in datasets(config) if dataset.get('data_root')}
    if given and len(roots) > 1:
        raise InputError(
            '--data-root: the datasets of this config are in several folders '
            f'({sorted(roots)}); set them one by one with --cfg-options'
        )
    written = {root: given or root for root in roots if not is_remote(root)}
    if given and not written:
        raise InputError(
            '--data-root: no dataset of this config has a data_root on this machine; set its '
            'paths with --cfg-options'
        )
    config = copy.deepcopy(config)
    _use_shards(config, written)
    for path, dataset in datasets(config, splits):
        _require_files(path, dataset, written)
    for old, root in written.items():
        for _, dataset in datasets(config):
            if dataset.get('data_root') == old:
                dataset['data_root'] = str(resolve(root))
        for key in (f'{split}_evaluator' for split in SPLITS):
            if config.get(key) is not None:
                config[key] = _moved(config[key], old, resolve(root))
    return config


def require_folder(given: str | None) -> None:
    """Refuse a ``--data-root`` that is no folder.

    Raises:
        InputError: says so, and names the folder of the dataset where a file of it was given.
    """
    if not given or is_remote(given) or resolve(given).is_dir():
        return
    place = resolve(given)
    if not place.exists():
        raise InputError(f'--data-root {given}: no such folder{did_you_mean_path(place)}')
    folder = place.parent.parent if place.parent.name == 'annotations' else place.parent
    raise InputError(f'--data-root {given}: is a file; give the folder of the dataset, {folder}')


def _use_shards(config: Config, roots: dict[str, str]) -> None:
    """Let datasets whose class folder is not there, but its shards, read these; print which."""
    used = []
    for _, dataset in datasets(config):
        split = dataset.get('data_prefix') or dataset.get('split')
        folder = resolve(roots.get(dataset.get('data_root'), ''))
        if bare_name(dataset['type']) not in ('ImageNet', 'CustomDataset'):
            continue
        if not split or not isinstance(split, str) or (folder / split).exists():
            continue
        file = index_file(folder, split)
        if file.is_file():
            used.append(file)
            for key in OF_FOLDERS:
                dataset.pop(key, None)
            dataset.update(type=f'{SCOPE}.ImageNetShards', shards=split)
    if process_rank() == 0:
        for file in dict.fromkeys(used):
            print(f'{file}: using shards instead of class folders')


def _require_files(path: str, dataset: dict, written: dict[str, str]) -> None:
    old = dataset.get('data_root') or ''
    root = Path(written.get(old, old))
    for key, value in _named_files(dataset).items():
        if _is_there(root, value):
            continue
        places = ' and '.join(dict.fromkeys(str(place / value) for place in candidates(root)))
        remedy = 'Give the folder of the dataset with --data-root,'
        if root.name in SHAPES:
            command = f'python -m vitbackbones.data.shapes {root}{SHAPES[root.name]}'
            remedy = f'Write the Shapes data with "{command}". {remedy}'
        smoke = command_line('train', 'CONFIG', '--smoke')
        raise InputError(
            f'{root / value}: the {key} of {path} does not exist (looked for {places}). '
            f'{remedy} or try the config without data with "{smoke}".'
        )


def _named_files(dataset: dict) -> dict[str, str]:
    """Return the files and folders of a dataset relative to its data root, by their keys."""
    prefix = dataset.get('data_prefix') or {}
    named = {'ann_file': dataset.get('ann_file')}
    named |= prefix if isinstance(prefix, dict) else {'data_prefix': prefix}
    if not any(named.values()):  # its files have fixed names
        named = {'data_root': '.'}
    return {key: value for key, value in named.items() if value}


def _is_there(root: Path, value: str) -> bool:
    return is_remote(root / value) or (resolve(root) / value).exists()


def layout_found(config: Config, root: Path) -> list[bool]:
    """Tell of each file and folder that the datasets of a config name whether ``root`` has it."""
    named = [dataset for _, dataset in datasets(config)]
    return [_is_there(root, value) for d in named for value in _named_files(d).values()]


def _moved(node, old: str, new: Path):
    """Return ``node`` with every path below ``old`` moved below ``new``."""
    if isinstance(node, dict):
        return {key: _moved(value, old, new) for key, value in node.items()}
    if isinstance(node, list | tuple):
        return [_moved(value, old, new) for value in node]
    if isinstance(node, str) and (node == old or node.startswith(old.rstrip('/') + '/')):
        return str(new / node[len(old) :].lstrip('/'))
    return node
