"""``vitbackbones check``: check every file of a dataset."""

from argparse import Namespace
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout, suppress
from functools import partial
from io import StringIO
from multiprocessing.pool import ThreadPool
from typing import NamedTuple

import numpy as np
from mmengine.config import Config
from mmengine.registry import DATASETS, init_default_scope
from tqdm import tqdm

from ...configuration import SPLITS
from ...configuration.bands import use_bands
from ...configuration.data_paths import datasets, loaders, locate_data
from ...configuration.image_size import with_size
from ...configuration.read import read_config, with_options
from ...configuration.settings import value_at
from ...data.checks.coco import image_size_fault
from ...data.checks.findings import Look, class_table, color_type
from ...data.loading.image_file import UnreadableImage, read_image
from ...data.loading.load_mask import BadMask
from ...errors import InputError, printable
from ...openmmlab.missing_packages import leave_out_unused
from ...preparing.agreement import PREPROCESSOR, listed, require_fit
from ...preparing.data_sets import check_data
from ...preparing.images import PREPROCESSORS
from ...preparing.levels import advice
from ...preparing.own_data import folder_options, use_own_data
from ...preparing.trial import try_model
from ...running.train import SECTIONS, read_settings
from ...tasks import find_task
from ...training.cores import available_cores
from ...utils.messages import on_terminal, plural, show_warnings

KINDS = {'img_path': 'image', 'seg_map_path': 'label map'}  # what a sample names
Size = tuple[float, float] | None  # (height, width) that the annotations give
Checks = dict[tuple[str, Size], Callable[[], Look]]  # what looks at a file


def check(options: Namespace) -> None:
    """Do what ``vitbackbones check --help`` describes.

    Raises:
        InputError: something is missing or cannot be read; what it is was printed before.
    """
    config = with_size(read_config(options.config), options.size)
    if options.statistics:  # mean and std are asked for
        for place in PREPROCESSORS:
            for key in ('mean', 'std'):
                (value_at(config, place) or {}).pop(key, None)
    is_complete = all(config.get(section) is not None for section in SECTIONS)
    if is_complete:  # what a run would refuse is refused here
        config = read_settings(config, options.cfg_options)
    else:
        config = with_options(config, options.cfg_options)
        leave_out_unused(config)
        config = use_bands(config)
    splits = tuple(split for split in SPLITS if list(loaders(config, (split,))))
    if not splits:
        raise InputError(f'{config.filename}: the config is incomplete: it has no data loader')
    if options.statistics and 'train' not in splits:
        raise InputError(f'--statistics: {config.filename} has no train_dataloader to measure')
    config = use_own_data(config, options.data_root, **folder_options(options))
    if is_complete and not options.statistics:
        require_fit(config, splits)
        try_model(config)
    config = locate_data(config, options.data_root, splits)
    with suppress(BadMask):  # is listed below, with all others
        show_warnings(check_data(config, splits))
    init_default_scope(config.get('default_scope') or 'mmengine')
    _look_at_all(config, splits, options.workers or available_cores())
    if options.statistics:
        _print_statistics(config, options.workers or available_cores())


def _print_statistics(config: Config, workers: int) -> None:
    files: dict[str, str | int] = {}
    for name, settings in datasets(config, ('train',)):
        paths = (sample['img_path'] for sample in _listed(name, settings).samples)
        files |= dict.fromkeys(paths, color_type(settings['pipeline']))
    with ThreadPool(workers) as pool:
        mean, squares = sum(pool.imap(lambda item: _means(*item), files.items())) / len(files)
    settings = value_at(config, PREPROCESSOR) or {}
    order = -1 if settings.get('bgr_to_rgb') or settings.get('to_rgb') else 1
    print(f'of {plural(len(files), "training image")}:\n--cfg-options', end='')
    for key, values in {'mean': mean, 'std': np.sqrt((squares - mean**2).clip(0))}.items():
        print(f' {PREPROCESSOR}.{key}={listed(values[::order])}', end='')
    print(f' model.backbone.in_channels={len(mean)}' if len(mean) != 3 else '')


def _means(path: str, load: str | int) -> np.ndarray:
    """Return the mean of each band of a picture, and that of its squares, (2, bands)."""
    pixels = np.atleast_3d(read_image(path, load)).astype(float)  # (H, W, bands)
    return np.stack([pixels.mean((0, 1)), (pixels**2).mean((0, 1))])


def _look_at_all(config: Config, splits: tuple[str, ...], workers: int) -> None:
    files: Checks = {}  # each once, also where two splits share it
    faults = []
    sets = {}
    task = find_task(config)
    seen: dict[str, dict] = {}
    for name, settings in datasets(config, splits):
        if alike := next((other for other in seen if seen[other] == settings), None):
            print(f'{name}: the same as {alike}')
            continue
        seen[name] = settings
        sets[name] = _listed(name, settings)
        samples = sets[name].samples
        files |= _checks(name, samples, color_type(settings.get('pipeline') or ()))
        if task:
            files |= {(path, None): look for path, look in task.file_checks(settings).items()}
        labels = {s['gt_label'] for s in samples if isinstance(s.get('gt_label'), int)}
        for label, known in enumerate(sets[name].classes if labels else ()):
            if label not in labels:
                faults.append(f'{name}: no image of the class {known!r}')
    with ThreadPool(workers) as pool:  # decoders leave Python's lock; nothing has to be forked
        found = pool.imap(lambda look: look(), files.values(), chunksize=16)
        bar = tqdm(found, 'decode', len(files), leave=False, disable=not on_terminal())
        looks = dict(zip(files, bar, strict=True))
    for name, (samples, classes) in sets.items():
        pixels = [looks[s['seg_map_path'], None].pixels for s in samples if s.get('seg_map_path')]
        if table := class_table(samples, classes, pixels):
            sizes = advice(config, samples, classes, name.startswith('train'))
            print(printable('\n'.join(filter(None, [name, table, sizes]))))  # of any file
    faults += [look.fault for look in looks.values() if look.fault]
    for fault in faults:
        print(printable(fault))
    number = plural(len({path for path, _ in files}), 'file')
    if faults:
        raise InputError(f'{plural(len(faults), "problem")} in {number}, see above')
    print(f'{number}, all readable')


class Listed(NamedTuple):
    """What a dataset lists, before it leaves anything out, and its classes."""

    samples: list[dict]
    classes: Sequence[str]


def _listed(name: str, settings: dict) -> Listed:
    unfiltered = {'filter_cfg': None} if 'filter_cfg' in settings else {}
    try:
        with redirect_stdout(StringIO()):  # pycocotools says that it reads
            dataset = DATASETS.build({**settings, **unfiltered, 'pipeline': []})
        samples = [dataset.get_data_info(i) for i in range(len(dataset))]
    except (OSError, RuntimeError, ValueError, LookupError, AssertionError) as error:
        raise InputError(f'{name}: {error}') from error
    return Listed(samples, dataset.metainfo.get('classes') or ())


def _checks(name: str, samples: list[dict], load: str | int) -> Checks:
    """Return what looks at every file that the samples name; print how many there are."""
    found = {kind: [s for s in samples if s.get(key)] for key, kind in KINDS.items()}
    counts = [plural(len(named), kind) for kind, named in found.items() if named]
    print(f'{name}: {plural(len(samples), "sample")}, {", ".join(counts) or "no files"}')
    images = [
        (s['img_path'], (s['height'], s['width']) if 'height' in s else None)
        for s in found['image']
    ]
    maps = [(s['seg_map_path'], None) for s in found['label map']]
    looks = {image: partial(_look, *image, load) for image in images}
    return looks | {path: partial(_look, *path, 'unchanged') for path in maps}


def _look(path: str, size: Size, load: str | int) -> Look:
    """Decode an image, and compare its size with the one given."""
    try:
        found = read_image(path, load).shape[:2]
    except UnreadableImage as error:
        return Look(str(error))
    fault = image_size_fault(size, found) if size else ''
    return Look(f'image file {path}: {fault}' if fault else '')
