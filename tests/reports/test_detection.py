"""The report of a detector, from the metrics of its test."""

from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from vitbackbones.errors import InputError
from vitbackbones.reports import detection
from vitbackbones.reports.coco import match
from vitbackbones.reports.detection import (
    RIGHT,
    WRONG,
    DetectionReport,
    Note,
    count_mistakes,
    draw_curves,
    draw_mistakes,
    draw_notes,
)

from . import toy

pytestmark = pytest.mark.compat
RECALLS = np.linspace(0, 1, 11)
SCALE = 400 / toy.SIDE
NAMES = dict(enumerate(toy.CLASSES, start=1))


class Pictures(list):
    """A data set of files."""

    get_data_info = list.__getitem__


@pytest.fixture
def report(tmp_path):
    """``report(options of a metric, ...)`` runs a test and returns the sections."""

    def run(*settings, worst=2):
        from mmdet.evaluation import CocoMetric
        from mmengine.evaluator import Evaluator

        file = str(toy.write(tmp_path))
        data = Pictures({'img_id': i, 'img_path': str(tmp_path / f'{i}.png')} for i in toy.BOXES)
        loop = SimpleNamespace(dataloader=SimpleNamespace(dataset=data))
        loop.evaluator = Evaluator([CocoMetric(file, **each) for each in settings])
        loop.evaluator.dataset_meta = {'classes': toy.CLASSES}
        made = DetectionReport(loop, worst, 0.3)
        loop.evaluator.process([toy.sample(i, each, True) for i, each in toy.FOUND.items()])
        return loop.evaluator.evaluate(len(data)), {each.title: each for each in made.sections()}

    return run


def test_boxes_and_masks(report):
    metrics, sections = report({'metric': ['bbox', 'segm', 'proposal']})
    subjects = ('Classes', 'Score threshold', 'Precision and recall', 'Confusion', 'Worst images')
    assert [*sections] == [f'{each}: {kind}' for kind in ('boxes', 'masks') for each in subjects]
    for title, kind in (('boxes', 'bbox'), ('masks', 'segm')):
        (table,) = sections[f'Classes: {title}'].parts
        assert table.rows[-1][2] == pytest.approx(metrics[f'coco/{kind}_mAP'], abs=5.1e-4)
        titles = [each.title for each in sections[f'Worst images: {title}'].parts]
        assert titles == ['1.png: 1 missed, 2 false', '2.png: 1 missed, 1 false']


def test_pictures_without_a_mistake_are_not_among_the_worst(report, monkeypatch):
    right = {i: [(label, 0.9, box) for label, box in own] for i, own in toy.BOXES.items()}
    monkeypatch.setattr(toy, 'FOUND', right)
    _, sections = report({}, worst=16)
    assert [*sections['Worst images: boxes'].parts] == []
    assert sections['Classes: boxes'].parts[0].rows[-1][2] == pytest.approx(1)


def test_no_detections_at_all(report, monkeypatch):
    monkeypatch.setattr(toy, 'FOUND', {i: [] for i in toy.BOXES})
    metrics, sections = report({'metric': ['bbox', 'segm']})
    assert metrics['coco/bbox_mAP'] == metrics['coco/segm_mAP'] == 0
    for kind in ('boxes', 'masks'):
        titles = [each.title for each in sections[f'Worst images: {kind}'].parts]
        assert titles == ['1.png: 2 missed, 0 false', '2.png: 1 missed, 0 false']
        assert sections[f'Classes: {kind}'].parts[0].rows[-1][1:3] == [3, 0]


def test_a_test_without_a_coco_metric_has_no_report(report):
    with pytest.raises(InputError, match='no CocoMetric'):
        report()
    with pytest.raises(InputError, match='no CocoMetric'):
        report({'format_only': True, 'outfile_prefix': 'x'})


def texts(lines, classes):
    picture = draw_curves({'first': lines, 'second': lines}, RECALLS, classes)
    tree = ElementTree.fromstring(picture.content)
    return [each.text for each in tree.iter('{http://www.w3.org/2000/svg}text')]


def test_every_class_is_named_with_its_mean():
    lines = np.stack([np.full(11, 0.25), np.full(11, np.nan), np.full(11, 0.75)])
    found = texts(lines, ['_a$b$', 'empty', '<牛>'])
    for text in ('0.250  _a$b$', '0.750  <牛>', '0.500  mean', 'first', 'second', 'recall'):
        assert text in found
    assert not any('empty' in text for text in found)


def test_no_objects_at_all():
    assert 'mean' not in ' '.join(texts(np.full((2, 11), np.nan), ['a', 'b']))


def test_what_svg_cannot_hold_is_written_as_escapes():
    assert r'0.250  a\x01\udcff' in texts(np.full((1, 11), 0.25), ['a\x01\udcff'])


def test_a_box_with_sides_below_0_is_drawn():
    image = Image.new('RGB', (160, 160))
    boxes = [[30, 40, 60, 50], [90, 90, -60, -50]]
    one, other = (draw_notes(image, [Note({'bbox': box}, '', WRONG)], 'bbox') for box in boxes)
    assert np.array_equal(one, other)


def share(pixels, box, color):
    """How much of the left side of a box has a color, below its label."""
    x, y, width, height = (round(value * SCALE) for value in box)
    line = pixels[y + 30 : y + height - 5, x - 2 : x + 4]
    return (np.abs(line.astype(int) - color) < 40).all(-1).mean()


@pytest.mark.parametrize('kind', ['bbox', 'segm'])
def test_what_is_right_and_what_is_wrong(evaluated, kind, monkeypatch):
    labels = []
    write = detection.write_labels
    monkeypatch.setattr(
        detection, 'write_labels', lambda *given: labels.append(given[2]) or write(*given)
    )
    metric, _ = evaluated(metric=[kind])
    pairs = match(metric, kind, 0.3)
    assert [count_mistakes(own) for own in pairs.values()] == [(1, 2), (1, 1), (0, 1)]
    image = Image.new('RGB', (toy.SIDE, toy.SIDE), 'black')
    pixels = np.array(draw_mistakes(image, pairs[1], NAMES, kind))
    assert labels[0] == ['cat', 'dog, detected as cat']
    assert labels[1] == ['cat 0.90', 'cat 0.80, is dog', 'false: dog 0.40']
    truth, found = pixels[-400:, :400], pixels[-400:, -400:]
    (_, cat), (_, dog) = toy.BOXES[1]
    answer = toy.FOUND[1][1][2]
    assert share(truth, cat, RIGHT) > 0.3
    assert share(truth, dog, RIGHT) == share(truth, cat, WRONG) == 0
    assert share(truth, dog, WRONG) > 0.6
    assert share(found, answer, WRONG) > 0.6
