"""The metadata file of an exported file: ``model.onnx.json`` for ``model.onnx``.

A graph says neither how pictures become its input nor what its numbers mean. The card does, in
plain data: names, numbers, and steps by their type. Nothing in a card is code. A card may come from
anywhere, so each value has to follow the rule beside its name, and each step the rules of its
options: what passes here, :mod:`.preparing` can take without a second look.

``test --report`` chooses the score from which an object counts, and writes it beside the weights:
``model.pth.threshold.json`` contains it with the SHA-256 of the weights, so that weights of a later
run with the same name do not get it. The card of an exported file contains it, too.
"""

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from ..errors import InputError
from ..utils.files import read_json, write_file
from ..utils.messages import cut, some
from ..utils.rules import DICT, FLAG, NONE, TEXT, Rule, choice, listed, number, whole
from .runtimes import FORMATS

MAX_PIXELS = 2**25  # that an image may grow to; 5792 x 5792, in floats 400 MB
MOST_STEPS = 8  # each may take a second; pipelines have five
# By the library that resizes: its name of each interpolation.
INTERPOLATIONS = {
    'cv2': {
        'nearest': 'INTER_NEAREST',
        'bilinear': 'INTER_LINEAR',
        'bicubic': 'INTER_CUBIC',
        'area': 'INTER_AREA',
        'lanczos': 'INTER_LANCZOS4',
    },
    'pillow': {
        name: name.upper()
        for name in ('nearest', 'bilinear', 'bicubic', 'box', 'lanczos', 'hamming')
    },
}
SIDE = whole(1, 2**20)
LEVEL = number(least=0, most=255)
COLOR = LEVEL | listed(LEVEL, 3)  # in BGR
SIZE = Rule(
    f'height and width, two integers of at least 1 with at most {MAX_PIXELS} pixels',
    lambda value: listed(SIDE, 2).fits(value) and math.prod(value) <= MAX_PIXELS,
)


def require_values(values: Mapping, rules: Mapping[str, Rule], place: str) -> None:
    """Check the values of those keys that are there.

    Raises:
        InputError: one breaks its rule; the message begins with ``place`` and its key.
    """
    for key, rule in rules.items():
        if key in values and not rule.fits(values[key]):
            raise InputError(f'{place}{key} must be {rule.text}, not {cut(values[key])}')


HOW = {
    'interpolation': choice(*INTERPOLATIONS['cv2'], 'box', 'hamming'),
    'backend': choice(*INTERPOLATIONS),
}
# By the type of a step: the options that it must have, and those that it may have.
STEPS: dict[str, tuple[dict[str, Rule], dict[str, Rule]]] = {
    'resize': ({'size': SIZE}, HOW),
    # a pipeline may leave the longer side open
    'resize_within': ({'longer': number(least=1) | choice(math.inf), 'shorter': SIDE}, HOW),
    'resize_into': ({'size': SIZE}, HOW),
    'resize_over': ({'size': SIZE}, HOW),
    'resize_edge': ({'length': SIDE}, {'edge': choice('short', 'long', 'width', 'height'), **HOW}),
    'resize_to_multiple': ({'divisor': SIDE}, HOW),
    'center_crop': ({'size': SIZE}, {}),
    'pad_pixels': ({}, {'size': SIZE, 'multiple': SIDE, 'square': FLAG, 'value': COLOR}),
    'pad': ({'size': SIZE}, {'value': COLOR}),
    'pad_to_multiple': ({'divisor': SIDE}, {}),
    'slide': ({'crop': SIZE, 'stride': SIZE}, {}),
}


def require_steps(steps: Sequence[Mapping[str, Any]], place: str) -> None:
    """Check that all steps of a card are known, and their options as well.

    Raises:
        InputError: one is not; the message begins with ``place``.
    """
    for i, step in enumerate(steps):
        here = f'{place}: steps[{i}]'
        kind = step.get('type', '')
        if not choice(*STEPS).fits(kind):
            raise InputError(f'{here} is not a known step; use one of {", ".join(STEPS)}')
        needed, optional = STEPS[kind]
        if missing := sorted(needed.keys() - step.keys()):
            raise InputError(f'{here} ({kind}) has no {", ".join(missing)}')
        if unknown := sorted(step.keys() - {'type', *needed, *optional}):
            raise InputError(f'{here} ({kind}) has no option {some(unknown)}')
        require_values(step, needed | optional, f'{here}.')
        # options that are right by themselves and do not go together
        stride = step.get('stride', [0, 0])
        crop = step.get('crop', [0, 0])
        if stride[0] > crop[0] or stride[1] > crop[1]:
            raise InputError(f'{here} ({kind}): a stride of {stride} skips pixels between windows')
        backend = step.get('backend', 'cv2')
        method = step.get('interpolation', 'bilinear')
        if method not in INTERPOLATIONS[backend]:
            raise InputError(f'{here} ({kind}): {backend} has no interpolation {method!r}')


# ------------------------------------------------------------------------ cards


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

    name: Annotated[str, TEXT]
    dtype: Annotated[str, choice('float32', 'uint8')]
    layout: Annotated[str, choice('NCHW', 'NHWC')]
    shape: Annotated[list, listed(SIDE | NONE, 4)]
    color: Annotated[str, choice('rgb')]
    mean: Annotated[list, listed(number(least=-1e6, most=1e6), 3)]
    std: Annotated[list, listed(number(least=1e-6, most=1e6), 3)]
    preprocess_inside: Annotated[bool, FLAG]


@dataclass(frozen=True, kw_only=True)
class GraphOutput:
    """An output of a graph; None in ``shape`` stands for any size."""

    name: Annotated[str, TEXT]
    dtype: Annotated[str, TEXT]
    shape: Annotated[list, listed(whole(0, 2**31) | NONE)]


@dataclass(frozen=True, kw_only=True)
class Card:
    """The metadata of an exported file.

    Attributes:
        format: a key of :data:`.runtimes.FORMATS`.
        task: ``'classification'``, ``'detection'`` or ``'segmentation'``.
        name: of the config or model.
        classes: their names, by the labels of the answers.
        palette: their colors (red, green, blue), or None.
        input: of the graph.
        steps: how a picture becomes an input, see :mod:`.preparing`.
        outputs: of the graph, in order.
        dynamic: what may differ from call to call: ``'batch'``, ``'size'``.
        checkpoint: ``{'file': name, 'sha256': ..., 'license': ...}`` of the weights, None for
            initial ones. The license is an SPDX identifier, None where it is not known.
        file_sha256: of the exported file, see :func:`digest`; :meth:`write` fills it in.
        parity: how far the answers were from those of the model that was exported.
        versions: of the packages that made the file.
        threshold: see :class:`Threshold`, None where none was chosen.
        int8: of a graph in 8 bits, its ``metric``, that metric in ``float32`` and ``int8`` on a
            number of ``pictures``, how many it was ``calibrated_on``, and the layers that stayed
            ``in_float32``; None of others.
        bf16: of a graph that may run in bfloat16, its ``metric``, that metric in ``float32`` and
            ``bf16`` on a number of ``pictures``; None of others.
    """

    format: Annotated[str, choice(*FORMATS)]
    task: Annotated[str, choice('classification', 'detection', 'segmentation')]
    name: Annotated[str, TEXT]
    classes: Annotated[list, listed(TEXT)]
    palette: Annotated[list | None, listed(listed(whole(0, 255), 3)) | NONE]
    input: Annotated[GraphInput, DICT]
    steps: Annotated[list, listed(DICT, most=MOST_STEPS)]
    outputs: Annotated[list, listed(DICT)]
    dynamic: Annotated[list, listed(choice('batch', 'size'))]
    checkpoint: Annotated[dict | None, DICT | NONE]
    file_sha256: Annotated[str, TEXT] = ''
    parity: Annotated[dict, DICT]
    versions: Annotated[dict, DICT]
    int8: Annotated[dict | None, DICT | NONE] = None
    bf16: Annotated[dict | None, DICT | NONE] = None
    threshold: Annotated[dict | None, DICT | NONE] = None

    @classmethod
    def read(cls, file: str | Path) -> 'Card':
        """Return the card beside an exported file.

        Raises:
            InputError: one of the two is missing, the card is no card, or it is that of another
                file.
        """
        path = card_path(file)
        file = Path(file)
        if not file.is_file():
            raise InputError(f'{file}: no such file')
        if not path.exists():
            raise InputError(
                f'{file}: its metadata file {path.name} is missing, which states how to prepare '
                "images. 'vitbackbones export' writes both: copy them together, or export again."
            )
        try:
            content = read_json(path)
        except InputError as error:
            raise InputError(f'{error}; export {file.name} again') from error
        if not isinstance(content, Mapping):
            raise InputError(f'{path}: a metadata file must be an object {{...}}')
        values = _fields(cls, content, path)
        values['input'] = GraphInput(**_fields(GraphInput, values['input'], path, 'input.'))
        values['outputs'] = [
            GraphOutput(**_fields(GraphOutput, each, path, f'outputs[{i}].'))
            for i, each in enumerate(values['outputs'])
        ]
        if values.get('file_sha256') != digest(file):
            files = ' and '.join(str(part) for part in parts(file))
            raise InputError(
                f'{path} belongs to another file: its SHA-256 is not that of {files}. Copy all '
                'exported files together, or export again.'
            )
        return cls(**values)

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
    """Return the path of the metadata file of an exported file.

    >>> card_path('out/model.onnx').name
    'model.onnx.json'
    """
    return Path(f'{file}.json')


def digest(file: str | Path) -> str:
    """Return the SHA-256 of an exported file and its separate file of weights, if any."""
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


def _fields(cls: type, content: Mapping, path: Path, place: str = '') -> dict:
    """Return the fields of a class as they stand at a ``place`` of a card; others are ignored."""
    rules = {name: kind.__metadata__[0] for name, kind in cls.__annotations__.items()}
    needed = [name for name in rules if not hasattr(cls, name)]
    if missing := [place + name for name in needed if name not in content]:
        raise InputError(f'{path} has no {", ".join(missing)}; export the file again')
    rules = {name: rule for name, rule in rules.items() if name in content}
    require_values(content, rules, f'{path}: {place}')
    return {name: content[name] for name in rules}


# ------------------------------------------------------------------------ thresholds


SCORE = number(least=0, most=1)
ENDING = '.threshold.json'


@dataclass(frozen=True)
class Threshold:
    """Least scores of objects.

    Attributes:
        score: of all classes.
        source: where it comes from.
        classes: by their names, the scores of those for which another one is better.
    """

    score: float = 0.3
    source: str = 'the default, as test --report has chosen none'
    classes: Mapping[str, float] = field(default_factory=dict)

    def __str__(self) -> str:
        others = [f'{name} {score:g}' for name, score in self.classes.items()]
        return f'{self.score:g} ({", ".join([*others, self.source])})'

    def of(self, classes: Sequence[str]) -> np.ndarray:
        """Return the least score of each class, (C,) in float32."""
        return np.array([self.classes.get(name, self.score) for name in classes], np.float32)

    @classmethod
    def given(cls, value: float | str | Path, name: str, classes: Sequence[str]) -> 'Threshold':
        """Return a score for all ``classes``, or the scores in a file, as the option ``name``.

        Raises:
            InputError: the file cannot be read, says something else, or has other classes.
        """
        if isinstance(value, int | float):
            return cls(value, name)
        if not Path(value).is_file():
            raise InputError(
                f'{name}={value}: is neither a number from 0 to 1 nor a file that exists'
            )
        threshold = cls.checked(read_json(Path(value)), str(value))
        if strange := sorted({*threshold.classes} - {*classes}):
            raise InputError(
                f'{name} {value}: is of another model, as this one has no class {some(strange)}'
            )
        return threshold

    @classmethod
    def checked(cls, content: Any, place: str) -> 'Threshold':
        """Return what a file says, which others may have written.

        Raises:
            InputError: it says something else; ``place`` begins the message.
        """
        if not isinstance(content, Mapping):
            raise InputError(f'{place}: must be an object {{...}}')
        values: dict[str, Any] = {name: content.get(name) for name in cls.__annotations__}
        require_values(values, {'score': SCORE, 'source': TEXT, 'classes': DICT}, f'{place}: ')
        names = values['classes']
        require_values(names, dict.fromkeys(names, SCORE), f'{place}: classes.')
        return cls(**values)


def read_threshold(weights: Path) -> Threshold | None:
    """Return the threshold of a file of weights, None where none was chosen for what is in it.

    Raises:
        InputError: the file beside it cannot be read, or says something else.
    """
    path = Path(f'{weights}{ENDING}')
    if not path.is_file():
        return None
    content = read_json(path)
    is_of_others = isinstance(content, Mapping) and content.get('sha256') != digest(weights)
    return None if is_of_others else Threshold.checked(content, str(path))


def write_threshold(weights: Path, threshold: Threshold, folder: Path | None = None) -> Path:
    """Write the threshold of a file of weights, and return its path.

    Args:
        weights: the file.
        threshold: what to write.
        folder: where to; by default beside the weights, where :func:`read_threshold` looks.

    Raises:
        InputError: it cannot be written.
    """
    path = (folder or weights.parent) / f'{weights.name}{ENDING}'
    content = asdict(threshold) | {'sha256': digest(weights)}
    write_file(path, json.dumps(content, indent=1).encode())
    return path
