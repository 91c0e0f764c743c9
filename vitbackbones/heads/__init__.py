"""Detectors and heads on top of the backbones, each for one OpenMMLab toolbox."""

from importlib.util import find_spec

if find_spec('mmdet'):  # a project that only classifies or segments does without
    from .detr import DETR as DETR
