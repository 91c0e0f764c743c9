"""Whether the parts of a model fit: what the backbone gives, the neck makes and the heads read.

The model is one without memory, see ``trial.py``; its parts run on an image without pixels. Only
what cannot be computed counts: what a part of someone else's does with its arguments is not known
here. What cannot be tried at all is left to the run.
"""

from collections.abc import Iterator, Mapping
from itertools import takewhile
from typing import Any

import torch
from mmengine.config import Config
from torch import Tensor, nn

from ..backbones import Backbone
from ..configuration.settings import as_list
from ..errors import InputError
from ..tasks import find_task
from ..tasks.necks import neck_remedy
from ..tasks.task import Maps, Misfit
from .silence import silenced

SIDE = 64  # of the image that is tried, in pixels
HEADS = ('decode_head', 'auxiliary_head', 'head', 'bbox_head', 'rpn_head', 'panoptic_head')


def misfits(config: Config, model: nn.Module) -> Iterator[str]:
    """Yield where neck and heads are not made for the maps of the part before them.

    What to do is said with the first finding that it is for.

    Args:
        config: names a model.
        model: that model.
    """
    said = {''}
    for wrong, remedy in _misfits(config, model):
        yield wrong if remedy in said else f'{wrong}; {remedy}'
        said.add(remedy)


def _misfits(config: Config, model: nn.Module) -> Iterator[Misfit]:
    given = _backbone_maps(model)
    if given is None:
        return
    neck, maps = config.model.get('neck'), _describe(given, 'the backbone', model.backbone)
    if isinstance(neck, dict):
        made = _outputs(model.neck, given)
        found = list(_neck_findings(neck, maps, runs=made is not None))
        yield from found
        if found or made is None:
            return
        given, maps = made, _describe(made, 'the neck', model.neck)
    for name in HEADS:
        head = getattr(model, name, None)
        if isinstance(config.model.get(name), dict):
            yield from _head_findings(config.model, name, maps, head, _outputs(head, given))
    task = find_task(config)
    for fits in task.fits if task else ():
        yield from fits(config.model, maps)


def _neck_findings(neck: Mapping, maps: Maps, runs: bool) -> Iterator[Misfit]:
    wanted, strides = neck.get('in_channels'), neck.get('in_strides')
    if not runs and wanted is not None and as_list(wanted) != maps.channels:
        yield Misfit(_width_finding('neck', wanted, maps), _remedy(neck, maps))
    if isinstance(strides, list | tuple) and maps.strides and list(strides) != maps.strides:
        yield Misfit(f'model.neck.in_strides: is {strides}, but {maps}', _remedy(neck, maps))


def _remedy(neck: Mapping, maps: Maps) -> str:
    """Return what to write in the neck for these maps; nothing where the message says it."""
    fitting = f'in_channels={maps.channels}, in_strides={maps.strides}'
    if 'in_strides' in neck:
        return f'set {fitting}'
    if len(as_list(neck.get('in_channels'))) == len(maps.channels) or not maps.strides:
        return ''
    return f"type='vitbackbones.Pyramid', {fitting} makes the missing levels"


def _head_findings(
    model: Mapping, name: str, maps: Maps, head: nn.Module | None, answer: list[Tensor] | None
) -> Iterator[Misfit]:
    index, count = model[name].get('in_index'), len(maps.channels)
    wanted = model[name].get('in_channels', getattr(head, 'in_channels', None))
    several = isinstance(wanted, list) and maps.source == 'the backbone'
    remedy = neck_remedy(model, maps) if several else ''
    if index is not None and not all(-count <= i < count for i in as_list(index)):
        wrong = f'model.{name}.in_index: is {index}, but {maps.source} gives {maps.count}'
        yield Misfit(wrong, remedy)
    elif answer is None and _differ(wanted, index, maps.channels):
        yield Misfit(_width_finding(name, wanted, maps), remedy)


def _differ(wanted: Any, index: int | list[int] | None, given: list[int]) -> bool:
    """Whether a head with these ``in_channels`` and ``in_index`` is made for other widths."""
    if not isinstance(wanted, int | list):
        return False
    if isinstance(wanted, int) and index is None:  # mmseg reads the last map, mmdet all of them
        return wanted not in given
    read = given if index is None else [given[i] for i in as_list(index)]
    widths = wanted if isinstance(wanted, list) else [wanted] * len(read)
    return any(a != b for a, b in zip(widths, read, strict=False))


def _width_finding(name: str, wanted: int | list[int], maps: Maps) -> str:
    given = maps.channels
    if isinstance(wanted, int) and len({*given}) == 1:
        given = given[0]
    return f'model.{name}.in_channels: is {wanted}, but {maps.source} gives {given}'


def _describe(maps: list[Tensor], source: str, part: nn.Module) -> Maps:
    """Return channels and strides of the maps of a part, which declares its strides.

    Where it declares none, they are measured: of a neck, up to the first map of a single position.
    """
    strides = getattr(part, 'out_strides', ())
    if not strides and all(x.dim() == 4 for x in maps):
        sides = [x.shape[2] for x in maps]
        known = sides if source == 'the backbone' else takewhile(lambda side: side > 1, sides)
        strides = [SIDE // side for side in known]
    return Maps([x.shape[1] for x in maps], list(strides), source)


def _backbone_maps(model: nn.Module) -> list[Tensor] | None:
    """Return the maps of the backbone, None if it neither runs on ``meta`` nor declares them."""
    backbone = getattr(model, 'backbone', None)
    if not isinstance(backbone, nn.Module):
        return None
    # a part may be on another device: mmdet's constructors make some tensors on the CPU
    device = next((p.device for p in backbone.parameters()), torch.device('cpu'))
    maps = _outputs(backbone, torch.zeros(1, 3, SIDE, SIDE, device=device))
    if maps is None and isinstance(backbone, Backbone) and backbone.out_channels:
        maps = _declared_maps(backbone, device)
    return maps


def _declared_maps(backbone: Backbone, device: torch.device) -> list[Tensor]:
    """Return maps as a backbone of ours declares them, for one that does not run on ``meta``."""
    sides = [-(-SIDE // stride) for stride in backbone.out_strides]
    return [
        torch.zeros(1, channels, side, side, device=device)
        for channels, side in zip(backbone.out_channels, sides, strict=True)
    ]


def _outputs(part: nn.Module | None, inputs: Tensor | list[Tensor]) -> list[Tensor] | None:
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
    maps = (
        [x for x in outputs if isinstance(x, Tensor)] if isinstance(outputs, list | tuple) else []
    )
    return maps if maps and len(maps) == len(outputs) else None
