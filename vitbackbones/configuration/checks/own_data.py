"""``--data-root`` with a folder that the config does not describe: classes and files are found.

What depends on them in a config is set: the files and classes of the data sets, the annotation
files of the metrics, the number of classes wherever the model counts them. A config that fits the
folder stays as it is, unless it says ``own_data = True``: then its own data are only an example.
"""

from hashlib import sha256
from pathlib import Path

from mmengine.config import Config

from ...errors import InputError
from ...tasks import find_task
from ...utils.processes import process_rank, show_warnings
from ...weights.read.class_names import checkpoint_meta
from ...weights.read.load import load_file
from ..classes import set_class_count
from ..data_paths import datasets, layout_found, separated
from ..names import is_remote, resolve
from .work_dir import choose_work_dir


def use_own_data(
    config: Config, given: str | None, work_dir: str | None = None, checkpoint: Path | None = None
) -> Config:
    """Return a config that is run on the folder ``given``, and print what was found there.

    What is made of annotations is written to ``own_data`` in the work dir, in a folder for each
    ``given``, so that what a run reads is not replaced by another's. A checkpoint to test says
    which classes and pictures it was trained on.

    Raises:
        InputError: the folder does not fit the config, and has no data that can be used either.
    """
    task = find_task(config)
    if not given or is_remote(given) or task is None or not task.reads_folders:
        return config
    root = resolve(given)
    described = not config.get('own_data') and task.fits_folder(config, root)
    if described or not root.is_dir():
        return config
    unique = f'{root.name}-{sha256(str(root).encode()).hexdigest()[:8]}'  # of folders of this name
    lists = Path(choose_work_dir(config, work_dir).work_dir, 'own_data', unique)
    try:
        trained = None if checkpoint is None else checkpoint_meta(load_file(checkpoint))
        found = task.use_folder(config, root, lists, trained)
    except InputError:
        if not config.get('own_data') and any(layout_found(config, root)):
            return config  # the config's own layout, in which a later check names what is missing
        raise
    if process_rank() == 0:
        print(found.summary)
    show_warnings(found.warnings)
    return found.config


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
