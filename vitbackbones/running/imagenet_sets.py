"""Other labels and images of ImageNet (``test --dataset``): ReaL, and ImageNet-V2."""

import copy

from mmengine.config import Config

from ..errors import InputError
from ..registry import SCOPE

V2_FOLDERS = {
    'v2-matched': 'imagenetv2-matched-frequency-format-val',
    'v2-threshold': 'imagenetv2-threshold0.7-format-val',
    'v2-top': 'imagenetv2-top-images-format-val',
}


def use_set(config: Config, name: str) -> Config:
    """Return a copy of ``config`` that tests on another set, in the data root of ImageNet.

    Raises:
        InputError: the config does not test on ImageNet.
    """
    config = copy.deepcopy(config)
    dataset = config.test_dataloader.dataset
    if dataset.type != 'ImageNet':
        raise InputError(
            f'--dataset {name}: is only for ImageNet classifiers, but {config.filename} tests '
            f'on {dataset.type}'
        )
    if name == 'real':
        config.test_evaluator = {
            'type': f'{SCOPE}.ReaLAccuracy',
            'ann_file': f'{dataset.data_root.rstrip("/")}/real.json',
            'topk': config.test_evaluator.get('topk', (1, 5)),
        }
    else:
        config.test_dataloader.dataset = {
            'type': f'{SCOPE}.ImageNetV2',
            'data_root': dataset.data_root,
            'data_prefix': {'img_path': V2_FOLDERS[name]},
            'pipeline': dataset.pipeline,
        }
    return config
