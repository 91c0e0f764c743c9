"""``vitbackbones test``: evaluate a checkpoint with the config's own metrics, draw and report.

An exported file in the place of the checkpoint is measured in the same way; ``--dataset`` measures
an ImageNet checkpoint on ReaL labels or ImageNet-V2.
"""

import copy
from argparse import ArgumentParser, Namespace
from pathlib import Path

import numpy as np
from mmengine.config import Config
from tqdm import tqdm

from ..analysis.run_log import metrics_of
from ..configuration.data_paths import datasets
from ..configuration.names import config_name
from ..configuration.read import read_config, require_sections
from ..configuration.settings import type_at
from ..drawing.sheet import save_samples
from ..errors import InputError, printable
from ..export.in_test import use_exported
from ..inference.configured import graph_of
from ..inference.request import ModelRequest
from ..inference.tiles import Tiling
from ..inference.tiles_in_test import use_tiles
from ..openmmlab.missing_packages import leave_out_unused
from ..openmmlab.runs import use_faster_coco
from ..preparing.agreement import require_fit
from ..preparing.data_sets import find_data
from ..preparing.explain import explained
from ..preparing.hooks import add_hooks
from ..preparing.machine import join_machine
from ..preparing.own_data import use_own_data
from ..preparing.pretrained import prepare_pretrained
from ..preparing.settings import check_settings, use_options
from ..preparing.trial import try_model
from ..preparing.work_dir import choose_work_dir
from ..registry import SCOPE
from ..reports.page import NAME, facts, write_page
from ..runtime.card import Card
from ..runtime.runtimes import BY_SUFFIX, is_exported
from ..runtime.threshold import Threshold, read_threshold, write_threshold
from ..tasks import find_task
from ..tasks.detection.agreement import mask_heads
from ..training.console import QuietRunner
from ..training.find_checkpoint import choose_checkpoint, find_checkpoint
from ..utils.files import prepare_folder
from ..utils.messages import on_terminal, plural
from ..utils.processes import process_rank, show_warnings
from ..weights.read.class_names import require_same_names
from ..weights.trained import trained_weights
from .cli import SHARED, add_run_arguments, add_shared, count, folder_options, meant_files

NOTHING = '-'  # in the place of a number that pycocotools has not
SECTIONS = ('model', 'test_dataloader', 'test_cfg', 'test_evaluator')

EXAMPLES = """\
examples:
  %(prog)s detr_aug_vit_s_shapes work_dirs/detr_aug_vit_s_shapes --draw pictures
  %(prog)s quick_detector work_dirs/quick_detector --data-root my_pictures --report results
  %(prog)s cls_sret_t_imagenet checkpoints/sret_t.pth --dataset v2-matched
  %(prog)s detr_aug_vit_s_shapes model.onnx --data-root data/shapes  # an exported file
"""
DIGITS = {'mmseg': 2}  # behind the point, to which a toolbox rounds its metrics; otherwise 3


def add_arguments(parser: ArgumentParser) -> None:
    """Describe the command line."""
    parser.epilog = EXAMPLES
    add = parser.add_argument
    add_run_arguments(add)
    weights = f'{SHARED["checkpoint"]["help"]}, or an exported file ({", ".join(BY_SUFFIX)})'
    add('checkpoint', metavar='CHECKPOINT', help=weights)
    add('--dataset', choices=SETS, help='for ImageNet classifiers: other labels or images')
    add_shared(add, '--fused', '--compile', '--trusted')
    runtime = SHARED['--runtime'] | {'default': 'torch', 'help': 'what computes (default: torch)'}
    add('--runtime', **runtime)
    single = parser.add_mutually_exclusive_group()
    scales = "average over the config's scales and flips"
    single.add_argument('--tta', action='store_true', help=scales)
    pictures = 'write pictures of prediction and ground truth to DIR'
    single.add_argument('--draw', metavar='DIR', help=pictures)
    add_shared(add, '--tiles', '--overlap', '--merge')
    add('--report', metavar='DIR', help='write a page of scores, mistakes and the worst pictures')
    add('--overwrite', action='store_true', help='replace the page of an earlier --report')
    number = 'number of pictures (default: 16)'
    add('--num-pictures', type=count, default=16, metavar='N', help=number)
    add_shared(add, '--score-threshold')
    faster = 'compute COCO metrics by faster-coco-eval, which gives the same numbers sooner'
    add('--faster-coco', action='store_true', help=faster)


def evaluate(options: Namespace) -> None:
    """Do what ``vitbackbones test --help`` describes.

    Raises:
        InputError: something of the user's is wrong; before anything is built where possible.
    """
    config = read_config(options.config)
    if options.runtime != 'torch' and not is_exported(options.checkpoint):
        if options.launcher != 'none' or options.tta:
            other = '--tta' if options.tta else '--launcher'
            raise InputError(f'--runtime {options.runtime}: is not made for {other}')
        request = ModelRequest(
            config=options.config,
            checkpoint=options.checkpoint,
            runtime=options.runtime,
            fused=options.fused,
            compile=options.compile,
            cfg_options=options.cfg_options,
        )
        options.checkpoint = str(graph_of(request) or options.checkpoint)
    config = prepare(config, options)
    if options.faster_coco:
        if config.default_scope != 'mmdet':
            raise InputError('--faster-coco: is for detectors, whose metrics are those of COCO')
        use_faster_coco()
    with explained(config):
        runner = QuietRunner.from_cfg(config)
        if is_exported(options.checkpoint):
            # only now are the classes of the data known: they may be folders
            own = runner.test_loop.dataloader.dataset.metainfo.get('classes')
            require_same_names(Card.read(options.checkpoint).classes, own, options.checkpoint)
        task, how = find_task(config), (options.num_pictures, options.score_threshold)
        report = task.report(runner.test_loop, *how) if options.report else None  # reads the test
        metrics = runner.test()
    if process_rank():
        return
    digits = DIGITS.get(config.default_scope, 3)
    print(printable(table(metrics, digits)))  # it may name classes of any file
    dataset = runner.test_dataloader.dataset
    checkpoint = Path(runner.cfg.load_from or options.checkpoint)
    validated = _validated(config, checkpoint)
    if validated:
        print('on val, which has chosen the best checkpoint, as the log of the run says:')
        print(printable(table(validated, digits)))
    if options.draw:
        least = options.score_threshold
        if least is None:
            least = (read_threshold(checkpoint) or Threshold()).score
        model = getattr(runner.model, 'module', runner.model)
        pictures = task.draw(model, dataset, options.num_pictures, least)
        files = save_samples(pictures, Path(options.draw))
        *drawn, sheet = tqdm(files, desc='draw', leave=False, disable=not on_terminal())
        print(f'{plural(len(drawn), "picture")} in {sheet.parent}, together in {sheet}')
    if report:
        path = write_page(
            Path(options.report).expanduser(),
            f'{config_name(runner.cfg.filename)}: {checkpoint.name}',
            _numbers(metrics, digits)
            | {f'{k} on val': v for k, v in _numbers(validated, digits).items()},
            report.sections(),
            facts(runner.cfg, checkpoint, len(dataset)),
        )
        print(f'report: {path}')
        if report.chosen and not options.tta and not is_exported(checkpoint):
            print(printable(f'score threshold: {report.chosen}'))
            _keep_threshold(checkpoint, report.chosen, path.parent)


def _keep_threshold(checkpoint: Path, threshold: Threshold, report: Path) -> None:
    """Write a threshold beside its weights; where that may not be, beside the report."""
    reason = 'weights of the package stay as they are'
    if checkpoint not in trained_weights().values():
        try:
            print(f'predict and export take it from {write_threshold(checkpoint, threshold)}')
            return
        except InputError as error:  # such as a disk that is read-only
            reason = str(error)
    place = write_threshold(checkpoint, threshold, report)
    score = f'give --score-threshold {threshold.score:g} to predict'
    show_warnings([f'{reason}. The threshold is in {place}. To use it, {score}'])


def table(metrics: dict, digits: int = 3) -> str:
    """Write the metrics that are numbers, one line each.

    >>> print(table({'coco/bbox_mAP': 0.357, 'coco/bbox_mAP_50': 0.567}))
    coco/bbox_mAP      0.357
    coco/bbox_mAP_50   0.567
    """
    numbers = _numbers(metrics, digits)
    width = max(map(len, numbers), default=0)
    return '\n'.join(f'{name:<{width}}  {value:>6}' for name, value in numbers.items())


def _numbers(metrics: dict, digits: int) -> dict[str, str]:
    kinds = (float, int, np.floating)  # mmseg's are float32
    return {
        # COCO's are -1 where there are no such objects
        name: NOTHING if name.startswith('coco/') and value == -1 else f'{value:.{digits}f}'
        for name, value in metrics.items()
        if isinstance(value, kinds)
    }


def _validated(config: Config, checkpoint: Path) -> dict:
    """Return what a run has measured of a checkpoint, if that was on others than are tested."""
    places = [
        [(each.get('ann_file'), each.get('data_prefix')) for _, each in datasets(config, (split,))]
        for split in ('val', 'test')
    ]
    return metrics_of(checkpoint) if places[0] != places[1] else {}


# ------------------------------------------------------------------------ before the test


def prepare(config: Config, options: Namespace) -> Config:
    """Return the config of a test; what can be wrong with it is looked for."""
    config = use_options(config, options.cfg_options)
    leave_out_unused(config)
    require_sections(config, *SECTIONS)
    if options.dataset:
        config = use_set(config, options.dataset)
    config = check_settings(config, options.cfg_options)
    exported = is_exported(options.checkpoint)
    for name, files in meant_files(options).items():
        if exported and files:
            raise InputError(f'--{name}: goes with a checkpoint; an exported file has its config')
    if not exported:  # only a checkpoint knows the pictures that it was trained on
        checkpoint = find_checkpoint(options.checkpoint, 'CHECKPOINT')
        config = use_own_data(
            config, options.data_root, options.work_dir, checkpoint, **folder_options(options)
        )
    require_fit(config, ('test',))
    config = choose_work_dir(_load(config, options), options.work_dir)
    prepare_folder(config.work_dir, '--work-dir')
    try_model(config)
    _require_task(config, options)
    _create_folders(options)
    config = find_data(config, options.data_root, ('test',))
    config = cut(augment(config, options), options)
    if exported:
        config = use_exported(config, options.checkpoint, options.trusted)
    return join_machine(fuse(config, options), options.launcher, options.local_rank)


def _load(config: Config, options: Namespace) -> Config:
    """Load a checkpoint that fits, in place of what the model would start from."""
    if is_exported(options.checkpoint):
        for option in ('fused', 'compile', 'tta'):
            if getattr(options, option):
                raise InputError(f'--{option}: an exported file is tested as it is; leave it out')
        Card.read(options.checkpoint)  # which may be missing
        config = prepare_pretrained(config, scratch=True)
        config.update(load_from=None, resume=False)
        return config
    checkpoint = str(choose_checkpoint(options.checkpoint, 'CHECKPOINT'))
    config = add_hooks(config, 'FittingCheckpointHook', path=checkpoint, resume=False)
    config.update(load_from=checkpoint, resume=False)
    return prepare_pretrained(config, scratch=True)  # the checkpoint has all the weights


def _require_task(config: Config, options: Namespace) -> None:
    if find_task(config):
        return
    for option in ('draw', 'report'):
        if getattr(options, option):
            raise InputError(
                f'--{option}: is not made for default_scope={config.default_scope!r}; leave it out'
            )


def _create_folders(options: Namespace) -> None:
    if options.draw:
        prepare_folder(options.draw, '--draw')
    if options.report and process_rank() == 0:
        folder = prepare_folder(options.report, '--report')
        if any(folder.iterdir()) and not options.overwrite:
            raise InputError(
                f'--report {folder}: is not empty. Choose another folder, or --overwrite, which '
                f'replaces {NAME} there.'
            )


def augment(config: Config, options: Namespace) -> Config:
    """Predict every image in the ways of ``tta_pipeline`` and merge them with ``tta_model``."""
    if not options.tta:
        return config
    missing = [key for key in ('tta_pipeline', 'tta_model') if key not in config]
    if missing:
        raise InputError(
            f'--tta: {config.filename} has no {" and no ".join(missing)}, so nothing says which '
            'sizes and flips are averaged. Leave --tta out, or write them into a config of your '
            'own, as configs/_base_/datasets/ade20k.py does for all segmentors on ADE20K.'
        )
    heads = mask_heads(config)
    if heads and type_at(config.tta_model) == 'DetTTAModel':
        raise InputError(
            f"--tta: mmdet's DetTTAModel merges boxes alone, and model.{heads[0]} predicts masks; "
            'leave --tta out'
        )
    config = copy.deepcopy(config)
    config.test_dataloader.dataset.pipeline = config.tta_pipeline
    config.model = {**config.tta_model, 'module': config.model}
    return config


def cut(config: Config, options: Namespace) -> Config:
    """Answer large pictures in tiles, and merge the answers (--tiles)."""
    if not options.tiles:
        return config
    if config.default_scope == 'mmpretrain' or options.tta or is_exported(options.checkpoint):
        raise InputError('--tiles: is made for detectors and segmentors in torch, without --tta')
    return use_tiles(config, Tiling(options.tiles, options.overlap, options.merge))


def fuse(config: Config, options: Namespace) -> Config:
    """Fold the weights, and compile the backbone (--fused, --compile)."""
    if not options.fused and not options.compile:
        return config
    bfloat16 = options.fused == 'bfloat16'
    return add_hooks(config, 'FusedHook', bfloat16=bfloat16, compile=options.compile)


# ------------------------------------------------------------------------ sets of ImageNet

V2_FOLDERS = {
    'v2-matched': 'imagenetv2-matched-frequency-format-val',
    'v2-threshold': 'imagenetv2-threshold0.7-format-val',
    'v2-top': 'imagenetv2-top-images-format-val',
}
SETS = ('real', *V2_FOLDERS)


def use_set(config: Config, name: str) -> Config:
    """Return a copy of ``config`` that tests on another set, in the data root of ImageNet.

    Raises:
        InputError: the config does not test on ImageNet.
    """
    config = copy.deepcopy(config)
    dataset = config.test_dataloader.dataset
    if dataset.type != 'ImageNet':
        raise InputError(
            f'--dataset {name}: made for classifiers of ImageNet, {config.filename} tests on '
            f'{dataset.type}'
        )
    if name == 'real':
        config.test_evaluator = {
            'type': f'{SCOPE}.ReaLAccuracy',
            'ann_file': f'{dataset.data_root.rstrip("/")}/real.json',
            'topk': config.test_evaluator.get('topk', (1, 5)),
        }
    else:
        config.test_dataloader.dataset = {
            'type': f'{SCOPE}.ImageNetV2',
            'data_root': dataset.data_root,
            'data_prefix': {'img_path': V2_FOLDERS[name]},
            'pipeline': dataset.pipeline,
        }
    return config
