"""What classifiers and maps have in common."""

from vitbackbones import create_model


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
