"""Which graph answers, which is made, and when torch does."""

import json
from itertools import count
from types import SimpleNamespace

import numpy as np
import pytest
from mmengine.config import Config

from tests.runtime.graphs import write_classifier
from vitbackbones.data.sources import Frame, Source
from vitbackbones.errors import InputError
from vitbackbones.export import writing
from vitbackbones.export.writing import Original
from vitbackbones.inference import graphs as module
from vitbackbones.inference.graphs import WORTH, GraphModel
from vitbackbones.runtime.answers import Classified
from vitbackbones.runtime.cache import FREQUENT, Graphs
from vitbackbones.runtime.preparing import Taken

OFTEN = 8  # pictures after which torch has spent enough seconds on a size
PARITY = {'differences': {'logits': 4e-7}}


class Torch:
    """A model in torch whose answers say that they are of torch."""

    def __init__(self, first):
        self.first = first
        self.exported = []
        self.predictor = self
        self.fault = None

    @property
    def subject(self):
        return SimpleNamespace(classes=['ring', 'square', 'star'], palette=None)

    @property
    def taken(self):
        return Taken([], write_classifier(self.scratch, size=(None, None)).input)

    def prepare(self, frame):
        return frame

    def answer(self, samples, logits=False):
        return [Classified(np.array([9.0, 9, 9])) for _ in samples]

    def export(self, graphs, name):
        self.exported.append(name)
        if self.fault:
            raise self.fault
        graphs.folder.mkdir(parents=True, exist_ok=True)
        size = (None, None) if name == 'any' else tuple(map(int, name.split('x')))
        card = write_classifier(graphs.file(name), size=size, parity=PARITY)
        graphs.seal(name)
        return card


@pytest.fixture
def graphs(tmp_path, monkeypatch):
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path))
    seconds = count(0, WORTH / OFTEN)
    monkeypatch.setattr(module, 'perf_counter', lambda: next(seconds))
    monkeypatch.setattr(Torch, 'scratch', tmp_path / 'scratch.onnx', raising=False)
    return Graphs('key', '.onnx')


def ask(model, *sizes):
    """Return for each size whether a graph has answered."""
    found = []
    for size in sizes:
        frame = Frame(Source('a', 'a'), np.zeros((*size, 3), np.uint8))
        (answer,) = model.answer([model.prepare(frame)])
        found.append(answer.scores[0] != 9)
    return found


def test_one_graph_of_any_size_answers_everything(graphs):
    torch = Torch('any')
    model = GraphModel(graphs, lambda: torch)
    assert ask(model, (8, 9), (30, 20)) == [True, True]
    assert torch.exported == ['any']
    assert model.runtime.startswith('ONNX Runtime ')
    assert model.runtime.endswith('exported now in 1 s, with differences of at most 4e-07')


def test_a_kept_graph_needs_no_torch(graphs):
    Torch('any').export(graphs, 'any')
    model = GraphModel(graphs, None)
    assert ask(model, (8, 9)) == [True]
    assert model.runtime.endswith('exported before')
    assert model.meta['classes'] == ['ring', 'square', 'star']


def test_a_graph_that_another_process_makes_meanwhile_is_taken(graphs):
    torch = Torch('any')

    def build():
        torch.export(graphs, 'any')  # the other process
        return torch

    assert ask(GraphModel(graphs, build), (8, 9)) == [True]
    assert torch.exported == ['any']


def test_a_size_that_comes_often_gets_a_graph(graphs, capsys):
    torch = Torch(None)
    model = GraphModel(graphs, lambda: torch)
    assert ask(model, *[(8, 9)] * (OFTEN + 2)) == [False] * OFTEN + [True] * 2
    assert 'runtime for 8 x 9: ONNX Runtime' in capsys.readouterr().out
    assert ask(model, (9, 8)) == [False]
    assert ask(GraphModel(graphs, lambda: torch), (8, 9)) == [True]  # from its first picture on
    assert torch.exported == ['8x9']


def test_a_size_that_several_calls_had_gets_a_graph(graphs, capsys):
    torch = Torch(None)
    for _ in range(FREQUENT):
        assert ask(GraphModel(graphs, lambda: torch), (8, 9), (8, 9)) == [False, False]
    assert ask(GraphModel(graphs, lambda: torch), (8, 9)) == [True]
    assert 'runtime for 8 x 9: ONNX Runtime' in capsys.readouterr().out
    assert torch.exported == ['8x9']
    assert ask(GraphModel(graphs, None), (8, 9)) == [True]  # torch is not needed any more
    for _ in range(FREQUENT):
        assert ask(GraphModel(graphs, lambda: torch), (9, 8), (8, 9)) == [False, True]
    assert ask(GraphModel(graphs, lambda: torch), (8, 9)) == [True]
    assert torch.exported == ['8x9']  # the other size was not asked for
    assert ask(GraphModel(graphs, lambda: torch), (9, 8)) == [True]


def test_a_graph_that_cannot_be_made_is_not_tried_in_each_call(graphs):
    torch = Torch(None)
    torch.fault = InputError('too narrow')
    for _ in range(2 * FREQUENT + 2):
        assert ask(GraphModel(graphs, lambda: torch), (8, 9)) == [False]
    assert torch.exported == ['8x9'] * 2


@pytest.mark.parametrize('content', ['', '[]', '{"8x9": "4"}', '{"8x9": 4.0}'])
def test_counts_of_calls_that_are_damaged_start_again(graphs, content):
    torch = Torch(None)
    ask(GraphModel(graphs, lambda: torch), (8, 9))
    (file,) = graphs.folder.glob('*.json')
    file.write_text(content)
    assert ask(GraphModel(graphs, lambda: torch), (8, 9)) == [False]
    assert json.loads(file.read_text()) == {'8x9': 1}


def test_a_folder_of_many_sizes_makes_few_graphs(graphs, monkeypatch):
    monkeypatch.setattr(module, 'MOST_GRAPHS', 2)
    torch = Torch(None)
    model = GraphModel(graphs, lambda: torch)
    for side in range(5, 15):
        ask(model, *[(side, side)] * (OFTEN + 1))
    assert torch.exported == ['5x5', '6x6']


def test_a_size_without_a_graph_is_tried_once(graphs, capsys):
    torch = Torch(None)
    model = GraphModel(graphs, lambda: torch)
    torch.fault = InputError('too narrow')
    assert ask(model, *[(8, 9)] * 3 * OFTEN) == [False] * 3 * OFTEN
    assert torch.exported == ['8x9']
    assert 'runtime for 8 x 9: torch (too narrow)' in capsys.readouterr().out


def test_what_a_graph_cannot_answer_torch_does(graphs, monkeypatch):
    torch = Torch('any')
    model = GraphModel(graphs, lambda: torch)
    broken = InputError('ONNX Runtime fails')
    monkeypatch.setattr(model._open('any'), 'answer', lambda *given: (_ for _ in ()).throw(broken))
    assert ask(model, (8, 9)) == [False]


def test_a_model_with_masks_has_no_graph_here(monkeypatch):
    subject = SimpleNamespace(network=SimpleNamespace(outputs=('boxes', 'masks')))
    monkeypatch.setattr(writing, 'of_config', lambda *_, **__: subject)
    monkeypatch.setattr(Original, 'predictor', None)
    with pytest.raises(InputError, match='an exported file computes masks in its input size'):
        _ = Original(Config(), 'a.pth', 'onnx').first


@pytest.mark.parametrize(
    ('steps', 'size', 'name'),
    [
        ([], (8, 9), '8x9'),
        ([{'type': 'slide', 'crop': [16, 16]}], (20, 30), '16x16'),
        ([{'type': 'resize'}, {'type': 'slide', 'crop': [16, 18]}], (16, 18), '16x18'),
        ([{'type': 'slide', 'crop': [16, 16]}], (15, 30), ''),
        ([{'type': 'slide', 'crop': [16, 16]}], (30, 15), ''),
        ([{'type': 'slide', 'crop': [16, 16]}, {'type': 'pad'}], (15, 30), '15x30'),
    ],
)
def test_the_graph_of_a_size_is_that_of_its_windows(graphs, monkeypatch, steps, size, name):
    model = GraphModel(graphs, lambda: Torch(None))
    monkeypatch.setattr(model, 'taken', SimpleNamespace(steps=steps))
    assert model._graph_name(size) == name
