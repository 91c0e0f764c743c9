"""Whole detectors and segmentors for ``benchmark``, as graphs from images to their answers.

==========================  ======================================================
``config:``                 the model of a config, with the weights that come along
``config_fused:``           the same after ``fuse_model``
``config_compiled:``        the whole graph after ``fuse_for_inference(compile=True)``
``config_onnxruntime:``     the same in ONNX Runtime
``config_openvino:``        the same in OpenVINO
==========================  ======================================================
"""

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import torch
from torch import Tensor, nn

from ..benchmarking.model_sources import Size, Source
from ..benchmarking.runtimes import Exported, Start
from ..configuration.read import read_config
from ..errors import InputError
from ..exported.runtimes import start_onnxruntime, start_openvino
from ..exporting.formats import write_onnx
from ..exporting.graphs import trace
from ..inference.predictor import Predictor
from ..layers import fuse_for_inference
from ..openmmlab.fusing import fuse_model
from ..tasks import find_task
from ..trained import trained_weights


def _graph(
    name: str,
    size: Size,
    features: bool,
    change: Callable[[nn.Module], nn.Module] = lambda model: model,
) -> nn.Module:
    """Return the model of a config, changed, as a graph.

    Raises:
        InputError: no weights come along with the package, or feature maps are asked for.
    """
    trained = trained_weights()
    if name not in trained or features:
        raise InputError(
            f'config:{name}: only whole models with weights that come along are timed: '
            f'{", ".join(trained)}'
        )
    config = read_config(name)
    predictor = Predictor(config, trained[name], torch.device('cpu'))
    return find_task(config).exportable(change(predictor.model), 'logits').eval()


def _compiled(*given) -> nn.Module:
    return fuse_for_inference(_graph(*given), compile=True)


def _exported(start: Start, *given) -> nn.Module:
    return Exported(_graph(*given), start, _as_onnx)


@torch.inference_mode(False)
def _as_onnx(graph: nn.Module, image: Tensor) -> bytes:
    """Return a graph in ONNX, by torch.export: DETR cannot be traced by TorchScript."""
    program = trace(graph, image.clone(), ())
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, 'graph.onnx')
        write_onnx(program, graph.outputs, file, half=False)
        return file.read_bytes()


CONFIG_SOURCES: dict[str, Source] = {
    'config': _graph,
    'config_fused': partial(_graph, change=fuse_model),
    'config_compiled': _compiled,
    'config_onnxruntime': partial(_exported, start_onnxruntime),
    'config_openvino': partial(_exported, start_openvino),
}
