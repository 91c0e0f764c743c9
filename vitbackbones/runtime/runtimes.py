"""The runtimes of exported files: which one takes which, and what it says of a graph.

Each is imported where it is used. All compute on the CPU, OpenVINO in float32 unless the weights
are smaller. Any number of threads may run one graph at the same time.
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

from ..errors import InputError
from ..utils.messages import in_one_line
from ..utils.packages import import_optional
from ..utils.processes import own_signal_stack
from .answers import in_words
from .card import Card, GraphInput, GraphOutput

LONGEST = 200  # characters of an error; behind them runtimes name their own sources


class Port(NamedTuple):
    """An input or an output of a graph; None in ``shape`` where any number will do."""

    name: str
    dtype: str
    shape: list[int | None]


@dataclass(frozen=True)
class Graph:
    """A graph that a runtime has read.

    Attributes:
        inputs, outputs: what it says of them.
        run: maps images to all outputs, in order; for any number of threads.
    """

    inputs: list[Port]
    outputs: list[Port]
    run: Callable[[np.ndarray], list[np.ndarray]]


def _open_sides(shape: Sequence) -> list[int | None]:
    """Return a shape in which symbols are None."""
    return [size if isinstance(size, int) else None for size in shape]


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
    """Return what OpenVINO computes in by itself on this processor: ``'f32'``, ``'bf16'`` ..."""
    openvino = import_optional('openvino', 'openvino')
    return openvino.Core().get_property('CPU', PRECISION).to_string()


def start_openvino(graph: bytes | Path, threads: int = 0, precision: str = 'f32') -> Graph:
    """Return a graph of OpenVINO or ONNX in OpenVINO; arguments as :func:`start_onnxruntime`.

    ``precision`` is what it computes in; OpenVINO's own choice is :func:`own_precision`.
    """
    openvino = import_optional('openvino', 'openvino')
    core = openvino.Core()
    settings = {PRECISION: precision, 'PERFORMANCE_HINT': 'LATENCY'}
    settings |= {'INFERENCE_NUM_THREADS': str(threads)} if threads else {}
    source = BytesIO(graph) if isinstance(graph, bytes) else str(graph)
    with own_signal_stack():
        model = core.compile_model(core.read_model(source), 'CPU', settings)

    def described(port: Any) -> Port:
        shape = [None if size.is_dynamic else size.get_length() for size in port.partial_shape]
        dtype = np.dtype(port.element_type.to_dtype()).name
        return Port(min(port.names, default=''), dtype, shape)

    inputs, outputs = (
        [described(port) for port in ports] for ports in (model.inputs, model.outputs)
    )
    return Graph(inputs, outputs, Requests(model))


class Requests:
    """Runs a compiled model for any number of threads: each call has a request to itself.

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
        found = request.infer([image], share_inputs=True)
        outputs = [value.copy() for value in found.values()]
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


# ------------------------------------------------------------------------ which takes what


class Runtime(NamedTuple):
    """What runs files of one suffix.

    Attributes:
        format: its name for ``--to`` and on cards.
        name: of the runtime.
        start: reads a file.
        runs_code: whether a file may hold code that reading it runs.
    """

    format: str
    name: str
    start: Callable[[Path, int], Graph]
    runs_code: bool = False


RUNTIMES = {
    '.onnx': Runtime('onnx', 'ONNX Runtime', start_onnxruntime),
    '.xml': Runtime('openvino', 'OpenVINO', start_openvino),
    '.pt2': Runtime('pt2', 'torch', start_torch, runs_code=True),
}


def runtime_of(suffix: str) -> str:
    """Return name and version of what runs files of a suffix, where it is installed."""
    name = RUNTIMES[suffix].name
    try:
        return f'{name} {version(name.lower().replace(" ", ""))}'
    except PackageNotFoundError:
        return name


def is_exported(text: str | Path) -> bool:
    """Return whether a path is that of an exported file, by its suffix."""
    return Path(text).suffix in RUNTIMES


def open_graph(file: str | Path, card: Card, threads: int = 0, trusted: bool = False) -> Graph:
    """Return the graph of an exported file; arguments as of :func:`.model.load`.

    Raises:
        InputError: its runtime is not installed or cannot run it, or it has other inputs or outputs
            than the card says.
    """
    file = Path(file)
    if file.suffix not in RUNTIMES:
        raise InputError(f'{file}: not an exported file; those end in {", ".join(RUNTIMES)}')
    runtime = RUNTIMES[file.suffix]
    if runtime.runs_code and not trusted:
        raise InputError(
            f'{file}: {runtime.name} runs code that a {file.suffix} file may hold. If you trust '
            'its maker: --trusted (in Python trusted=True). ONNX and OpenVINO files hold no code.'
        )
    try:
        graph = runtime.start(file, threads)
    except InputError:
        raise
    except Exception as error:  # of any kind, as runtimes are written in C++
        reason = in_one_line(error, LONGEST)
        raise InputError(f'{file}: {runtime_of(file.suffix)} cannot run it: {reason}') from error
    _require_same(file, 'input', [card.input], graph.inputs)
    _require_same(file, 'output', card.outputs, graph.outputs)
    return graph


def _require_same(
    file: Path, kind: str, said: Sequence[GraphInput | GraphOutput], found: Sequence[Port]
) -> None:
    """Check that a graph has the ports that its card says.

    A graph may take other images than the card says. Of an output, a runtime may know a size that
    torch has left open, or lose one that torch knew.
    """
    same = len(said) == len(found)
    for port, other in zip(said, found, strict=False):
        same &= port.dtype == other.dtype and other.name in (port.name, '')
        same &= len(port.shape) == len(other.shape)
        for size, other_size in zip(port.shape, other.shape, strict=False):
            same &= other_size in (size, None) or (size is None and kind == 'output')
    if not same:
        has, says = (
            ', '.join(f'{port.name} ({in_words(port.shape)} of {port.dtype})' for port in ports)
            for ports in (found, said)
        )
        raise InputError(
            f'{file}: the graph is of another model than its card says. It has the {kind} {has}; '
            f'the card says {says}. Export it again.'
        )
