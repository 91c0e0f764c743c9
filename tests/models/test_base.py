"""What classifiers and maps have in common."""

import pytest
import torch

from vitbackbones import create_model
from vitbackbones.training.layer_decay import depth_factors


def test_what_the_recipe_does_not_decay_has_the_names_of_the_whole_model():
    model = create_model('deit_ti', img_size=32)
    kept = model.no_weight_decay()
    assert {'backbone.cls_token', 'backbone.pos_embed'} <= kept
    assert kept <= {name for name, _ in model.named_parameters()}


def test_recomputing_can_be_switched_on():
    model = create_model('deit_ti', features_only=True, img_size=32)
    model.set_grad_checkpointing()
    assert model.backbone.with_cp
    model.set_grad_checkpointing(False)
    assert not model.backbone.with_cp


@pytest.mark.parametrize('name', ['aug_vit_ti', 'pvt_t', 'swin_t', 't2t_14'])
def test_timms_layer_decay_has_the_rates_of_a_config(name):
    optim = pytest.importorskip('timm.optim')
    with torch.device('meta'):
        model = create_model(name)
    ours = depth_factors(model, 0.75)
    groups = optim.param_groups_layer_decay(
        model, no_weight_decay_list=model.no_weight_decay(), layer_decay=0.75
    )
    for group in groups:
        for parameter in group['params']:
            factor, decayed = ours.get(id(parameter), (1.0, True))
            assert group['lr_scale'] == pytest.approx(factor)
            assert decayed or group['weight_decay'] == 0
