"""CIFAR-10 and CIFAR-100 in the order of colors that all other pictures have here.

Files are read as BGR: augmentations have their color constants in that order, the data
preprocessor of a model turns it into RGB. mmpretrain's CIFAR holds RGB, and through a config that
is written for files it would train and test with red and blue exchanged.
"""

import numpy as np
from mmpretrain.datasets import CIFAR10 as RGBCIFAR10
from mmpretrain.datasets import CIFAR100 as RGBCIFAR100


def _as_bgr(samples: list[dict]) -> list[dict]:
    """Turn ``img`` (H, W, 3) of every sample from RGB to BGR."""
    return [{**one, 'img': np.ascontiguousarray(one['img'][..., ::-1])} for one in samples]


class CIFAR10(RGBCIFAR10):
    """mmpretrain's ``CIFAR10`` as BGR; arguments are the same."""

    def load_data_list(self) -> list[dict]:
        return _as_bgr(super().load_data_list())


class CIFAR100(RGBCIFAR100):
    """mmpretrain's ``CIFAR100`` as BGR; arguments are the same."""

    def load_data_list(self) -> list[dict]:
        return _as_bgr(super().load_data_list())
