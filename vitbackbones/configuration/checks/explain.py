"""What a library says about a mistake in a config, with the key or file that is behind it."""

import errno
import re
from collections.abc import Iterator
from contextlib import contextmanager

from mmengine.config import Config

from ...errors import InputError
from ...openmmlab.frames import owners
from ...training.distributed import lost_a_process
from ...training.hooks.data_workers import explain_loss, lost_a_worker
from ..lint import explain_unexpected_keyword
from .build_errors import explain_build

FULL = (errno.ENOSPC, errno.EDQUOT)


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
        readers = owners(error, 'load_data_list')
        readers = [each for each in readers if hasattr(each, 'ann_file')]  # not of another kind
        if not readers:
            raise
        files = readers[0].ann_file or readers[0].data_root
        raise InputError(
            f'{type(readers[0]).__name__}: the annotations in {files} cannot be read: missing, '
            f'damaged, cut short or of another form ({error!r})'
        ) from error
