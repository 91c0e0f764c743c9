"""``test CONFIG MODEL.onnx``: the metrics of a config, of what an exported file answers."""

import json
import re

import cv2
import numpy as np
import pytest
from PIL import Image

from vitbackbones.data.shapes.writing import KINDS, write
from vitbackbones.runtime import load
from vitbackbones.runtime.card import card_path

from ..runtime.graphs import write_classifier, write_detector, write_pt2, write_segmentor
from .conftest import TINY, TINY_CLS, TINY_SEG
from .test_messages import refused

INTO = [{'type': 'resize_into', 'size': [32, 32]}]


def measured(result, name):
    assert result.status == 0, result.out + result.err
    return float(re.search(rf'^{name} +([\d.]+)$', result.out, re.MULTILINE)[1])


def annotated(root):
    """Write a detector that finds what is annotated on the one picture of validation."""
    content = json.loads((root / 'annotations/instances_val.json').read_text())
    corners = np.array([entry['bbox'] for entry in content['annotations']], np.float32)
    corners[:, 2:] += corners[:, :2]
    labels = [entry['category_id'] - 1 for entry in content['annotations']]
    found = {'boxes': corners[None] / 2, 'labels': np.array([labels])}
    found['scores'] = np.linspace(0.9, 0.5, len(labels), dtype=np.float32)[None]
    write_detector(root / 'model.onnx', found, steps=INTO, classes=list(KINDS))
    return root / 'model.onnx'


def test_a_detector_that_finds_what_is_annotated(tool, tmp_path):
    root = write(tmp_path / 'data', train=1, val=1, size=64)
    result = tool('test', TINY, annotated(root), '--data-root', root)
    assert measured(result, 'coco/bbox_mAP') == 1


def test_the_labels_of_pixels(tool, tmp_path, data):
    classes = ['ground', *KINDS]
    write_segmentor(tmp_path / 'model.onnx', classes=classes, steps=INTO)
    result = tool('test', TINY_SEG, tmp_path / 'model.onnx', '--data-root', data)
    exported, right = load(tmp_path / 'model.onnx'), []
    for file in sorted((data / 'images/val').iterdir()):
        labels = exported.predict(cv2.imread(str(file))).labels
        mask = np.asarray(Image.open(data / 'annotations/val' / f'{file.stem}.png'))
        right.append((labels == mask - 1.0)[mask > 0])
    assert measured(result, 'aAcc') == pytest.approx(100 * np.concatenate(right).mean(), abs=0.01)


@pytest.fixture
def classifier(tmp_path):
    write_classifier(tmp_path / 'model.onnx', 1, classes=list(KINDS), steps=INTO)
    return tmp_path / 'model.onnx'


def test_the_classes_of_pictures_in_batches_beyond_the_graphs(tool, classifier, folders):
    result = tool('test', TINY_CLS, classifier, '--data-root', folders, '--report', 'report')
    exported, right = load(classifier), []
    for file in sorted((folders / 'val').glob('*/*')):
        answer = exported.predict(cv2.imread(str(file)))
        right.append(KINDS[answer.scores.argmax()] == file.parent.name)
    assert len(right) > 1
    assert measured(result, 'accuracy/top1') == pytest.approx(100 * np.mean(right), abs=1e-3)
    assert 'model.onnx' in (classifier.parent / 'report' / 'report.html').read_text()


def test_a_file_that_may_hold_code_is_measured_where_it_is_trusted(tool, tmp_path, folders):
    write_pt2(tmp_path / 'model.pt2', classes=list(KINDS), steps=INTO)
    given = 'test', TINY_CLS, tmp_path / 'model.pt2', '--data-root', folders
    refused(tool(*given), 'a .pt2 file may contain code', '--trusted')
    measured(tool(*given, '--trusted'), 'accuracy/top1')


@pytest.mark.parametrize(('config', 'task'), [(TINY, 'detection'), (TINY_SEG, 'segmentation')])
def test_a_file_of_another_task_is_refused(tool, classifier, data, config, task):
    said = f'model.onnx was exported for classification, but the config is for {task}'
    refused(tool('test', config, classifier, '--data-root', data), said)


def test_what_does_not_fit_is_refused_before_the_test(tool, classifier, folders):
    given = 'test', TINY_CLS, classifier, '--data-root', folders
    refused(tool(*given, '--fused'), '--fused: is not supported for an exported file')
    card = json.loads(card_path(classifier).read_text())
    card_path(classifier).write_text(json.dumps(card | {'classes': ['a', 'b', 'c']}))
    refused(tool(*given), 'model.onnx was trained for 3 classes (a, b, c), but the dataset')
