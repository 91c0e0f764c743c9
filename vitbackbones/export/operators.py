"""Operators of graphs that are not torch's own: what ONNX has in their place."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import torch
from torch.export import ExportedProgram

from .runtime import suppression  # noqa: F401 (registers its operator)

if TYPE_CHECKING:
    from onnx_ir import Model

OTHERS = ('torchvision', 'vitbackbones')  # namespaces
OF_SIZES = (torch.sym_max, torch.sym_min)  # of sides that are left open
ALL = 2**63 - 1  # boxes of an image that may stay
SMALL = 1e-8  # onnxscript takes what is not larger for zero


def needs_onnx(program: ExportedProgram) -> bool:
    """Return whether a graph holds operators that OpenVINO reads from ONNX alone."""
    called = [node.target for node in program.graph.nodes if node.op == 'call_function']
    others = any(getattr(target, 'namespace', '') in OTHERS for target in called)
    return others or any(target in OF_SIZES for target in called)


def translations() -> dict[Callable, Callable]:
    """Return what ``custom_translation_table`` of ``torch.onnx.export`` needs for ours."""
    from onnxscript import opset18 as op

    def suppress(boxes, scores, iou_threshold: float):
        """Let ONNX's operator choose boxes of one class, and mark them in zeros (N, K)."""
        # (chosen, 3): image, class, box
        chosen = op.NonMaxSuppression(boxes, op.Unsqueeze(scores, [1]), ALL, iou_threshold, 0.0)
        places = op.Gather(chosen, [0, 2], axis=1)
        marks = op.Expand(1.0, op.Shape(chosen, start=0, end=1))
        zeros = op.Sub(scores, scores)
        return op.Greater(op.ScatterND(zeros, places, marks), 0.0)

    return {torch.ops.vitbackbones.suppress.default: suppress}


def keep_small_numbers(model: 'Model') -> None:
    """Keep onnxscript from leaving out ``+ 1e-8``, as of Performer attention, in place.

    Its rule for ``x + 0`` takes a number without axes up to 1e-8 for zero. With one axis of length
    1 the number is added alike, and the rule passes it over.
    """
    from onnx_ir import AttrTensor, Shape, tensor

    for node in model.graph:
        given = node.attributes.get('value') if node.op_type == 'Constant' else None
        value = given and given.as_tensor()
        if value is None or value.shape or not value.dtype.is_floating_point():
            continue
        if 0 < abs(number := value.numpy()) <= SMALL:
            node.attributes['value'] = AttrTensor('value', tensor(number.reshape(1)))
            node.outputs[0].shape = Shape([1])
