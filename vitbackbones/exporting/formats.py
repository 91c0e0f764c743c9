"""The files that a graph becomes: ONNX, OpenVINO and torch's own."""

from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import torch
from torch.export import ExportedProgram

from ..packages import import_optional
from .graphs import silenced
from .half import halve_constants
from .operators import holds_operators, translations

INPUT = 'image'


def write_onnx(program: ExportedProgram, outputs: Sequence[str], file: Path, half: bool) -> None:
    """Write a graph for ONNX Runtime, TensorRT and others."""
    import onnx

    with silenced():
        options = {'input_names': [INPUT], 'output_names': list(outputs)}
        options['custom_translation_table'] = translations()
        model = torch.onnx.export(program, dynamo=True, verbose=False, **options).model_proto
    if half:
        halve_constants(model)
    large = model.ByteSize() > 2**31 - 2**20  # more than a file of protobuf holds
    onnx.save(model, file, save_as_external_data=large, location=f'{file.name}.data')


def write_openvino(
    program: ExportedProgram, outputs: Sequence[str], file: Path, half: bool
) -> None:
    """Write a graph for OpenVINO, ``.xml``, and its weights beside it, ``.bin``."""
    import openvino

    with silenced(), TemporaryDirectory() as folder:
        source = program
        if holds_operators(program):  # which OpenVINO reads from ONNX alone
            source = Path(folder, 'model.onnx')
            write_onnx(program, outputs, source, half=False)
        model = openvino.convert_model(source)
    nodes = {node.name: node.meta['val'] for node in program.graph.nodes if 'val' in node.meta}
    image = nodes[program.graph_signature.user_inputs[0]]
    # with an open axis the reader forgets the others
    model.reshape([side if isinstance(side, int) else -1 for side in image.shape])
    model.inputs[0].get_tensor().set_names({INPUT})
    for port, name in zip(model.outputs, outputs, strict=True):
        port.get_tensor().set_names({name})
    openvino.save_model(model, file, compress_to_fp16=half)


def write_pt2(program: ExportedProgram, outputs: Sequence[str], file: Path, half: bool) -> None:
    """Write a graph for ``torch.export.load``. Its weights are halved before it is traced."""
    with silenced():
        torch.export.save(program, file)


class Format(NamedTuple):
    """A kind of file.

    Attributes:
        suffix: of the file.
        packages: what writing and running it take beside torch, as pip names them.
        write: writes the file, given graph, names of its outputs, and whether in half precision.
    """

    suffix: str
    packages: tuple[str, ...]
    write: Callable[[ExportedProgram, Sequence[str], Path, bool], None]


FORMATS = {
    'onnx': Format('.onnx', ('onnx', 'onnxscript', 'onnxruntime'), write_onnx),
    'openvino': Format('.xml', ('openvino',), write_openvino),
    'pt2': Format('.pt2', (), write_pt2),
}


def require_packages(name: str) -> None:
    """Check that what a format takes is installed.

    Raises:
        InputError: a package is not.
    """
    for package in FORMATS[name].packages:
        import_optional(package, "'vitbackbones[export]'")
