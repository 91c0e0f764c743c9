"""Random erasing (Zhong et al., 2017) on normalized images, by the device that trains.

timm fills a part of an image with noise of mean 0 and standard deviation 1. Scripts around its
loader (TNT, Aug-ViT, T2T-ViT) erase last. DeiT's script erases each image where it is loaded: MixUp
then blends a hole into the picture, and CutMix pastes it. mmpretrain erases there as well, but on
pixels of 8 bits, which clips 4 % of the noise.
"""

import math
import random
from collections.abc import Callable
from functools import partial

import torch
from mmpretrain.models import ClsDataPreprocessor
from torch import Tensor

# timm's defaults
AREA = (0.02, 1 / 3)  # as a part of the image
LOG_ASPECT = (math.log(0.3), math.log(1 / 0.3))  # height / width
ATTEMPTS = 10


def draw_rectangle(height: int, width: int) -> tuple[slice, slice] | None:
    """Draw rows and columns of an image; None if all attempts were too high or too wide."""
    for _ in range(ATTEMPTS):
        area = random.uniform(*AREA) * (height * width)
        aspect = math.exp(random.uniform(*LOG_ASPECT))
        h, w = round(math.sqrt(area * aspect)), round(math.sqrt(area / aspect))
        if h < height and w < width:
            top, left = random.randint(0, height - h), random.randint(0, width - w)
            return slice(top, top + h), slice(left, left + w)
    return None


def erase(images: Tensor, prob: float) -> None:
    """Fill a rectangle of each image of (N, C, H, W) with noise, with probability ``prob``."""
    for image in images:
        if random.random() > prob:
            continue
        rectangle = draw_rectangle(*image.shape[1:])
        if rectangle is not None:
            part = image[:, rectangle[0], rectangle[1]]
            part.copy_(torch.randn_like(part))


def erase_and_mix(
    images: Tensor, scores: Tensor, prob: float, mix: Callable[[Tensor, Tensor], tuple]
) -> tuple[Tensor, Tensor]:
    """Erase, then mix images (N, C, H, W) and their scores (N, classes) with ``mix``."""
    erase(images, prob)
    return mix(images, scores)


class ErasingPreprocessor(ClsDataPreprocessor):
    """mmpretrain's ``ClsDataPreprocessor``, which erases in training what it has normalized.

    Args:
        erase_prob: probability that a part of an image is erased.
        before_mixing: whether to erase before MixUp and CutMix, not after them.
        options: as of ``ClsDataPreprocessor``.
    """

    def __init__(self, erase_prob: float, before_mixing: bool = False, **options) -> None:
        super().__init__(**options)
        self.erase_prob = erase_prob
        self.erases_last = not (before_mixing and self.batch_augments)
        if not self.erases_last:
            self.batch_augments = partial(erase_and_mix, prob=erase_prob, mix=self.batch_augments)

    def forward(self, data: dict, training: bool = False) -> dict:
        """Return ``inputs`` (N, C, H, W) and ``data_samples``, ready for the model."""
        batch = super().forward(data, training)
        if training and self.erases_last:
            erase(batch['inputs'], self.erase_prob)
        return batch
