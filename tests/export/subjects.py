"""Small subjects to export: a class of backbones with few blocks on small images."""

import torch

from tests.conftest import shallow
from vitbackbones.backbones.by_name import Classifier
from vitbackbones.backbones.names import MODELS
from vitbackbones.export.models import ExportableClassifier
from vitbackbones.export.subject import Subject

SIZE = (64, 64)
CLASSES = 5


def small_subject(name: str, **options) -> Subject:
    """Return a model of ``list_models()`` with one or two blocks a stage, on images of 64 x 64."""
    torch.manual_seed(0)
    host, arguments, out_type = MODELS[name]
    shared = {'img_size': SIZE, 'out_type': out_type}
    backbone = host(**{**arguments, 'arch': shallow(host), **shared, **options})
    return Subject(
        name=name,
        task='classification',
        network=ExportableClassifier(Classifier(backbone, CLASSES).eval()),
        size=SIZE,
        mean=[128.0, 120.0, 110.0],
        std=[60.0, 61.0, 62.0],
        classes=[f'class {i}' for i in range(CLASSES)],
        palette=None,
        steps=lambda size: [{'type': 'resize', 'size': list(size or SIZE)}],
        checkpoint=None,
    )
