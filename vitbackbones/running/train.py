"""Training: what can be wrong is looked for first, then mmengine trains."""

import copy
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from mmengine.config import Config

from ..configuration.image_size import OF_TRAINING, size_line, with_size
from ..configuration.length import Length, scaled_schedules, with_length, with_rate
from ..configuration.names import is_remote
from ..configuration.read import read_config
from ..configuration.settings import as_list, value_at
from ..errors import InputError, printable
from ..preparing.agreement import (
    check_batch_size,
    check_evaluation,
    check_normalization,
    require_fit,
)
from ..preparing.data_sets import find_data
from ..preparing.early_stopping import stop_early
from ..preparing.explain import explained
from ..preparing.hooks import add_guards, add_hooks
from ..preparing.machine import join_machine
from ..preparing.own_data import folder_options, use_own_data
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
from ..training.distributed import use_device
from ..training.find_checkpoint import LATEST, find_checkpoint, find_resume, latest_checkpoint
from ..training.frozen import BACKBONE, use_freeze
from ..training.hooks.curves import told_when_stopped
from ..training.hooks.first_evaluation import FirstEvaluationHook
from ..training.hooks.interrupt import saved_without_data
from ..training.param_groups import group_parameters
from ..training.precision import lacks_accelerator, use_amp
from ..training.sharding import use_fsdp
from ..utils import started
from ..utils.messages import show_warnings
from ..utils.packages import import_optional
from ..utils.processes import process_rank, was_restarted
from ..utils.rules import whole
from ..utils.run_files import POINTER
from . import overfit, smoke
from .next_steps import next_steps
from .request import TrainRequest
from .result import TrainResult, last_metrics, result_of

SECTIONS = ('model', 'train_dataloader', 'train_cfg', 'optim_wrapper')


def run_training(request: TrainRequest) -> TrainResult:
    """Train as a request says.

    Raises:
        InputError: something of the user's is wrong; before anything is built where possible.
        TrainingInterrupted: on Ctrl-C, after a checkpoint was saved.
    """
    use_device(request.device, request.launcher)
    config = _with_length_of_options(read_config(request.config), request)
    config = with_length(config, request.steps, request.epochs)
    if length := ' '.join(request.words('steps', 'epochs')):
        _say(f'{length}: learning rates, evaluations and checkpoints are scaled to this length')
    config = with_rate(with_size(config, request.size), request.lr)
    if request.size:
        config[OF_TRAINING] = request.size
    config = read_settings(config, request.changes, request.freeze, request.lora)
    if request.size:
        _say(size_line(config, request.size))
    if request.smoke:
        return _smoke(config, request)
    if request.overfit:
        return _overfit(config, request)
    return _train(config, request)


def _with_length_of_options(config: Config, request: TrainRequest) -> Config:
    """Let learning rates follow ``--cfg-options train_cfg.max_iters=N`` alone.

    Those of a run that continues with the config in its work dir have their schedule already; it
    may have another length than the run, as in 1.0.
    """
    changes = request.cfg_options
    if not config.get('param_scheduler') or any(str(k).startswith('param_sch') for k in changes):
        return config
    for option, key in (('--steps', 'max_iters'), ('--epochs', 'max_epochs')):
        now = changes.get(f'train_cfg.{key}')
        before = value_at(config, f'train_cfg.{key}')
        if now == before or not whole(1).fits(now) or not whole(1).fits(before):
            continue
        if request.resume and Path(config.filename).with_name(POINTER).exists():
            _say(f'train_cfg.{key}={now}: the learning rate follows the schedule of the checkpoint')
        else:
            config = copy.deepcopy(config)
            length = Length(key, before, now)
            config.param_scheduler = scaled_schedules(as_list(config.param_scheduler), length)
            _say(
                f'train_cfg.{key}={now}: learning rates are scaled to this length; {option} {now} '
                'also scales evaluations and checkpoints'
            )
    return config


def read_settings(
    config: Config,
    changes: Mapping[str, Any],
    freeze: str | int | None = None,
    lora: int | None = None,
) -> Config:
    """Return a config with the options of a command line, after a check of all its settings."""
    config = use_options(config, changes, *SECTIONS)
    if freeze is not None:
        config = use_freeze(config, freeze)
    if rank := lora or config.get('lora'):
        if config.get('frozen') or config.model.get('backbone') is None:
            raise InputError(
                '--lora: requires a backbone that is not frozen; remove --freeze backbone'
            )
        config = add_hooks(config, 'AdaptersHook')
        config.lora = rank
    return check_settings(config, changes)


# ------------------------------------------------------------------------ the three kinds of runs

# The steps of each stand in the order that they need:
# 1. Classes come from the data, and the number of parameters of the head from the classes.
# 2. The work dir is locked before the first file is written, and before checkpoints are looked for.
# 3. A model that cannot be built is refused before weights are downloaded and data are read.
# 4. Hooks come last: some look at what the config says by then.


def _train(config: Config, request: TrainRequest) -> TrainResult:
    config = use_own_data(config, request.data_root, request.work_dir, **folder_options(request))
    config = _fit_model(config, request)
    config = stop_early(config, request.patience)
    config = choose_work_dir(config, request.work_dir)
    config = _follow(config, request)
    with only_writer(config):
        try_model(config)
        request = _continued(request, config)
        config = _find_start(config, request)
        if request.overwrite:
            require_kept(config)
        elif not config.get('resume'):
            require_unused(Path(config.work_dir))
        config = _find_weights(config, request)
        config = prepare_teacher(config)
        config = find_data(config, request.data_root, _splits(config))
        show_warnings([*check_evaluation(config), *check_batch_size(config, request.launcher)])
        config = _compile(config, request)
        config = _keep_maps(config, request)
        config = add_guards(config)
        config = join_machine(config, request.launcher, request.local_rank, request.workers)
        with explained(config):
            return _run(config, request)


def _run(config: Config, request: TrainRequest) -> TrainResult:
    runner = QuietRunner.from_cfg(config)
    runner.register_hook(FirstStepHook())
    runner.register_hook(FirstEvaluationHook())
    if request.overwrite:
        runner.register_hook(StartAnewHook())
    with told_when_stopped(runner), saved_without_data(runner):
        runner.train()
    result = result_of(Path(config.work_dir), last_metrics(runner.message_hub))
    if not started.is_part():
        for line in (*next_steps(runner, result), overfit.hint(runner, request)):
            _say(printable(line))  # a metric may have the name of a class
    return result


def _smoke(config: Config, request: TrainRequest) -> TrainResult:
    config = _fit_model(config, request)
    smoke.refuse_without_effect(request)
    config = choose_work_dir(config, request.work_dir, below='smoke')
    with only_writer(config):
        try_model(config)
        config = prepare_pretrained(config, request.pretrained, scratch=not request.pretrained)
        show_warnings(check_normalization(config))
        config = _compile(config, request)
        config = add_guards(config)
        config = prepare_teacher(config, scratch=True)
        config = join_machine(config, request.launcher, request.local_rank, request.workers)
        config = smoke.as_smoke_test(config)
        with explained(config):
            _say(smoke.run(config))
    return result_of(Path(config.work_dir), {})


def _overfit(config: Config, request: TrainRequest) -> TrainResult:
    config = use_own_data(config, request.data_root, request.work_dir, **folder_options(request))
    config = _fit_model(config, request)
    overfit.refuse_without_effect(config, request)
    config = choose_work_dir(config, request.work_dir, below='overfit')
    with only_writer(config):
        try_model(config)
        config = _without_other_start(config, request)
        config = _find_weights(config, request)
        config = find_data(config, request.data_root, _splits(config))
        suspects = overfit.find_suspects(config)
        config = overfit.use_few(config, request.overfit)
        config = join_machine(config, request.launcher, request.local_rank, request.workers)
        with explained(config):
            _say(overfit.run(config, suspects))
    return result_of(Path(config.work_dir), {})


def _say(text: str) -> None:
    if text and process_rank() == 0:
        print(text)


# ------------------------------------------------------------------------ what they do


def _fit_model(config: Config, request: TrainRequest) -> Config:
    """Compare the classes; choose precision (--amp), sharding (--fsdp) and groups of parameters."""
    require_fit(config, _splits(config))
    if lacks_accelerator(config):
        _say('optim_wrapper: AmpOptimWrapper needs a GPU; here, mixed precision is bfloat16')
    if request.amp or lacks_accelerator(config):
        config = use_amp(config)
    config = use_fsdp(config, request.fsdp)
    return group_parameters(config)


def _without_other_start(config: Config, request: TrainRequest) -> Config:
    """Leave out the ``load_from`` of a config where it would replace --pretrained or --scratch."""
    config = copy.deepcopy(config)
    if (request.pretrained or request.scratch) and 'load_from' not in request.cfg_options:
        config.load_from = None
    return config


def _find_weights(config: Config, request: TrainRequest) -> Config:
    """Find what the backbone starts from (--pretrained, --scratch)."""
    # a resumed run overwrites whatever it started from
    scratch = request.scratch or bool(config.get('resume'))
    config = prepare_pretrained(config, request.pretrained, scratch)
    show_warnings(check_normalization(config))
    return config


def _compile(config: Config, request: TrainRequest) -> Config:
    return add_hooks(config, 'CompileHook') if request.compile else config


def _splits(config: Config) -> tuple[str, ...]:
    """Return the splits whose data a training run uses."""
    return ('train', 'val') if config.get('val_cfg') is not None else ('train',)


def _continued(request: TrainRequest, config: Config) -> TrainRequest:
    """Let a run that its launcher has started again go on by itself, whatever it began with."""
    if was_restarted() and not request.overwrite and latest_checkpoint(Path(config.work_dir)):
        return replace(request, resume=LATEST, pretrained=None)
    return request


def _find_start(config: Config, request: TrainRequest) -> Config:
    """Name the checkpoint that a run continues (``--resume``) or starts with (``load_from``)."""
    resume = request.resume or (config.get('resume') and (config.get('load_from') or LATEST))
    if resume and request.pretrained:
        raise InputError(
            '--resume continues with the weights of its checkpoint; remove --pretrained'
        )
    if resume and request.overwrite:
        raise InputError(
            '--overwrite starts from the beginning, but the config has resume=True; remove one '
            'of the two'
        )
    config = _without_other_start(config, request)
    if resume:
        checkpoint = str(find_resume(config, resume))
        config.update(resume=True, load_from=checkpoint)
        return add_hooks(config, 'FittingCheckpointHook', path=checkpoint, resume=True)
    if not config.get('load_from'):
        return config
    if not is_remote(config.load_from):
        config.load_from = str(find_checkpoint(config.load_from, 'load_from'))
    return add_hooks(config, 'StartingCheckpointHook', path=config.load_from)


def _keep_maps(config: Config, request: TrainRequest) -> Config:
    if request.cache_gb is None and request.cache_views is None:
        return config
    if config.get('frozen') != BACKBONE and not config.model.get('teacher'):
        raise InputError(
            '--cache-gb, --cache-views: only the feature maps of a frozen backbone can be '
            'cached; add --freeze backbone and remove --lora'
        )
    return add_hooks(config, 'CachedMapsHook', gb=request.cache_gb, views=request.cache_views)


def _follow(config: Config, request: TrainRequest) -> Config:
    if not request.track:
        return config
    trackers = [name for name in TRACKERS if name in request.track]
    for name in trackers:
        import_optional(name, name)
    config = copy.deepcopy(config)
    config.setdefault('default_hooks', {})  # which returns a copy of it
    config.default_hooks.track = {'type': 'vitbackbones.TrackHook', 'trackers': trackers}
    return config
