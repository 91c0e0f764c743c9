"""Files in their runtimes; what cannot run, or is of another model, is one message."""

import sys
from dataclasses import replace

import numpy as np
import pytest

from vitbackbones.errors import InputError
from vitbackbones.runtime.card import Card, GraphOutput
from vitbackbones.runtime.model import load, open_graph
from vitbackbones.runtime.runtimes import start_onnxruntime, start_openvino, start_torch

from ..in_threads import wrong_answers
from .cards import make_card
from .graphs import write_classifier, write_pt2, write_segmentor, write_with_weights_elsewhere


@pytest.mark.parametrize('suffix', ['.onnx', '.xml', '.pt2'])
def test_a_file_that_is_no_graph_is_one_line(tmp_path, suffix):
    file = tmp_path / f'model{suffix}'
    file.write_bytes(b'no graph')
    with pytest.raises(InputError, match=rf'model{suffix}: .* cannot run it: ') as refusal:
        open_graph(file, make_card(), trusted=True)
    assert '\n' not in str(refusal.value)


@pytest.mark.parametrize('start', [start_onnxruntime, start_openvino])
@pytest.mark.parametrize('place', ['../secret', '{}/secret', 'link'])
def test_weights_outside_of_the_folder_are_not_read(tmp_path, start, place):
    folder = tmp_path / 'model'
    folder.mkdir()
    (tmp_path / 'secret').write_bytes(bytes(12))
    (folder / 'link').symlink_to(tmp_path / 'secret')
    write_with_weights_elsewhere(folder / 'model.onnx', place.format(tmp_path))
    with pytest.raises(Exception, match='outside|escapes|Absolute path not allowed'):
        start(folder / 'model.onnx')


def test_a_file_that_may_hold_code_is_read_on_word_alone(tmp_path, monkeypatch):
    file = tmp_path / 'model.pt2'
    write_pt2(file)
    monkeypatch.setattr('torch.export.load', lambda file: pytest.fail('it was read'))
    with pytest.raises(InputError, match='--trusted'):
        open_graph(file, Card.read(file))


@pytest.mark.parametrize(
    ('changed', 'message'),
    [
        ({'input': replace(make_card().input, name='x')}, 'the metadata file states x '),
        (
            {'input': replace(make_card().input, dtype='uint8')},
            r'32 of float32\), but the metadata file',
        ),
        ({'input': replace(make_card().input, shape=[1, 3, 9, 9])}, '1 x 3 x 9 x 9'),
        ({'outputs': [GraphOutput(name='logits', dtype='float32', shape=[None, 9])]}, r'x 9 of'),
        ({'outputs': []}, r'The graph has the output logits \(\? x 3 of float32\)'),
    ],
)
def test_a_graph_of_another_model_is_refused(tmp_path, changed, message):
    file = tmp_path / 'model.onnx'
    write_classifier(file)
    with pytest.raises(InputError, match=message):
        open_graph(file, make_card(**changed))


def test_a_graph_that_fixes_what_its_card_leaves_open_is_refused(tmp_path):
    write_classifier(tmp_path / 'model.onnx', batch=2)
    with pytest.raises(
        InputError, match=r'image \(2 x 3 .* the metadata file states image \(\? x 3'
    ):
        open_graph(tmp_path / 'model.onnx', make_card())


def test_a_missing_runtime_is_named_with_its_command(tmp_path, monkeypatch):
    file = tmp_path / 'model.onnx'
    write_segmentor(file)
    monkeypatch.setitem(sys.modules, 'onnxruntime', None)
    with pytest.raises(InputError, match='pip install onnxruntime'):
        open_graph(file, make_card())


def test_another_suffix_is_refused(tmp_path):
    with pytest.raises(InputError, match=r'its suffix must be one of \.onnx, \.xml, \.pt2'):
        open_graph(tmp_path / 'model.pth', make_card())


@pytest.mark.parametrize('start', [start_onnxruntime, start_openvino, start_torch])
def test_threads_that_share_a_graph_get_the_answers_for_their_own_images(tmp_path, start):
    file = tmp_path / ('model.pt2' if start is start_torch else 'model.onnx')
    (write_pt2 if start is start_torch else write_classifier)(file)
    graph = start(file)
    images = [np.full((1, 3, 32, 32), i, np.float32) for i in range(16)]
    assert wrong_answers(lambda image: graph.run(image)[0], images) == [0, 0, 0, 0]


@pytest.mark.parametrize('suffix', ['.onnx', '.pt2'])
def test_threads_that_share_an_exported_file_get_their_own_answers(tmp_path, suffix):
    file = tmp_path / f'model{suffix}'
    (write_pt2 if suffix == '.pt2' else write_classifier)(file)
    exported = load(file, trusted=True)
    pictures = [np.full((32, 32, 3), 15 * i, np.uint8) for i in range(16)]
    pictures = [picture * np.uint8([1, 0, 0]) for picture in pictures]
    found = wrong_answers(lambda each: exported.predict(each).scores, pictures, answers=100)
    assert found == [0, 0, 0, 0]
