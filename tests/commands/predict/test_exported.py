"""``predict MODEL.onnx``: the same files as for a config and weights, without torch."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ...runtime.graphs import write_classifier, write_detector
from ..test_messages import refused
from .pictures import FRAMES, HEIGHT, WIDTH

RESIZE = [{'type': 'resize', 'size': [32, 32]}]


@pytest.fixture
def classifier(tmp_path):
    write_classifier(tmp_path / 'model.onnx', steps=RESIZE)
    return tmp_path / 'model.onnx'


@pytest.fixture
def run(tool):
    def call(*arguments, status=0):
        result = tool('predict', *arguments, '--out', 'out')
        assert result.status == status, result.out + result.err
        return result

    return call


def test_pictures_and_videos_are_classified_in_batches(run, classifier, files):
    run(classifier, files, '--batch-size', 3)
    found = json.loads(Path('out/predictions.json').read_text())
    assert {entry['file_name'] for entry in found} >= {'rgb.png', 'sub/rgb.png', 'clip.avi'}
    assert [entry['frame'] for entry in found if 'frame' in entry] == list(range(FRAMES))
    assert Path('out/pictures/clip.avi.mp4').is_file()
    by_name = {entry['file_name']: entry['best'] for entry in found}
    assert by_name['rgb.png'] == by_name['sub/rgb.png']
    assert {best['class'] for best in by_name['rgb.png']} == {'ring', 'square', 'star'}


def test_batches_of_as_many_pictures_as_the_runtime_likes(run, classifier, files):
    run(classifier, files / 'rgb.png', files / 'gray.png')
    wanted = json.loads(Path('out/predictions.json').read_text())
    run(classifier, files / 'rgb.png', files / 'gray.png', '--batch-size', 'auto', '--overwrite')
    assert json.loads(Path('out/predictions.json').read_text()) == wanted


def test_it_goes_on_with_the_same_file_alone(run, classifier, files):
    run(classifier, files / 'rgb.png')
    result = run(classifier, files / 'rgb.png', files / 'gray.png', '--resume')
    assert '1 of 2 files are already done' in result.out
    write_classifier(classifier, batch=1, steps=RESIZE)
    result = run(classifier, files / 'rgb.png', '--resume', status=2)
    refused(result, 'started with other settings: the exported file was model.onnx')


def test_a_precision_that_was_not_measured_is_refused(run, classifier, files):
    run(classifier, files / 'rgb.png', '--precision', 'f32')
    result = run(classifier, files / 'rgb.png', '--precision', 'bf16', '--overwrite', status=2)
    refused(result, 'model.onnx: its loss in bf16 was not measured. Export it with --to openvino')


def test_options_of_torch_are_refused(run, classifier, files):
    for option in (('--amp',), ('--fused',), ('--device', 'cpu'), ('--cfg-options', 'a=1')):
        result = run(classifier, files, *option, status=2)
        refused(result, f'model.onnx: {option[0]} is not supported for an exported file')


WITHOUT = """
import sys
missing = ('torch', 'torchvision', 'mmengine', 'mmcv', 'mmdet', 'mmseg', 'mmpretrain', 'scipy')
missing += ('pycocotools', 'matplotlib', 'sklearn', 'jinja2', 'filelock', 'safetensors', 'onnx')
sys.modules.update(dict.fromkeys(missing))
from vitbackbones.commands.main import run_verb
sys.exit(run_verb('predict', sys.argv[1:]))
"""


def test_it_needs_neither_torch_nor_openmmlab(tmp_path, files):
    found = {
        'boxes': np.array([[[8, 0, 24, 32], [0, 0, 0, 0]]], np.float32),
        'scores': np.array([[0.75, 0]], np.float32),
        'labels': np.array([[1, -1]]),
        'masks': np.zeros((1, 2, 32, 32), np.uint8),
    }
    found['masks'][:, 0, :, 8:24] = 1
    write_detector(tmp_path / 'model.onnx', found, steps=RESIZE)
    given = tmp_path / 'model.onnx', files, '--out', tmp_path / 'out'
    command = [sys.executable, '-c', WITHOUT, *map(str, given)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    entry, *_ = json.loads((tmp_path / 'out/predictions.json').read_text())
    assert entry['segmentation']['size'] == [HEIGHT, WIDTH]
    assert entry['bbox'] == [WIDTH / 4, 0, WIDTH / 2, HEIGHT]  # in pixels of the picture
    assert (entry['category_id'], entry['score']) == (2, 0.75)
