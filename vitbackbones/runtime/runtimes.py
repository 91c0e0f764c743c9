"""The formats of exported files, one row each, and the runtimes that read them.

Each is imported where it is used. All compute on the CPU, in float32 unless the weights are
smaller; OpenVINO also in bfloat16, see :mod:`.model`. Any number of threads may run one graph
at the same time.
"""

import warnings
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from io import BytesIO
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from ..utils.packages import import_optional
from ..utils.processes import own_signal_stack

LONGEST = 200  # characters of an error; behind them runtimes name their own sources


class Port(NamedTuple):
    """An input or an output of a graph; None in ``shape`` stands for any size."""

    name: str
    dtype: str
    shape: list[int | None]


@dataclass(frozen=True)
class Graph:
    """A graph in a runtime.

    Attributes:
        inputs, outputs: what it says of them.
        run: maps images to all outputs, in order; for any number of threads.
        at_once: in how many threads it answers most images a second.
    """

    inputs: list[Port]
    outputs: list[Port]
    run: Callable[[np.ndarray], list[np.ndarray]]
    at_once: int = 1


def _open_sides(shape: Sequence) -> list[int | None]:
    """Return a shape in which symbols are None."""
    return [size if isinstance(size, int) else None for size in shape]


def in_words(shape: Sequence[int | None]) -> str:
    """Return a shape as ``? x 3 x 224 x 224``."""
    return ' x '.join('?' if size is None else str(size) for size in shape)


# ------------------------------------------------------------------------ ONNX Runtime

ONNX_TYPES = {'float': 'float32', 'double': 'float64'}  # the others have numpy's names


def start_onnxruntime(graph: bytes | Path, threads: int = 0) -> Graph:
    """Return an ONNX graph, or the file of one, in ONNX Runtime.

    Args:
        graph: what to read.
        threads: as many, by default one for each core.
    """
    runtime = import_optional('onnxruntime', 'onnxruntime')
    options = runtime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 4  # whatever it refuses is an exception, too
    # else its threads go on spinning after each call, beside whatever comes next
    options.add_session_config_entry('session.force_spinning_stop', '1')
    source = graph if isinstance(graph, bytes) else str(graph)
    session = runtime.InferenceSession(source, options, providers=['CPUExecutionProvider'])

    def described(port: Any) -> Port:
        dtype: str = port.type.removeprefix('tensor(').removesuffix(')')
        return Port(port.name, ONNX_TYPES.get(dtype, dtype), _open_sides(port.shape))

    inputs = [described(port) for port in session.get_inputs()]
    outputs = [described(port) for port in session.get_outputs()]
    return Graph(inputs, outputs, lambda image: session.run(None, {inputs[0].name: image}))


# ------------------------------------------------------------------------ OpenVINO


PRECISION = 'INFERENCE_PRECISION_HINT'


def own_precision() -> str:
    """Return the default precision of OpenVINO on this processor: ``'f32'``, ``'bf16'`` ..."""
    openvino = import_optional('openvino', 'openvino')
    return openvino.Core().get_property('CPU', PRECISION).to_string()


def start_openvino(
    graph: bytes | Path, threads: int = 0, precision: str = 'f32', streams: bool = False
) -> Graph:
    """Return a graph of OpenVINO or ONNX in OpenVINO; arguments as :func:`start_onnxruntime`.

    ``precision`` is what it computes in; OpenVINO's own choice is :func:`own_precision`. With
    ``streams`` each core computes images of its own, in place of all cores one image.
    """
    openvino = import_optional('openvino', 'openvino')
    core = openvino.Core()
    hint = 'THROUGHPUT' if streams else 'LATENCY'
    settings = {PRECISION: precision, 'PERFORMANCE_HINT': hint}
    settings |= {'INFERENCE_NUM_THREADS': str(threads)} if threads else {}
    source = BytesIO(graph) if isinstance(graph, bytes) else str(graph)
    with own_signal_stack():
        model = core.compile_model(core.read_model(source), 'CPU', settings)

    def described(port: Any) -> Port:
        shape = [None if size.is_dynamic else size.get_length() for size in port.partial_shape]
        dtype = np.dtype(port.element_type.to_dtype()).name
        return Port(min(port.names, default=''), dtype, shape)

    inputs, outputs = ([*map(described, ports)] for ports in (model.inputs, model.outputs))
    at_once = model.get_property('OPTIMAL_NUMBER_OF_INFER_REQUESTS') if streams else 1
    return Graph(inputs, outputs, Requests(model), at_once)


class Requests:
    """Runs a compiled model in any number of threads: each call has its own request.

    A compiled model keeps one request of its own, whose outputs the next call overwrites. Requests
    are kept for later calls, so there are as many as there were calls at a time.
    """

    def __init__(self, model: Any) -> None:
        self._model = model
        self._free: deque[Any] = deque()  # its ends may be changed by several threads

    def __call__(self, image: np.ndarray) -> list[np.ndarray]:
        """Return all outputs for ``image``."""
        try:
            request = self._free.pop()
        except IndexError:
            request = self._model.create_infer_request()
        outputs = [value.copy() for value in request.infer([image], share_inputs=True).values()]
        self._free.append(request)
        return outputs


# ------------------------------------------------------------------------ torch


def start_torch(graph: Path, threads: int = 0) -> Graph:
    """Return the graph of a ``.pt2`` file, whose ports have no names, in torch."""
    torch = import_optional('torch', 'torch')
    from . import suppression  # noqa: F401 (registers an operator that the file may hold)

    if threads:
        torch.set_num_threads(threads)
    with warnings.catch_warnings():
        # torch reads the weights where they lie in the file's bytes, to which nobody writes
        warnings.filterwarnings('ignore', 'The given buffer is not writable')
        program = torch.export.load(graph)
    signature = program.graph_signature
    nodes = {node.name: node for node in program.graph.nodes}
    module = program.module()
    turn = Lock()  # the module compares its input with the graph in a way that is for one thread

    def run(image: np.ndarray) -> list[np.ndarray]:
        with turn, torch.inference_mode():
            return [x.numpy() for x in module(torch.from_numpy(image))]

    inputs = [torch_port('', nodes[name].meta['val']) for name in signature.user_inputs]
    outputs = [torch_port('', nodes[name].meta['val']) for name in signature.user_outputs]
    return Graph(inputs, outputs, run)


def torch_port(name: str, tensor: Any) -> Port:
    """Return a port for a tensor of torch, which may be a fake one with open sides."""
    return Port(name, str(tensor.dtype).removeprefix('torch.'), _open_sides(tensor.shape))


# ------------------------------------------------------------------------ the formats


class Format(NamedTuple):
    """A format of exported files.

    Attributes:
        name: for ``--to`` and in metadata files. What writes such a file is the function
            ``write_NAME`` of :mod:`vitbackbones.export.formats`, which needs torch.
        suffix: of the files.
        runtime: name of what runs them.
        start: reads a file, for a number of threads; of OpenVINO in a precision and in streams.
        packages: needed to write and run a file, beside torch, as pip names them.
        runs_code: whether a file may hold code that reading it runs.
    """

    name: str
    suffix: str
    runtime: str
    start: Callable[..., Graph]
    packages: tuple[str, ...] = ()
    runs_code: bool = False


ROWS = (
    Format(
        'onnx', '.onnx', 'ONNX Runtime', start_onnxruntime, ('onnx', 'onnxscript', 'onnxruntime')
    ),
    Format('openvino', '.xml', 'OpenVINO', start_openvino, ('openvino',)),
    Format('pt2', '.pt2', 'torch', start_torch, runs_code=True),
)
DYNAMIC = ('batch', 'size')  # what a file may leave open
FORMATS = {row.name: row for row in ROWS}
BY_SUFFIX = {row.suffix: row for row in ROWS}


def runtime_of(suffix: str) -> str:
    """Return name and version of the runtime for a suffix, if it is installed."""
    name = BY_SUFFIX[suffix].runtime
    try:
        return f'{name} {version(name.lower().replace(" ", ""))}'
    except PackageNotFoundError:
        return name


def is_exported(text: str | Path) -> bool:
    """Return whether a path has the suffix of an exported file."""
    return Path(text).suffix in BY_SUFFIX
