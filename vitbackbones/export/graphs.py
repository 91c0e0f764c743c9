"""Trace a network to a torch graph, with a dynamic batch or image size."""

import logging
from collections.abc import Collection, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import StringIO

import torch
from torch import Tensor, nn
from torch.export import Dim, ExportedProgram

from ..errors import InputError
from ..openmmlab.logs import silenced as silenced_logs
from ..utils.messages import in_one_line

DYNAMIC = ('batch', 'size')
OFF = (32, 64)  # pixels: an example beyond the native size, with two different sides
AT_MOST = 100  # characters of a reason


class FromPixels(nn.Module):
    """Accepts images (N, H, W, 3) of uint8 in RGB, and normalizes them.

    Args:
        network: maps images (N, 3, H, W), normalized, to a tuple.
        mean, std: of the three channels, 0 to 255.
    """

    def __init__(self, network: nn.Module, mean: list[float], std: list[float]) -> None:
        super().__init__()
        self.network = network
        for name, values in (('mean', mean), ('std', std)):
            self.register_buffer(name, torch.tensor(values).view(3, 1, 1))

    def forward(self, image: Tensor) -> tuple[Tensor, ...]:
        image = image.permute(0, 3, 1, 2).to(self.mean.dtype)  # (N, H, W, 3) -> (N, 3, H, W)
        return self.network((image - self.mean) / self.std)


def example(size: tuple[int, int], batch: int, dynamic: Collection[str], pixels: bool) -> Tensor:
    """Return images (N, 3, H, W) that a network is traced with; pixels as (N, H, W, 3) in uint8.

    ``dynamic`` is what is left open, of :data:`DYNAMIC`.
    """
    number = 2 if 'batch' in dynamic else batch  # torch.export takes a size of 1 as fixed
    height, width = (
        side + (more if 'size' in dynamic else 0) for side, more in zip(size, OFF, strict=True)
    )
    if pixels:
        return torch.zeros(number, height, width, 3, dtype=torch.uint8)
    return torch.zeros(number, 3, height, width)


def trace(network: nn.Module, image: Tensor, dynamic: Collection[str]) -> ExportedProgram:
    """Return a network, from images such as :func:`example` returns to a tuple, as a graph.

    Raises:
        InputError: a part of it has no graph, or none for other numbers or sizes of images.
    """
    sides = (1, 2) if image.dtype == torch.uint8 else (2, 3)
    open_axes = {0: Dim('batch', min=1)} if 'batch' in dynamic else {}
    if 'size' in dynamic:
        open_axes |= dict.fromkeys(sides, Dim.DYNAMIC)
    try:
        with torch.no_grad(), silenced():
            return torch.export.export(network, (image,), dynamic_shapes=(open_axes,), strict=False)
    except InputError:
        raise
    except Exception as error:  # of many kinds
        what = f' with a dynamic {" and ".join(dynamic)}' if dynamic else ''
        raise InputError(f'cannot be exported{what}: {in_one_line(error, AT_MOST)}') from error


def ports(program: ExportedProgram) -> tuple[Tensor, list[Tensor]]:
    """Return the input of a graph and its outputs, as fake tensors; an open side is a symbol."""
    tensors = {node.name: node.meta['val'] for node in program.graph.nodes if 'val' in node.meta}
    (image,) = program.graph_signature.user_inputs
    return tensors[image], [tensors[name] for name in program.graph_signature.user_outputs]


@contextmanager
def silenced() -> Iterator[None]:
    """Hide the output, logs and warnings of exporters."""
    root = logging.getLogger()
    level = root.level
    filters = [*root.filters]
    handlers = [*root.handlers]
    try:
        with silenced_logs(), redirect_stdout(StringIO()), redirect_stderr(StringIO()):
            yield
    finally:
        # OpenVINO leaves its own where it fails
        root.setLevel(level)
        root.filters = filters
        root.handlers = handlers
