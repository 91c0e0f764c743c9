"""A model built without memory, to learn its widths and the names of its parameters.

On torch's ``meta`` device a network of any size takes a fraction of a second. What its parts hand
to each other can be compared with the config before data are read, and without the words in which
torch says it ("Given groups=1, weight of size ...").
"""

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import torch
from mmengine.config import Config
from mmengine.registry import MODELS, DefaultScope
from torch import Tensor, nn

from ..backbones import Backbone
from ..config.lint import report
from ..config.settings import as_list, model_settings
from ..errors import InputError
from ..messages import did_you_mean
from ..processes import show_warnings
from .agreement import missing_sections
from .explain import explained

SIDE = 64  # of the image that is tried, in pixels
HEADS = ('decode_head', 'auxiliary_head', 'head', 'bbox_head')
# Parts of parameter names that recipes for several models list, whether this one has them or not.
SHARED = {'cls_token', 'dist_token', 'pos_embed', 'patch_pos', 'pixel_pos'}
SHARED |= {'.shortcut', '.shortcut_', '.pos_embed', 'relative_position_bias_table'}
SHARED |= {f'.{norm}.{part}' for norm in ('norm', 'norm1', 'norm2') for part in ('weight', 'bias')}


def try_model(config: Config) -> None:
    """Build the model of ``config`` for a look at it; warn of ``custom_keys`` without effect.

    Raises:
        InputError: it cannot be built, widths of its parts disagree, a pattern of
            ``custom_keys`` is misspelled, or a section that the runner needs is missing.
    """
    report(config, missing_sections(config))
    with explained(config):
        model = build_model(config)
    unmatched = list(_unmatched_keys(config, model))
    report(config, [*_widths(config, model), *(text for text, near in unmatched if near)])
    show_warnings([text for text, near in unmatched if not near])


def build_model(config: Config) -> nn.Module:
    """Build the model of ``config`` without memory where its constructors allow it, silently."""
    with DefaultScope.overwrite_default_scope(config.get('default_scope')), _silence():
        with suppress(Exception), torch.device('meta'):  # some constructors need numbers
            return MODELS.build(model_settings(config)).eval()
        return MODELS.build(model_settings(config)).eval()


@contextmanager
def _silence() -> Iterator[None]:
    """Suppress what is logged: the run will build the model again, and say the same."""
    disabled = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            yield
    finally:
        logging.disable(disabled)


# ------------------------------------------------------------------------ widths


def _widths(config: Config, model: nn.Module) -> Iterator[str]:
    """Yield where ``in_channels`` of neck and heads are not what the part before them gives.

    Only what cannot be computed counts: what a part of someone else's does with its arguments is
    not known here. What cannot be tried at all is left to the run.
    """
    maps, source = _backbone_maps(model), 'the backbone'
    neck = config.model.get('neck')
    if maps is not None and isinstance(neck, dict):
        after = _outputs(model.neck, maps)
        if after is None and as_list(neck.get('in_channels')) != _channels(maps):
            yield from _finding('neck', neck, maps, source)
            return
        maps, source = after, 'the neck'
    for name in HEADS if maps is not None else ():
        head = config.model.get(name)
        if isinstance(head, dict):
            yield from _head_findings(name, head, getattr(model, name, None), maps, source)


def _head_findings(
    name: str, head: dict, built: nn.Module | None, maps: list[Tensor], source: str
) -> Iterator[str]:
    index, wanted = head.get('in_index', -1), head.get('in_channels')
    if not all(-len(maps) <= i < len(maps) for i in as_list(index)):
        yield f'model.{name}.in_index: is {index}, but {source} gives {len(maps)} maps'
    unknown = isinstance(wanted, int | list) and {*as_list(wanted)} - {*_channels(maps)}
    if unknown and _outputs(built, maps) is None:
        yield from _finding(name, head, maps, source)


def _finding(name: str, part: dict, maps: list[Tensor], source: str) -> Iterator[str]:
    wanted, given = part.get('in_channels'), _channels(maps)
    if isinstance(wanted, int) and len(given) == 1:
        given = given[0]
    if wanted is not None:
        yield f'model.{name}.in_channels: is {wanted}, but {source} gives {given}'


def _backbone_maps(model: nn.Module) -> list[Tensor] | None:
    """Return the maps of the backbone, None if it neither runs on ``meta`` nor declares them."""
    backbone = getattr(model, 'backbone', None)
    maps = _outputs(backbone, _image(model)) if isinstance(backbone, nn.Module) else None
    if maps is None and isinstance(backbone, Backbone) and backbone.out_channels:
        maps = _declared_maps(backbone, model)
    return maps


def _image(model: nn.Module) -> Tensor:
    device = next((p.device for p in model.parameters()), 'cpu')
    return torch.zeros(1, 3, SIDE, SIDE, device=device)


def _declared_maps(backbone: Backbone, model: nn.Module) -> list[Tensor]:
    """Return maps as a backbone of ours declares them, for one that does not run on ``meta``."""
    sides = [-(-SIDE // stride) for stride in backbone.out_strides]
    device = _image(model).device
    return [
        torch.zeros(1, channels, side, side, device=device)
        for channels, side in zip(backbone.out_channels, sides, strict=True)
    ]


def _outputs(part: nn.Module | None, inputs: Tensor | list[Tensor]) -> list[Tensor] | None:
    """Return the maps that ``part`` makes of ``inputs``, None if it makes no maps."""
    device = (inputs if isinstance(inputs, Tensor) else inputs[0]).device
    try:
        with torch.no_grad(), _silence(), device:
            outputs = part(inputs if isinstance(inputs, Tensor) else tuple(inputs))
    except InputError:
        raise  # a part that knows what is wrong with it
    except Exception:  # whatever it is, the run will show it
        return None
    outputs = [outputs] if isinstance(outputs, Tensor) else outputs
    maps = (
        [x for x in outputs if isinstance(x, Tensor)] if isinstance(outputs, list | tuple) else []
    )
    return maps if maps and len(maps) == len(outputs) else None


def _channels(maps: list[Tensor]) -> list[int]:
    return [x.shape[1] for x in maps]


# ------------------------------------------------------------------------ parameters


def _unmatched_keys(config: Config, model: nn.Module) -> Iterator[tuple[str, bool]]:
    """Yield patterns of ``custom_keys`` that no parameter has, and whether one looks like it."""
    wrapper = config.get('optim_wrapper') or {}
    settings = wrapper.get('paramwise_cfg') or {}
    if not str(wrapper.get('constructor', 'vitbackbones.')).startswith('vitbackbones.'):
        return  # another constructor may match names in its own way
    names = [f'.{name}' if '.' not in name else name for name, _ in model.named_parameters()]
    for key in settings.get('custom_keys') or ():
        if key in SHARED or any(key in name for name in names):
            continue
        bare = key.strip('.')
        pieces = _pieces(names, bare.count('.') + 1)
        near = did_you_mean(bare, pieces, most=1, cutoff=0.8)
        hint = near or ', so it has no effect'
        place = f'optim_wrapper.paramwise_cfg.custom_keys.{key}'
        yield f'{place}: is in no name of a parameter of the model{hint}', bool(near)


def _pieces(names: list[str], length: int) -> set[str]:
    """Return all sequences of ``length`` parts in dotted names."""
    split = [name.strip('.').split('.') for name in names]
    runs = (parts[i : i + length] for parts in split for i in range(len(parts) - length + 1))
    return {'.'.join(run) for run in runs}
