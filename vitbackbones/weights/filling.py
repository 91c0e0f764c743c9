"""Load a checkpoint into a backbone, and count the loaded tensors.

:mod:`~vitbackbones.weights.read.load` reads the file. One that does not fill its backbone stops
the run, because a backbone that silently stays random costs a day of training.
"""

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path

from torch import Tensor, nn

from ..errors import InputError
from ..layers import UNKNOWN, Origin
from ..layers.lora import ADAPTERS
from ..utils.messages import shorten
from .convert import FORMATS, OWN, find_format, take_state_dict, unwrap, without_wrapper
from .convert.state_dict import TRANSFORMERS
from .convert.state_dict import stored_size as size_of
from .downloads import load_anywhere, local, sha256_of
from .read.load import IMAGES
from .table import packaged

LOG = logging.getLogger('vitbackbones')
INITIALIZERS = ('Pretrained', 'vitbackbones.Pretrained')
WHOLE = ('state_dict', 'model')  # entries with the weights of a whole model
# Batches that a norm has counted. No norm here reads the number, and older files lack it.
COUNTER = 'num_batches_tracked'
# in a classifier's file, without a place in a dense backbone
LEFT_OVER = ('*cls_token', '*dist_token')


@contextmanager
def errors_name_file(path: str | Path) -> Iterator[None]:
    """Turn any error about a checkpoint's content into one that begins with its file.

    A damaged file can end in any error while its keys and shapes are rewritten.

    Raises:
        InputError: whatever was raised inside.
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
    """Reject NaN and infinite values, which checkpoints of a diverged run contain.

    Raises:
        InputError: with the keys of the tensors that hold one.
    """
    bad = []
    for key, value in state.items():
        if value.is_floating_point():
            # torch has no isfinite for float8, which has one byte
            value = value.float() if value.itemsize == 1 else value
            if not value.isfinite().all():
                bad.append(key)
    if bad:
        raise InputError(
            f'{path}: {len(bad)} of {len(state)} tensors contain NaN or infinite values: '
            f'{shorten(bad)}. The run that wrote it diverged. Use an earlier checkpoint.'
        )


def load_model_file(path: str | Path) -> dict:
    """Read a file that is loaded into a whole model, and return it as :func:`in_our_keys` does.

    Arguments and errors as in :func:`load_anywhere`.
    """
    return in_our_keys(path, load_anywhere(path))


def in_our_keys(path: str | Path, checkpoint: dict) -> dict:
    """Return the content of a file of a whole model in the keys of our models.

    That matters for models as they were released (SETR, DETR), whose result has a ``state_dict``;
    any other content is returned as it is. ``path`` is for the log.
    """
    state = next((checkpoint[key] for key in WHOLE if key in checkpoint), checkpoint)
    name = find_format(state)
    layout = FORMATS[name]
    if not layout.whole_model:
        return checkpoint
    text = f'{path}: format {name}, converted'
    if unused := layout.unused(state):
        text += f'; unused by design: {shorten(unused)}'
    LOG.info(f'{text}; {layout.note}' if layout.note else text)
    return {'meta': checkpoint.get('meta', {}), 'state_dict': layout.convert(state)}


@dataclass(frozen=True)
class Coverage:
    """Which tensors of a module a state dict has, and which it lacks.

    A missing or another ``num_batches_tracked`` is fine, and so are missing adapters.

    Attributes:
        used: keys that both have, in one shape.
        missing: keys of the module that the state dict has nothing for.
        unused: keys of the state dict that the module has no place for.
        mismatched: keys that both have in different shapes, which are left as initialized, each
            with both shapes in words.
        format: name of the layout that the file had.
        expected: keys of the file that files of this layout hold and nothing ever reads.
        images: what the file says about its images (``config_images``).
    """

    used: tuple[str, ...]
    missing: tuple[str, ...]
    unused: tuple[str, ...]
    mismatched: dict[str, str]
    format: str = ''
    expected: tuple[str, ...] = ()
    images: Mapping[str, object] = field(default_factory=dict)

    def unexpected_inside(self) -> list[str]:
        """Return the unused keys that lie inside a part of the module that was filled.

        They tell of another variant: more blocks, a bias or a gate that the module lacks would
        change what the rest computes. What the module lacks as a whole, such as a head, would not.
        """
        filled = {_part(key) for key in self.used}
        return [key for key in self.unused if _part(key) in filled]

    def __str__(self) -> str:
        total = len(self.used) + len(self.missing) + len(self.mismatched)
        lists = {
            'missing': self.missing,
            'mismatched': self.mismatched.values(),
            'unused': self.unused,
            'unused by design': self.expected,
        }
        text = f'format {self.format}, {len(self.used)} of {total} tensors filled'
        return text + ''.join(f'; {name}: {shorten(keys)}' for name, keys in lists.items() if keys)


def _part(key: str) -> str:
    return key.removeprefix('backbone.').partition('.')[0]


def compare(module: nn.Module, state: dict[str, Tensor], **details) -> Coverage:
    """Compare a state dict with what ``module`` has; ``details`` are those of a file."""
    everything = module.state_dict()
    own = {key: value for key, value in everything.items() if not key.endswith(COUNTER)}
    shared = [key for key in own if key in state]
    mismatched = {
        key: f'{key} {tuple(state[key].shape)} for {tuple(own[key].shape)}'
        for key in shared
        if state[key].shape != own[key].shape
    }
    return Coverage(
        used=tuple(key for key in shared if key not in mismatched),
        missing=tuple(key for key in own if key not in state and not key.endswith(ADAPTERS)),
        unused=tuple(key for key in state if key not in everything),
        mismatched=mismatched,
        **details,
    )


def adapt_state(
    model: nn.Module, state: dict[str, Tensor], origin: Origin = UNKNOWN
) -> dict[str, Tensor]:
    """Return ``state`` with the position codes resized to every backbone inside ``model``."""
    for name, module in model.named_modules():
        if hasattr(module, 'adapt_state_dict'):
            state = module.adapt_state_dict(state, f'{name}.' if name else '', origin)
    return state


def _not_allowed(keys: Iterable[str], patterns: Sequence[str]) -> list[str]:
    """Return the keys that no pattern fits."""
    return [key for key in keys if not any(fnmatch(key, pattern) for pattern in patterns)]


def load_pretrained(
    module: nn.Module,
    checkpoint: str | Path,
    allow_missing: Sequence[str] = (),
    allow_unused: Sequence[str] = (),
    state_key: str | None = None,
    stored_size: tuple[int, int] | None = None,
) -> Coverage:
    """Fill ``module`` from a checkpoint file of any known layout and report what was filled.

    Args:
        module: a backbone, a classifier of :func:`vitbackbones.create_model`, or a segmentor.
        checkpoint: the file, or an address such as ``https://...``.
        allow_missing: patterns (``fnmatch``) of keys that may stay as initialized, because the
            file lacks them or has them in another shape.
        allow_unused: patterns of the file's keys that may be left over inside a part that is
            filled, such as the last blocks of a deeper network.
        state_key: entry of the file to read in place of the usual ones. A run with mmengine's
            ``EMAHook`` saves the averaged weights as ``state_dict`` and the last ones as
            ``ema_state_dict``.
        stored_size: (height, width) of the images that the file was trained for, where it does not
            tell. Position codes of published layouts are of a square.

    Raises:
        InputError: a key is missing, left over or of another shape and not allowed to be, or a
            weight is not finite, or a text is given for a list of patterns. The module is
            unchanged then.
    """
    for name, patterns in (('allow_missing', allow_missing), ('allow_unused', allow_unused)):
        if isinstance(patterns, str):  # each letter would be a pattern, and '*' fits everything
            raise InputError(f'{name}={patterns!r}: must be a list of patterns, [{patterns!r}]')
    content = load_anywhere(checkpoint)
    with errors_name_file(checkpoint):
        taken = take_state_dict(content, state_key)
        network = module.backbone if hasattr(module, 'split_converted') else module
        foreign = hasattr(network, 'in_own_keys')  # of another library, whose layouts are its own
        raw = unwrap(taken)
        name = find_format(raw)
        if foreign and not FORMATS[name].of_timm:
            own = {*network.state_dict(), *network.net.state_dict()}
            raw = without_wrapper(unwrap(taken, own=own))
            name = 'native'
        layout = FORMATS[name]
        ours = name in OWN and any('backbone.' in key for key in taken)
        size = stored_size or size_of(taken)
        origin = Origin(size and (size[0], size[1]), 'ask' if ours else 'square')
        state = layout.convert(raw)
        if foreign:
            state = network.in_own_keys(state, origin)
        if hasattr(module, 'split_converted'):  # a classifier: backbone and head have own keys
            state = module.split_converted(without_wrapper(state), origin)
        else:  # another whole model has the keys of all its parts
            is_whole = hasattr(module, 'backbone')
            state = adapt_state(module, state if is_whole else without_wrapper(state), origin)
        images = (content.get('meta') or {}).get(IMAGES, {})
        expected = tuple(layout.unused(raw))
        coverage = compare(module, state, format=name, expected=expected, images=images)
    reinitialized = (*allow_missing, *getattr(module, 'reinit_if_mismatched', ()))
    without_head = coverage.used and not any('head' in key for key in state)
    missing = _not_allowed(coverage.missing, reinitialized if without_head else allow_missing)
    unexpected = _not_allowed(coverage.unexpected_inside(), (*LEFT_OVER, *allow_unused))
    if missing or unexpected or _not_allowed(coverage.mismatched, reinitialized):
        raise InputError(_not_filled(module, checkpoint, coverage, missing, unexpected))
    require_finite(checkpoint, {key: state[key] for key in coverage.used})
    kept = {key: value for key, value in state.items() if key not in coverage.mismatched}
    module.load_state_dict(kept, strict=False)
    random = coverage.mismatched or _not_allowed(coverage.missing, allow_missing)
    level = logging.WARNING if random else logging.INFO
    LOG.log(level, f'{checkpoint} -> {type(module).__name__}: {coverage}')
    if layout.note:
        LOG.info(f'{checkpoint}: {layout.note}')
    row = packaged(checkpoint)
    file = Path(local(checkpoint) if row else '')
    if row and file.is_file() and sha256_of(file) == row.sha256:
        LOG.info(f'{row.name}: license {row.license}, SHA-256 {row.sha256}')
    return coverage


def pretrained_options(init_cfg: dict | None) -> dict | None:
    """Return the arguments of :func:`load_pretrained` in an ``init_cfg``.

    ``type='Pretrained'`` without a scope is read in the same way, as the owner is one of ours.
    None stands for an ``init_cfg`` of another type.
    """
    options = dict(init_cfg or {})
    return options if options.pop('type', None) in INITIALIZERS else None


def _not_filled(
    module: nn.Module,
    checkpoint: str | Path,
    coverage: Coverage,
    missing: list[str],
    unexpected: list[str],
) -> str:
    reasons = (
        (f'{len(missing)} tensors of the model are not in the file', missing),
        ('other shapes', coverage.mismatched.values()),
        (f'{len(unexpected)} tensors of the file are not in the model', unexpected),
        ('also unused', [key for key in coverage.unused if key not in unexpected]),
    )
    text = f'{checkpoint} does not fill {type(module).__name__} ({coverage.format} layout):'
    text += ''.join(f'\n  {reason}: {shorten(keys)}' for reason, keys in reasons if keys)
    if any(key.endswith(TRANSFORMERS) for key in coverage.unused):
        text += (
            "\nIts keys are those of Hugging Face's transformers; load it into a backbone of "
            "type='vitbackbones.HuggingFace', or take the file of timm or of its authors."
        )
    return text + (
        '\nIs it a checkpoint of this model and variant? To start some tensors from scratch, name '
        'them in allow_missing (patterns); to leave out some of the file, in allow_unused (both '
        'arguments of load_pretrained, and of init_cfg in a config; create_model has the first). '
        'train --scratch starts from random weights.'
    )
