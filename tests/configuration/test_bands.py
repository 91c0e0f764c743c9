"""Pictures of other than three bands."""

import pytest
from mmengine.config import Config

from vitbackbones.configuration.bands import COLORS, use_bands
from vitbackbones.errors import InputError


def make(bands, *steps, preprocessor=None):
    kinds = [*steps, 'Resize']
    pipeline = [{'type': kind, 'color_type': 'color'} for kind in kinds]
    model = {'backbone': {'type': 'AugViT'}, 'data_preprocessor': preprocessor}
    if bands is not None:
        model['backbone']['in_channels'] = bands
    return Config(
        {
            'model': model,
            'train_dataloader': {'dataset': {'type': 'CocoDataset', 'pipeline': pipeline}},
            'val_dataloader': {'dataset': {'type': 'CocoDataset', 'pipeline': None}},
        }
    )


def steps_of(config):
    steps = config.train_dataloader.dataset.pipeline
    return [(step['type'], step['color_type']) for step in steps]


@pytest.mark.parametrize('loading', ['LoadImage', 'LoadImageFromFile', 'mmdet.LoadImageFromFile'])
@pytest.mark.parametrize('bands', [1, 4])
def test_as_many_bands_are_loaded_as_the_backbone_takes(bands, loading):
    config = use_bands(make(bands, loading))
    assert steps_of(config) == [('vitbackbones.LoadImage', bands), ('Resize', 'color')]


@pytest.mark.parametrize('bands', [None, 3, 'three'])
def test_three_bands_are_loaded_as_before(bands):
    config = make(bands, 'LoadImageFromFile', 'ColorJitter')
    assert use_bands(config) is config
    assert steps_of(config)[0] == ('LoadImageFromFile', 'color')


def test_nothing_exchanges_bands():
    given = {'type': 'x', 'bgr_to_rgb': True, 'to_rgb': True, 'pad': 1}
    config = use_bands(make(4, preprocessor=given))
    expected = {'type': 'x', 'bgr_to_rgb': False, 'to_rgb': False, 'pad': 1}
    assert config.model.data_preprocessor == expected


@pytest.mark.parametrize('kind', [*COLORS, 'mmdet.PhotoMetricDistortion'])
def test_steps_for_colors_are_refused(kind):
    with pytest.raises(InputError, match=r'^train_dataloader\.dataset\.pipeline: .*in_channels=4'):
        use_bands(make(4, 'LoadImageFromFile', kind))
