"""Tiny ONNX graphs, built node by node, and their cards."""

from pathlib import Path

import pytest
import torch
from torch import nn

from vitbackbones.runtime.card import Card, GraphInput, GraphOutput

from .cards import make_card

pytest.importorskip('onnx')
import onnx  # noqa: E402
from onnx import TensorProto, helper, numpy_helper  # noqa: E402


def write_classifier(file: Path, batch: int | None = None, size=(32, 32), **changed) -> Card:
    """Write a graph whose logits are the averages of the channels; return its card."""
    nodes = [
        helper.make_node('GlobalAveragePool', ['image'], ['pooled']),
        helper.make_node('Flatten', ['pooled'], ['logits']),
    ]
    return _write(file, nodes, [batch, 3, *size], {'logits': [batch, 3]}, **changed)


class Means(nn.Module):
    def forward(self, image):
        return (image.mean((2, 3)),)


def write_pt2(file: Path, **changed) -> None:
    """Write what :func:`write_classifier` writes as torch's own file."""
    dynamic = ({0: torch.export.Dim('batch')},)
    program = torch.export.export(Means(), (torch.randn(2, 3, 32, 32),), dynamic_shapes=dynamic)
    torch.export.save(program, file)
    make_card(format='pt2', **changed).write(file)


def write_segmentor(file: Path, size=(None, None), **changed) -> Card:
    """Write a graph whose logits are the channels of the image; return its card."""
    nodes = [helper.make_node('Identity', ['image'], ['logits'])]
    shape = [None, 3, *size]
    return _write(file, nodes, shape, {'logits': shape}, task='segmentation', **changed)


def write_detector(file: Path, found: dict, size=(None, None), **changed) -> Card:
    """Write a graph that finds the same on every image, which it takes one by one.

    Args:
        file: where to.
        found: arrays by the names of the outputs, such as ``boxes`` (1, M, 4).
        size: height and width of its images.
    """
    # something of the image, as a graph must use its input
    nodes = [
        helper.make_node('ReduceMin', ['image'], ['least'], keepdims=0),
        helper.make_node('Sub', ['least', 'least'], ['zero']),
    ]
    for name, values in found.items():
        value = numpy_helper.from_array(values, f'{name}_found')
        kind = helper.np_dtype_to_tensor_dtype(values.dtype)
        nodes += [
            helper.make_node('Constant', [], [f'{name}_found'], value=value),
            helper.make_node('Cast', ['zero'], [f'{name}_zero'], to=kind),
            helper.make_node('Add', [f'{name}_found', f'{name}_zero'], [name]),
        ]
    shapes = {name: list(values.shape) for name, values in found.items()}
    types = {name: values.dtype.name for name, values in found.items()}
    return _write(file, nodes, [1, 3, *size], shapes, types, **{'task': 'detection'} | changed)


def write_with_weights_elsewhere(file: Path, place: str) -> None:
    """Write a graph that adds three numbers, which lie in the file at ``place``, to the image."""
    kind, shape = TensorProto.FLOAT, [1, 3, 1, 1]
    weights = TensorProto(name='weights', data_type=kind, dims=shape)
    weights.data_location = TensorProto.EXTERNAL
    weights.external_data.add(key='location', value=place)
    nodes = [helper.make_node('Add', ['image', 'weights'], ['sum'])]
    ports = [[helper.make_tensor_value_info(name, kind, shape)] for name in ('image', 'sum')]
    graph = helper.make_graph(nodes, 'tiny', *ports, initializer=[weights])
    opsets = [helper.make_opsetid('', 18)]
    # onnx.save would look for the weights
    file.write_bytes(helper.make_model(graph, opset_imports=opsets).SerializeToString())


def _write(file, nodes, shape, outputs, types=None, **changed) -> Card:
    types = types or dict.fromkeys(outputs, 'float32')
    given = [_value('image', 'float32', shape)]
    found = [_value(name, types[name], size) for name, size in outputs.items()]
    graph = helper.make_graph(nodes, 'tiny', given, found)
    opsets = [helper.make_opsetid('', 18)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=9), file)
    image = make_card().input
    values = {
        'input': GraphInput(**vars(image) | {'shape': shape}),
        'outputs': [
            GraphOutput(name=name, dtype=types[name], shape=size) for name, size in outputs.items()
        ],
    }
    card = make_card(**values | changed)
    card.write(file)
    return card


def _value(name, dtype, shape):
    kind = getattr(TensorProto, {'float32': 'FLOAT', 'int64': 'INT64', 'uint8': 'UINT8'}[dtype])
    sizes = [f'{name}_{i}' if size is None else size for i, size in enumerate(shape)]
    return helper.make_tensor_value_info(name, kind, sizes)
