"""Faster forms of mmseg's steps that process every pixel, with the same results."""

import cv2
import numpy as np
from mmseg.datasets.transforms import PhotoMetricDistortion as MMSegPhotoMetricDistortion
from mmseg.datasets.transforms import RandomCrop as MMSegRandomCrop

from .pixels import VALUES, count_values

ATTEMPTS = 10  # to find a crop that is not all of one class, as in mmseg


class PhotoMetricDistortion(MMSegPhotoMetricDistortion):
    """mmseg's ``PhotoMetricDistortion`` of 8-bit images."""

    def convert(self, img: np.ndarray, alpha: float = 1, beta: float = 0) -> np.ndarray:
        """Return ``img * alpha + beta``, clipped to 0 and 255, by a table."""
        return cv2.LUT(img, super().convert(VALUES, alpha, beta))


class RandomCrop(MMSegRandomCrop):
    """mmseg's ``RandomCrop``, which counts classes without sorting the pixels of the mask."""

    def crop_bbox(self, results: dict) -> tuple[int, int, int, int]:
        """Draw (top, bottom, left, right); the last attempt is taken whatever it holds."""
        for _ in range(ATTEMPTS if self.cat_max_ratio < 1 else 0):
            box = self._draw(*results['img'].shape[:2])
            counts = count_values(self.crop(results['gt_seg_map'], box))[0]
            counts[self.ignore_index] = 0
            if np.count_nonzero(counts) > 1 and counts.max() / counts.sum() < self.cat_max_ratio:
                return box
        return self._draw(*results['img'].shape[:2])

    def _draw(self, height: int, width: int) -> tuple[int, int, int, int]:
        sides = zip((height, width), self.crop_size, strict=True)
        top, left = (np.random.randint(max(side - crop, 0) + 1) for side, crop in sides)
        return top, top + self.crop_size[0], left, left + self.crop_size[1]
