"""``vitbackbones browse``: draw the samples of a run."""

from argparse import Namespace
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

from mmengine.config import Config
from mmengine.dataset import Compose
from mmengine.registry import MODELS, init_default_scope
from mmengine.runner import Runner
from torch.utils.data import DataLoader, Dataset

from ...configuration import SPLITS
from ...configuration.bands import use_bands
from ...configuration.data_paths import datasets, first_dataset, locate_data
from ...configuration.image_size import with_size
from ...configuration.names import config_name
from ...configuration.read import read_config
from ...configuration.settings import as_list, model_settings, type_at, value_at
from ...drawing.sample_sheet import sheet
from ...drawing.sheet import picture_format, save, spread
from ...errors import InputError
from ...openmmlab.logs import silenced
from ...preparing.explain import explained
from ...preparing.own_data import folder_options, use_own_data
from ...preparing.settings import use_options
from ...registry import bare_name
from ...tasks import TASKS, find_task
from ...tasks.task import Task
from ...training.replay import Replay
from ...training.views import Views
from ...utils.messages import did_you_mean, plural, show_warnings

# What a loader has for workers, which browsing does not start.
OF_WORKERS = ('persistent_workers', 'prefetch_factor', 'multiprocessing_context', 'timeout')


def browse(options: Namespace) -> None:
    """Do what ``vitbackbones browse --help`` describes.

    Raises:
        InputError: the config has no such data, a file of them cannot be used, or ``--out`` is
            there already.
    """
    needed = ['model', f'{options.split}_dataloader']
    if options.split == 'train':
        needed.append('train_cfg')  # how a run draws its images
    config = with_size(read_config(options.config), options.size)
    config = use_options(config, options.cfg_options, *needed)
    out = Path(options.out or f'browse_{config_name(config.filename)}.jpg').absolute()
    picture_format(out)
    if options.out and out.exists() and not options.overwrite:
        raise InputError(f'--out {out}: already exists; choose another file, or use --overwrite')
    task = find_task(config)
    if task is None:
        raise InputError(f'{config.filename}: default_scope must be one of {", ".join(TASKS)}')
    seed = options.seed
    if seed is None:
        seed = value_at(config, 'randomness.seed') or 0
    init_default_scope(task.scope)
    with explained(config), silenced():
        used = (options.split,)
        config = use_own_data(config, options.data_root, **folder_options(options))
        config = locate_data(use_bands(config), options.data_root, used)
        for _, dataset in datasets(config, used):
            show_warnings(task.check_dataset(dataset, options.split != 'train').warnings)
        settings = config[f'{options.split}_dataloader'].items()
        alone = {key: value for key, value in settings if key not in OF_WORKERS}
        with redirect_stdout(StringIO()):  # pycocotools says that it reads
            loader = Runner.build_dataloader({**alone, 'num_workers': 0}, seed=seed)
        indices = _chosen(loader.dataset, options)
        views = _views(config, task, loader, options.split, seed, options.side)
        rows = views.rows(indices, options.draws)
        save(sheet([*rows, *views.first_batch(options.draws + 2)]), out)
    print(f'{out}: {len(indices)} of {plural(len(loader.dataset), "image")}')
    if views.replay:
        print(f'training as in a run with randomness.seed={seed} in one process')


def _chosen(dataset: Dataset, options: Namespace) -> list[int]:
    """Return the places of the pictures that get a row."""
    if not len(dataset):
        raise InputError(f'{options.split}_dataloader.dataset: has no images')
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
            others = ' or '.join(split for split in SPLITS if split != options.split)
            raise InputError(
                f'--only {name}: no image of {options.split} has this name{hint}; for images of '
                f'{others}, use --split'
            )
        chosen += found
    return chosen


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
