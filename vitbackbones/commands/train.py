"""``tools/train.py``: everything that can be wrong is looked for first, then mmengine trains."""

from argparse import Namespace
from pathlib import Path

from mmengine.config import Config

from ..config.data import prepare_data
from ..config.lint import lint
from ..config.paths import is_remote
from ..config.read import read_config, require_sections
from ..errors import InputError
from ..openmmlab.unused_toolboxes import leave_out_unused
from ..preflight.batch_size import check_batch_size
from ..preflight.data_checks import check_data
from ..preflight.earlier_run import StartAnewHook, remove_checkpoints, require_kept, require_unused
from ..preflight.explain import explained
from ..preflight.num_classes import check_classes
from ..preflight.pretrained import prepare_pretrained, prepare_teacher
from ..preflight.run import add_guards, add_hook, prepare_run
from ..preflight.trial import try_model
from ..preflight.work_dir import only_writer, prepare_work_dir
from ..processes import process_rank, show_warnings
from ..training.console import build_runner
from ..training.find_checkpoint import LATEST, find_checkpoint, find_resume
from ..training.hooks.interrupt import saved_without_data
from ..training.precision import use_amp
from . import smoke

# What would have no effect on a smoke test, and why.
SMOKE_REFUSES = {
    'resume': 'resumes from the checkpoint that it has just written',
    'overwrite': 'starts anew anyway, in a folder of its own',
    'data_root': 'runs on embedded data',
}


def train(options: Namespace) -> None:
    """Do what ``tools/train.py --help`` describes.

    Raises:
        InputError: something of the user's is wrong; before anything is built where possible.
        TrainingInterrupted: on Ctrl-C, after a checkpoint was saved.
    """
    config = read_config(options.config, options.cfg_options)
    leave_out_unused(config)
    require_sections(config, 'model', 'train_dataloader', 'train_cfg', 'optim_wrapper')
    lint(config, options.cfg_options)
    check_classes(config, _splits(config))
    if options.amp:
        use_amp(config)
    if options.smoke:
        _refuse_without_effect(options)
    prepare_work_dir(config, options.work_dir, below='smoke' if options.smoke else '')
    with only_writer(config):
        try_model(config)
        (_smoke if options.smoke else _train)(config, options)


def _splits(config: Config) -> tuple[str, ...]:
    """Those whose data a training run uses."""
    return ('train', 'val') if config.get('val_cfg') is not None else ('train',)


def _train(config: Config, options: Namespace) -> None:
    _prepare_start(config, options)
    prepare_data(config, options.data_root, _splits(config))
    show_warnings(check_data(config, _splits(config)))
    show_warnings(check_batch_size(config, options.launcher))
    add_guards(config)
    prepare_run(config, options)
    with explained(config):
        runner = build_runner(config)
        if options.overwrite:
            runner.register_hook(StartAnewHook())
        with saved_without_data(runner):
            runner.train()


def _prepare_start(config: Config, options: Namespace) -> None:
    """Where the weights come from: a checkpoint to resume, pretrained ones, or random ones."""
    resume = options.resume or (config.get('resume') and (config.get('load_from') or LATEST))
    if resume and options.pretrained:
        raise InputError(
            '--resume continues with the weights of its checkpoint; leave --pretrained out'
        )
    if resume and options.overwrite:
        raise InputError('--overwrite starts anew, but the config has resume=True; leave one out')
    if resume:
        checkpoint = str(find_resume(config, resume))
        config.update(resume=True, load_from=checkpoint)
        add_hook(config, 'FittingCheckpointHook', path=checkpoint, resume=True)
    elif config.get('load_from') and not is_remote(config.load_from):
        config.load_from = str(find_checkpoint(config.load_from, 'load_from'))
    if options.overwrite:
        require_kept(config)
    elif not resume:
        require_unused(Path(config.work_dir))
    # a resumed run overwrites whatever it started from
    prepare_pretrained(config, options.pretrained, scratch=options.scratch or bool(resume))
    prepare_teacher(config)


def _refuse_without_effect(options: Namespace) -> None:
    for option, why in SMOKE_REFUSES.items():
        if getattr(options, option):
            raise InputError(f'--smoke {why}; leave --{option.replace("_", "-")} out')


def _smoke(config: Config, options: Namespace) -> None:
    """Try the config; the one file that may be needed is --pretrained's."""
    prepare_pretrained(config, options.pretrained, scratch=not options.pretrained)
    add_guards(config)
    prepare_teacher(config, scratch=True)
    prepare_run(config, options)
    smoke.rewrite(config)
    if process_rank() == 0:
        remove_checkpoints(Path(config.work_dir))
    with explained(config):
        report = smoke.run(config)
    if process_rank() == 0:
        print(report)
