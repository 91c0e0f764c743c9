"""Which score to draw the line at, and what scores are worth: precision, recall, F1, calibration.

They are counted at an IoU of 0.5, on the pictures that were evaluated.

A :class:`Promise` asks for the lowest score from which on detections have a precision, with a
confidence. Scores are tried one after the other, from a high one to lower ones, until the precision
there is not sure any more. As the order does not depend on which detections are right, each score
is tested at the full confidence although the score is chosen on the same detections: fixed-sequence
testing of Angelopoulos et al., "Learn then Test", 2021, section 2.2.

The test is the lower bound of Clopper and Pearson, 1934. Detections of one image are right or wrong
together, so as many count as independent ones would tell as much: the effective sample size of Korn
and Graubard, "Confidence intervals for proportions ... from survey data", 1998. It knows nothing
before the first mistake, so the first score is one with enough images for no mistake at all.
"""

import math
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from scipy.stats import beta

from ..analysis.plots import label, new_figure, style_of
from ..errors import InputError
from ..runtime.card import Threshold
from .coco import looked_at, matches
from .page import Part, Table, drawing

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


# ------------------------------------------------------------------------ scores


PRECISION = 0.9
GAIN = 0.02  # of F1, from which on a class has a score of its own
LEAST = 20  # objects, from which on it may have one
SURE = 0.05  # least score of the detections that calibration is measured on
BINS = 10
TEMPERATURES = np.geomspace(0.2, 5, 101)
TEXT = (
    'F1 is the harmonic mean of precision and recall of all detections at or above a score. The '
    f'last columns are for the lowest score with a precision of {PRECISION:g}. For predictions, '
    f'a class with at least {LEAST} objects gets its own score threshold if this raises its F1 '
    f'by {GAIN:g}. The scores were chosen on the images that these numbers were measured on; on '
    'other images the numbers are slightly lower.'
)


class Scores:
    """What became of the detections of a test.

    Args:
        evaluation: of :func:`.coco.evaluate`, at one IoU for objects of all sizes.
        classes: their names, in its order.
        where: which pictures they are.

    Attributes:
        scores, right, images, labels: of all detections (N,): score, whether it is right, number
            of the image, place of the class.
        chosen: the threshold for the best F1; None where nothing was found.
    """

    def __init__(self, evaluation, classes: list[str], where: str) -> None:
        keys = list(evaluation.params.catIds)
        gts = evaluation.cocoGt.anns
        taken = matches(evaluation)
        numbers = {image: number for number, image in enumerate(evaluation.params.imgIds)}
        found = []  # scores, whether they are right, images, classes of each
        for image, category, preds in looked_at(evaluation):
            for pred in preds:
                gt = gts.get(taken.get(pred['id']))
                if gt is None or not gt.get('iscrowd'):
                    row = pred['score'], gt is not None, numbers[image], keys.index(category)
                    found.append(row)
        objects = np.zeros((len(keys), 1), int)
        for gt in gts.values():
            if gt['category_id'] in keys and gt['image_id'] in numbers and not gt.get('iscrowd'):
                objects[keys.index(gt['category_id'])] += 1
        self.scores, right, self.images, self.labels = np.reshape(found, (-1, 4)).astype(float).T
        self.right = right.astype(bool)
        pairs = [(self.scores, self.right)]
        for category in range(len(keys)):
            own = self.labels == category
            pairs.append((self.scores[own], self.right[own]))
        preds = np.array([_from_score(s) for s, _ in pairs])  # (1 + C, 99), of all and of each
        hits = np.array([_from_score(s[r]) for s, r in pairs])
        self.names = ['all', *classes]
        self.where = where
        self.objects = np.concatenate([objects.sum(0)[None], objects])
        self.precision = np.where(preds, hits / np.maximum(preds, 1), np.nan)
        self.recall = hits / np.maximum(self.objects, 1)
        self.f1 = 2 * hits / np.maximum(preds + self.objects, 1)
        best = [_middle(each) for each in self.f1]
        others = {
            name: float(GRID[row])
            for name, row, f1, count in zip(self.names, best, self.f1, self.objects, strict=True)
            if name != 'all' and count >= LEAST and f1[row] - f1[best[0]] >= GAIN
        }
        most = self.f1[0, best[0]]
        source = f'best F1, {most:.2f}, of {self.objects[0, 0]} objects in {where}'
        self.chosen = Threshold(float(GRID[best[0]]), source, others) if most else None

    def keep(self, promise: Promise) -> list[str]:
        """Choose the lowest score of each class that keeps a promise, in place of the best F1.

        Objects of a class without such a score are not shown: its score is 1.

        Returns:
            The reason for each class that has objects and no such score.

        Raises:
            InputError: no class has one.
        """
        kept = {}
        refused = []
        for category, name in enumerate(self.names[1:]):
            own = self.labels == category
            images = self.images[own]
            score = promise.lowest_score(self.scores[own], self.right[own], images)
            if score is not None:
                kept[name] = score
            elif self.objects[category + 1, 0]:
                refused.append(f'{name}: {promise.why_not(len({*images.tolist()}))}')
        if not kept:
            raise InputError(f'--precision: no class reaches a {promise} ({"; ".join(refused)})')
        self.chosen = Threshold(1.0, f'{promise}, from {self.where}', kept)
        return refused

    def parts(self) -> list[Part]:
        """Return the table, and curves with a reliability diagram."""
        head = ['class', 'objects', 'score', 'F1', 'precision', 'recall']
        rows = []
        columns = (self.names, self.objects[:, 0], self.f1, self.precision, self.recall)
        for name, count, f1, precision, recall in zip(*columns, strict=True):
            best = _middle(f1)
            sure = np.flatnonzero(precision >= PRECISION)
            more = (GRID[sure[0]], recall[sure[0]]) if len(sure) else (np.nan, np.nan)
            at_best = GRID[best], f1[best], precision[best], recall[best]
            rows.append([name, int(count), *map(float, (*at_best, *more))])
        head += [f'score for {PRECISION:g}', 'recall there']
        table = Table(head=head, rows=rows, text=TEXT)
        if not len(self.scores):
            return [table]
        figure, axes = new_figure(1, 2, (4.6, 4.0))
        lines = {'precision': self.precision[0], 'recall': self.recall[0], 'F1': self.f1[0]}
        for number, (name, values) in enumerate(lines.items()):
            axes[0, 0].plot(GRID, values, label=name, **style_of(number) | {'markevery': 12})
        if self.chosen:
            axes[0, 0].axvline(self.chosen.score, color='0.4', label=f'{self.chosen.score:g}')
        label(axes[0, 0], 'all classes', 'score')
        self._draw_calibration(axes[0, 1])
        for panel in axes[0]:
            panel.set(xlim=(0, 1), ylim=(0, 1.02))
            panel.grid(alpha=0.3)
            panel.legend(fontsize=8, framealpha=0.8)
        return [table, drawing(figure, 'precision, recall and F1 over the score, and calibration')]

    def _draw_calibration(self, panel: Axes) -> None:
        sure = self.scores >= SURE
        scores = self.scores[sure]
        right = self.right[sure]
        temperature = fit_temperature(scores, right)
        drawn = {
            'as answered': scores,
            f'temperature {temperature:.2f}': cooled(scores, temperature),
        }
        for number, (name, values) in enumerate(drawn.items()):
            means, shares, error = reliability_of(values, right)
            panel.plot(means, shares, label=f'{name}: error {error:.3f}', **style_of(number))
        panel.plot([0, 1], [0, 1], color='0.6', linewidth=0.8)
        label(panel, f'calibration from a score of {SURE:g}', 'score', 'precision')


def _from_score(scores: np.ndarray) -> np.ndarray:
    """Count the scores (N,) from each score of the grid on, (99,)."""
    return len(scores) - np.searchsorted(np.sort(scores), GRID - 1e-9)


def _middle(f1: np.ndarray) -> int:
    """Return the place of the best F1, of several the middle one."""
    best = np.flatnonzero(f1 >= f1.max() - 1e-9)
    return int(best[len(best) // 2])


def cooled(scores: np.ndarray, temperature: float) -> np.ndarray:
    """Return the sigmoid of the logits of scores, divided by a temperature."""
    safe = np.clip(scores, 1e-6, 1 - 1e-6)
    return 1 / (1 + ((1 - safe) / safe) ** (1 / temperature))


def fit_temperature(scores: np.ndarray, right: np.ndarray) -> float:
    """Return the temperature that makes what is ``right`` (N,) likeliest, as Guo et al. (2017)."""
    shown = [cooled(scores, temperature) for temperature in TEMPERATURES]
    best = np.argmax([np.log(np.where(right, each, 1 - each)).sum() for each in shown])
    return float(TEMPERATURES[best])


def reliability_of(scores: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """Return mean score and share of right ones of each bin, and the expected calibration error."""
    bins = np.minimum((scores * BINS).astype(int), BINS - 1)
    counts = np.bincount(bins, minlength=BINS)
    used = counts > 0
    means, shares = (np.bincount(bins, v, BINS)[used] / counts[used] for v in (scores, right))
    return means, shares, float((counts[used] * abs(means - shares)).sum() / max(len(scores), 1))
