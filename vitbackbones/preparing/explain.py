"""What a library says about a mistake in a config, with the key or file that is behind it.

The libraries' constructors see arguments, not a config, so their words name no key. The functions
that were running tell it: mmengine's registry holds the dict that it was building, and its runner's
methods stand for sections.
"""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mmcv.transforms import BaseTransform
from mmengine.config import Config
from mmengine.runner import EpochBasedTrainLoop, IterBasedTrainLoop

from ..configuration.lint import dicts
from ..configuration.settings import type_at
from ..errors import InputError, OptionError
from ..registry import bare_name
from ..training.distributed import lost_a_process
from ..training.hooks.data_workers import explain_loss, lost_a_worker
from ..utils.frames import Call, calls, last_line, owners
from .bug_report import write_report

FULL = (errno.ENOSPC, errno.EDQUOT)
# Methods of mmengine's runners, and what they build. ``{split}`` is the loop's that is built.
BUILDERS = {
    'build_model': 'model',
    'build_train_loop': 'train_cfg',
    'build_val_loop': 'val_cfg',
    'build_test_loop': 'test_cfg',
    'build_dataloader': '{split}_dataloader',
    'build_evaluator': '{split}_evaluator',
    'build_optim_wrapper': 'optim_wrapper',
    'build_param_scheduler': 'param_scheduler',
    'scale_lr': 'auto_scale_lr',
    'register_default_hooks': 'default_hooks',
    'register_custom_hooks': 'custom_hooks',
    'build_logger': 'log_level',
    'add_config': 'visualizer',  # where trackers start
}
REGISTRY = ('build_from_cfg', 'build_model_from_cfg', 'build_scheduler_from_cfg')


@contextmanager
def explained(config: Config) -> Iterator[None]:
    """Turn what a library says about a mistake in ``config`` into an ``InputError`` that names it.

    Errors of constructors, files that a dataset cannot read, missing packages, a full disk, and
    the end of another process or data worker.
    """
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        explanation = _explanation(config, error)
        if explanation is None:
            raise
        raise explanation from error


def _explanation(config: Config, error: Exception) -> InputError | None:
    readers = [each for each in owners(error, 'load_data_list') if hasattr(each, 'ann_file')]
    if readers:  # data sets of OpenMMLab, which do not name the file over which they stumble
        files = readers[0].ann_file or readers[0].data_root
        return InputError(
            f'{type(readers[0]).__name__}: the annotations in {files} cannot be read: missing, '
            f'damaged, truncated or in another format ({error!r})'
        )
    if isinstance(error, RuntimeError) and lost_a_worker(error):
        return InputError(explain_loss(error))
    if isinstance(error, RuntimeError) and lost_a_process(error):
        return InputError(
            'another process of this run has ended; its own message, or the launcher, shows '
            'why. Continue with the same command and --resume'
        )
    if 'mark a variable ready only once' in str(error) and config.get('find_unused_parameters'):
        needed = 'with_cp and activation_checkpointing may require find_unused_parameters=False'
        return InputError(f'{config.filename}: {needed} (docs/clusters.md)')
    if isinstance(error, OSError) and error.errno in FULL:
        place = error.filename or config.work_dir
        return InputError(f'{place} cannot be written ({error.strerror}); free some space first')
    gone = isinstance(error, FileNotFoundError) and str(error.filename or '')
    if gone and Path(gone).absolute().is_relative_to(Path(config.work_dir).absolute()):
        return InputError(f'{gone} no longer exists: something else removes files of this run')
    # a package or a compiled operator that is not there; mmdet says the latter in its own way
    if isinstance(error, ImportError) or 'requires mmcv to be compiled' in str(error):
        return InputError(f'{config.filename}: {error}')
    key = _key_of(config, calls(error)) or _first_try(calls(error))
    if not key:  # nothing was being built, and it has worked before
        return None
    if isinstance(error, OptionError):
        return InputError(f'{config.filename}: {key}: {error}')
    words = ' '.join(str(error).split())[:500] or last_line(error)
    file = write_report(error, config)
    return InputError(
        f'{config.filename}: {key}: {type(error).__name__}: {words} (the traceback is in {file})'
    )


def _key_of(config: Config, running: list[Call]) -> str:
    """Return the innermost key that was being built, or used as a transform; '' if none."""
    key = ''
    for name, file, variables in running:
        if name in BUILDERS and 'mmengine' in file:
            key = BUILDERS[name].format(split=key.partition('_')[0])
        elif name in REGISTRY:
            key = _locate(config, variables.get('cfg'), key) or key
        elif name == 'call_hook' and variables.get('fn_name') in ('before_run', 'before_train'):
            key = _locate(config, {'type': type(variables['hook']).__name__}, '') or key
        elif name == 'transform' and isinstance(variables.get('self'), BaseTransform):
            kind = type(variables['self']).__name__
            steps = [k for k, node in dicts(config) if '.pipeline.' in k and type_at(node) == kind]
            key = ' or '.join(steps[:3]) or key
    return key


def _first_try(running: list[Call]) -> str:
    """Return what of a run has failed at its first try; '' for anything else."""
    for name, _, variables in running:
        if name == 'try_evaluation':
            return 'the evaluation fails on its first image'
        loop = variables.get('self') if name == 'run_iter' else None
        if isinstance(loop, EpochBasedTrainLoop | IterBasedTrainLoop) and loop.iter == 0:
            return 'the first step of training fails'
    return ''


def _locate(config: Config, settings, below: str) -> str:
    """Return the keys at or below ``below`` where ``settings`` stand, or dicts of their type."""
    if not isinstance(settings, dict) or 'type' not in settings:
        return ''
    kind = bare_name(settings['type'])
    alike = {
        key: node
        for key, node in dicts(config)
        if bare_name(node.get('type')) == kind and f'{key}.'.startswith(f'{below}.' * bool(below))
    }
    same = [key for key, node in alike.items() if node == settings]
    return ' or '.join((same or [*alike])[:3])
