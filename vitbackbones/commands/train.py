"""``vitbackbones train``: what can be wrong is looked for first, then mmengine trains."""

import copy
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from pathlib import Path

from mmengine.config import Config

from ..configuration.names import is_remote
from ..configuration.read import read_config, require_sections
from ..errors import InputError
from ..openmmlab.missing_packages import leave_out_unused
from ..preparing.agreement import check_batch_size, check_normalization, require_fit
from ..preparing.data_sets import find_data
from ..preparing.explain import explained
from ..preparing.hooks import add_guards, add_hooks
from ..preparing.machine import join_machine
from ..preparing.own_data import use_own_data
from ..preparing.pretrained import prepare_pretrained, prepare_teacher
from ..preparing.settings import check_settings, use_options
from ..preparing.trial import try_model
from ..preparing.work_dir import (
    StartAnewHook,
    choose_work_dir,
    only_writer,
    require_kept,
    require_unused,
)
from ..trackers.backends import TRACKERS
from ..training.console import FirstStepHook, QuietRunner
from ..training.find_checkpoint import LATEST, find_checkpoint, find_resume, latest_checkpoint
from ..training.frozen import BACKBONE, use_freeze
from ..training.hooks.curves import told_when_stopped
from ..training.hooks.first_evaluation import FirstEvaluationHook
from ..training.hooks.interrupt import saved_without_data
from ..training.param_groups import group_parameters
from ..training.precision import use_amp
from ..training.sharding import use_fsdp
from ..utils.packages import import_optional
from ..utils.processes import process_rank, show_warnings, was_restarted
from . import overfit, smoke
from .cli import add_run_arguments, count, folder_options, size

SECTIONS = ('model', 'train_dataloader', 'train_cfg', 'optim_wrapper')

EXAMPLES = """\
examples:
  %(prog)s detr_aug_vit_s_coco --smoke              a look at all of it, in seconds or minutes
  %(prog)s detr_aug_vit_s_coco --amp
  %(prog)s quick_detector --data-root my_pictures   pictures and annotations of your own
  %(prog)s quick_detector --data-root my_pictures --overfit 8   what is broken, if AP stays at 0
  %(prog)s my_config.py --resume                    continue where a run was stopped
  %(prog)s my_config.py --track tensorboard         losses, metrics and pictures there as well
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Describe the command line."""
    parser.epilog = EXAMPLES
    add_run_arguments(parser.add_argument)
    weights = parser.add_mutually_exclusive_group()
    weights.add_argument(
        '--pretrained',
        metavar='FILE',
        help='in place of the backbone checkpoint in the config: a file, its address, a name of '
        'published weights such as deit_s, or "auto" for those nearest to what the config names',
    )
    weights.add_argument('--scratch', action='store_true', help='start from random weights')
    earlier = parser.add_mutually_exclusive_group()
    go_on = 'continue from FILE or, without it, from the latest checkpoint of the work dir'
    earlier.add_argument('--resume', nargs='?', const=LATEST, metavar='FILE', help=go_on)
    anew = 'start from the beginning where the work dir holds checkpoints, and remove them'
    earlier.add_argument('--overwrite', action='store_true', help=anew)
    parser.add_argument(
        '--freeze',
        type=frozen_part,
        metavar='backbone|N',
        help='train neck and head alone, or freeze the stem and the first N stages of the backbone '
        '(blocks, where it has no stages)',
    )
    parser.add_argument(
        '--lora',
        type=count,
        metavar='RANK',
        help='train, of the backbone, low-rank adapters of attention and MLPs alone',
    )
    parser.add_argument(
        '--cache-gb',
        type=size,
        metavar='G',
        help='with --freeze backbone: compute the maps of each picture once and keep them, in at '
        'most G * 10^9 bytes of the cache of this package',
    )
    parser.add_argument(
        '--cache-views',
        type=count,
        metavar='K',
        help='with --freeze backbone: train on K draws of each picture, for pipelines with random '
        'steps; without --cache-gb the same ones, whose maps are not kept',
    )
    parser.add_argument('--amp', action='store_true', help='train in mixed precision')
    parser.add_argument(
        '--fsdp',
        action='store_true',
        help='with several processes, keep a part of weights, gradients and optimizer in each',
    )
    parser.add_argument(
        '--compile',
        action='store_true',
        help='compile the blocks of backbone and transformer, each kind once for any image size: '
        'minutes at the start, shorter steps',
    )
    parser.add_argument(
        '--track',
        nargs='+',
        choices=('page', *TRACKERS),
        default=(),
        metavar='NAME',
        help='follow the run in tensorboard, wandb or mlflow, beside the local log, with pictures '
        'of predictions at each evaluation; "page" makes only WORK_DIR/run.html, as the others do',
    )
    short = parser.add_mutually_exclusive_group()
    short.add_argument(
        '--overfit',
        type=count,
        metavar='N',
        help='learn N training pictures by heart for a minute, in WORK_DIR/overfit, and name what '
        'is broken where that fails',
    )
    short.add_argument(
        '--smoke',
        action='store_true',
        help='try some steps, evaluation and resuming, in WORK_DIR/smoke; needs no data and no '
        'weights, and on a CPU seconds for a small model, minutes for a large one',
    )


def frozen_part(text: str) -> str | int:
    """Read 'backbone' or a number of stages, as an argument's ``type``."""
    if text != BACKBONE and not text.isdecimal():
        raise ArgumentTypeError(f'{text} is neither "{BACKBONE}" nor a number of stages')
    return text if text == BACKBONE else int(text)


def train(options: Namespace) -> None:
    """Do what ``vitbackbones train --help`` describes.

    Raises:
        InputError: something of the user's is wrong; before anything is built where possible.
        TrainingInterrupted: on Ctrl-C, after a checkpoint was saved.
    """
    config = read_settings(
        read_config(options.config), options.cfg_options, options.freeze, options.lora
    )
    if options.smoke:
        _smoke(config, options)
    elif options.overfit:
        _overfit(config, options)
    else:
        _train(config, options)


def read_settings(
    config: Config, changes: dict, freeze: str | int | None = None, lora: int | None = None
) -> Config:
    """Return a config with the options of a command line, after a check of all its settings."""
    config = use_options(config, changes)
    leave_out_unused(config)
    require_sections(config, *SECTIONS)
    if freeze is not None:
        config = use_freeze(config, freeze)
    if rank := lora or config.get('lora'):
        if config.get('frozen') or config.model.get('backbone') is None:
            raise InputError('--lora: needs a backbone that --freeze backbone does not freeze')
        config = add_hooks(config, 'AdaptersHook')
        config.lora = rank
    return check_settings(config, changes)


def _train(config: Config, options: Namespace) -> None:
    config = use_own_data(config, options.data_root, options.work_dir, **folder_options(options))
    config = _fit_model(config, options)
    config = _follow(choose_work_dir(config, options.work_dir), options)
    with only_writer(config):
        try_model(config)
        config = _find_start(config, options)
        if options.overwrite:
            require_kept(config)
        elif not config.get('resume'):
            require_unused(Path(config.work_dir))
        config = _find_weights(config, options)
        config = prepare_teacher(config)
        config = find_data(config, options.data_root, _splits(config))
        show_warnings(check_batch_size(config, options.launcher))
        config = _keep_maps(_compile(config, options), options)
        config = join_machine(add_guards(config), options.launcher, options.local_rank)
        with explained(config):
            runner = QuietRunner.from_cfg(config)
            runner.register_hook(FirstStepHook())
            runner.register_hook(FirstEvaluationHook())
            if options.overwrite:
                runner.register_hook(StartAnewHook())
            with told_when_stopped(runner), saved_without_data(runner):
                runner.train()
            if process_rank() == 0 and (hint := overfit.hint(runner, options)):
                print(hint)


def _smoke(config: Config, options: Namespace) -> None:
    config = _fit_model(config, options)
    smoke.refuse_without_effect(options)
    config = choose_work_dir(config, options.work_dir, below='smoke')
    with only_writer(config):
        try_model(config)
        config = prepare_pretrained(config, options.pretrained, scratch=not options.pretrained)
        show_warnings(check_normalization(config))
        config = add_guards(_compile(config, options))
        config = prepare_teacher(config, scratch=True)
        config = smoke.as_smoke_test(join_machine(config, options.launcher, options.local_rank))
        with explained(config):
            _print(smoke.run(config))


def _overfit(config: Config, options: Namespace) -> None:
    config = use_own_data(config, options.data_root, options.work_dir, **folder_options(options))
    config = _fit_model(config, options)
    overfit.refuse_without_effect(config, options)
    config = choose_work_dir(config, options.work_dir, below='overfit')
    with only_writer(config):
        try_model(config)
        config = _find_weights(config, options)
        config = find_data(config, options.data_root, _splits(config))
        suspects = overfit.find_suspects(config)
        config = overfit.use_few(config, options)
        config = join_machine(config, options.launcher, options.local_rank)
        with explained(config):
            _print(overfit.run(config, suspects))


def _print(text: str) -> None:
    if process_rank() == 0:
        print(text)


# ------------------------------------------------------------------------ what they do


def _fit_model(config: Config, options: Namespace) -> Config:
    """Compare the classes; choose precision (--amp), sharding (--fsdp) and groups of parameters."""
    require_fit(config, _splits(config))
    config = use_amp(config) if options.amp else config
    return group_parameters(use_fsdp(config, options.fsdp))


def _find_weights(config: Config, options: Namespace) -> Config:
    """Find what the backbone starts from (--pretrained, --scratch)."""
    # a resumed run overwrites whatever it started from
    scratch = options.scratch or bool(config.get('resume'))
    config = prepare_pretrained(config, options.pretrained, scratch)
    show_warnings(check_normalization(config))
    return config


def _compile(config: Config, options: Namespace) -> Config:
    return add_hooks(config, 'CompileHook') if options.compile else config


def _splits(config: Config) -> tuple[str, ...]:
    """Return the splits whose data a training run uses."""
    return ('train', 'val') if config.get('val_cfg') is not None else ('train',)


def _find_start(config: Config, options: Namespace) -> Config:
    """Name the checkpoint that a run continues (``--resume``) or starts with (``load_from``).

    A run that its launcher has started again goes on by itself, whatever it began with.
    """
    if was_restarted() and not options.overwrite and latest_checkpoint(Path(config.work_dir)):
        options.resume, options.pretrained = LATEST, None
    resume = options.resume or (config.get('resume') and (config.get('load_from') or LATEST))
    if resume and options.pretrained:
        raise InputError(
            '--resume continues with the weights of its checkpoint; leave --pretrained out'
        )
    if resume and options.overwrite:
        raise InputError(
            '--overwrite starts from the beginning, but the config has resume=True; leave one out'
        )
    config = copy.deepcopy(config)
    if resume:
        checkpoint = str(find_resume(config, resume))
        config.update(resume=True, load_from=checkpoint)
        return add_hooks(config, 'FittingCheckpointHook', path=checkpoint, resume=True)
    if not config.get('load_from'):
        return config
    if not is_remote(config.load_from):
        config.load_from = str(find_checkpoint(config.load_from, 'load_from'))
    return add_hooks(config, 'StartingCheckpointHook', path=config.load_from)


def _keep_maps(config: Config, options: Namespace) -> Config:
    if options.cache_gb is None and options.cache_views is None:
        return config
    if config.get('frozen') != BACKBONE:
        raise InputError(
            '--cache-gb, --cache-views: only the maps of a frozen backbone stay as they are; add '
            '--freeze backbone, and no --lora'
        )
    return add_hooks(config, 'CachedMapsHook', gb=options.cache_gb, views=options.cache_views)


def _follow(config: Config, options: Namespace) -> Config:
    if not options.track:
        return config
    trackers = [name for name in TRACKERS if name in options.track]
    for name in trackers:
        import_optional(name, name)
    config = copy.deepcopy(config)
    config.setdefault('default_hooks', {})  # which returns a copy of it
    config.default_hooks.track = {'type': 'vitbackbones.TrackHook', 'trackers': trackers}
    return config
