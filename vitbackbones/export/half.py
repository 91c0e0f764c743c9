"""Weights in half precision, computed with in float32.

The weights of the network are rounded first. So the file, half as large, answers as the rounded
network does, and that can be compared to the last bits. What a runtime does with half precision on
its device, such as TensorRT's ``--fp16``, is its own.
"""

from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.utils import parametrize

if TYPE_CHECKING:
    from onnx import ModelProto

LEAST = 256  # numbers: what is smaller is not worth a conversion


class Widened(nn.Module):
    """Keep a tensor in half precision and give it in float32."""

    def forward(self, half: Tensor) -> Tensor:
        return half.float()


def round_weights(network: nn.Module) -> None:
    """Round the larger weights of a network to half precision, in place; they stay float32."""
    for weight in network.parameters():
        if _worth_it(weight):
            weight.data = weight.data.half().float()


def keep_half(network: nn.Module) -> None:
    """Keep the larger weights of a network in half precision, in place."""
    for module in list(network.modules()):
        for name, weight in list(module.named_parameters(recurse=False)):
            if _worth_it(weight):
                weight.requires_grad_(False)
                parametrize.register_parametrization(module, name, Widened(), unsafe=True)
                kept = module.parametrizations[name].original
                kept.data = kept.data.half()


def _worth_it(weight: Tensor) -> bool:
    return weight.dtype == torch.float32 and weight.numel() >= LEAST


def halve_constants(model: 'ModelProto') -> None:
    """Store the constants of an ONNX graph, those that lose nothing, in half precision."""
    from onnx import TensorProto, helper, numpy_helper

    graph, casts = model.graph, []
    for constant in graph.initializer:
        if constant.data_type != TensorProto.FLOAT:
            continue
        full = numpy_helper.to_array(constant)
        with np.errstate(over='ignore'):
            half = full.astype(np.float16)
        if full.size < LEAST or not np.array_equal(half.astype(np.float32), full):
            continue
        name = constant.name
        constant.CopyFrom(numpy_helper.from_array(half, f'{name}.half'))
        casts.append(helper.make_node('Cast', [f'{name}.half'], [name], to=TensorProto.FLOAT))
    nodes = [*casts, *graph.node]
    del graph.node[:]
    graph.node.extend(nodes)
