"""What a library says about a mistake in a config, with the key or file that is behind it.

The libraries' constructors see arguments, not a config, so their words name no key. The functions
that were running tell it: mmengine's registry holds the dict that it was building, its runner's
methods stand for sections, and torch's modules for parts of the model.
"""

import errno
import re
from collections.abc import Iterator
from contextlib import contextmanager

from mmcv.transforms import BaseTransform
from mmengine.config import Config
from torch import nn

from ...errors import InputError, OptionError
from ...openmmlab.frames import Call, calls, last_line, owners
from ...registry import bare_name
from ...training.distributed import lost_a_process
from ...training.hooks.data_workers import explain_loss, lost_a_worker
from ..lint import dicts
from ..settings import type_at
from .bug_report import write_report

FULL = (errno.ENOSPC, errno.EDQUOT)
# Methods of mmengine's runners, and what they build. ``{split}`` is the loop's that is built.
BUILDERS = {
    'build_model': 'model',
    'wrap_model': 'model_wrapper_cfg',
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
    'build_visualizer': 'visualizer',
    'build_log_processor': 'log_processor',
    'build_logger': 'log_level',
    'turn_on_activation_checkpointing': 'activation_checkpointing',
    'turn_on_efficient_conv_bn_eval': 'efficient_conv_bn_eval',
    '_maybe_compile': 'compile',
    'setup_env': 'env_cfg',
    'set_randomness': 'randomness',
}
# What torch and losses say where the sizes of two parts of a model do not agree.
RAISED = (RuntimeError, ValueError, AssertionError)
SIZES = re.compile(
    'shapes? |[Ss]izes? of tensor|Target size|shape\\[|weight of size|channels|expected weight'
)
REGISTRY = ('build_from_cfg', 'build_model_from_cfg', 'build_scheduler_from_cfg')


@contextmanager
def explained(config: Config) -> Iterator[None]:
    """Turn what a library says about a mistake in ``config`` into an ``InputError`` that names it.

    Unknown keywords that no signature showed beforehand, errors of constructors, files that a data
    set cannot read, missing packages, a full disk, and the end of another process or data worker.
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
            f'damaged, cut short or of another form ({error!r})'
        )
    unreadable = re.search('failed to load image: (.*)', str(error))  # by mmcv's own loader
    if unreadable and isinstance(error, AssertionError):
        return InputError(f'{unreadable[1]}: not an image, or cut short')
    if isinstance(error, RuntimeError) and lost_a_worker(error):
        return InputError(explain_loss(error))
    if isinstance(error, RuntimeError) and lost_a_process(error):
        return InputError(
            'another process of this run has ended; its own message, or the launcher, says why. '
            'Continue with the same command and --resume'
        )
    if isinstance(error, OSError) and error.errno in FULL:
        place = error.filename or config.work_dir
        return InputError(f'{place} cannot be written ({error.strerror}); make room first')
    # a package or a compiled operator that is not there; mmdet says the latter in its own way
    if isinstance(error, ImportError) or 'requires mmcv to be compiled' in str(error):
        return InputError(f'{config.filename}: {error}')
    return explain_unexpected_keyword(config, error) or _explain_build(config, error)


def explain_unexpected_keyword(config: Config, error: Exception) -> InputError | None:
    """Name the config key behind "got an unexpected keyword argument", if the config has it.

    This is what ``lint`` cannot know: dicts without a type that a model hands to a class.
    """
    pattern = r"(\w+)(?:\.__init__)?\(\) got an unexpected keyword argument '(\w+)'"
    match = re.search(pattern, str(error))
    if not match:
        return None
    name, keyword = match.groups()
    places = [f'{key}.{keyword}' for key, node in dicts(config) if keyword in node]
    if not places:
        return None
    return InputError(f'{config.filename}: {" or ".join(places)}: unknown key of {name}')


def _explain_build(config: Config, error: Exception) -> InputError | None:
    """Return the message that names the key; None if nothing was being built or fitted together.

    The traceback is kept in a file, unless the words are this package's own.
    """
    about_sizes = isinstance(error, RAISED) and SIZES.search(str(error))
    key = _key_of(config, calls(error)) or (_part_of_model(error) if about_sizes else '')
    if not key:
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


def _part_of_model(error: Exception) -> str:
    """Return the innermost module of a model that was computing, as a key of the config."""
    running = [call.variables.get('self') for call in calls(error)]
    modules = [each for each in running if isinstance(each, nn.Module)]
    names = {id(part): name for module in modules[:1] for name, part in module.named_modules()}
    inner = [names[id(module)] for module in modules if names.get(id(module))]
    return f'model.{inner[-1].removeprefix("module.")}' if inner else ''


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
