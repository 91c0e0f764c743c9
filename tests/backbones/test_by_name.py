"""Classifiers by name."""

import csv
import logging
from pathlib import Path

import pytest
import torch

from vitbackbones import create_model
from vitbackbones.errors import InputError, OptionError

# Parameters with 1000 classes, those of the published code where there is some; with projections in
# two groups of the MSF networks.
with Path(__file__).with_name('parameters.csv').open() as file:
    ROWS = list(csv.DictReader(file))


@pytest.mark.parametrize('row', ROWS, ids=lambda row: row['name'])
def test_parameters_are_counted_to_the_last(row):
    forms = {'parameters': {}, 'in_two_groups': {'groups': 2}}
    for column, options in forms.items():
        if row[column]:
            with torch.device('meta'):
                model = create_model(row['name'], **options)
            assert sum(p.numel() for p in model.parameters()) == int(row[column])


@pytest.mark.parametrize(
    ('name', 'options', 'message'),
    [
        ('augvit_s', {}, "unknown model 'augvit_s'; did you mean 'aug_vit_s' or"),
        ('resnet50', {}, "known: .* For a network of timm, write 'timm:resnet50'"),
        ('deit_ti', {'drop_path': 0.1}, "no option 'drop_path'; did you mean 'drop_path_rate'"),
        ('deit_ti', {'feature_only': True}, "did you mean 'features_only'"),
        ('deit_ti', {'num_classes': True}, 'num_classes=True: must be a number'),
        ('deit_ti', {'out_type': 'featmap'}, 'featmap'),
        ('deit_ti', {'features_only': True, 'out_type': 'pooled'}, 'remove out_type'),
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


@pytest.mark.parametrize(
    ('options', 'said'),
    [
        ({'num_classes': -1}, 'num_classes=-1: must be an integer of at least 0'),
        ({'num_classes': 2.5}, 'num_classes=2.5: must be an integer of at least 0'),
        ({'in_chans': 0}, 'in_channels=0: must be an integer of at least 1'),
    ],
)
def test_numbers_of_classes_and_channels_are_whole(model_name, options, said):
    with torch.device('meta'), pytest.raises(OptionError, match=said):
        create_model(model_name, **options)


@pytest.mark.parametrize('shape', [(3, 32, 32), (32, 32), (1, 1, 3, 32, 32)])
def test_an_image_without_a_batch_is_refused(make_backbone, shape):
    with pytest.raises(OptionError, match=r'expected images \(N, C, H, W\), but got \(\d+, '):
        make_backbone()(torch.zeros(shape))
