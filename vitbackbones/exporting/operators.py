"""Operators of graphs that are not torch's own: what ONNX has in their place."""

from collections.abc import Callable

import torch
from torch.export import ExportedProgram

from ..exported import suppression  # noqa: F401 (registers its operator)

OTHERS = ('torchvision', 'vitbackbones')  # namespaces
OF_SIZES = (torch.sym_max, torch.sym_min)  # of sides that are left open
ALL = 2**63 - 1  # boxes of an image that may stay


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
