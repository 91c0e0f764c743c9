"""RandAugment with lookup tables: bitwise identical to mmpretrain's, in half the time.

Eight of the fifteen operations that timm draws from replace a value by another one, wherever in the
picture it stands. They are applied to the 256 values in place of the picture, which is then looked
up in what comes out. The others (turning, shearing, moving, saturation, sharpness) are
mmpretrain's own.
"""

from collections.abc import Callable

import cv2
import mmcv
import numpy as np
from mmpretrain.datasets.transforms import RandAugment as MMPretrainRandAugment
from mmpretrain.datasets.transforms.auto_augment import BaseAugTransform

from .pixels import VALUES, count_values


def _of_all_values(operation: BaseAugTransform, image: np.ndarray) -> np.ndarray:
    """Apply an operation that does not depend on the picture."""
    return operation.transform({'img': VALUES})['img']


def _by_channel(of_channel: Callable[[np.ndarray], np.ndarray]) -> Callable:
    """Apply an operation that depends on how often each value of a channel (256,) occurs."""

    def table(operation: BaseAugTransform, image: np.ndarray) -> np.ndarray:
        if operation.random_disable():
            return VALUES
        tables = [of_channel(counts) for counts in count_values(image)]
        return np.stack(tables, axis=1)[None]  # 3 x (256,) -> (1, 256, 3)

    return table


def _contrast_stretched(counts: np.ndarray) -> np.ndarray:
    """Stretch the values of a channel to all of 0 to 255."""
    low, high = counts.nonzero()[0][[0, -1]]
    if low == high:
        return VALUES[0]
    scale = 255.0 / (high - low)
    return (VALUES[0] * scale - low * scale).clip(0, 255).astype(np.uint8)


def _equalized(counts: np.ndarray) -> np.ndarray:
    """Make all values of a channel equally frequent, as Pillow does."""
    step = (counts.sum() - counts[counts > 0][-1]) // 255
    if not step:
        return VALUES[0]
    below = np.cumsum(counts) - counts
    below[1:] += step // 2
    return (below // step).clip(max=255).astype(np.uint8)


def _contrast_changed(operation: BaseAugTransform, image: np.ndarray) -> np.ndarray:
    """Move all values towards the mean of the gray picture, or away from it."""
    if operation.random_disable():
        return VALUES
    magnitude = operation.magnitude
    if magnitude is None:
        magnitude = operation.random_magnitude()
    factor = 1 + operation.random_negative(magnitude)
    values = VALUES.astype(np.float32)
    mean = np.full_like(values, round(mmcv.bgr2gray(image).mean()))
    return cv2.addWeighted(values, factor, mean, 1 - factor, 0).clip(0, 255).astype(np.uint8)


# What makes the table (1, 256) or (1, 256, 3) of an operation, by the name of mmpretrain's class
TABLES: dict[str, Callable[[BaseAugTransform, np.ndarray], np.ndarray]] = {
    'AutoContrast': _by_channel(_contrast_stretched),
    'Brightness': _of_all_values,
    'Contrast': _contrast_changed,
    'Equalize': _by_channel(_equalized),
    'Invert': _of_all_values,
    'Posterize': _of_all_values,
    'Solarize': _of_all_values,
    'SolarizeAdd': _of_all_values,
}


class RandAugment(MMPretrainRandAugment):
    """mmpretrain's ``RandAugment`` of 8-bit pictures (H, W, 3), with its options.

    The same operations and magnitudes are drawn from the same seed.
    """

    def transform(self, results: dict) -> dict:
        """Apply the operations that are drawn to ``img``."""
        for index in self.random_policy_indices():
            operation = self.transforms[index]
            make_table = TABLES.get(type(operation).__name__)
            if make_table is None:
                results = operation.transform(results)
                continue
            table = make_table(operation, results['img'])
            if table is not VALUES:
                results['img'] = cv2.LUT(results['img'], table)
        return results
