"""Parts of a model tell each other their widths: what a config leaves out is filled from the maps.

A backbone declares ``out_channels`` and ``out_strides``, or its maps are looked at: it is built and
run without memory. From them come the numbers that a neck and heads need and a config does not
give, as detectron2's ``output_shape()`` has it. Numbers that are given stay as they are.
"""

import copy
import inspect
import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from itertools import takewhile
from typing import Any, NamedTuple

import torch
from mmengine.config import Config
from mmengine.registry import MODELS, DefaultScope, Registry
from torch import Tensor, nn

from ..errors import InputError
from ..registry import SCOPE, bare_name
from ..utils.signatures import keywords_by_name
from .logs import silenced

LOG = logging.getLogger('vitbackbones.openmmlab')
WIDTHS = ('in_channels', 'in_strides')  # a part is told all below, where one of these is missing
KEYS = (*WIDTHS, 'in_index', 'stride')
SIDE = 64  # of the image that is tried, in pixels


class Widths(NamedTuple):
    """Channels and stride of each map; 0 for a stride that is not known."""

    channels: list[int]
    strides: list[int]


def with_widths(config: Config) -> Config:
    """Return a config whose model has its widths, see :func:`fill_widths`; itself if none lack."""
    with DefaultScope.overwrite_default_scope(config.get('default_scope')):
        filled = fill_widths(config.model, MODELS)
    if filled is config.model:
        return config
    config = copy.deepcopy(config)
    config.model = filled
    return config


def fill_widths(model: Mapping, registry: Registry) -> Mapping:
    """Return the settings of a model with the widths that they leave out.

    Where no width is missing this is ``model`` itself, and nothing is built. Nor is anything filled
    that cannot be known: what builds the model then says what is missing. The registry of models is
    mmengine's or a toolbox's.
    """
    necks = [part for part in _parts(model.get('neck')) if _missing(part, registry)]
    heads = [p for key in HEADS for p in _parts(model.get(key)) if _missing(p, registry)]
    if 'backbone' not in model or not necks and not heads:
        return model
    filled = copy.deepcopy(model)
    with torch.random.fork_rng(devices=[]):
        _fill(filled, bool(heads), registry)
    return filled


def _fill(model: Mapping, heads_too: bool, registry: Registry) -> None:
    backbone = _built(model['backbone'], registry)
    maps = backbone and (declared_maps(backbone) or maps_of_backbone(backbone))
    if not maps:
        return
    widths = _widths(maps, strides_of(maps, backbone, all_known=True))
    for neck in _parts(model.get('neck')):
        _tell(neck, {'in_channels': widths.channels, 'in_strides': widths.strides}, registry)
        if heads_too:
            built = _built(neck, registry)
            maps = built and outputs_of(built, maps)
            if not maps:
                return
            widths = _widths(maps, strides_of(maps, built))
    for key in HEADS:
        for head in _parts(model.get(key)):
            _tell(head, _reader(key, head).told(head, widths), registry)


def _built(settings: Mapping, registry: Registry) -> nn.Module | None:
    """Return a part without memory; None if it cannot be built, which building the model shows."""
    try:
        return build_without_memory(settings, registry)
    except InputError:
        raise
    except Exception as error:  # the constructors are of others
        LOG.debug(
            f'{settings["type"]}: its widths are unknown, because it cannot be built: {error!r}'
        )
        return None


def _tell(part: Mapping, told: Mapping, registry: Registry) -> None:
    """Write into a part what it leaves out of what it may be told."""
    part.update({key: copy.copy(told[key]) for key in _missing(part, registry) if key in told})


def _widths(maps: list[Tensor], strides: list[int]) -> Widths:
    return Widths([x.shape[1] for x in maps], strides or [0] * len(maps))


def _parts(settings: Any) -> list[Mapping]:
    """Return the parts of a model at one key: none, one, or several in a list."""
    parts = settings if isinstance(settings, list | tuple) else [settings]
    return [part for part in parts if isinstance(part, Mapping) and 'type' in part]


def _missing(part: Mapping, registry: Registry) -> list[str]:
    """Return the widths that a part leaves out, none if it can be built without them."""
    needed = _reader('', part).needs
    if needed:
        known = (*needed, 'stride')
    else:
        with registry.switch_scope_and_registry(part.get('_scope_')) as scoped:
            target = scoped.get(part['type']) if isinstance(part['type'], str) else part['type']
        accepted = keywords_by_name(target) if target else {}
        known = [key for key in KEYS if key in accepted]
        empty = inspect.Parameter.empty
        needed = [key for key in WIDTHS if key in known and accepted[key].default is empty]
    absent = [key for key in known if key not in part]
    return absent if {*needed} & {*absent} else []


# ------------------------------------------------------------------------ what heads read


def _last_map(head: Mapping, widths: Widths) -> dict[str, Any]:
    index = -1 if head.get('in_index') is None else head['in_index']
    return {'in_channels': _at(widths.channels, index), 'stride': _at(widths.strides, index)}


def _equal_maps(head: Mapping, widths: Widths) -> dict[str, Any]:
    return {'in_channels': widths.channels[0]} if len({*widths.channels}) == 1 else {}


def _several_maps(head: Mapping, widths: Widths) -> dict[str, Any]:
    index = list(head.get('in_index') or range(len(widths.channels)))
    return {'in_index': index, 'in_channels': [_at(widths.channels, i) for i in index]}


def _mla(head: Mapping, widths: Widths) -> dict[str, Any]:
    return {'in_channels': _common(widths.channels), 'levels': len(widths.channels)}


def _auxiliary(head: Mapping, widths: Widths) -> dict[str, Any]:
    # the last map of Naive is for the head itself
    count = len(widths.channels) - (head.get('kind') == 'naive')
    index = list(head.get('in_index') or range(count))
    return {
        'in_index': index,
        'in_channels': _common([_at(widths.channels, i) for i in index]),
        'stride': _common([_at(widths.strides, i) for i in index]),
    }


def _nothing(head: Mapping, widths: Widths) -> dict[str, Any]:
    return {}


class Reader(NamedTuple):
    """How a head reads maps.

    Attributes:
        told: of a head and the widths of the maps, all that the head may be told.
        needs: what the head must be told although it has defaults, which hold for one neck only.
            Other heads must be told what their signature requires.
    """

    told: Callable[[Mapping, Widths], dict[str, Any]]
    needs: tuple[str, ...] = ()


# By the key of a head in the model, unless its type is among the readers below.
HEADS = dict.fromkeys(('decode_head', 'auxiliary_head', 'head'), Reader(_last_map))
HEADS |= dict.fromkeys(('bbox_head', 'rpn_head', 'panoptic_head'), Reader(_equal_maps))
WITH_SEVERAL = ('UPerHead', 'FPNHead', 'SegformerHead', 'Mask2FormerHead', 'MaskFormerHead')
READERS = {
    **dict.fromkeys(WITH_SEVERAL, Reader(_several_maps)),
    'IterativeDecodeHead': Reader(_nothing),  # its signature has widths that it does not take
    f'{SCOPE}.EoMTHead': Reader(_last_map),
    f'{SCOPE}.SETRMLAHead': Reader(_mla, needs=('in_channels', 'levels')),
    f'{SCOPE}.SETRAuxHead': Reader(_auxiliary, needs=('in_channels', 'in_index')),
}


def reads_several(kind: object) -> bool:
    """Return whether a type of heads reads all maps, in a list."""
    return bare_name(kind) in WITH_SEVERAL


def _reader(key: str, part: Mapping) -> Reader:
    """Return how a part at a key of the model reads maps."""
    for name in (part['type'], bare_name(part['type'])):
        if name in READERS:
            return READERS[name]
    several = isinstance(part.get('in_index'), list | tuple)
    return Reader(_several_maps) if several else HEADS.get(key, Reader(_last_map))


def _at(numbers: list[int], index: Any) -> int:
    """Return one of several; the last for an index that none has, which the trial then names."""
    exists = isinstance(index, int) and -len(numbers) <= index < len(numbers)
    return numbers[index] if exists else numbers[-1]


def _common(numbers: list[int]) -> int | list[int]:
    """Return the number that all are, else the list."""
    return numbers[0] if len({*numbers}) == 1 else numbers


# ------------------------------------------------------------------------ maps without memory


def build_without_memory(settings: Mapping, registry: Registry) -> nn.Module:
    """Build a part on torch's ``meta`` device where its constructor allows it, silently."""
    with silenced():
        part = None
        with suppress(Exception), torch.device('meta'):  # some constructors need numbers
            part = registry.build(copy.deepcopy(settings))
        part = registry.build(copy.deepcopy(settings)) if part is None else part
        part.eval()  # mmdet's ResNet returns nothing here
    return part


def maps_of_backbone(backbone: nn.Module) -> list[Tensor] | None:
    """Return the maps of an image, as the backbone gives or else declares them; None for neither.

    They have no memory, but for parts that make their tensors on the CPU.
    """
    for bands in (3, getattr(backbone, 'in_channels', 3)):  # some call by it what is inside
        image = torch.zeros(1, bands, SIDE, SIDE, device=_device(backbone))
        if maps := outputs_of(backbone, image):
            return maps
    return declared_maps(backbone)


def declared_maps(backbone: nn.Module) -> list[Tensor] | None:
    """Return maps as a backbone declares them, None where it does not."""
    widths, strides = (getattr(backbone, key, ()) for key in ('out_channels', 'out_strides'))
    if not isinstance(widths, list | tuple) or not widths or len(widths) != len(strides):
        return None
    sides = [-(-SIDE // stride) for stride in strides]
    return [
        torch.zeros(1, channels, side, side, device=_device(backbone))
        for channels, side in zip(widths, sides, strict=True)
    ]


def _device(part: nn.Module) -> torch.device:
    # a part may be on another device: mmdet's constructors make some tensors on the CPU
    return next((p.device for p in part.parameters()), torch.device('cpu'))


def outputs_of(part: nn.Module | None, inputs: Tensor | list[Tensor]) -> list[Tensor] | None:
    """Return the maps that ``part`` makes of ``inputs``, None if it makes no maps."""
    device = (inputs if isinstance(inputs, Tensor) else inputs[0]).device
    try:
        with torch.no_grad(), silenced(), device:
            outputs = part(inputs if isinstance(inputs, Tensor) else tuple(inputs))
    except InputError:
        raise  # a part that knows what is wrong with it
    except Exception:  # whatever it is, the run will show it
        return None
    outputs = [outputs] if isinstance(outputs, Tensor) else outputs
    are_maps = isinstance(outputs, list | tuple) and all(isinstance(x, Tensor) for x in outputs)
    return list(outputs) if are_maps and outputs else None


def strides_of(maps: list[Tensor], part: nn.Module, all_known: bool = False) -> list[int]:
    """Return the strides of the maps of a part, which it declares; else they are measured.

    The maps are of an image of ``SIDE`` x ``SIDE``. ``all_known`` says that a map of a single
    position has that stride. Of a neck it may have a larger one, and the strides end before it.
    """
    strides = getattr(part, 'out_strides', ())
    if not strides and all(x.dim() == 4 for x in maps):
        sides = [x.shape[2] for x in maps]
        known = sides if all_known else takewhile(lambda side: side > 1, sides)
        strides = [SIDE // side for side in known]
    return list(strides)


def of_any_bands(init: Callable, self, mean=None, std=None, *others, **options) -> None:
    """Let a data preprocessor have a mean and a std for each of any number of bands."""
    init(self, mean and mean[:1], std and std[:1], *others, **options)
    if mean and std:
        self.mean, self.std = (torch.tensor(x).view(-1, 1, 1) for x in (mean, std))
