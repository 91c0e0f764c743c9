"""Regions of masks that a model takes for another class."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from vitbackbones.audit import regions
from vitbackbones.audit.regions import WHOLE, DoubtfulRegions, doubtful, of_masks


def scores_of(answer, classes=3, sure=0.8):
    """Probabilities (classes, H, W) of which the answer's (H, W) is ``sure``."""
    scores = np.full((classes, *answer.shape), (1 - sure) / (classes - 1))
    np.put_along_axis(scores, answer[None], sure, 0)
    return scores


def test_an_object_of_another_class_is_found_with_its_outline():
    answer = np.zeros((60, 80), int)
    answer[10:30, 20:50] = 1
    given = np.where(answer == 1, 2, 0)
    (region,) = doubtful(given, scores_of(answer), 255)
    assert (region['label'], region['other'], region['box']) == (2, 1, [20, 10, 30, 20])
    assert region['shares'] == [1, 1]
    assert region['size'] == 600 / 4800
    assert region['value'] == pytest.approx(0.7)  # 0.8 - 0.1
    assert sorted(zip(*[iter(region['outlines'][0])] * 2, strict=True)) == [
        *((20, 10), (20, 29), (49, 10), (49, 29)),
    ]


def test_borders_and_what_is_ignored_are_left_out():
    answer = np.zeros((60, 80), int)
    answer[10:30, 20:50] = 1
    moved = np.roll(answer, 1, axis=1)  # a border of one pixel
    assert [*doubtful(moved, scores_of(answer), 255)] == []
    ignored = np.where(answer == 1, 255, 0)
    assert [*doubtful(ignored, scores_of(answer), 255)] == []


def test_large_regions_and_rare_confusions_are_likelier(tmp_path):
    def region(other, size, stem):
        outlines = {'outlines': [[0, 0, 9, 0, 9, 9]], 'box': [0, 0, 10, 10], 'shares': [1.0, 1.0]}
        return {'path': f'{stem}.png', 'label': 0, 'other': other, 'value': 0.7} | outlines | size

    large, small = {'size': 0.1}, {'size': 0.01}
    regions = [region(1, large, number) for number in range(50)]
    regions += [region(2, small, 50), region(2, large, 51)]
    (tmp_path / 'found.json').write_text(json.dumps(regions))
    pool = SimpleNamespace(classes=['ground', 'a', 'b'])
    listed = of_masks(pool, [tmp_path / 'found.json'])
    assert [each.image for each in listed] == [51, 50, *range(50)]
    assert all(0 < each.likelihood < 1 for each in listed)


@pytest.mark.parametrize(
    ('shares', 'fault', 'words'),
    [
        ([WHOLE, 0.1], 'class', 'labeled a, but looks like b'),
        ([WHOLE - 0.01, WHOLE], 'missing', 'looks like b, but is labeled a'),
        ([WHOLE - 0.01, WHOLE - 0.01], 'mask', 'a part of the a looks like b'),
    ],
)
def test_a_region_is_a_whole_object_or_a_part_of_one(tmp_path, shares, fault, words):
    region = {'path': 'x/000007.png', 'label': 1, 'other': 2, 'value': 0.5, 'size': 0.25}
    region |= {'shares': shares, 'box': [1, 2, 3, 4], 'outlines': [[0, 0, 9, 0, 9, 9]]}
    (tmp_path / 'found.json').write_text(json.dumps([region]))
    (listed,) = of_masks(SimpleNamespace(classes=['ground', 'a', 'b']), [tmp_path / 'found.json'])
    assert (listed.fault, listed.reason, listed.image) == (fault, words, 7)
    assert (listed.category, listed.box, listed.label_id) == (2, (1, 2, 3, 4), None)
    assert listed.outlines == ((0, 0, 9, 0, 9, 9),)
    assert listed.likelihood == pytest.approx(0.5 ** (1 / 6) * 0.25 ** (1 / 12))


def test_a_part_of_an_object_is_less_likely_and_a_thin_one_too():
    answer = np.zeros((60, 80), int)
    answer[10:30, 20:60] = 1
    gt = answer.copy()
    gt[10:30, 40:60] = 0  # half of the object is labeled as ground
    (region,) = doubtful(gt, scores_of(answer), 255)
    assert region['shares'] == pytest.approx([400 / 4400, 0.5])
    assert region['value'] == pytest.approx(0.7 * 0.5**0.5)
    thin = np.zeros((60, 80), int)
    thin[10:50, 20:23] = 1
    (region,) = doubtful(np.zeros((60, 80), int), scores_of(thin), 255)
    assert region['value'] < 0.7
    small = np.zeros((60, 80), int)
    small[10, 10] = 1
    assert [*doubtful(np.zeros((60, 80), int), scores_of(small), 255)] == []


def test_what_is_thin_depends_on_the_size_of_the_image():
    def value(side):
        answer = np.zeros((side, side), int)
        answer[20:30, 20:80] = 1  # five pixels deep
        (region,) = doubtful(np.where(answer == 1, 2, 0), scores_of(answer), 255)
        return region['value']

    assert value(100) == pytest.approx(0.7)
    assert value(400) == pytest.approx(0.7 * 5 / 8, rel=0.05)  # 8 pixels are 2 % of the side


def test_regions_of_one_pair_of_classes_are_apart_and_classes_that_no_model_knows_are_left_out():
    answer = np.zeros((60, 80), int)
    answer[5:20, 5:20] = answer[30:50, 40:70] = 1
    found = [*doubtful(np.zeros((60, 80), int), scores_of(answer), 255)]
    assert [region['box'] for region in found] == [[5, 5, 15, 15], [40, 30, 30, 20]]
    gt = np.full((60, 80), 3)  # of 3 classes from 0
    assert [*doubtful(gt, scores_of(answer), 255)] == []
    gt = np.full((60, 80), 2)
    assert {region['label'] for region in doubtful(gt, scores_of(answer), 255)} == {2}


@pytest.mark.parametrize('is_binary', [False, True])
def test_a_head_of_one_channel_is_that_of_two_classes(tmp_path, is_binary):
    gt = np.zeros((64, 96), int)
    gt[10:40, 20:60] = 1
    second = np.full(gt.shape, 0.05, np.float32)
    second[10:40, 20:40] = 0.95  # the other half is not found
    logits = torch.from_numpy(np.stack([1 - second, second]))
    data = torch.from_numpy(second)[None] if is_binary else logits.log()
    sample = {
        'seg_logits': {'data': data},
        'gt_sem_seg': {'data': torch.from_numpy(gt)[None]},
        'pred_sem_seg': {'data': torch.from_numpy(second > 0.5)[None].long()},
        'img_path': 'a.png',
    }
    metric = DoubtfulRegions(str(tmp_path / 'found'))
    metric.dataset_meta = {'classes': ('ground', 'thing')}
    metric.process({}, [sample])
    metric.compute_metrics(metric.results)
    (region,) = json.loads((tmp_path / 'found.json').read_text())
    assert (region['label'], region['other'], region['box']) == (1, 0, [40, 10, 20, 30])
    assert region['value'] == pytest.approx(0.9 * 0.5**0.5, abs=0.01)


def test_specks_are_left_out_without_a_look_at_each(monkeypatch):
    """A model that has learned little leaves many thousands of them in a photo."""
    looks = []

    class Counted(np.ndarray):
        def __eq__(self, other):
            looks.append(other)
            return np.asarray(self) == other

    parts = regions._parts
    monkeypatch.setattr(regions, '_parts', lambda mask: parts(mask).view(Counted))
    answer = np.zeros((60, 80), int)
    answer[::4, ::4] = answer[5:20, 5:20] = 1
    (found,) = doubtful(np.zeros((60, 80), int), scores_of(answer), 255)
    assert found['box'] == [4, 4, 17, 17]  # with the specks at its border
    assert len(looks) == 1
