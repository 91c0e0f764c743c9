"""Detectors and heads on top of the backbones, each for one OpenMMLab toolbox."""

from importlib.util import find_spec

# a project that only classifies, detects or segments does without the other toolboxes
if find_spec('mmdet'):
    from .detr import DETR as DETR
if find_spec('mmseg'):
    from .setr_aux import SETRAuxHead as SETRAuxHead
    from .setr_mla import MLANeck as MLANeck
    from .setr_mla import SETRMLAHead as SETRMLAHead
    from .setr_up import SETRNaiveHead as SETRNaiveHead
    from .setr_up import SETRPUPHead as SETRPUPHead
if find_spec('mmpretrain'):
    from .classifier import ImageClassifier as ImageClassifier
    from .distillation import Distilled as Distilled
    from .erasing import ErasingPreprocessor as ErasingPreprocessor
