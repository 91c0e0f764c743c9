"""Scores with a promised precision: it holds as often as is said, also in crowded images."""

import numpy as np
import pytest
from scipy.stats import binom

from vitbackbones.reports.thresholds import GRID, Promise

NINE = Promise(0.9, 0.9)


def draw(seed, images, objects, clustered):
    """Return scores, whether they are right, and images, of a detector that is too sure of itself.

    Some images are harder than others, by ``clustered``.
    """
    random = np.random.default_rng(seed)
    count = random.poisson(objects, images)
    hard = np.repeat(random.normal(0, clustered, images), count)
    signal = random.normal(1, 1.3, len(hard))
    right = random.random(len(hard)) < 1 / (1 + np.exp(-1.5 * signal - 1 + hard))
    return 1 / (1 + np.exp(-signal)), right, np.repeat(np.arange(images), count)


def precisions(objects, clustered):
    """Return the precision of all detections there are, from each score of the grid on."""
    scores, right, _ = draw(0, 100_000 // objects, objects, clustered)
    return {score: right[scores >= score].mean() for score in GRID.tolist()}


@pytest.mark.parametrize(
    ('images', 'objects', 'clustered'), [(60, 1, 0), (200, 3, 0), (40, 12, 1.5), (120, 8, 1.5)]
)
def test_the_precision_holds_in_nine_of_ten_trials(images, objects, clustered):
    true = precisions(objects, clustered)
    chosen = [NINE.lowest_score(*draw(1 + i, images, objects, clustered)) for i in range(300)]
    held = [score is None or true[score] >= 0.9 for score in chosen]
    assert np.mean(held) >= 0.88
    assert np.mean([score is not None for score in chosen]) > 0.25  # silence promises nothing
    promised = [true[score] for score in chosen if score is not None]
    assert min(true.values()) < 0.9 < np.median(promised)


def test_the_lowest_score_is_used_and_not_a_sure_one():
    scores, right, images = draw(5, 400, 3, 0)
    score = NINE.lowest_score(scores, right, images)
    assert right[scores >= score].mean() > 0.9
    assert 0.9 < precisions(3, 0)[score] < 0.93


def test_the_bound_of_detections_in_images_of_their_own_is_that_of_clopper_and_pearson():
    images = np.arange(100)
    for number in range(80, 101):
        right = images < number
        assert NINE.is_kept(right, images) == (binom.sf(number - 1, 100, 0.9) <= 0.1)
    assert not NINE.is_kept(right & False, images)


def test_mistakes_that_come_together_tell_less():
    right = np.arange(200) >= 10  # 10 of 200 are wrong
    alone = np.arange(200)
    together = alone // 10  # all of them in one image
    assert NINE.is_kept(right, alone)
    assert not NINE.is_kept(right, together)
    assert NINE.is_kept(np.ones(30, bool), np.zeros(30, int))


@pytest.mark.parametrize(
    ('precision', 'confidence', 'images'), [(0.9, 0.9, 22), (0.9, 0.95, 29), (0.5, 0.5, 1)]
)
def test_so_many_images_are_required(precision, confidence, images):
    promise = Promise(precision, confidence)
    assert promise.images == images
    few = np.arange(images - 1)
    assert promise.lowest_score(few + 0.5, few >= 0, few) is None
    enough = np.arange(images)
    assert promise.lowest_score(enough * 0 + 0.5, enough >= 0, enough) == 0.01
    assert promise.why_not(images - 1) == (
        f'requires at least {images} images with a detection, and has {images - 1}'
    )
    assert promise.why_not(images) == 'no score is sure to reach it'
    # many detections of one image are no more than one image
    many = np.zeros(500, int)
    assert images == 1 or promise.lowest_score(many + 0.5, many == 0, many) is None
