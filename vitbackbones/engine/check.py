"""``tools/check_dataset.py``: every annotation and every image of a config, before a run.

What training checks at its start takes seconds; this decodes all files, on all cores.
"""

from argparse import Namespace
from collections.abc import Iterator, Sequence
from multiprocessing.pool import ThreadPool

from mmengine.registry import DATASETS, init_default_scope
from tqdm import tqdm

from ..datasets.transforms import UnreadableImage, read_image
from ..errors import InputError
from .config import read_config
from .data import SPLITS, check_data, datasets, loaders, prepare_data
from .progress import on_terminal
from .run import show_warnings
from .threads import available_cores

KINDS = {'img_path': 'image', 'seg_map_path': 'label map'}  # what a sample names


def check(options: Namespace) -> None:
    """Do what ``tools/check_dataset.py --help`` describes.

    Raises:
        InputError: something is missing or cannot be read; what it is was printed before.
    """
    config = read_config(options.config, options.cfg_options)
    splits = tuple(split for split in SPLITS if list(loaders(config, (split,))))
    prepare_data(config, options.data_root, splits)
    show_warnings(check_data(config, splits))
    init_default_scope(config.get('default_scope') or 'mmengine')
    files: dict[tuple[str, str], None] = {}  # each once, also where two splits share it
    faults = []
    for name, settings in datasets(config, splits):
        samples, classes = _samples(name, settings)
        files |= dict.fromkeys(_files(name, samples))
        faults += _bare_classes(name, samples, classes)
    faults += _unreadable(list(files), options.workers or available_cores())
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


def _files(name: str, samples: list[dict]) -> Iterator[tuple[str, str]]:
    """(path, colour type) of every file that the samples name; prints how many there are."""
    found = {kind: [s[key] for s in samples if s.get(key)] for key, kind in KINDS.items()}
    counts = [f'{len(paths)} {kind}s' for kind, paths in found.items() if paths]
    print(f'{name}: {len(samples)} samples, {", ".join(counts) or "no files"}')
    yield from ((path, 'color') for path in found['image'])
    yield from ((path, 'unchanged') for path in found['label map'])


def _bare_classes(name: str, samples: list[dict], classes: Sequence[str]) -> Iterator[str]:
    """Classification: an empty class folder."""
    labels = {sample['gt_label'] for sample in samples if isinstance(sample.get('gt_label'), int)}
    for label, known in enumerate(classes if labels else ()):
        if label not in labels:
            yield f'{name}: no image of the class {known!r}'


def _unreadable(files: list[tuple[str, str]], workers: int) -> Iterator[str]:
    """What is wrong with the files that cannot be decoded."""
    with ThreadPool(workers) as pool:  # decoders leave Python's lock; nothing has to be forked
        found = pool.imap_unordered(_fault, files, chunksize=16)
        bar = tqdm(found, 'decode', len(files), leave=False, disable=not on_terminal())
        yield from (fault for fault in bar if fault)


def _fault(file: tuple[str, str]) -> str:
    try:
        read_image(*file)
    except UnreadableImage as error:
        return str(error)
    return ''
