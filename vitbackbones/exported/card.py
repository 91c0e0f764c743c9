"""What is known of an exported file, beside it as JSON: ``model.onnx`` and ``model.onnx.json``.

A graph says neither how pictures become its input nor what its numbers mean. The card does, in
plain data: names, numbers, and steps by their type. Nothing in a card is code.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..files import write_file
from .values import CARD, INPUT, OUTPUT, Check, require_values

LARGEST = 2**24  # bytes of a card; with 20000 classes, it has less than one million


@dataclass(frozen=True, kw_only=True)
class GraphInput:
    """The input of a graph.

    Attributes:
        name: of the input.
        dtype: ``'float32'``, or ``'uint8'`` where preprocessing is inside.
        layout: ``'NCHW'``, or ``'NHWC'`` where preprocessing is inside.
        shape: four numbers in the order of ``layout``, None where any number will do.
        color: order of the channels, always ``'rgb'``.
        mean: of the three channels, 0 to 255; the network gets ``(pixel - mean) / std``.
        std: of the three channels.
        preprocess_inside: whether the graph does that by itself.
    """

    name: str
    dtype: str
    layout: str
    shape: list
    color: str
    mean: list
    std: list
    preprocess_inside: bool


@dataclass(frozen=True, kw_only=True)
class GraphOutput:
    """An output of a graph; in ``shape``, None stands where any number may come."""

    name: str
    dtype: str
    shape: list


@dataclass(frozen=True, kw_only=True)
class Card:
    """What is known of an exported file.

    Attributes:
        format: ``'onnx'``, ``'openvino'`` or ``'pt2'``.
        task: ``'classification'``, ``'detection'`` or ``'segmentation'``.
        name: of the config or model.
        classes: their names, by the labels of the answers.
        palette: their colors (red, green, blue), or None.
        input: of the graph.
        steps: how a picture becomes an input, see :mod:`.preparing`.
        outputs: of the graph, in order.
        dynamic: what may differ from call to call: ``'batch'``, ``'size'``.
        half: whether the weights are in half precision.
        checkpoint: ``{'file': name, 'sha256': ...}`` of the weights, None for initial ones.
        file_sha256: of the exported file, see :func:`digest`; :meth:`write` fills it in.
        parity: how far the answers were from those of the model that was exported.
        versions: of the packages that made the file.
    """

    format: str
    task: str
    name: str
    classes: list
    palette: list | None
    input: GraphInput
    steps: list
    outputs: list
    dynamic: list
    half: bool
    checkpoint: dict | None
    file_sha256: str = ''
    parity: dict
    versions: dict

    @classmethod
    def read(cls, file: str | Path) -> 'Card':
        """Return the card beside an exported file.

        Raises:
            InputError: one of the two is missing, the card is no card, or it is that of another
                file.
        """
        path, file = card_path(file), Path(file)
        if not file.is_file():
            raise InputError(f'{file}: no such file')
        card = _read(cls, _parsed(path, file), CARD, path)
        given = _read(GraphInput, card.input, INPUT, path, 'input.')
        outputs = [
            _read(GraphOutput, each, OUTPUT, path, f'outputs[{i}].')
            for i, each in enumerate(card.outputs)
        ]
        if card.file_sha256 != digest(file):
            raise InputError(
                f'{path} is the card of another file: the SHA-256 in it is not that of {file}. '
                'Copy the two together, or export again.'
            )
        return replace(card, input=given, outputs=outputs)

    def write(self, file: str | Path) -> Path:
        """Write the card beside a file that was exported, and return its path.

        Raises:
            InputError: it cannot be written.
        """
        card = replace(self, file_sha256=digest(file))
        path = card_path(file)
        write_file(path, json.dumps(asdict(card), indent=1).encode())
        return path


def card_path(file: str | Path) -> Path:
    """Return where the card of an exported file lies.

    >>> card_path('out/model.onnx').name
    'model.onnx.json'
    """
    return Path(f'{file}.json')


def digest(file: str | Path) -> str:
    """Return the SHA-256 of an exported file and of its weights, where these lie beside it."""
    hashed = hashlib.sha256()
    for part in parts(Path(file)):
        with open(part, 'rb') as opened:
            for content in iter(partial(opened.read, 2**20), b''):
                hashed.update(content)
    return hashed.hexdigest()


def parts(file: Path) -> list[Path]:
    """Return a file and its weights: ``.bin`` of OpenVINO, ``.onnx.data`` of large ONNX graphs."""
    weights = file.with_suffix('.bin') if file.suffix == '.xml' else Path(f'{file}.data')
    return [file, weights] if weights.is_file() else [file]


def _parsed(path: Path, file: Path) -> Any:
    """Return the content of a card."""
    try:
        with open(path, 'rb') as opened:
            content = opened.read(LARGEST + 1)
    except FileNotFoundError as error:
        raise InputError(
            f'{file}: its card {path.name} is missing; it says how pictures become the input. '
            "'vitbackbones export' writes both: copy them together, or export again."
        ) from error
    except OSError as error:
        raise InputError(f'{path} cannot be read ({error.strerror})') from error
    if len(content) > LARGEST:
        raise InputError(f'{path} is no card: it has more than {LARGEST} bytes')
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise InputError(f'{path} is not JSON ({error}); export {file.name} again') from error


def _read(cls: type, content: Any, checks: Mapping[str, Check], path: Path, place: str = '') -> Any:
    """Return a dataclass of what stands at a ``place`` of a card; other keys are ignored."""
    if not isinstance(content, Mapping):
        raise InputError(f'{path}: a card must be an object {{...}}')
    if missing := [place + name for name in checks if name not in content]:
        raise InputError(f'{path} misses {", ".join(missing)}; export the file again')
    require_values(content, checks, f'{path}: {place}')
    return cls(**{name: content[name] for name in checks})
