"""Models of this project and of others, each by one word, to compare them.

===============  =========================================================================
``ours:``        a name of ``vitbackbones.list_models()``
``fused:``       the same after ``fuse_for_inference()``
``plain:``       the same written straight from its equations, nothing fused (clones only)
``timm:``        a name of ``timm.list_models()``
``mmpretrain:``  a name of ``mmpretrain.list_models()``
``mmdet:``       the backbone of one of mmdet's own configs, by the file's name
===============  =========================================================================

A name of ours may be followed by arguments of its backbone, as ``create_model`` takes them, a dot
leading into a dict: ``ours:sret_t,groups=None``, ``ours:deit_ti,arch.depth=24``.

All have random weights, and images of a size that is theirs to take or to refuse.
"""

from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from types import ModuleType

from mmengine.config import Config
from torch import nn

from ..errors import InputError
from ..literals import read_value, split
from ..models import MODELS, create_model, list_models

Size = tuple[int, int]


def build_contender(word: str, size: Size, features: bool = False) -> nn.Module:
    """Build what ``word`` (``SOURCE:NAME``) means.

    Args:
        word: see the module's description.
        size: (height, width) of the images; position codes are made for it where the model lets
            them, which is for square images only in some.
        features: whether to return the backbone's maps in place of logits.

    Raises:
        InputError: an unknown source or name, a package that is not there, or a form that the
            source does not have.
    """
    source, _, name = word.partition(':')
    if source not in SOURCES or not name:
        known = ', '.join(f'{key}:NAME' for key in SOURCES)
        raise InputError(f'{word!r} names no model; known forms: {known}')
    return SOURCES[source](name, size, features)


def _ours(word: str, size: Size, features: bool) -> nn.Module:
    name, *settings = split(word)
    _check(name, list_models(), 'ours')
    options = {'img_size': size[0]} if size[0] == size[1] else {}
    if features:
        options |= {'num_classes': 0, 'out_type': 'featmap'}
    try:
        model = create_model(name, **options, **_read(name, settings))
    except (TypeError, ValueError) as error:
        raise InputError(f'ours:{word}: {error}') from error
    return model.backbone if features else model


def _read(name: str, settings: list[str]) -> dict:
    """The arguments in ``KEY=VALUE`` or ``KEY.KEY=VALUE``; an arch changes the one of ``name``."""
    options: dict = {}
    for setting in settings:
        place, _, value = setting.partition('=')
        *outer, key = place.split('.')
        node = options
        for part in outer:
            base = {'base': MODELS[name][1]['arch']} if part == 'arch' else {}
            node = node.setdefault(part, base)
        node[key] = read_value(value)
    return options


def _fused(name: str, size: Size, features: bool) -> nn.Module:
    return _ours(name, size, features).fuse_for_inference()


def _plain(name: str, size: Size, features: bool) -> nn.Module:
    reference = _import(
        'tests.reference.models', 'plain forms are part of a clone: run in its root'
    )
    if features:
        raise InputError(f'plain:{name} has logits only, no feature maps')
    return reference.PlainModel(_ours(name, size, features))


def _timm(name: str, size: Size, features: bool) -> nn.Module:
    timm = _import('timm', 'install it: pip install timm')
    _check(name, timm.list_models(), 'timm')
    model = timm.create_model(name, features_only=features)
    if hasattr(model, 'set_input_size'):
        model.set_input_size(img_size=size)
    return model


def _mmpretrain(name: str, size: Size, features: bool) -> nn.Module:
    mmpretrain = _import('mmpretrain', 'install it: pip install onedl-mmpretrain')
    _check(name, mmpretrain.list_models(), 'mmpretrain')
    model = mmpretrain.get_model(name, pretrained=False)
    return model.backbone if features else model


def _mmdet(name: str, size: Size, features: bool) -> nn.Module:
    mmdet = _import('mmdet', 'install it: pip install onedl-mmdetection')
    files = {path.stem: path for path in Path(mmdet.__file__).parent.glob('.mim/configs/*/*.py')}
    _check(name, list(files), 'mmdet')
    if not features:
        raise InputError(f'mmdet:{name} has feature maps only: compare it with --features')
    config = Config.fromfile(files[name]).model.backbone
    config.pop('init_cfg', None)
    models = import_module('mmdet.registry').MODELS
    import_module('mmdet.models')
    return models.build(config)


SOURCES = {
    'ours': _ours,
    'fused': _fused,
    'plain': _plain,
    'timm': _timm,
    'mmpretrain': _mmpretrain,
    'mmdet': _mmdet,
}


def _check(name: str, known: list[str], source: str) -> None:
    if name not in known:
        near = get_close_matches(name, known, n=3) or [n for n in known if name in n][:3]
        hint = f'did you mean {" or ".join(near)}?' if near else f'{source} has none like it'
        raise InputError(f'unknown model {source}:{name}; {hint}')


def _import(module: str, remedy: str) -> ModuleType:
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise InputError(f'{error}; {remedy}') from error
