"""What training, testing and the smoke test share between reading a config and running it."""

import errno
import re
import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from traceback import walk_tb

import torch
from mmengine.config import Config

import vitbackbones

from ..errors import InputError
from .build_errors import explain_build
from .distributed import lost_a_process, prepare_distributed, process_rank
from .lint import explain_unexpected_keyword
from .lookup import OURS
from .paths import PACKAGE
from .saving import write_atomically
from .threads import share_cores
from .workers import explain_loss, lost_a_worker

GUARDS = {
    'exact_resume': 'ExactResumeHook',
    'finite_loss': 'FiniteLossHook',
    'unreadable_images': 'UnreadableImagesHook',
}
FULL = (errno.ENOSPC, errno.EDQUOT)


def require_sections(config: Config, *sections: str) -> None:
    """Refuse a config that is only a part of one.

    Raises:
        InputError: a section is missing or None.
    """
    missing = [section for section in sections if config.get(section) is None]
    if missing:
        given = config.keys() - {*missing}
        near = get_close_matches(missing[0], given, n=1, cutoff=0.8)
        hint = f'; is {near[0]!r} meant to be {missing[0]!r}?' if near else ''
        raise InputError(
            f'{config.filename}: no complete config, it has no {", ".join(missing)}{hint}'
        )


def add_hook(config: Config, kind: str, **options) -> None:
    """Add a hook of this package unless the config has it (it may be a dump of an earlier run)."""
    kind = f'{OURS}.{kind}'
    others = [hook for hook in config.get('custom_hooks') or [] if hook.get('type') != kind]
    config.custom_hooks = [*others, {'type': kind, **options}]


def add_guards(config: Config) -> None:
    """Give a config of any origin the hooks that a long run should not be without.

    They are default hooks, which a config changes or takes out (``None``) by their names.
    """
    hooks = config.setdefault('default_hooks', {})
    for name, kind in GUARDS.items():
        hooks.setdefault(name, {'type': f'{OURS}.{kind}'})
    add_hook(config, 'InterruptHook')


def prepare_run(config: Config, options: Namespace) -> None:
    """Last changes to ``config``: safe checkpoints, progress, processes and threads."""
    write_atomically()
    hooks = config.setdefault('default_hooks', {})
    checkpoint = hooks.setdefault('checkpoint', {'type': 'CheckpointHook', 'interval': 1})
    if checkpoint is not None and checkpoint['type'] == 'CheckpointHook':
        checkpoint['type'] = f'{OURS}.CheckpointHook'
    for kind in ('ProgressHook', 'DataWorkersHook', 'GatherHook', 'LogFolderHook'):
        add_hook(config, kind)
    prepare_distributed(config, options.launcher, options.local_rank)
    if not torch.cuda.is_available():
        share_cores(config)
    if process_rank() == 0:
        print(f'vitbackbones {vitbackbones.__version__} from {PACKAGE}')
        print(f'{config.filename} on {_device()}, work dir {config.work_dir}', flush=True)


def _device() -> str:
    if torch.cuda.is_available():
        return torch.cuda.get_device_name()
    return f'the CPU, torch threads: {torch.get_num_threads()}'


@contextmanager
def explained(config: Config) -> Iterator[None]:
    """Turn what a library says about a mistake in ``config`` into an ``InputError`` that names it.

    These are keywords that no signature showed beforehand, whatever a constructor raises, images
    that mmcv's own loader, which inference functions need in a test pipeline, cannot decode, files
    on which a data set's own reader stumbles, packages that are not there, a full disk, and the end
    of another process or of a data worker.
    """
    try:
        with _data_sets_named():
            yield
    except InputError:
        raise
    except Exception as error:
        explanation = _explanation(config, error)
        if explanation is None:
            raise
        raise explanation from error


def _explanation(config: Config, error: Exception) -> InputError | None:
    unreadable = re.search('failed to load image: (.*)', str(error))
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
    return explain_unexpected_keyword(config, error) or explain_build(config, error)


@contextmanager
def _data_sets_named() -> Iterator[None]:
    """Name the data set whose own reader stumbles over its files: a bare error does not."""
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        frames = [frame for frame, _ in walk_tb(error.__traceback__)]
        readers = [f.f_locals.get('self') for f in frames if f.f_code.co_name == 'load_data_list']
        readers = [each for each in readers if hasattr(each, 'ann_file')]  # not of another kind
        if not readers:
            raise
        files = readers[0].ann_file or readers[0].data_root
        raise InputError(
            f'{type(readers[0]).__name__}: the annotations in {files} cannot be read: missing, '
            f'damaged, cut short or of another form ({error!r})'
        ) from error


def show_warnings(warnings: list[str]) -> None:
    """Print what deserves attention but stops nothing, one line each."""
    for warning in warnings if process_rank() == 0 else ():
        print(f'warning: {warning}', file=sys.stderr)
