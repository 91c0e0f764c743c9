"""Trace a network to a torch graph, with a dynamic batch or image size, and write it as a file.

``write_NAME`` writes a format of :data:`~vitbackbones.runtime.runtimes.FORMATS`.
Operators that are not torch's own have an ONNX operator in their place, which OpenVINO then reads.
"""

import io
import logging
import shutil
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.export import Dim, ExportedProgram

from ..errors import InputError
from ..openmmlab.logs import silenced as silenced_logs
from ..runtime import suppression  # noqa: F401 (registers its operator)
from ..runtime.runtimes import FORMATS, LONGEST
from ..utils.messages import in_one_line, named_errors
from ..utils.packages import import_optional

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

    ``dynamic`` is what is left open, of :data:`..runtime.runtimes.DYNAMIC`.
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
    what = f' with a dynamic {" and ".join(dynamic)}' if dynamic else ''
    with named_errors(f'cannot be exported{what}', AT_MOST), torch.no_grad(), silenced():
        return torch.export.export(network, (image,), dynamic_shapes=(open_axes,), strict=False)


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


# ------------------------------------------------------------------------ files


if TYPE_CHECKING:
    from onnx_ir import Model

INPUT = 'image'
OTHERS = ('torchvision', 'vitbackbones')  # namespaces
OF_SIZES = (torch.sym_max, torch.sym_min)  # of sides that are left open
ALL = 2**63 - 1  # boxes of an image that may stay
ROWS = 2  # axes of a mask from the rows on: (..., L, S)
MASKED = 4  # inputs of attention with a mask: queries, keys, values, mask
SMALL = 1e-8  # onnxscript takes what is not larger for zero


@contextmanager
def _saving(file: Path) -> Iterator[None]:
    """Say in one line that a file cannot be written; each format has other errors for that."""
    try:
        yield
    except (OSError, RuntimeError) as error:
        megabytes = shutil.disk_usage(file.parent).free / 1e6
        raise InputError(
            f'{file.name} cannot be written ({in_one_line(error)}); the disk has '
            f'{megabytes:.1f} MB left'
        ) from error


def write_onnx(program: ExportedProgram, outputs: Sequence[str], file: Path) -> None:
    """Write a graph for ONNX Runtime, TensorRT and others."""
    import onnx

    with silenced():
        options = {'input_names': [INPUT], 'output_names': list(outputs)}
        options['custom_translation_table'] = translations()
        made = torch.onnx.export(program, dynamo=True, verbose=False, optimize=False, **options)
        keep_small_numbers(made.model)
        made.optimize()
        model = made.model_proto
    large = model.ByteSize() > 2**31 - 2**20  # more than a file of protobuf holds
    with _saving(file):
        onnx.save(model, file, save_as_external_data=large, location=f'{file.name}.data')


def write_openvino(program: ExportedProgram, outputs: Sequence[str], file: Path) -> None:
    """Write a graph for OpenVINO, ``.xml``, and its weights beside it, ``.bin``.

    Raises:
        InputError: OpenVINO has no form of it.
    """
    import openvino

    with silenced(), TemporaryDirectory() as folder:
        source = program
        if needs_onnx(program):
            source = Path(folder, 'model.onnx')
            write_onnx(program, outputs, source)
        try:
            model = openvino.convert_model(source)
        except Exception as error:  # of many kinds
            why = in_one_line(error, LONGEST)
            raise InputError(f'OpenVINO cannot read the graph: {why}; try --to onnx') from error
    image, _ = ports(program)
    # with an open axis the reader forgets the others
    model.reshape([side if isinstance(side, int) else -1 for side in image.shape])
    model.inputs[0].get_tensor().set_names({INPUT})
    for i, name in enumerate(outputs):
        model.outputs[i].get_tensor().set_names({name})
    spread_masks(model)
    with _saving(file):
        openvino.save_model(model, file, compress_to_fp16=False)


def spread_masks(model: Any) -> None:
    """Give each query of attention a row of the mask, in a model of OpenVINO, in place.

    In bfloat16, which OpenVINO takes by itself on some processors, its attention on a CPU reads a
    mask of one row for all queries, (..., 1, S), as one of L rows, beyond the end of its memory
    (seen in 2026.4.1).
    """
    from openvino import opset13 as op

    made: dict[tuple, Any] = {}  # one for all layers of the same mask and number of queries
    for node in model.get_ordered_ops():
        if node.get_type_name() != 'ScaledDotProductAttention' or len(node.inputs()) < MASKED:
            continue
        queries, keys, _, mask = (port.get_source_output() for port in node.inputs()[:MASKED])
        rank = mask.get_partial_shape().rank.get_length()
        if rank < ROWS:  # the 0 in the place of a mask, before a scale
            continue
        length = queries.get_partial_shape()[-ROWS]
        place = mask.get_node().get_friendly_name(), mask.get_index(), str(length)
        if length.is_dynamic:
            place += (node.get_friendly_name(),)
        if place not in made:
            shapes = (op.shape_of(each) for each in (queries, keys))
            sides = [op.gather(shape, op.constant([-ROWS]), op.constant(0)) for shape in shapes]
            shape = op.concat(
                [op.constant(np.ones(rank - ROWS, np.int64)), *sides], 0
            )  # (..., L, S)
            made[place] = op.broadcast(mask, shape, broadcast_spec='BIDIRECTIONAL')
        node.input(MASKED - 1).replace_source_output(made[place].output(0))
    model.validate_nodes_and_infer_types()


def write_pt2(program: ExportedProgram, outputs: Sequence[str], file: Path) -> None:
    """Write a graph for ``torch.export.load``."""
    content = io.BytesIO()  # on a full disk torch would end the process
    with silenced():
        torch.export.save(program, content)
    with _saving(file):
        file.write_bytes(content.getbuffer())


def write(format: str, program: ExportedProgram, outputs: Sequence[str], file: Path) -> None:
    """Write a graph in a format, a key of :data:`~vitbackbones.runtime.runtimes.FORMATS`.

    Args:
        format: of the file.
        program: the graph.
        outputs: names of its outputs.
        file: where to.
    """
    globals()[f'write_{format}'](program, outputs, file)


# ------------------------------------------------------------------------ operators


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


def require_packages(name: str) -> None:
    """Check that the packages of a format are installed.

    Raises:
        InputError: a package is not.
    """
    for package in FORMATS[name].packages:
        import_optional(package, "'vitbackbones[export]'")
