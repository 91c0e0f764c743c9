"""``vitbackbones shards``: tar shards of class folders, or of the data sets of a config.

A shard gets its name when it is whole. The command can be killed at any time and called again: what
is there is compared with what belongs there, and kept.
"""

import shutil
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator
from contextlib import suppress
from glob import glob
from pathlib import Path

from mmengine.registry import DATASETS, init_default_scope

from ..configuration.data import datasets, locate_data
from ..configuration.read import read_config
from ..datasets.checks.folders import check_dataset
from ..datasets.shards_index import (
    SUFFIX,
    Index,
    Shard,
    expand,
    index_file,
    read_index,
    scan,
    write_index,
)
from ..datasets.shards_writing import Picture, plan, stored_bytes, write_shard
from ..errors import InputError
from ..files import folder_lock, prepare_folder, remove_parts
from ..messages import some
from ..openmmlab.unused_toolboxes import leave_out_unused
from ..pages import page
from .cli import add_shared, count

SPLITS = ('train', 'val')


EXAMPLES = f"""\
examples:
  %(prog)s data/imagenet/train data/imagenet_shards
  %(prog)s cls_deit_s_imagenet data/imagenet_shards
  %(prog)s 'data/from_others/train-{{000000..000146}}.tar'

Call it again after it was killed, with the same arguments: shards that are there are kept.
{page('shards')} says how to train on them.
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Describe the command line."""
    parser.epilog = EXAMPLES
    add = parser.add_argument
    add(
        'source',
        metavar='SOURCE',
        help='a folder with a folder for each class; a config, for the data sets that it trains '
        'and evaluates on; or shards that others wrote, with braces, which get an index only',
    )
    add('out', nargs='?', metavar='OUT', help='folder for the shards')
    add(
        '--shard-size',
        type=count,
        default=10000,
        metavar='N',
        help='pictures in a shard (default: 10000, which are 1 GB of ImageNet)',
    )
    add('--name', help='of the shards of a folder (default: that of the folder)')
    names = "names of the classes of others' shards, one a line"
    add('--classes', metavar='FILE', help=names)
    add_shared(add, '--data-root', '--cfg-options')


def make_shards(options: Namespace) -> None:
    """Do what ``vitbackbones shards --help`` describes.

    Raises:
        InputError: a picture is missing or none, there is no room, other shards are there, or an
            option would have no effect.
    """
    _refuse_without_effect(options)
    if _is_shards(options.source):
        _index(options.source, options.classes)
        return
    if options.out is None:
        raise InputError('OUT is missing: name the folder that the shards go to')
    out = prepare_folder(options.out, 'OUT')
    with folder_lock(out, 'OUT'):
        remove_parts(out)
        for name, settings in _sources(options):
            _write(out, name, settings, options.shard_size)


def _is_shards(source: str) -> bool:
    return '.tar' in Path(source).suffixes or source.endswith('.tgz')


def _refuse_without_effect(options: Namespace) -> None:
    is_shards, is_config = _is_shards(options.source), options.source.endswith('.py')
    if is_shards and options.out:
        raise InputError(
            f'OUT {options.out}: the index is written beside the shards. Leave it out.'
        )
    if options.classes and not is_shards:
        raise InputError('--classes names those of shards that are there. Leave it out.')
    if options.name and (is_shards or is_config):
        raise InputError('--name is for the shards of a folder. Leave it out.')
    if options.name and Path(options.name).name != options.name:
        raise InputError(f'--name {options.name}: is no name of a file. Name the folder by OUT.')


# ------------------------------------------------------------------------ writing


def _sources(options: Namespace) -> Iterator[tuple[str, dict]]:
    """Yield name and config of each data set to write."""
    if not options.source.endswith('.py'):
        init_default_scope('mmpretrain')
        folder = Path(options.source).absolute()
        yield options.name or folder.name, {'type': 'CustomDataset', 'data_root': str(folder)}
        return
    config = read_config(options.source, options.cfg_options)
    leave_out_unused(config)
    config = locate_data(config, options.data_root, SPLITS)
    init_default_scope(config.get('default_scope') or 'mmengine')
    for path, settings in datasets(config, SPLITS):
        yield path.partition('_')[0], settings


def _write(out: Path, name: str, settings: dict, shard_size: int) -> None:
    """Write the shards of one data set, and then their index."""
    check_dataset(settings)
    samples, classes = _listed(settings)
    pictures = plan(samples)
    starts = range(0, len(pictures), shard_size)
    parts = {
        out / f'{name}-{number:06}.tar': pictures[start : start + shard_size]
        for number, start in enumerate(starts)
    }
    size = gigabytes(stored_bytes(pictures))
    print(
        f'{name}: {len(pictures)} pictures of {len(classes)} classes, {size}, {len(parts)} shards'
    )
    _require_room(out, [part for path, part in parts.items() if not path.exists()])
    shards = []
    for path, part in parts.items():
        shards.append(write_shard(path, part))
        print(f'{path.name}: {len(part)} pictures, {gigabytes(shards[-1].bytes)}', flush=True)
    _finish(index_file(out, name), Index(classes, shards))


def _listed(settings: dict) -> tuple[list[dict], list[str]]:
    """Return what a data set lists and its classes: names of folders, other names or numbers."""
    dataset = DATASETS.build({**settings, 'pipeline': []})
    samples = [dataset.get_data_info(i) for i in range(len(dataset))]
    names = getattr(dataset, 'folder_to_idx', None) or dataset.metainfo.get('classes')
    return samples, [*names] if names else _numbers(sample['gt_label'] for sample in samples)


def _require_room(out: Path, parts: list[list[Picture]]) -> None:
    needed, free = sum(map(stored_bytes, parts)), shutil.disk_usage(out).free
    if needed > free:
        raise InputError(
            f'OUT {out}: {gigabytes(needed)} are needed, {gigabytes(free)} are free. Make room, or '
            'choose another folder.'
        )


def gigabytes(count: int) -> str:
    return f'{count / 1e9:.3g} GB'


# ------------------------------------------------------------------------ the index


def _index(pattern: str, names: str | None) -> None:
    """Write the index of shards that are there.

    Args:
        pattern: their paths, with braces or stars.
        names: a file with the name of a class in each line; None for those of the index that is
            there, otherwise numbers.

    Raises:
        InputError: the shards are compressed, in several folders, missing, or not whole.
    """
    if not pattern.endswith('.tar'):
        raise InputError(
            f'SOURCE {pattern}: nothing is read from compressed files. Decompress them.'
        )
    paths = [*map(Path, sorted(glob(pattern)) if '*' in pattern else expand(pattern))]
    if not paths:
        raise InputError(f'SOURCE {pattern}: there are no such files')
    folders = {str(path.parent) for path in paths}
    if len(folders) > 1:
        raise InputError(
            f'SOURCE {pattern}: lies in several folders ({some(sorted(folders))}). Name the shards '
            'of one folder.'
        )
    shards = [scan(path) for path in paths]
    file = index_file(paths[0].parent, Path(pattern).name)
    classes = _read_lines(names) if names else _kept(file) or _numbers_of(shards)
    _finish(file, Index(classes, shards))


def _kept(file: Path) -> list[str]:
    """Return the names of the classes in an index that is there; none if these are numbers."""
    with suppress(InputError):
        classes = read_index(file.parent, file.name.removesuffix(SUFFIX)).classes
        if classes != _numbers([len(classes) - 1]):
            return classes
    return []


def _numbers_of(shards: Iterable[Shard]) -> list[str]:
    return _numbers(label for shard in shards for label in shard.labels)


def _numbers(labels: Iterable[int]) -> list[str]:
    """Name classes by their labels."""
    return [str(label) for label in range(max(labels) + 1)]


def _read_lines(file: str) -> list[str]:
    try:
        return Path(file).read_text().rstrip().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, 'strerror', None) or 'not a text'
        raise InputError(f'--classes {file}: {reason}') from error


def _finish(file: Path, index: Index) -> None:
    write_index(file, index)
    count = sum(len(shard.members) for shard in index.shards)
    print(f'{file}: {count} pictures in {len(index.shards)} shards')
