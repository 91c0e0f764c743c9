"""``vitbackbones browse``: what training and evaluation see of the pictures of a config.

A row for each picture, and one for the first batch of a run. The draws are those of a run with
the same seed (``training/replay.py``), so the sheet shows what it learns from, not an example.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path

from mmengine.config import Config
from mmengine.dataset import Compose
from mmengine.registry import MODELS, init_default_scope
from mmengine.runner import Runner
from torch.utils.data import DataLoader, Dataset

from ...configuration.checks.explain import explained
from ...configuration.checks.own_data import use_own_data
from ...configuration.data_paths import SPLITS, datasets, first_dataset, locate_data
from ...configuration.names import config_name
from ...configuration.read import read_config, require_sections
from ...configuration.settings import as_list, model_settings, type_at, value_at
from ...data.loading.load_image import GivenPictures
from ...errors import InputError
from ...inference.drawing.sample_sheet import sheet
from ...inference.drawing.sheet import picture_format, save, spread
from ...inference.sources import find_sources
from ...openmmlab.logs import silenced
from ...openmmlab.missing_packages import leave_out_unused
from ...registry import bare_name
from ...tasks import TASKS, find_task
from ...tasks.task import Task
from ...training.replay import Replay
from ...training.views import Views
from ...utils.messages import did_you_mean, plural
from ...utils.processes import show_warnings
from ..cli import add_shared, count

LONGEST = {'sheet': 400, 'folder': 1000}  # side of a picture in pixels, at most
# What a loader has for workers, which browsing does not start.
OF_WORKERS = ('persistent_workers', 'prefetch_factor', 'multiprocessing_context', 'timeout')


EXAMPLES = """\
examples:
  %(prog)s quick_detector --data-root my_pictures
  %(prog)s setr_mla_msf_vit_ti_camvid --split val --only 0016E5_07959.png --out frame.png
  %(prog)s mask_rcnn_pvt_s_coco --seed 1 --out FOLDER                a large picture for each row
  %(prog)s cls_msf_vit_s_imagenet my_pictures --out sheet.jpg        pictures without a data set
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Describe the command line."""
    parser.epilog = EXAMPLES
    add = parser.add_argument
    add_shared(add, 'config')
    given = 'images or folders in place of the data set, for a classifier'
    add('inputs', nargs='*', metavar='INPUT', help=given)
    add_shared(add, '--data-root')
    add(
        '--split',
        choices=SPLITS,
        default='train',
        help='split whose pictures are drawn (default: train)',
    )
    named = 'these pictures: names of files, or ends of their paths'
    add('--only', nargs='+', default=[], metavar='NAME', help=named)
    rows = 'number of pictures, a row each, spread over the data set (default: 4)'
    add('--images', type=count, default=4, metavar='N', help=rows)
    draws = 'training draws in a row (default: 3)'
    add('--draws', type=count, default=3, metavar='N', help=draws)
    seed = 'seed of the run whose draws are shown (default: randomness.seed of the config, or 0)'
    add('--seed', type=int, metavar='N', help=seed)
    out = (
        'a picture (.jpg, .png), or a folder for a picture of each row '
        '(default: browse_<config name>.jpg)'
    )
    add('--out', metavar='PATH', help=out)
    add('--overwrite', action='store_true', help='replace what is at --out')
    add_shared(add, '--cfg-options')


def browse(options: Namespace) -> None:
    """Do what ``vitbackbones browse --help`` describes.

    Raises:
        InputError: the config has no such data, a file of them cannot be used, or ``--out`` is
            there already.
    """
    config = read_config(options.config, options.cfg_options)
    out = _target(options, config)
    leave_out_unused(config)
    require_sections(config, 'model', 'train_cfg', f'{options.split}_dataloader')
    task = find_task(config)
    if task is None:
        raise InputError(f'{config.filename}: default_scope must be one of {", ".join(TASKS)}')
    seed = options.seed
    if seed is None:
        seed = value_at(config, 'randomness.seed') or 0
    init_default_scope(task.scope)
    with explained(config), silenced():
        if options.inputs:
            loader = _loader_of_inputs(config, task, options)
        else:
            used = (options.split,)
            config = use_own_data(config, options.data_root)
            config = locate_data(config, options.data_root, used)
            for _, dataset in datasets(config, used):
                show_warnings(task.check_dataset(dataset, options.split != 'train').warnings)
            loader = Runner.build_dataloader(_alone(config, options.split), seed=seed)
        indices = _chosen(loader.dataset, options)
        longest = LONGEST['sheet' if out.suffix else 'folder']
        views = _views(config, task, loader, options.split, seed, longest)
        _write(views, indices, options.draws, out)
    print(f'{out}: {len(indices)} of {plural(len(loader.dataset), "picture")}')
    if views.replay:
        print(f'training as in a run with randomness.seed={seed} on one process')


def _target(options: Namespace, config: Config) -> Path:
    """Return the path of a picture, or of a folder, which has no suffix."""
    path = Path(options.out or f'browse_{config_name(config.filename)}.jpg').absolute()
    if path.suffix:
        picture_format(path)
    taken = any(path.iterdir()) if path.is_dir() else path.exists()
    if options.out and taken and not options.overwrite:
        raise InputError(f'--out {options.out}: is there already; choose another, or --overwrite')
    return path


# ------------------------------------------------------------------------ what is read


def _alone(config: Config, split: str) -> dict:
    """Return the settings of a loader that loads in this process."""
    settings = config[f'{split}_dataloader'].items()
    return {key: value for key, value in settings if key not in OF_WORKERS} | {'num_workers': 0}


def _loader_of_inputs(config: Config, task: Task, options: Namespace) -> DataLoader:
    """Return a loader of given pictures; those that are shown are the first batch."""
    if task.scope != 'mmpretrain' or options.data_root or options.only:
        raise InputError(
            f'INPUT {options.inputs[0]}: pictures alone are for a classifier, without --data-root '
            'and --only; give a folder with annotations as --data-root'
        )
    found = find_sources(options.inputs, Path('-').absolute())
    files = [found[place].path for place in spread(len(found), options.images)]
    settings = _alone(config, 'train')
    return Runner.build_dataloader(
        {
            'dataset': GivenPictures(files, first_dataset(config, 'train')['pipeline']),
            'sampler': {'type': 'DefaultSampler', 'shuffle': False},
            'batch_size': len(files),
            'collate_fn': settings.get('collate_fn', {'type': 'pseudo_collate'}),
        }
    )


def _chosen(dataset: Dataset, options: Namespace) -> list[int]:
    """Return the places of the pictures that get a row."""
    if not len(dataset):
        raise InputError(f'{options.split}_dataloader.dataset: has no pictures')
    if not options.only:
        return spread(len(dataset), options.images)
    places: dict[str, int] = {}
    for place in range(len(dataset)):  # the first of each: a data set may repeat its pictures
        places.setdefault(dataset.get_data_info(place).get('img_path', ''), place)
    chosen = []
    for name in options.only:
        found = [place for path, place in places.items() if f'/{path}'.endswith(f'/{name}')]
        if not found:
            hint = did_you_mean(name, [Path(path).name for path in places])
            raise InputError(f'--only {name}: no picture of the data set has this name{hint}')
        chosen += found
    return chosen


# ------------------------------------------------------------------------ what is drawn


def _views(
    config: Config, task: Task, loader: DataLoader, split: str, seed: int, longest: int
) -> Views:
    evaluated = 'val' if split == 'train' else split
    evaluation = None
    if config.get(f'{evaluated}_dataloader') is not None:
        evaluation = Compose(first_dataset(config, evaluated)['pipeline'])
    replay = None
    if split == 'train':
        loop = config.train_cfg
        by_epoch = type_at(loop) == 'EpochBasedTrainLoop' or bool(loop.get('by_epoch'))
        replay = Replay(loader, seed, by_epoch)
    steps = first_dataset(config, split)['pipeline']
    loading = [dict(step) for step in steps if bare_name(step['type']).startswith('Load')]
    for step in loading:
        step.pop('decode', None)  # of our LoadImage, which may leave it to a crop
    settings = task.preprocessor(model_settings(config))
    meta = as_list(loader.dataset.metainfo)[0]  # several, of a concatenation
    return Views(
        dataset=loader.dataset,
        loading=Compose([*loading, {'type': task.packer}]),
        evaluation=evaluation,
        replay=replay,
        preprocessor=MODELS.build(settings),
        settings=settings,
        draw=lambda pixels, sample: task.browse(pixels, sample, meta, longest),
    )


def _write(views: Views, indices: Sequence[int], draws: int, out: Path) -> None:
    """Write a sheet, or a picture of each row to a folder."""
    rows = views.rows(indices, draws)
    batch = views.first_batch(draws + 2)
    if out.suffix:
        save(sheet([*rows, *batch]), out)
        return
    for index, row in zip(indices, rows, strict=True):
        save(sheet([row]), out / f'{index:05d}_{Path(views.name(index)).stem}.png')
    if batch:
        save(sheet(batch), out / 'first_batch.png')
