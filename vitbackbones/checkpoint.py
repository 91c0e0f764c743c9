"""Checkpoint files: safe reading, and filling a backbone with a count of what was filled.

A file is never unpickled freely: ``weights_only=True`` with the short list of harmless classes
below, and no fallback. A pretrained file that does not fill its backbone stops the run, because a
backbone that silently stays random costs a day of training.
"""

import logging
import pickle
from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatch
from http.client import HTTPException
from pathlib import Path
from typing import BinaryIO
from urllib.parse import urlparse

import numpy as np
import torch
from mmengine.logging import HistoryBuffer, print_log
from mmengine.runner import CheckpointLoader
from safetensors.torch import load_file as load_safetensors
from torch import Tensor, nn

from .convert import FORMATS, convert, unwrap, without_wrapper
from .errors import InputError
from .registry import WEIGHT_INITIALIZERS

INITIALIZERS = ('Pretrained', 'vitbackbones.Pretrained')


def _history_statistic(owner: type, name: str):
    """Stand in for ``getattr``, which mmengine's loss history pickles its methods with."""
    if owner is not HistoryBuffer or name not in ('min', 'max', 'current', 'mean'):
        raise pickle.UnpicklingError(f'getattr of {name!r} on {owner!r}')
    return getattr(HistoryBuffer, name)


def _safe_globals() -> list:
    """What mmengine's and DeiT's checkpoints hold besides tensors; none of it runs code."""
    reconstruct = np.empty(0).__reduce__()[0]
    scalar = np.float64(0).__reduce__()[0]
    kinds = (bool, np.uint8, np.uint32, np.int32, np.int64, np.float32, np.float64)
    functions = [(_history_statistic, 'builtins.getattr')]
    for module in ('numpy.core.multiarray', 'numpy._core.multiarray'):  # numpy 1 and 2
        functions += [(reconstruct, f'{module}._reconstruct'), (scalar, f'{module}.scalar')]
    classes = [HistoryBuffer, Namespace, np.ndarray, np.dtype]
    return classes + list({type(np.dtype(kind)) for kind in kinds}) + functions


def load_file(path: str | Path, map_location='cpu') -> dict:
    """Read a ``.safetensors`` or torch checkpoint without running any code it may carry.

    Raises:
        InputError: the file is missing, is no checkpoint, is cut short, or holds an object that
            is not on the list of harmless classes.
    """
    path = Path(path).expanduser()
    if not path.is_file():
        raise InputError(f'{path}: no such checkpoint file')
    return read_safely(path, path, map_location)


def read_safely(source: Path | BinaryIO, name: str | Path, map_location='cpu') -> dict:
    """Read a file or what was downloaded; ``name`` begins the messages of :func:`load_file`."""
    try:
        if Path(name).suffix == '.safetensors':
            content = load_safetensors(source)
        else:
            with torch.serialization.safe_globals(_safe_globals()):
                content = torch.load(source, map_location=map_location, weights_only=True)
    except pickle.UnpicklingError as error:
        raise InputError(_refusal(name, error)) from error
    except Exception as error:  # a file that is no pickle can end in any error while it is read
        raise InputError(f'{name}: is no torch checkpoint, or is damaged ({error!r})') from error
    if not isinstance(content, dict):
        raise InputError(f'{name}: holds a {type(content).__name__} and not a dict of weights')
    return content


def _refusal(path: str | Path, error: Exception) -> str:
    text = str(error)
    if 'nsupported' not in text and 'getattr' not in text:
        return f'{path}: is no torch checkpoint, or is damaged'
    reason = next((line for line in text.splitlines() if 'nsupported' in line), text)
    return (
        f'{path}: refused, it holds more than weights: {reason.strip()} Loading never runs code '
        'from a file. If you trust it, save its state dict alone with torch.save or safetensors.'
    )


def load_url(url: str, map_location='cpu', model_dir: str | None = None, progress=True) -> dict:
    """Download a checkpoint, unless it was before, and read it as safely as :func:`load_file`.

    It is kept where torch.hub keeps its own, or in ``model_dir``.

    Raises:
        InputError: the download failed, or what came is refused.
    """
    folder = Path(model_dir or Path(torch.hub.get_dir(), 'checkpoints'))
    file = folder / Path(urlparse(url).path).name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not file.exists():
            torch.hub.download_url_to_file(url, str(file), progress=progress)
    except (OSError, HTTPException) as error:
        raise InputError(
            f'{url}: cannot be downloaded ({error}). Fetch it by other means and give the file.'
        ) from error
    try:
        return load_file(file, map_location)
    except InputError as error:
        raise InputError(f'{error} It came from {url}; delete it to download it again.') from error


def load_anywhere(source: str | Path) -> dict:
    """Read a file or an address of any kind that mmengine knows (https://, torchvision:// ...)."""
    if '://' in str(source):
        return CheckpointLoader.load_checkpoint(str(source), 'cpu')  # safe, see compat.py
    return load_file(source)


@contextmanager
def naming(path: str | Path) -> Iterator[None]:
    """Let every complaint about a checkpoint's content begin with its file.

    A damaged file can end in any error while its keys and shapes are rewritten.
    """
    try:
        yield
    except InputError as error:
        raise InputError(f'{path}: {error}') from error
    except Exception as error:
        raise InputError(
            f'{path}: damaged, or not a checkpoint of this model ({error!r})'
        ) from error


def require_finite(path: str | Path, state: dict[str, Tensor]) -> None:
    """Refuse NaN and infinity, which a diverged run leaves in its checkpoints.

    Raises:
        InputError: with the keys of the tensors that hold one.
    """
    bad = [k for k, v in state.items() if v.is_floating_point() and not v.isfinite().all()]
    if bad:
        raise InputError(
            f'{path}: NaN or infinite values in {len(bad)} of {len(state)} tensors: '
            f'{shorten(bad)}. The run that wrote it diverged; take an earlier checkpoint.'
        )


def load_model_file(path: str | Path, map_location='cpu') -> dict:
    """Read what mmengine is to load into a whole model: a released SETR in the keys of ours.

    Any other file is left as it is. Arguments and errors as in :func:`load_file`.
    """
    checkpoint = load_file(path, map_location)
    state = checkpoint.get('state_dict', checkpoint)
    if not FORMATS['setr'].detect(state):
        return checkpoint
    unused = FORMATS['setr'].unused(state)
    print_log(f'{path}: format setr, converted; unused by design: {shorten(unused)}', 'current')
    return {'meta': {}, **checkpoint, 'state_dict': FORMATS['setr'].convert(state)}


@dataclass(frozen=True)
class Coverage:
    """What a checkpoint filled of a module.

    Attributes:
        format: name of the layout that the file had.
        used: keys of the module that were filled.
        unused: keys of the file that the module has no place for.
        missing: keys of the module that the file has nothing for.
        mismatched: keys whose shapes differ (left as initialised), with both shapes.
        expected: keys of the file that files of this layout hold and nothing ever reads.
    """

    format: str
    used: tuple[str, ...]
    unused: tuple[str, ...]
    missing: tuple[str, ...]
    mismatched: tuple[str, ...]
    expected: tuple[str, ...] = ()

    def __str__(self) -> str:
        total = len(self.used) + len(self.missing) + len(self.mismatched)
        text = f'format {self.format}, {len(self.used)} of {total} tensors filled'
        for name in ('missing', 'mismatched', 'unused'):
            if getattr(self, name):
                text += f'; {name}: {shorten(getattr(self, name))}'
        return text + (f'; unused by design: {shorten(self.expected)}' if self.expected else '')


def shorten(keys: Sequence[str], most: int = 8) -> str:
    rest = f' and {len(keys) - most} more' if len(keys) > most else ''
    return ', '.join(keys[:most]) + rest


def adapt_state(model: nn.Module, state: dict[str, Tensor]) -> dict[str, Tensor]:
    """Return ``state`` with the position codes resized to every backbone inside ``model``."""
    for name, module in model.named_modules():
        if hasattr(module, 'adapt_state_dict'):
            state = module.adapt_state_dict(state, f'{name}.' if name else '')
    return state


def _fit(module: nn.Module, raw: dict[str, Tensor], format: str | None) -> tuple[dict, str]:
    """Bring a state dict to the keys and sizes of ``module``; also return the format it had."""
    state, layout = convert(raw, format)
    if hasattr(module, 'decode_head'):  # a whole segmentor
        return adapt_state(module, state), layout
    adapt = getattr(module, 'adapt_state_dict', dict)
    return getattr(module, 'place_converted', adapt)(without_wrapper(state)), layout


def _compare(
    module: nn.Module, state: dict[str, Tensor], layout: str, expected: Sequence[str]
) -> Coverage:
    everything = module.state_dict()
    own = {k: v for k, v in everything.items() if not k.endswith('num_batches_tracked')}
    shared = [key for key in own if key in state]
    differing = [key for key in shared if own[key].shape != state[key].shape]
    return Coverage(
        format=layout,
        used=tuple(key for key in shared if key not in differing),
        unused=tuple(key for key in state if key not in everything),
        missing=tuple(key for key in own if key not in state),
        mismatched=tuple(
            f'{key} {tuple(state[key].shape)} for {tuple(own[key].shape)}' for key in differing
        ),
        expected=tuple(expected),
    )


def _foreign(coverage: Coverage) -> list[str]:
    """Return the unused keys that tell of another variant: those inside a part that was filled.

    More blocks, a bias or a gate that the module lacks would change what the rest computes. A
    head, a last norm or a class token more is what a classifier has and a dense backbone has not.
    """
    filled = {key.removeprefix('backbone.').partition('.')[0] for key in coverage.used}
    inside = [k for k in coverage.unused if k.removeprefix('backbone.').partition('.')[0] in filled]
    return [key for key in inside if not key.endswith('cls_token')]


def _not_allowed(keys: Sequence[str], patterns: Sequence[str]) -> list[str]:
    """Return the keys (as listed in a :class:`Coverage`) that no pattern fits."""
    names = {entry: entry.partition(' ')[0] for entry in keys}
    return [e for e in keys if not any(fnmatch(names[e], pattern) for pattern in patterns)]


def load_pretrained(
    module: nn.Module,
    checkpoint: str | Path,
    allow_missing: Sequence[str] = (),
    format: str | None = None,
    allow_unused: Sequence[str] = (),
    state_key: str | None = None,
) -> Coverage:
    """Fill ``module`` from a checkpoint file of any known layout and report what was filled.

    Args:
        module: a backbone, a classifier of :func:`vitbackbones.create_model`, or a segmentor.
        checkpoint: the file, or an address such as ``https://...``.
        allow_missing: patterns (``fnmatch``) of keys that may stay as initialised, because the
            file lacks them or has them in another shape.
        format: the file's layout, a key of ``vitbackbones.convert.FORMATS``; found from the keys
            by default.
        allow_unused: patterns of the file's keys that may be left over inside a part that is
            filled, such as the last blocks of a deeper network.
        state_key: entry of the file to read in place of the usual ones. A run with mmengine's
            ``EMAHook`` saves the averaged weights as ``state_dict`` and the last ones as
            ``ema_state_dict``.

    Raises:
        InputError: a key is missing, left over or of another shape and not allowed to be, or a
            weight is not finite. The module is unchanged then.
    """
    content = load_anywhere(checkpoint)
    with naming(checkpoint):
        raw = unwrap(content, state_key)
        state, layout = _fit(module, raw, format)
        coverage = _compare(module, state, layout, FORMATS[layout].unused(raw))
    missing = _not_allowed(coverage.missing, allow_missing)
    foreign = _not_allowed(_foreign(coverage), allow_unused)
    any_shape = (*allow_missing, *getattr(module, 'any_shape', ()))
    if missing or foreign or _not_allowed(coverage.mismatched, any_shape):
        variant = FORMATS[layout].describe(convert(raw, layout)[0])
        raise InputError(_not_filled(module, checkpoint, coverage, missing, foreign, variant))
    require_finite(checkpoint, {key: state[key] for key in coverage.used})
    left_out = {entry.partition(' ')[0] for entry in coverage.mismatched}
    module.load_state_dict({k: state[k] for k in state if k not in left_out}, strict=False)
    level = logging.WARNING if left_out else logging.INFO
    print_log(f'{checkpoint} -> {type(module).__name__}: {coverage}', 'current', level)
    if FORMATS[layout].note:
        print_log(f'{checkpoint}: {FORMATS[layout].note}', logger='current')
    return coverage


def pretrained_options(init_cfg: dict | None) -> dict | None:
    """The arguments of :func:`load_pretrained` in an ``init_cfg``; None if it is of another type.

    ``type='Pretrained'`` without a scope is read in the same way, where the owner is ours.
    """
    options = dict(init_cfg or {})
    return options if options.pop('type', None) in INITIALIZERS else None


def _not_filled(
    module: nn.Module,
    checkpoint: str | Path,
    coverage: Coverage,
    missing: list[str],
    foreign: list[str],
    variant: str,
) -> str:
    reasons = (
        (f'nothing for {len(missing)} tensors', missing),
        ('other shapes', coverage.mismatched),
        (f'no place for {len(foreign)} tensors', foreign),
        ('also unused', [key for key in coverage.unused if key not in foreign]),
        ('the file holds', [variant] if variant else []),
    )
    text = f'{checkpoint} does not fill {type(module).__name__} ({coverage.format} layout):'
    text += ''.join(f'\n  {reason}: {shorten(keys)}' for reason, keys in reasons if keys)
    return text + (
        '\nIs it a checkpoint of this model and variant? To start some tensors from scratch, name '
        'them in allow_missing (patterns); to leave out some of the file, in allow_unused (both '
        'arguments of load_pretrained, and of init_cfg in a config; create_model has the first).'
    )


@WEIGHT_INITIALIZERS.register_module(name='Pretrained')
class PretrainedInit:
    """``init_cfg=dict(type='vitbackbones.Pretrained', checkpoint=...)`` for any mmengine module.

    Backbones of this package read a plain ``type='Pretrained'`` in the same way. Arguments as in
    :func:`load_pretrained`.
    """

    def __init__(
        self,
        checkpoint: str,
        allow_missing: Sequence[str] = (),
        format: str | None = None,
        allow_unused: Sequence[str] = (),
        state_key: str | None = None,
    ) -> None:
        self.arguments = {
            'checkpoint': checkpoint,
            'allow_missing': allow_missing,
            'format': format,
            'allow_unused': allow_unused,
            'state_key': state_key,
        }

    def __call__(self, module: nn.Module) -> None:
        load_pretrained(module, **self.arguments)
