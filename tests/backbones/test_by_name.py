"""Classifiers by name."""

import logging

import pytest
import torch

from vitbackbones import create_model
from vitbackbones.errors import InputError, OptionError

# Parameters with 1000 classes: those of the published code, where there is some.
PARAMETERS = {
    'aug_pvt_m': 44_368_104,
    'aug_pvt_s': 24_569_064,
    'aug_t2t_14': 21_653_070,
    'aug_t2t_19': 39_347_662,
    'aug_t2t_24': 64_351_694,
    'aug_vit_b': 86_751_976,
    'aug_vit_s': 22_142_824,
    'aug_vit_ti': 5_763_496,
    'deit_b': 86_567_656,
    'deit_b_distilled': 87_338_192,
    'deit_s': 22_050_664,
    'deit_s_distilled': 22_436_432,
    'deit_ti': 5_717_416,
    'deit_ti_distilled': 5_910_800,
    'mixer_b16': 59_880_472,
    'msf_swin_s': 53_541_298,
    'msf_swin_t': 30_449_314,
    'msf_vit_b': 93_459_688,
    'msf_vit_s': 23_727_976,
    'msf_vit_ss': 12_205_672,
    'msf_vit_ti': 6_114_472,
    'pvt_l': 61_369_320,
    'pvt_m': 44_208_104,
    'pvt_s': 24_485_864,
    'pvt_t': 13_229_288,
    'recursive_mixer_b16': 59_880_520,
    'simple_vit_b': 86_381_800,
    'simple_vit_s': 21_958_504,
    'simple_vit_ss': 11_320_936,
    'simple_vit_ti': 5_672_104,
    'sret_108': 14_160_551,
    'sret_b': 70_834_272,
    'sret_ext': 4_012_274,
    'sret_s': 20_899_692,
    'sret_s_global': 20_899_692,
    'sret_t': 4_755_979,
    'sret_t_global': 4_755_979,
    'sret_tl': 4_988_024,
    'sret_tl_global': 4_988_024,
    'swin_s': 49_606_258,
    'swin_t': 28_288_354,
    't2t_14': 21_545_550,
    't2t_19': 39_177_422,
    't2t_24': 64_105_934,
    't2t_t_14': 21_541_070,
    't2t_t_19': 39_172_942,
    't2t_t_24': 64_101_454,
    'tnt_b': 65_428_680,
    'tnt_s': 23_768_584,
    'tnt_s_legacy': 23_755_336,
    'tnt_s_se': 24_668_296,
    'tnt_ti': 6_076_408,
}
# the same with projections in two groups
GROUPED = {
    'msf_vit_ti': 5_229_736,
    'msf_vit_ss': 10_436_200,
    'msf_vit_s': 20_189_032,
    'msf_vit_b': 79_303_912,
    'msf_swin_t': 26_136_226,
    'msf_swin_s': 45_689_266,
}


@pytest.mark.parametrize('name', [*PARAMETERS, *(f'{name} grouped' for name in GROUPED)])
def test_parameters_are_counted_to_the_last(name):
    name, _, grouped = name.partition(' ')
    with torch.device('meta'):
        model = create_model(name, **({'groups': 2} if grouped else {}))
    wanted = GROUPED if grouped else PARAMETERS
    assert sum(p.numel() for p in model.parameters()) == wanted[name]


@torch.no_grad()
def test_images_become_logits_features_or_maps():
    image = torch.randn(1, 3, 64, 64)
    for name, options, shape in (
        ('deit_ti', {'num_classes': 7}, (1, 7)),
        ('deit_ti', {'num_classes': 0}, (1, 192)),
        ('pvt_t', {'num_classes': 0, 'out_type': 'featmap'}, (1, 512, 2, 2)),
    ):
        assert create_model(name, img_size=64, **options).eval()(image).shape == shape


@pytest.mark.parametrize(
    ('name', 'options', 'message'),
    [
        ('augvit_s', {}, "unknown model 'augvit_s'; did you mean 'aug_vit_s' or"),
        ('deit_ti', {'drop_path': 0.1}, "no option 'drop_path'; did you mean 'drop_path_rate'"),
        ('deit_ti', {'feature_only': True}, "did you mean 'features_only'"),
        ('deit_ti', {'num_classes': True}, 'num_classes=True: must be a number'),
        ('deit_ti', {'out_type': 'featmap'}, 'featmap'),
        ('deit_ti', {'features_only': True, 'out_type': 'pooled'}, 'leave out_type'),
    ],
    ids=str,
)
def test_what_cannot_be_created_is_refused_with_the_nearest(name, options, message):
    with pytest.raises(OptionError, match=message):
        create_model(name, **options)


def test_its_own_checkpoint_comes_back_and_that_of_another_model_is_refused(tmp_path):
    model = create_model('aug_vit_ti', num_classes=3, img_size=32)
    torch.save(model.state_dict(), tmp_path / 'own.pth')
    again = create_model('aug_vit_ti', num_classes=3, img_size=32, checkpoint=tmp_path / 'own.pth')
    for key, value in model.state_dict().items():
        assert torch.equal(again.state_dict()[key], value)
    with pytest.raises(InputError, match='does not fill Classifier'):
        create_model('pvt_t', checkpoint=tmp_path / 'own.pth')


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
