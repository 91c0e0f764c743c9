"""The steps from a config to a test of it; what can be wrong is looked for first."""

import copy

from mmengine.config import Config

from ..configuration.settings import type_at
from ..errors import InputError
from ..export.in_test import use_exported
from ..inference.tiles import Tiling
from ..inference.tiles_in_test import use_tiles
from ..preparing.agreement import require_fit
from ..preparing.data_sets import find_data
from ..preparing.hooks import add_hooks
from ..preparing.machine import join_machine
from ..preparing.own_data import FILES, folder_options, use_own_data
from ..preparing.pretrained import prepare_pretrained
from ..preparing.settings import check_settings, use_options
from ..preparing.trial import try_model
from ..preparing.work_dir import choose_work_dir
from ..reports.page import NAME
from ..runtime.card import Card
from ..tasks import find_task
from ..tasks.detection.agreement import mask_heads
from ..training.find_checkpoint import choose_checkpoint, find_checkpoint
from ..utils.files import prepare_folder
from ..utils.processes import process_rank
from .imagenet_sets import use_set
from .request import TestRequest

SECTIONS = ('model', 'test_dataloader', 'test_cfg', 'test_evaluator')


def prepare(config: Config, request: TestRequest) -> Config:
    """Return the config of a test; what can be wrong with it is looked for."""
    config = use_options(config, request.changes, *SECTIONS)
    if request.dataset:
        config = use_set(config, request.dataset)
    config = check_settings(config, request.changes)
    config = _use_own_data(config, request)
    require_fit(config, ('test',))
    config = _load(config, request)
    config = choose_work_dir(config, request.work_dir)
    prepare_folder(config.work_dir, '--work-dir')
    try_model(config)
    _require_task(config, request)
    _create_folders(request)
    config = find_data(config, request.data_root, ('test',))
    config = use_views(config, request)
    config = use_tiling(config, request)
    if request.exported:
        trusted = request.trusted
        config = use_exported(config, request.checkpoint, trusted, request.computed)
    config = use_fused(config, request)
    return join_machine(config, request.launcher, request.local_rank)


def _use_own_data(config: Config, request: TestRequest) -> Config:
    """Find what is in ``--data-root``; only a checkpoint knows the pictures of its training."""
    if request.exported:
        for word in request.words(*FILES):
            if word.startswith('--'):
                raise InputError(
                    f'{word}: requires a checkpoint; an exported file contains its config'
                )
        return config
    checkpoint = find_checkpoint(request.checkpoint, 'CHECKPOINT')
    given = folder_options(request)
    return use_own_data(config, request.data_root, request.work_dir, checkpoint, **given)


def _load(config: Config, request: TestRequest) -> Config:
    """Load a checkpoint that fits, in place of what the model would start from."""
    if request.exported:
        for option in ('fused', 'compile', 'tta', 'size', 'device'):
            if option in request.given():
                raise InputError(f'--{option}: is not supported for an exported file; remove it')
        Card.read(request.checkpoint)  # which may be missing
        config = prepare_pretrained(config, scratch=True)
        config.update(load_from=None, resume=False)
        return config
    checkpoint = str(choose_checkpoint(request.checkpoint, 'CHECKPOINT'))
    config = add_hooks(config, 'FittingCheckpointHook', path=checkpoint, resume=False)
    config.update(load_from=checkpoint, resume=False)
    return prepare_pretrained(config, scratch=True)  # the checkpoint has all the weights


def _require_task(config: Config, request: TestRequest) -> None:
    if find_task(config):
        return
    for option in ('draw', 'report'):
        if option in request.given():
            raise InputError(
                f'--{option}: is not supported with default_scope={config.default_scope!r}; '
                'remove it'
            )


def _create_folders(request: TestRequest) -> None:
    if request.draw:
        prepare_folder(request.draw, '--draw')
    if request.report and process_rank() == 0:
        folder = prepare_folder(request.report, '--report')
        if any(folder.iterdir()) and not request.overwrite:
            raise InputError(
                f'--report {folder}: is not empty. Choose another folder, or replace {NAME} '
                'there with --overwrite.'
            )


def use_views(config: Config, request: TestRequest) -> Config:
    """Predict every image in the ways of ``tta_pipeline`` and merge them with ``tta_model``."""
    if not request.tta:
        return config
    missing = [key for key in ('tta_pipeline', 'tta_model') if key not in config]
    if missing:
        raise InputError(
            f'--tta: {config.filename} has no {" and no ".join(missing)}, which define the '
            'sizes and flips to average over. Remove --tta, or add them in a config of your '
            'own, as configs/_base_/datasets/ade20k.py does for all segmentors on ADE20K.'
        )
    heads = mask_heads(config)
    if heads and type_at(config.tta_model) == 'DetTTAModel':
        raise InputError(
            f"--tta: mmdet's DetTTAModel merges only boxes, but model.{heads[0]} predicts "
            'masks; remove --tta'
        )
    config = copy.deepcopy(config)
    config.test_dataloader.dataset.pipeline = config.tta_pipeline
    config.model = {**config.tta_model, 'module': config.model}
    return config


def use_tiling(config: Config, request: TestRequest) -> Config:
    """Answer large pictures in tiles, and merge the answers (--tiles)."""
    if not request.tiles:
        return config
    if config.default_scope == 'mmpretrain' or request.tta or request.exported:
        raise InputError('--tiles: is only for detectors and segmentors in torch, without --tta')
    return use_tiles(config, Tiling(request.tiles, request.overlap, request.merge))


def use_fused(config: Config, request: TestRequest) -> Config:
    """Fold the weights, and compile the backbone (--fused, --compile)."""
    if not request.fused and not request.compile:
        return config
    bfloat16 = request.fused == 'bfloat16'
    return add_hooks(config, 'FusedHook', bfloat16=bfloat16, compile=request.compile)
