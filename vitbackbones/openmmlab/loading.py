"""Files of mmengine: read so that nothing in them runs, and written whole or not at all.

Checkpoints and annotations go through :mod:`vitbackbones.weights.read`, which needs no
``map_location``. So does ``init_cfg=dict(type='vitbackbones.Pretrained', checkpoint=...)`` of any
mmengine module.
"""

import io
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, TextIO

import yaml
from mmengine.fileio import LocalBackend
from torch import nn

from ..errors import InputError
from ..utils.files import write_file
from ..utils.messages import shorten
from ..weights.downloads import fetching, load_local_address, load_url
from ..weights.filling import in_our_keys, load_model_file, load_pretrained
from ..weights.read.load import load_file, read_data, read_safely


def explain_downloads(
    load_checkpoint: Callable, filename: str, map_location=None, logger='current'
) -> dict:
    """Turn whatever prevents a download into one message."""
    with fetching(filename) if '://' in str(filename) else nullcontext():
        return load_checkpoint(filename, map_location, logger)


def register_safe_loaders(register: Callable) -> None:
    """Register loaders of files, of their addresses and of storage."""

    def load_from_local(filename: str, map_location=None) -> dict:
        return load_model_file(filename)

    def load_from_address(filename: str, map_location=None) -> dict:
        return load_local_address(filename)

    def load_from_storage(filename: str, map_location=None, backend: str = 'petrel') -> dict:
        from mmengine.fileio import get_file_backend

        storage = get_file_backend(filename, backend_args={'backend': backend})
        return read_safely(io.BytesIO(storage.get(filename)), filename)

    register(prefixes='', loader=load_from_local, force=True)
    register(prefixes='file://', loader=load_from_address, force=True)
    storage = [r'(\S+\:)?s3://', r'(\S+\:)?petrel://']
    register(prefixes=storage, loader=load_from_storage, force=True)


def load_url_safely(
    original: Callable, url: str, model_dir=None, map_location=None, progress=True
) -> dict:
    """Download by :func:`~vitbackbones.weights.downloads.load_url`, and convert it."""
    return in_our_keys(url, load_url(url, model_dir, progress))


def require_something(
    load_state_dict: Callable, module: nn.Module, state_dict: Mapping, *arguments, **options
):
    """Refuse a state dict of which no tensor fits, as of ``init_cfg`` with another network."""
    whole = getattr(module, 'module', module)  # inside of what distributes it
    own = {key: value.shape for key, value in whole.state_dict().items()}
    fits = any(getattr(x, 'shape', None) == own.get(key, ()) for key, x in state_dict.items())
    if own and not fits:
        raise InputError(
            f'the checkpoint does not fit {type(whole).__name__}: it contains '
            f'{shorten(state_dict)}, but the model has {shorten(own)}'
        )
    return load_state_dict(module, state_dict, *arguments, **options)


def read_other_formats(transform: Callable, self, results: dict) -> dict | None:
    """Read what OpenCV does not by :class:`~vitbackbones.data.loading.load_image.LoadImage`."""
    try:
        return transform(self, results)
    except AssertionError:  # its own words do not say why
        from ..data.loading.load_image import LoadImage  # a subclass: not while mmcv is imported

    options = {'ignore_empty': self.ignore_empty, 'backend_args': self.backend_args}
    return LoadImage(self.to_float32, self.color_type, **options).transform(results)


def load_fetched_safely(
    original: Callable, file: str | BinaryIO, map_location=None, weights_only=None
) -> dict:
    """Read a file, or what was fetched into memory."""
    return load_file(file) if isinstance(file, str) else read_safely(file, 'what was fetched')


def read_plain_pickle(original: Callable, self, file: BinaryIO, **options):
    """Read annotations in a ``.pkl`` file as data."""
    return read_data(file, getattr(file, 'name', 'a .pkl file that the config names'))


def read_plain_yaml(original: Callable, self, file: TextIO, **options):
    """Read a ``.yaml`` file as data, with a parser that deep lists do not crash."""
    try:
        return yaml.load(file, **{'Loader': yaml.SafeLoader} | options)
    except (yaml.YAMLError, RecursionError) as error:
        name = getattr(file, 'name', 'a .yaml file that the config names')
        raise InputError(f'{name}: is not YAML with plain data only ({error})') from error


@dataclass
class Pretrained:
    """Fills a module from a checkpoint, with a count of what was filled.

    Backbones of this package read a plain ``type='Pretrained'`` in the same way. Arguments as in
    :func:`load_pretrained`.
    """

    checkpoint: str
    allow_missing: Sequence[str] = ()
    allow_unused: Sequence[str] = ()
    state_key: str | None = None
    stored_size: tuple[int, int] | None = None

    def __call__(self, module: nn.Module) -> None:
        load_pretrained(module, **vars(self))


# ------------------------------------------------------------------------ writing


class AtomicBackend(LocalBackend):
    """Local files that are either the old or the new content, never a part of it.

    mmengine writes over the old file: killed in between, a run has neither the old checkpoint nor
    the new one.
    """

    def put(self, obj: bytes, filepath: str | Path) -> None:
        """Write ``obj`` to ``filepath`` by :func:`~vitbackbones.utils.files.write_file`."""
        write_file(filepath, obj)


def write_atomically(register: Callable) -> None:
    """Let mmengine write its local files through :class:`AtomicBackend`."""
    register('local', AtomicBackend, force=True, prefixes='')
