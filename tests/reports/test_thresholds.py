"""The threshold that a test recommends, and the calibration of scores."""

import numpy as np
import pytest

from vitbackbones.reports.coco import IOU, WHOLE, evaluate
from vitbackbones.reports.thresholds import Scores, cooled, fit_temperature, reliability_of

from . import toy

pytestmark = pytest.mark.compat


@pytest.fixture
def scores(evaluated):
    def make(found):
        metric, _ = evaluated(found)
        evaluation = evaluate(metric, 'bbox', iouThrs=[IOU], **WHOLE)
        return Scores(evaluation, list(toy.CLASSES), 'pictures')

    return make


def row(scores, name):
    table, *_ = scores.parts()
    return next(row for row in table.rows if row[0] == name)


def test_the_best_f1_is_between_the_right_and_the_false(scores):
    # by hand: right at 0.9, 0.4 and 0.2; false at 0.8, 0.6 and 0.5; that at 0.7 is in a crowd
    found = scores(toy.FOUND)
    _, objects, score, f1, precision, recall, sure, at_it = row(found, 'all')
    assert objects == 3
    assert found.chosen.score == score <= 0.2  # all three of them, among six
    assert (f1, precision, recall) == pytest.approx((2 / 3, 1 / 2, 1))
    assert 0.8 < sure <= 0.9
    assert at_it == pytest.approx(1 / 3)
    assert found.chosen.source == 'best F1, 0.67, of 3 objects in pictures'


def test_of_equal_scores_the_middle_is_taken(scores):
    right = {i: [(label, 0.9, box) for label, box in own] for i, own in toy.BOXES.items()}
    right[3] = [(0, 0.3, (0, 0, 20, 20))]
    found = scores(right)
    assert found.chosen.score == pytest.approx(0.6, abs=0.01)
    assert row(found, 'all')[3] == 1


def test_a_class_has_its_own_score_where_that_helps(scores, monkeypatch):
    many = [(0, (5 * i, 40 * j, 4, 30)) for i in range(24) for j in range(1)]
    many += [(1, (5 * i, 60, 4, 30)) for i in range(24)]
    monkeypatch.setattr(toy, 'BOXES', {1: many, 2: [], 3: []})
    monkeypatch.setattr(toy, 'CROWD', (0, 100, 1, 1))
    found = {1: [(label, 0.9 if label == 0 else 0.3, box) for label, box in many]}
    found[1] += [(0, 0.5, (5 * i, 95, 4, 20)) for i in range(24)]
    chosen = scores(found).chosen
    assert chosen.of(['cat', 'dog', 'emu'])[1] <= 0.3
    assert 0.5 < chosen.of(['cat', 'dog', 'emu'])[0] <= 0.9
    assert 'emu' not in chosen.classes  # nothing is of it


def test_nothing_found_recommends_nothing(scores):
    assert scores({i: [] for i in toy.BOXES}).chosen is None


def test_temperature_undoes_what_made_scores_too_sure():
    draw = np.random.default_rng(0)
    honest = draw.uniform(0.05, 0.95, 20000)
    right = draw.random(20000) < honest
    sure = cooled(honest, 0.5)
    assert fit_temperature(honest, right) == pytest.approx(1, abs=0.06)
    assert fit_temperature(sure, right) == pytest.approx(2, abs=0.12)
    assert reliability_of(honest, right)[2] < 0.02
    assert reliability_of(sure, right)[2] > 0.08
