"""``--data-root`` with a folder that the config does not describe: classes and files are found.

What depends on them in a config is set: the files and classes of the datasets, the annotation
files of the metrics, the number of classes wherever the model counts them. A config that fits the
folder stays as it is, unless it says ``own_data = True``: then its own data are only an example.
"""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Any

from mmengine.config import Config

from ..configuration import SPLITS
from ..configuration.classes import class_counts, set_class_count, training_classes
from ..configuration.data_paths import datasets, layout_found, require_folder, separated
from ..configuration.names import is_remote, resolve
from ..data.own.folder import in_words
from ..errors import InputError
from ..tasks import find_task
from ..utils.messages import show_warnings
from ..utils.processes import process_rank
from ..weights.read.class_names import checkpoint_meta
from ..weights.read.load import load_file
from .work_dir import choose_work_dir

FILES = ('annotations', 'pictures', 'masks')  # options that say which files of a folder are meant


def meant_files(options: Any) -> dict[str, Any]:
    """Return which files of ``--data-root`` a command line, or a request, means."""
    return {name: getattr(options, name) for name in FILES}


def folder_options(options: Any) -> dict[str, Any]:
    """Return what :func:`use_own_data` is to know of a command line, or a request."""
    return {'changes': options.cfg_options, **meant_files(options)}


def use_own_data(
    config: Config,
    given: str | None,
    work_dir: str | None = None,
    checkpoint: Path | None = None,
    changes: Mapping[str, Any] = MappingProxyType({}),
    **meant: Sequence[str],
) -> Config:
    """Return a config that is run on the folder ``given``, and print what was found there.

    What is made of annotations is written to ``own_data`` in the work dir, in a folder for each
    ``given``, so that what a run reads is not replaced by another's. A checkpoint to test says
    which classes and pictures it was trained on. ``changes`` are those of ``--cfg-options``; none
    may name files. ``meant`` are the options that say which files of
    the folder are meant; with one of them the layout of the config is not looked for.

    Raises:
        InputError: there is no such folder, it does not fit the config, and has no data that can be
            used either, or an option is not for it.
    """
    task = find_task(config)
    meant = {name: files for name, files in meant.items() if files}
    for name in meant:
        if not given or task is None or name not in task.file_options:
            raise InputError(f'--{name}: requires --data-root and a config that reads such files')
    require_folder(given)
    if not given or is_remote(given) or task is None or not task.reads_folders:
        return config
    root = resolve(given)
    if not meant and not config.get('own_data') and task.fits_folder(config, root):
        return config
    unique = f'{root.name}-{sha256(str(root).encode()).hexdigest()[:8]}'  # of folders of this name
    lists = Path(choose_work_dir(config, work_dir).work_dir, 'own_data', unique)
    try:
        trained = None if checkpoint is None else checkpoint_meta(load_file(checkpoint))
        found = task.use_folder(config, root, lists, trained, **meant)
    except InputError:
        if not meant and not config.get('own_data') and any(layout_found(config, root)):
            return config  # the config's own layout, in which a later check names what is missing
        raise
    _require_no_other_files(changes, root)
    if process_rank() == 0:
        print(found.summary)
    _require_no_other_count(config, found.config, root)
    show_warnings(found.warnings)
    return found.config


def _require_no_other_files(changes: Mapping[str, Any], root: Path) -> None:
    """Refuse settings of datasets that the folder replaces."""
    for key in changes:
        loader, _, setting = key.partition('_dataloader.dataset.')
        if loader in SPLITS and 'pipeline' not in setting.split('.'):
            raise InputError(
                f'--cfg-options {key}: has no effect with --data-root, because the files in '
                f'{root} set it. Remove one of the two'
            )


def _require_no_other_count(given: Config, found: Config, root: Path) -> None:
    """Refuse a number of classes that was given, and is not that of the folder."""
    named = training_classes(given)
    names = training_classes(found)
    for key, count in class_counts(given) if named else ():
        if count not in (len(named), len(names)):
            raise InputError(
                f'{key}: is {count}, but {root} has {in_words(names)}. Remove the setting: it '
                'follows the folder.'
            )


def take_classes_of(config: Config, checkpoint: Path) -> Config:
    """Return a config of own data with the classes that a checkpoint was trained for.

    A config that does not say ``own_data = True`` has classes of its own and stays as it is.
    """
    classes = config.get('own_data') and checkpoint_meta(load_file(checkpoint)).get('classes')
    if not classes:
        return config
    config = separated(config)
    for _, dataset in datasets(config):
        dataset['metainfo'] = {'classes': tuple(classes)}
    set_class_count(config, len(classes))
    return config
