"""``--backbone NAME``: any backbone by name in the place of the config's; neck and heads follow."""

import copy
from collections.abc import Mapping

from mmengine.config import Config
from mmengine.registry import MODELS, DefaultScope

from ..backbones.foreign.huggingface import weights_of as weights_on_hub
from ..backbones.foreign.timm_models import weights_of
from ..backbones.names import MODELS as OURS
from ..backbones.names import require_name
from ..backbones.preprocessing import data_config
from ..backbones.shared.options import SETR_BLOCKS
from ..configuration.settings import as_list, value_at
from ..errors import InputError, OptionError
from ..openmmlab import widths
from ..registry import SCOPE, bare_name
from ..utils.signatures import accepted_keywords
from ..weights import PUBLISHED

KEY = 'model.backbone'  # of --cfg-options
KEPT = ('in_channels', 'with_cp')  # of the config's backbone
HEADS = ('decode_head', 'auxiliary_head', 'head', 'bbox_head', 'rpn_head')
FOLLOWING = ('FPN', 'ChannelMapper', 'MLANeck', 'Pyramid', 'Levels')  # necks of any maps
PYRAMID = (4, 8, 16, 32)  # strides
LIBRARIES = {'timm': 'Timm', 'hf': 'HuggingFace'}


def use_backbone(config: Config, changes: Mapping) -> Config:
    """Return a config with the backbone that ``--backbone``, in ``--cfg-options``, names.

    It starts from its published weights where there are some. Images are normalized as for them.
    Necks and heads lose the widths that they are given for the maps of the old backbone, so that
    those of the new one are filled in. A head of several levels gets them from a plain network by
    the simple pyramid.

    Args:
        config: of a model with a backbone.
        changes: of the config; a text at ``model.backbone`` is such a name: ``'timm:NAME'``,
            ``'hf:NAME'``, or a name of ``vitbackbones.list_models()``.

    Raises:
        InputError: there is no such backbone, or the model of the config has none.
    """
    name = changes.get(KEY)
    if not isinstance(name, str):
        return config
    old = value_at(config, KEY)
    if not isinstance(old, Mapping):
        raise InputError(f'--backbone {name}: the model of {config.filename} has no backbone')
    config = copy.deepcopy(config)
    with DefaultScope.overwrite_default_scope(config.get('default_scope')):
        try:
            new = settings_of(name, old)
            backbone = widths.build_without_memory(new, MODELS)
        except (OptionError, InputError) as error:
            raise InputError(f'--backbone {name}: {error}') from error
        maps = widths.declared_maps(backbone) or widths.maps_of_backbone(backbone) or []
        strides = widths.strides_of(maps, backbone, all_known=True)
        before = _strides_of_old(old, config.model)
        if needs_levels(config.model, before, strides):
            new['out_indices'] = [backbone.out_indices[strides.index(each)] for each in before]
            strides = before
        _fit_neck(config.model, before, strides)
    config.model.backbone = new
    config.model.pop('init_cfg', None)  # and a whole model of the old one
    config.load_from = None
    _normalize(config, data_config(backbone, PUBLISHED.get(name)))
    return config


def settings_of(name: str, old: Mapping) -> dict:
    """Return the settings of a backbone by name, in the place of others.

    Raises:
        InputError: a package is not installed.
        OptionError: there is no such backbone.
    """
    library, colon, foreign = name.partition(':')
    vectors = old.get('out_type', 'featmap') != 'featmap'
    new = {key: old[key] for key in KEPT if key in old}
    if colon and library in LIBRARIES:
        new |= {'type': f'{SCOPE}.{LIBRARIES[library]}', 'name': foreign}
        new |= {'out_type': 'pooled'} if vectors else {}
        weights = (weights_of if library == 'timm' else weights_on_hub)(foreign)
    else:
        require_name(name)
        host, arguments, out_type = OURS[name]
        new |= {'type': f'{SCOPE}.{host.__name__}', **arguments}
        new['out_type'] = out_type if vectors else 'featmap'
        weights = name if name in PUBLISHED and PUBLISHED[name].url else None
    if weights:
        new['init_cfg'] = {'type': f'{SCOPE}.Pretrained', 'checkpoint': weights}
    if str(old.get('out_indices')) in SETR_BLOCKS and not vectors:
        plain = widths.build_without_memory({**new, 'init_cfg': None}, MODELS)
        new |= {'out_indices': old['out_indices']} if len({*plain.out_strides}) == 1 else {}
    return new


def _strides_of_old(old: Mapping, model: Mapping) -> list[int]:
    """Return the strides of the maps of a backbone; a pyramid's if it is of an unknown fork."""
    if MODELS.get(old['type']) is None:
        parts = [model.get('neck'), *(part for key in HEADS for part in as_list(model.get(key)))]
        read = [part['in_channels'] for part in parts if part and part.get('in_channels')]
        return [*PYRAMID[-len(as_list(read[0])) :]] if read else [PYRAMID[-1]]
    backbone = widths.build_without_memory({**old, 'init_cfg': None}, MODELS)
    return widths.strides_of(widths.maps_of_backbone(backbone) or [], backbone, all_known=True)


def needs_levels(model: Mapping, before: list[int], strides: list[int]) -> bool:
    """Return whether a neck takes as many maps as before, which are among those of new strides.

    Such are mmdet's ``YOLOXPAFPN`` and ``CSPNeXtPAFPN``: their head has a stride for each map.
    """
    neck = model.get('neck')
    if not isinstance(neck, Mapping) or bare_name(neck['type']) in FOLLOWING:
        return False
    return len(strides) > len(before) and before == [each for each in strides if each in before]


def _fit_neck(model: Mapping, before: list[int], strides: list[int]) -> None:
    """Make the neck and the heads of ``model`` ready for maps of other strides, in place."""
    neck = model.get('neck')
    if not isinstance(neck, Mapping):
        heads = [part for key in HEADS for part in as_list(model.get(key)) if part]
        several = any(widths.reads_several(head['type']) for head in heads)
        if (several or 'bbox_head' in model) and len(strides) < len(before):
            model['neck'] = {'type': f'{SCOPE}.Levels', 'out_strides': before}
            strides = before
        for head in heads:
            head.pop('in_channels', None)
            index = head.get('in_index')
            if isinstance(index, int) and index >= len(strides):  # the last map serves it
                head.pop('in_index')
        return
    if bare_name(neck['type']) == 'FPN' and (len(strides) < len(before) or len(strides) == 1):
        # which is the simple one for one map, and has no norm_cfg
        known = accepted_keywords(MODELS.get(f'{SCOPE}.Pyramid'))
        kept = {key: value for key, value in neck.items() if key in known}
        kept.setdefault('out_strides', before[neck.get('start_level', 0) :])
        neck.clear()
        neck.update(kept, type=f'{SCOPE}.Pyramid')
    if bare_name(neck['type']) == 'MLANeck' and neck.get('stride', 16) not in strides:
        neck['stride'] = strides[-1]
    for key in widths.WIDTHS:
        neck.pop(key, None)


def _normalize(config: Config, images: Mapping) -> None:
    """Let the preprocessor normalize as the new weights want it, in place."""
    owner = config if config.get('data_preprocessor') else config.model
    settings = owner.get('data_preprocessor') or {}
    if 'mean' not in settings:
        return
    rgb = settings.get('bgr_to_rgb') or settings.get('to_rgb')
    for key in ('mean', 'std'):
        values = [round(255 * x, 3) for x in images[key]]
        settings[key] = values if rgb else values[::-1]
