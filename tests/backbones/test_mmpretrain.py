"""Every backbone under mmpretrain's ImageClassifier is the classifier that create_model gives."""

import pytest
import torch
from mmengine.registry import DefaultScope

from tests.conftest import shallow
from vitbackbones.backbones.by_name import Classifier

pytestmark = pytest.mark.compat
registry = pytest.importorskip('mmpretrain.registry')


@torch.no_grad()
def test_an_image_classifier_gives_the_same_logits(make_backbone):
    cls = type(make_backbone())
    out_type = cls.head_input
    ours = Classifier(make_backbone(out_type=out_type), 7).eval()
    backbone = {'type': f'vitbackbones.{cls.__name__}', 'arch': shallow(cls), 'out_type': out_type}
    head = {
        'type': 'mmpretrain.LinearClsHead',
        'in_channels': ours.backbone.out_channels[-1],
        'num_classes': 7,
    }
    classifier = {'type': 'mmpretrain.ImageClassifier', 'backbone': backbone, 'head': head}
    with DefaultScope.overwrite_default_scope('mmpretrain'):
        theirs = registry.MODELS.build(classifier).eval()
    theirs.load_state_dict(ours.state_dict())
    image = torch.randn(2, 3, 64, 96)
    torch.testing.assert_close(theirs(image, mode='tensor'), ours(image))
