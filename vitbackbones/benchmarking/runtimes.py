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

import torch
from torch import Tensor, nn

from ..errors import InputError
from ..exported.runtimes import Graph
from ..packages import import_optional

ToONNX = Callable[[nn.Module, Tensor], bytes]
Start = Callable[[bytes, int], Graph]  # as :func:`~vitbackbones.exported.runtimes.start_openvino`


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


class Exported(nn.Module):
    """A model that another runtime computes, exported when the first images come.

    Args:
        model: in eval mode; maps images (N, 3, H, W) to a tensor or to several.
        start: reads an ONNX graph, given the number of threads, which is that of torch.
        to_onnx: makes a graph of the model for such images.
    """

    def __init__(self, model: nn.Module, start: Start, to_onnx: ToONNX = as_onnx) -> None:
        super().__init__()
        self.model = model
        self.start = start
        self.to_onnx = to_onnx
        self.graph: Graph | None = None

    @torch.compiler.disable
    def forward(self, image: Tensor) -> Tensor | list[Tensor]:
        """Map images (N, 3, H, W), always as many of one size, to what the model answers.

        Raises:
            InputError: the images are not float32 on a CPU, a package is not installed, or the
                model has an operator that ONNX lacks.
        """
        if image.dtype != torch.float32 or image.device.type != 'cpu':
            raise InputError('other runtimes are measured on a CPU in float32 only')
        if self.graph is None:
            self.graph = self.start(self.to_onnx(self.model, image), torch.get_num_threads())
        outputs = [torch.from_numpy(x) for x in self.graph.run(image.numpy())]
        return outputs if len(outputs) > 1 else outputs[0]
