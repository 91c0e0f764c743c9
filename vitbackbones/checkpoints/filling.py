"""Filling a backbone from a checkpoint, with a count of what was filled.

:mod:`~vitbackbones.checkpoints.reading` reads the file. One that does not fill its backbone stops
the run, because a backbone that silently stays random costs a day of training.
"""

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from torch import Tensor, nn

from ..errors import InputError
from ..messages import shorten
from .convert import FORMATS, convert, unwrap, without_wrapper
from .downloads import load_anywhere
from .reading import load_file

LOG = logging.getLogger('vitbackbones')
INITIALIZERS = ('Pretrained', 'vitbackbones.Pretrained')


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
    bad = [k for k, v in state.items() if v.is_floating_point() and not _is_finite(v)]
    if bad:
        raise InputError(
            f'{path}: NaN or infinite values in {len(bad)} of {len(state)} tensors: '
            f'{shorten(bad)}. The run that wrote it diverged; take an earlier checkpoint.'
        )


def _is_finite(values: Tensor) -> bool:
    if values.itemsize == 1:  # float8, for which torch has no isfinite
        values = values.float()
    return bool(values.isfinite().all())


def load_model_file(path: str | Path) -> dict:
    """Read what mmengine is to load into a whole model: a released SETR in the keys of ours.

    Any other file is left as it is. Arguments and errors as in :func:`load_file`.
    """
    checkpoint = load_file(path)
    state = checkpoint.get('state_dict', checkpoint)
    if not FORMATS['setr'].detect(state):
        return checkpoint
    unused = FORMATS['setr'].unused(state)
    LOG.info(f'{path}: format setr, converted; unused by design: {shorten(unused)}')
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
        format: the file's layout, a key of ``vitbackbones.checkpoints.convert.FORMATS``; found
            from the keys by default.
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
    LOG.log(level, f'{checkpoint} -> {type(module).__name__}: {coverage}')
    if FORMATS[layout].note:
        LOG.info(f'{checkpoint}: {FORMATS[layout].note}')
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
