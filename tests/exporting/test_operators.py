"""Operators that are not torch's own, in ONNX Runtime and OpenVINO."""

import pytest
import torch
from torch import nn

from vitbackbones.exporting.operators import holds_operators, translations

from ..exported.test_suppression import GIVEN, STAY, Suppress, boxes_of


@pytest.fixture(scope='module')
def program():
    batch = torch.export.Dim('batch')
    given = (boxes_of(2), GIVEN[:2])
    return torch.export.export(Suppress(), given, dynamic_shapes=({0: batch}, {0: batch}))


@pytest.fixture(scope='module')
def file(program, tmp_path_factory):
    file = tmp_path_factory.mktemp('graph') / 'suppress.onnx'
    torch.onnx.export(program, custom_translation_table=translations(), verbose=False).save(file)
    return file


def in_onnxruntime(file):
    import onnxruntime

    session = onnxruntime.InferenceSession(file)
    names = [each.name for each in session.get_inputs()]
    return lambda *given: session.run(None, dict(zip(names, given, strict=True)))[0]


def in_openvino(file):
    import openvino

    model = openvino.Core().compile_model(file, 'CPU')
    return lambda *given: model(list(given))[0]


@pytest.mark.parametrize('start', [in_onnxruntime, in_openvino])
def test_suppression_finds_the_same_in_batches_of_any_size(file, start):
    run = start(file)
    for images in (1, 4):
        stays = run(boxes_of(images).numpy(), GIVEN[:images].numpy())
        assert stays.tolist() == STAY[:images].tolist()


def test_a_graph_tells_whether_it_holds_one(program):
    assert holds_operators(program)
    assert not holds_operators(torch.export.export(nn.Linear(4, 2), (torch.ones(1, 4),)))
