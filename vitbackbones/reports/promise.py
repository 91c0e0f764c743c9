"""The lowest score from which on detections have a precision, with a confidence.

Scores are tried one after the other, from a high one to lower ones, until the precision there is
not sure any more. As the order does not depend on which detections are right, each score is tested
at the full confidence although the score is chosen on the same detections: fixed-sequence testing
of Angelopoulos et al., "Learn then Test", 2021, section 2.2.

The test is the lower bound of Clopper and Pearson, 1934. Detections of one image are right or wrong
together, so as many count as independent ones would tell as much: the effective sample size of Korn
and Graubard, "Confidence intervals for proportions ... from survey data", 1998. It knows nothing
before the first mistake, so the first score is one with enough images for no mistake at all.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.stats import beta

GRID = np.arange(1, 100) / 100  # scores that are tried


@dataclass(frozen=True)
class Promise:
    """A precision, and the share of all evaluations in which it holds where it is promised."""

    precision: float
    confidence: float

    def __str__(self) -> str:
        return f'precision of at least {self.precision:g}, with {self.confidence:g} confidence'

    @property
    def images(self) -> int:
        """The least number of images with detections, if all of these are right."""
        return math.ceil(math.log(1 - self.confidence) / math.log(self.precision) - 1e-9)

    def why_not(self, images: int) -> str:
        """Return why no score of a class is sure, which has detections in so many images."""
        if images < self.images:
            return f'requires at least {self.images} images with a detection, and has {images}'
        return 'no score is sure to reach it'

    def is_kept(self, right: np.ndarray, images: np.ndarray) -> bool:
        """Return whether the precision of detections (N,) of which some are right is sure.

        ``images`` (N,) are the numbers of their images.
        """
        share = right.mean()
        if not share:
            return False
        count = _independent(right, images)
        bound = beta.ppf(1 - self.confidence, count * share, count * (1 - share) + 1)
        return bool(bound >= self.precision)

    def lowest_score(
        self, scores: np.ndarray, right: np.ndarray, images: np.ndarray
    ) -> float | None:
        """Return the lowest score of the grid from which on the precision is sure, else None.

        Arguments are as of :meth:`is_kept`, with scores (N,).
        """
        lowest = None
        for score in GRID[::-1].tolist():
            chosen = scores >= score - 1e-9
            if len({*images[chosen].tolist()}) < self.images:
                continue
            if not self.is_kept(right[chosen], images[chosen]):
                break
            lowest = score
        return lowest


def _independent(right: np.ndarray, images: np.ndarray) -> float:
    """Return how many independent detections would tell as much of their precision."""
    count = len(right)
    share = right.mean()
    of_image = np.unique(images, return_inverse=True)[1]
    deviations = np.bincount(of_image, right - share)  # (images,)
    number = len(deviations)
    if share == 1 or number < 2:
        return count
    clustered = (deviations**2).sum() / count**2 * number / (number - 1)
    return count / max(1.0, clustered / (share * (1 - share) / count))
