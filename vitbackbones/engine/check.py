"""``tools/check_dataset.py``: every annotation and every image of a config, before a run.

What training checks at its start takes seconds and stops at the first bad file; this decodes all
files, on all cores, looks at every value of index masks, and lists all that is wrong.
"""

from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from multiprocessing.pool import ThreadPool

from mmengine.registry import DATASETS, init_default_scope
from tqdm import tqdm

from ..datasets.mask_check import mask_checks
from ..datasets.masks import BadMask
from ..datasets.sizes import resize_fault
from ..datasets.transforms import UnreadableImage, read_image
from ..errors import InputError
from .config import read_config
from .data import SPLITS, check_data, datasets, loaders, prepare_data
from .progress import on_terminal
from .run import show_warnings
from .threads import available_cores

KINDS = {'img_path': 'image', 'seg_map_path': 'label map'}  # what a sample names
Checks = dict[str, Callable[[], str]]  # by the path of a file, what says its fault


def check(options: Namespace) -> None:
    """Do what ``tools/check_dataset.py --help`` describes.

    Raises:
        InputError: something is missing or cannot be read; what it is was printed before.
    """
    config = read_config(options.config, options.cfg_options)
    splits = tuple(split for split in SPLITS if list(loaders(config, (split,))))
    prepare_data(config, options.data_root, splits)
    with suppress(BadMask):  # is listed below, with all others
        show_warnings(check_data(config, splits))
    init_default_scope(config.get('default_scope') or 'mmengine')
    files: Checks = {}  # each once, also where two splits share it
    faults = []
    for name, settings in datasets(config, splits):
        samples, classes = _samples(name, settings)
        files |= _files(name, samples, settings.get('pipeline') or [])
        if config.get('default_scope') == 'mmseg':
            files |= mask_checks(settings)
        faults += _bare_classes(name, samples, classes)
    faults += _faults(files, options.workers or available_cores())
    for fault in faults:
        print(fault)
    if faults:
        raise InputError(f'{len(faults)} faults in {len(files)} files, see above')
    print(f'{len(files)} files, all can be read')


def _samples(name: str, settings: dict) -> tuple[list[dict], Sequence[str]]:
    """What a data set lists, before it leaves anything out, and its classes."""
    unfiltered = {'filter_cfg': None} if 'filter_cfg' in settings else {}
    try:
        dataset = DATASETS.build({**settings, **unfiltered, 'pipeline': []})
        samples = [dataset.get_data_info(i) for i in range(len(dataset))]
    except (OSError, RuntimeError, ValueError, LookupError, AssertionError) as error:
        raise InputError(f'{name}: {error}') from error
    return samples, dataset.metainfo.get('classes') or ()


def _files(name: str, samples: list[dict], pipeline: Sequence[dict]) -> Checks:
    """The check of every file that the samples name; prints how many there are."""
    found = {kind: [s[key] for s in samples if s.get(key)] for key, kind in KINDS.items()}
    counts = [f'{len(paths)} {kind}s' for kind, paths in found.items() if paths]
    print(f'{name}: {len(samples)} samples, {", ".join(counts) or "no files"}')
    images = {path: partial(_fault, path, 'color', pipeline) for path in found['image']}
    return images | {path: partial(_fault, path, 'unchanged') for path in found['label map']}


def _bare_classes(name: str, samples: list[dict], classes: Sequence[str]) -> Iterator[str]:
    """Classification: an empty class folder."""
    labels = {sample['gt_label'] for sample in samples if isinstance(sample.get('gt_label'), int)}
    for label, known in enumerate(classes if labels else ()):
        if label not in labels:
            yield f'{name}: no image of the class {known!r}'


def _faults(files: Checks, workers: int) -> Iterator[str]:
    """What the checks say, in the order of the files."""
    with ThreadPool(workers) as pool:  # decoders leave Python's lock; nothing has to be forked
        found = pool.imap(lambda check: check(), files.values(), chunksize=16)
        bar = tqdm(found, 'decode', len(files), leave=False, disable=not on_terminal())
        yield from (fault for fault in bar if fault)


def _fault(path: str, color_type: str, pipeline: Sequence[dict] = ()) -> str:
    """Why an image cannot be decoded or resized, '' if it can."""
    try:
        image = read_image(path, color_type)
    except UnreadableImage as error:
        return str(error)
    fault = resize_fault(pipeline, *image.shape[:2])
    return f'image file {path}: {fault}' if fault else ''
