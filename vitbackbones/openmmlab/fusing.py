"""Fuse detectors, segmentors and classifiers of OpenMMLab for inference (``layers.fuse``).

The toolboxes' own functions take them, and so do inferencers:

    model = fuse_model(init_detector(config, checkpoint, device='cpu'))
    inference_detector(model, image)

    inferencer = MMSegInferencer(config, checkpoint)
    inferencer.model = fuse_model(inferencer.model)
"""

import torch
from torch import nn

from ..backbones import Backbone
from ..errors import InputError
from ..layers import fuse_for_inference


def fuse_model(
    model: nn.Module, dtype: torch.dtype | None = None, compile: bool = False
) -> nn.Module:
    """Return a faster copy of a model in eval mode, with equal outputs up to rounding.

    Args:
        model: a detector, a segmentor, a classifier, or one that merges its predictions of several
            views of an image.
        dtype: ``torch.bfloat16`` to compute the backbone in it, which takes most of the time. The
            rest stays as it is: boxes need more than the eight bits that it has for a number.
        compile: make one program of the backbone, see ``layers.graphs``.

    Raises:
        InputError: ``dtype`` or ``compile`` for a model without a backbone of this package, or
            ``compile`` without a C++ compiler.
    """
    fused = fuse_for_inference(model)
    if dtype is None and not compile:
        return fused
    backbones = {name: x for name, x in model.named_modules() if isinstance(x, Backbone)}
    if not backbones:
        asked = 'compilation' if dtype is None else 'bfloat16'
        raise InputError(f'{asked} requires a backbone of vitbackbones, and this model has none')
    for name, backbone in backbones.items():
        fused.set_submodule(name, backbone.fuse_for_inference(dtype=dtype, compile=compile))
    return fused
