"""Read an exported file in its runtime, and compare its graph with its metadata file."""

from collections.abc import Sequence
from pathlib import Path

from ..errors import InputError
from ..utils.messages import in_one_line
from .answers import in_words
from .card import Card, GraphInput, GraphOutput
from .runtimes import BY_SUFFIX, LONGEST, Graph, Port, runtime_of


def open_graph(
    file: str | Path,
    card: Card,
    threads: int = 0,
    trusted: bool = False,
    precision: str = 'f32',
    streams: bool = False,
) -> Graph:
    """Return the graph of an exported file; arguments as of :func:`.model.load`.

    ``precision`` is ``'f32'``, or ``'bf16'`` for OpenVINO, which alone has ``streams``.

    Raises:
        InputError: its runtime is not installed or cannot run it, or it has other inputs or outputs
            than the card says.
    """
    file = Path(file)
    if file.suffix not in BY_SUFFIX:
        raise InputError(
            f'{file}: is not an exported file; its suffix must be one of {", ".join(BY_SUFFIX)}'
        )
    format = BY_SUFFIX[file.suffix]
    if format.runs_code and not trusted:
        raise InputError(
            f'{file}: a {file.suffix} file may contain code, which {format.runtime} runs. If '
            'you trust its source, use --trusted (in Python: trusted=True). ONNX and OpenVINO '
            'files contain no code.'
        )
    try:
        how = [precision, streams] if format.name == 'openvino' else []
        graph = format.start(file, threads, *how)
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
            f'{file}: the graph and its metadata file do not match. The graph has the {kind} '
            f'{has}, but the metadata file states {says}. Export it again.'
        )
