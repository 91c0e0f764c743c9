"""Models of ours in other runtimes: ONNX Runtime and OpenVINO, on a CPU in float32.

A model is exported to ONNX in its folded form, for the one size and number of images that it is
measured with, as a static graph is what either runtime is fastest with.
"""

import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO

import numpy as np
import torch
from torch import Tensor, nn

from ..errors import InputError
from ..packages import import_optional

Run = Callable[[np.ndarray], list[np.ndarray]]


def start_onnxruntime(graph: bytes) -> Run:
    """Return what runs an ONNX graph in ONNX Runtime, with as many threads as torch has."""
    runtime = import_optional('onnxruntime', 'onnxruntime')
    options = runtime.SessionOptions()
    options.intra_op_num_threads = torch.get_num_threads()
    # else its threads go on spinning while another model is timed
    options.add_session_config_entry('session.force_spinning_stop', '1')
    session = runtime.InferenceSession(graph, options, providers=['CPUExecutionProvider'])
    name = session.get_inputs()[0].name
    return lambda image: session.run(None, {name: image})


def start_openvino(graph: bytes) -> Run:
    """Return what runs an ONNX graph in OpenVINO, with as many threads as torch has."""
    openvino = import_optional('openvino', 'openvino')
    core = openvino.Core()
    settings = {
        'INFERENCE_NUM_THREADS': torch.get_num_threads(),
        'INFERENCE_PRECISION_HINT': 'f32',  # it would take bfloat16 where the processor has it
        'PERFORMANCE_HINT': 'LATENCY',
    }
    model = core.compile_model(core.read_model(BytesIO(graph)), 'CPU', settings)
    return lambda image: list(model([image], share_inputs=True).values())


class Exported(nn.Module):
    """A model that another runtime computes, exported when the first images come.

    Args:
        model: in eval mode; maps images (N, 3, H, W) to a tensor or to several.
        start: turns an ONNX graph into what runs it.
    """

    def __init__(self, model: nn.Module, start: Callable[[bytes], Run]) -> None:
        super().__init__()
        self.model = model
        self.start = start
        self.run: Run | None = None

    @torch.compiler.disable
    def forward(self, image: Tensor) -> Tensor | list[Tensor]:
        """Map images (N, 3, H, W), always as many of one size, to what the model answers.

        Raises:
            InputError: the images are not float32 on a CPU, a package is not installed, or the
                model has an operator that ONNX lacks.
        """
        if image.dtype != torch.float32 or image.device.type != 'cpu':
            raise InputError('other runtimes are measured on a CPU in float32 only')
        self.run = self.run or self.start(as_onnx(self.model, image))
        outputs = [torch.from_numpy(x) for x in self.run(image.numpy())]
        return outputs if len(outputs) > 1 else outputs[0]


@torch.inference_mode(False)
@torch.no_grad()
def as_onnx(model: nn.Module, image: Tensor) -> bytes:
    """Return a model as an ONNX graph for images as ``image`` (N, 3, H, W).

    It is traced: torch's newer exporter takes five times as long and makes graphs that are no
    faster, and needs more packages.

    Raises:
        InputError: it has an operator that ONNX lacks, or the package ``onnx`` is missing.
    """
    import_optional('onnx', 'onnx')
    graph = BytesIO()
    with _silenced(), warnings.catch_warnings():
        warnings.simplefilter('ignore')  # of sizes that become constants, as they should
        try:
            torch.onnx.export(model, (image.clone(),), graph, dynamo=False)
        except RuntimeError as error:
            reason = str(error).partition('\n')[0]
            raise InputError(f'cannot be exported to ONNX: {reason}') from error
    return graph.getvalue()


@contextmanager
def _silenced() -> Iterator[None]:
    """Send the standard output to nowhere: C++ code prints the whole graph of a failure."""
    sys.stdout.flush()
    kept = os.dup(1)
    with open(os.devnull, 'w') as nowhere:
        os.dup2(nowhere.fileno(), 1)
    try:
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
