"""Pictures of other than three bands: ``model.backbone.in_channels`` says how many there are.

The steps that load read so many, as they are stored, and nothing exchanges them.
"""

from mmengine.config import Config

from ..errors import InputError
from ..registry import SCOPE, bare_name
from .data_paths import datasets, separated
from .settings import value_at

LOADING = ('LoadImage', 'LoadImageFromFile')
COLORS = ('PhotoMetricDistortion', 'YOLOXHSVRandomAug', 'ColorJitter', 'RandAugment', 'AutoAugment')
EXCHANGES = ('bgr_to_rgb', 'rgb_to_bgr', 'to_rgb')


def use_bands(config: Config) -> Config:
    """Return a config whose pipelines load as many bands as its backbone takes.

    Raises:
        InputError: a step is for colors.
    """
    bands = value_at(config, 'model.backbone.in_channels')
    if not isinstance(bands, int) or bands == 3:
        return config
    config = separated(config)
    given = f'model.backbone.in_channels={bands}'
    for path, dataset in datasets(config):
        for step in dataset.get('pipeline') or ():
            kind = bare_name(step['type'])
            if kind in LOADING:
                step.update(type=f'{SCOPE}.LoadImage', color_type=bands)
            elif kind in COLORS:
                raise InputError(
                    f'{path}.pipeline: {kind} changes colors, which is not possible with '
                    f'{given}. Remove it'
                )
    settings = config.model.get('data_preprocessor') or {}
    settings.update({key: False for key in settings if key in EXCHANGES})
    return config
