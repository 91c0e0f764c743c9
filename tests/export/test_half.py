"""Half precision: a file half as large that answers as the rounded network."""

import pytest
import torch
from torch import nn

from vitbackbones.export.half import halve_constants, keep_half, round_weights


@torch.no_grad()
def test_kept_in_half_precision_a_network_answers_as_one_with_large_weights_rounded():
    network = nn.Sequential(nn.Linear(32, 32), nn.LayerNorm(32))
    weight, bias = network[0].weight.clone(), network[0].bias.clone()
    round_weights(network)
    assert torch.equal(network[0].weight, weight.half().float())
    assert torch.equal(network[0].bias, bias)
    x = torch.rand(2, 32)
    wanted = network(x)
    keep_half(network)
    assert torch.equal(network(x), wanted)
    assert {value.dtype for value in network.state_dict().values() if value.numel() > 32} == {
        torch.float16
    }


def test_constants_of_onnx_are_halved_where_nothing_is_lost():
    onnx = pytest.importorskip('onnx')
    runtime = pytest.importorskip('onnxruntime')
    from onnx import TensorProto, helper, numpy_helper

    exact = torch.rand(16, 16).half().float()
    other = torch.rand(16, 16) + 1e-5
    constants = [numpy_helper.from_array(x.numpy(), n) for n, x in (('a', exact), ('b', other))]
    nodes = [helper.make_node('MatMul', ['x', 'a'], ['y']), helper.make_node('Add', 'yb', 'z')]
    ports = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [16, 16]) for n in 'xz']
    graph = helper.make_graph(nodes, 'two', ports[:1], ports[1:], constants)
    opsets = [helper.make_opsetid('', 18)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=9)
    before = model.SerializeToString()
    halve_constants(model)
    onnx.checker.check_model(model)
    kinds = {constant.name: constant.data_type for constant in model.graph.initializer}
    assert kinds == {'a.half': TensorProto.FLOAT16, 'b': TensorProto.FLOAT}
    x = torch.rand(16, 16).numpy()
    answers = [
        runtime.InferenceSession(each).run(None, {'x': x})[0]
        for each in (before, model.SerializeToString())
    ]
    assert (answers[0] == answers[1]).all()
