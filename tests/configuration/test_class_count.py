"""The number of classes wherever a model counts them."""

import pytest
from mmengine.config import Config

from vitbackbones.configuration.class_count import class_counts, set_class_count
from vitbackbones.errors import InputError


def make_config(weights):
    return Config(
        {
            'model': {
                'backbone': {'num_classes': 1000},
                'rpn_head': {'num_classes': 1},
                'roi_head': {'bbox_head': [{'num_classes': 80}, {'num_classes': 80}]},
                'panoptic_head': {
                    'num_things_classes': 80,
                    'num_stuff_classes': 53,
                    'loss_cls': {'class_weight': [1.0] * 133 + [0.1]},
                },
                'decode_head': {'num_classes': 3, 'loss': {'class_weight': weights}},
            }
        }
    )


def test_heads_count_the_classes_and_backbones_and_proposals_do_not():
    config = make_config(1.0)
    set_class_count(config, 2)
    model = config.model
    assert dict(class_counts(config)) == {
        'model.roi_head.bbox_head.0.num_classes': 2,
        'model.roi_head.bbox_head.1.num_classes': 2,
        'model.decode_head.num_classes': 2,
        'model.panoptic_head.num_things_classes + num_stuff_classes': 2,
    }
    assert (model.backbone.num_classes, model.rpn_head.num_classes) == (1000, 1)
    panoptic = model.panoptic_head
    assert (panoptic.num_things_classes, panoptic.num_stuff_classes) == (2, 0)
    assert panoptic.loss_cls.class_weight == [1.0, 1.0, 0.1]
    assert model.decode_head.loss.class_weight == 1.0


def test_a_weight_of_each_class_is_refused():
    with pytest.raises(InputError, match=r'decode_head\.loss\.class_weight: has a weight for each'):
        set_class_count(make_config([1.0, 2.0, 1.0]), 2)
