"""Models of this project and of timm by short names, to compare them.

================  ========================================================================
``ours:``         a name of ``vitbackbones.list_models()``
``fused:``        the same after ``fuse_for_inference()``
``fused_bf16:``   the same after ``fuse_for_inference(dtype=torch.bfloat16)``
``compiled:``     the same after ``fuse_for_inference(compile=True)``; ``compiled_bf16:`` is both
``timm:``         a name of ``timm.list_models()``
================  ========================================================================

A name of ours may be followed by arguments of its backbone, as ``create_model`` takes them, a dot
leading into a dict: ``ours:sret_t,groups=None``, ``ours:deit_ti,arch.depth=24``.

All have random weights; the forms of one model have the same after the same seed. A model that
cannot take images of the size says so when it runs.
"""

from collections.abc import Callable, Mapping
from functools import partial

import torch
from torch import nn

from examples.analyze.subjects import build_classifier
from vitbackbones.errors import InputError
from vitbackbones.utils.messages import did_you_mean
from vitbackbones.utils.packages import import_optional

Size = tuple[int, int]
Source = Callable[[str, Size, bool], nn.Module]  # of name, size and features as build_model


def build_model(
    spec: str, size: Size, sources: Mapping[str, Source], features: bool = False
) -> nn.Module:
    """Build the model that ``spec`` (``SOURCE:NAME``) names.

    Args:
        spec: see the module's description.
        size: (height, width) of the images; position codes are made for it where the model lets
            them, which is for square images only in some.
        sources: :data:`SOURCES`, or these and others.
        features: whether to return the backbone's maps in place of logits.

    Raises:
        InputError: the source or the name is unknown, a package is not installed, or the source
            does not have such a form.
    """
    source, _, name = spec.partition(':')
    if source not in sources or not name:
        known = ', '.join(f'{key}:NAME' for key in sources)
        raise InputError(f'{spec!r} names no model; known forms: {known}')
    return sources[source](name, size, features)


def build_ours(spec: str, size: Size, features: bool) -> nn.Module:
    """Build a model of ``list_models()``, with arguments behind its name."""
    if not features:
        return build_classifier(spec, size)
    return build_classifier(spec, size, num_classes=0, out_type='featmap').backbone


def _fused(name: str, size: Size, features: bool, **options) -> nn.Module:
    return build_ours(name, size, features).fuse_for_inference(**options)


def _timm(name: str, size: Size, features: bool) -> nn.Module:
    timm = import_optional('timm', 'timm')
    require_known(name, timm.list_models(), 'timm')
    model = timm.create_model(name, features_only=features)
    if hasattr(model, 'set_input_size'):
        model.set_input_size(img_size=size)
    return model


SOURCES: dict[str, Source] = {
    'ours': build_ours,
    'fused': _fused,
    'fused_bf16': partial(_fused, dtype=torch.bfloat16),
    'compiled': partial(_fused, compile=True),
    'compiled_bf16': partial(_fused, dtype=torch.bfloat16, compile=True),
    'timm': _timm,
}


def require_known(name: str, known: list[str], source: str) -> None:
    """Refuse a name that a source does not have, with names like it."""
    if name not in known:
        longer = [each for each in known if name in each]
        hint = did_you_mean(name, known) or did_you_mean(name, longer, cutoff=0)
        hint = hint or f'; {source} has none like it'
        raise InputError(f'unknown model {source}:{name}{hint}')
