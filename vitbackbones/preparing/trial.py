"""A model built without memory: whether its parts fit, and the names of its parameters.

On torch's ``meta`` device a network of any size takes a fraction of a second. What its parts hand
to each other can be compared with the config before data are read, and without the words in which
torch says it ("Given groups=1, weight of size ..."). Only what cannot be computed counts, as what
other people's parts do with their arguments is not known here. What cannot be tried is left to the
run.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from mmengine.config import Config
from mmengine.registry import MODELS, DefaultScope
from torch import Tensor, nn

from ..configuration.lint import dicts, report
from ..configuration.settings import as_list, model_settings, type_at
from ..layers.lora import add_adapters
from ..openmmlab.widths import HEADS, build_without_memory, maps_of_backbone, outputs_of, strides_of
from ..registry import SCOPE
from ..tasks import find_task
from ..tasks.agreement import Maps, Misfit, neck_remedy
from ..utils.messages import did_you_mean, show_warnings
from .agreement import missing_sections
from .explain import explained
from .pretrained import leave_random

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
    report(config, list(missing_sections(config)))
    with explained(config):
        model = build_model(config)
    if config.get('lora'):
        add_adapters(model.backbone, config.lora)
    wrapper = config.get('optim_wrapper') or {}
    keys = (wrapper.get('paramwise_cfg') or {}).get('custom_keys') or {}
    if not str(wrapper.get('constructor', 'vitbackbones.')).startswith('vitbackbones.'):
        keys = {}  # another constructor may match names in its own way
    names = [f'.{name}' if '.' not in name else name for name, _ in model.named_parameters()]
    parts = {part for name in names for part in name.split('.')}
    misspelled = []
    without_effect = []
    for key in keys:
        if key in SHARED or any(key in name for name in names):
            continue
        text = f'optim_wrapper.paramwise_cfg.custom_keys.{key}: matches no parameter of the model'
        if hint := did_you_mean(key.strip('.'), parts, most=1, cutoff=0.8):
            misspelled.append(f'{text}{hint}')
        else:
            without_effect.append(f'{text}, so it has no effect')
    without_effect += [
        f'{place}.loss_weight: is 0, so this loss has no effect'
        for place, settings in dicts({'model': config.model})
        if settings.get('loss_weight') == 0
    ]
    if {factor_of(name, keys) for name in names} == {0}:
        misspelled.append(
            'optim_wrapper.paramwise_cfg.custom_keys: lr_mult is 0 for every parameter of the '
            'model, so the run learns nothing'
        )
    report(config, [*misfits(config, model), *misspelled])
    show_warnings(without_effect)


def factor_of(name: str, keys: Mapping) -> float:
    """Return the ``lr_mult`` of a parameter: of the longest key in its name, as mmengine does."""
    found = [key for key in keys if key in name]
    return keys[max(found, key=len)].get('lr_mult', 1.0) if found else 1.0


def build_model(config: Config) -> nn.Module:
    """Build the model of ``config`` without memory where its constructors allow it, silently."""
    settings = model_settings(config)
    leave_random(settings)  # some constructors fetch weights
    with DefaultScope.overwrite_default_scope(config.get('default_scope')):
        return build_without_memory(settings, MODELS)


def misfits(config: Config, model: nn.Module) -> Iterator[str]:
    """Yield where neck and heads are not made for the maps of the part before them.

    What to do is said with the first finding that it is for.
    """
    said = set()
    for wrong, remedy in _misfits(config, model):
        yield f'{wrong}; {remedy}' if remedy and remedy not in said else wrong
        said.add(remedy)


def _misfits(config: Config, model: nn.Module) -> Iterator[Misfit]:
    backbone = getattr(model, 'backbone', None)
    given = maps_of_backbone(backbone) if isinstance(backbone, nn.Module) else None
    if given is None:
        return
    maps = _describe(given, 'the backbone', backbone)
    if neck := config.model.get('neck'):
        made = outputs_of(getattr(model, 'neck', None), given)
        is_one = isinstance(neck, dict)  # mmpretrain takes a list of necks, too
        runs = made is not None
        found = [*_neck_findings(config.model, backbone, maps, runs)] if is_one else []
        yield from found
        if found or made is None:
            return
        given = made
        maps = _describe(made, 'the neck', model.neck)
    count = len(maps.channels)
    for name in HEADS:
        settings = config.model.get(name)
        head = getattr(model, name, None)
        if not isinstance(settings, dict):
            continue
        index = settings.get('in_index')
        wanted = settings.get('in_channels', getattr(head, 'in_channels', None))
        several = isinstance(wanted, list) and maps.source == 'the backbone'
        remedy = neck_remedy(config.model, maps) if several else ''
        if index is not None and not all(-count <= i < count for i in as_list(index)):
            wrong = f'model.{name}.in_index: is {index}, but {maps.source} gives {maps.count}'
            yield Misfit(wrong, remedy)
        elif outputs_of(head, given) is None and _differ(wanted, index, maps.channels):
            yield Misfit(_width_finding(name, wanted, maps), remedy)
    task = find_task(config)
    for fits in task.fits if task else ():
        yield from fits(config.model, maps)


def _neck_findings(model: Mapping, backbone: nn.Module, maps: Maps, runs: bool) -> Iterator[Misfit]:
    neck = model['neck']
    remedy = ''
    if str(neck.get('type')).startswith(f'{SCOPE}.'):
        remedy = 'remove in_channels and in_strides; they are filled in from the backbone'
    elif maps.strides and len(as_list(neck.get('in_channels'))) != len(maps.channels):
        remedy = "type='vitbackbones.Pyramid' without in_channels makes the missing levels"
        if type_at(model) == 'DETR':  # it reads one map
            chosen = hasattr(backbone, 'out_indices')
            where = 'model.backbone.out_indices' if chosen else 'the forward method of the backbone'
            remedy = f'return only the last feature map; change {where}'
    wanted = neck.get('in_channels')
    strides = neck.get('in_strides')
    if not runs and wanted is not None and as_list(wanted) != maps.channels:
        yield Misfit(_width_finding('neck', wanted, maps), remedy)
    if isinstance(strides, list | tuple) and maps.strides and list(strides) != maps.strides:
        yield Misfit(f'model.neck.in_strides: is {strides}, but {maps}', remedy)


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
    strides = strides_of(maps, part, all_known=source == 'the backbone')
    return Maps([x.shape[1] for x in maps], strides, source)
