"""Classifiers by name."""

import logging

import pytest
import torch

from vitbackbones import create_model
from vitbackbones.errors import InputError, OptionError

# Parameters in millions with 1000 classes, as counted in the published code
COUNTS = {
    'deit_ti': 5.7174,
    'deit_s': 22.0507,
    'deit_b': 86.5677,
    'deit_ti_distilled': 5.9108,
    'deit_s_distilled': 22.4364,
    'deit_b_distilled': 87.3382,
    'aug_vit_s': 22.1428,
    'aug_vit_b': 86.7520,
    'pvt_t': 13.2293,
    'pvt_s': 24.4859,
    'pvt_m': 44.2081,
    'pvt_l': 61.3693,
}


@pytest.mark.parametrize('name', COUNTS)
def test_parameters_are_the_published_ones(name):
    with torch.device('meta'):
        count = sum(p.numel() for p in create_model(name).parameters())
    assert count / 1e6 == pytest.approx(COUNTS[name], abs=6e-5)


@torch.no_grad()
def test_images_become_logits():
    model = create_model('deit_ti', num_classes=7, img_size=64).eval()
    assert model(torch.randn(2, 3, 64, 48)).shape == (2, 7)


@torch.no_grad()
def test_without_classes_the_features_come_out():
    assert create_model('deit_ti', num_classes=0).eval()(torch.randn(1, 3, 32, 32)).shape == (
        1,
        192,
    )
    maps = create_model('pvt_t', num_classes=0, out_type='featmap').eval()
    assert maps(torch.randn(1, 3, 64, 64)).shape == (1, 512, 2, 2)


def test_an_unknown_name_suggests_the_nearest():
    with pytest.raises(ValueError, match="unknown model 'augvit_s'; did you mean 'aug_vit_s' or"):
        create_model('augvit_s')


def test_a_misspelled_option_is_answered_with_the_nearest():
    message = "deit_ti has no option 'drop_path'; did you mean 'drop_path_rate'"
    with pytest.raises(OptionError, match=message):
        create_model('deit_ti', drop_path=0.1)


def test_options_of_create_model_are_suggested_too():
    with pytest.raises(OptionError, match="no option 'feature_only'; did you mean 'features_only'"):
        create_model('deit_ti', feature_only=True)


def test_timms_second_argument_is_no_number_of_classes():
    with pytest.raises(OptionError, match='num_classes=True: must be a number'):
        create_model('deit_ti', True)


def test_maps_have_no_classifier():
    with pytest.raises(ValueError, match='featmap'):
        create_model('deit_ti', out_type='featmap')


def test_a_checkpoint_of_another_model_is_refused(tmp_path):
    torch.save(create_model('pvt_t').state_dict(), tmp_path / 'pvt.pth')
    with pytest.raises(InputError, match='does not fill Classifier'):
        create_model('deit_ti', checkpoint=tmp_path / 'pvt.pth')


def test_its_own_checkpoint_comes_back(tmp_path):
    model = create_model('aug_vit_ti', num_classes=3)
    torch.save(model.state_dict(), tmp_path / 'own.pth')
    again = create_model('aug_vit_ti', num_classes=3, checkpoint=tmp_path / 'own.pth')
    for key, value in model.state_dict().items():
        assert torch.equal(again.state_dict()[key], value)


def test_a_classifier_of_other_classes_stays_random_and_says_so(tmp_path, caplog):
    model = create_model('deit_ti', num_classes=5, img_size=32)
    torch.save(model.state_dict(), tmp_path / 'five.pth')
    tuned = create_model('deit_ti', 3, tmp_path / 'five.pth', img_size=32)
    (said,) = caplog.records
    assert 'mismatched: head.fc.weight (5, 192) for (3, 192)' in said.message
    assert said.levelno == logging.WARNING
    assert tuned.head.fc.weight.shape == (3, 192)
    for key, value in model.backbone.state_dict().items():
        assert torch.equal(tuned.backbone.state_dict()[key], value)


def test_groups_that_a_file_was_not_trained_with_are_refused(tmp_path):
    file = tmp_path / 'sret_tl_16_14_1.pth'
    groups = {'groups': [[16, 1], [14, 1], [1, 1]]}
    torch.save(create_model('sret_tl', **groups).state_dict(), file)
    with pytest.raises(
        OptionError, match=r'groups=None: .*trained with groups=\(\(16, 1\), \(14, '
    ):
        create_model('sret_tl', checkpoint=file)
    assert create_model('sret_tl', checkpoint=file, **groups)


def test_what_may_be_missing_is_passed_on(tmp_path):
    torch.save(create_model('deit_ti', img_size=32).state_dict(), tmp_path / 'deit.pth')
    paths = {'allow_missing': ['*.shortcut_*'], 'img_size': 32}
    assert create_model('aug_vit_ti', checkpoint=tmp_path / 'deit.pth', **paths)
