"""Read an exported file in its runtime, compare its graph with its metadata file, and run it.

A file of OpenVINO computes in float32, or in another precision that was proven.
"""

import copy
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np

from ..errors import InputError
from ..utils.messages import named_errors, show_warnings
from .answers import READ, Answer, require_form, require_names, require_numbers, with_names
from .card import Card, GraphInput, GraphOutput, require_steps
from .preparing import SLIDE, Prepared, prepare, require_few, slide, windows
from .runtimes import BY_SUFFIX, LONGEST, Graph, Port, in_words, own_precision, runtime_of

LACKING = 'this processor has no instructions for bfloat16 (AVX512-BF16 or AMX-BF16)'


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
    how = [precision, streams] if format.name == 'openvino' else []
    with named_errors(f'{file}: {runtime_of(file.suffix)} cannot run it', LONGEST):
        graph = format.start(file, threads, *how)
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


# ------------------------------------------------------------------------ precision


def has_bfloat16() -> bool:
    """Return whether OpenVINO computes in bfloat16 by itself, as it is fast on this processor."""
    return own_precision() == 'bf16'


def choose_precision(card: Card, wanted: str, place: str) -> str:
    """Return what the graph of a file has to compute in, ``'f32'`` or ``'bf16'``.

    Products of a file in INT8 are in 8 bits, and what is left is in float32.

    Args:
        card: of the file.
        wanted: one of :data:`~..utils.rules.PRECISIONS`; ``'auto'`` takes what was proven.
        place: the file, for messages.

    Raises:
        InputError: nobody has compared the file with float32 in this precision, or it has another.
    """
    if wanted in ('bf16', 'int8') and not getattr(card, wanted):
        raise InputError(
            f'{place}: its loss in {wanted} was not measured. Export it with --to openvino '
            f'--precision {wanted}; for a config, first run test with --runtime auto --precision '
            'bf16'
        )
    if wanted in ('f32', 'bf16') and card.int8:
        raise InputError(f'{place}: is in INT8, so it cannot compute in {wanted}')
    if not card.bf16 or wanted == 'f32':
        return 'f32'
    if has_bfloat16():
        return 'bf16'
    if wanted == 'bf16':
        show_warnings([f'--precision bf16: {LACKING}; using f32'])
    return 'f32'


# ------------------------------------------------------------------------ running


MOST_VALUES = 2**29  # in the images of one run of a graph; in floats 2 GB


def load(
    file: str | Path,
    threads: int = 0,
    trusted: bool = False,
    precision: str = 'auto',
    streams: bool = False,
) -> 'Exported':
    """Open an exported file with its metadata file.

    Args:
        file: ``.onnx``, ``.xml`` or ``.pt2``, with its card beside it.
        threads: of the runtime, by default one for each core.
        trusted: whether code in the file may run, which ``.pt2`` files may hold.
        precision: ``'f32'``, ``'bf16'``, ``'int8'``, or ``'auto'``: bfloat16 where the loss was
            measured and the processor has it. See :func:`choose_precision`.
        streams: whether OpenVINO answers several pictures at a time, which takes more memory and
            for one picture more time, but less for many.

    Raises:
        InputError: file or card is missing or damaged, they are not of one model, or the runtime is
            not installed or cannot run the file.

    >>> exported = load('model.onnx')  # doctest: +SKIP
    >>> exported.predict(cv2.imread('photo.jpg')).boxes  # doctest: +SKIP
    """
    return Exported(file, threads, trusted, precision, streams)


class Exported:
    """An open exported file; arguments as in :func:`load`.

    Attributes:
        file: its path.
        card: what is known of it.
        runtime: name and version of what runs it.
        precision: ``'f32'`` or ``'bf16'``; of a file in INT8, that of what is not in 8 bits.
    """

    def __init__(
        self,
        file: str | Path,
        threads: int = 0,
        trusted: bool = False,
        precision: str = 'auto',
        streams: bool = False,
    ) -> None:
        self.file = Path(file)
        self.card = Card.read(file)
        self.runtime = runtime_of(self.file.suffix)
        require_steps(self.card.steps, f'{file}.json')
        shapes = {output.name: output.shape for output in self.card.outputs}
        require_form(self.card.task, shapes, f'{file}.json')
        self.precision = choose_precision(self.card, precision, f'{file}')
        if self.precision == 'bf16':
            self.runtime += ' in bf16'
        self._graph = open_graph(file, self.card, threads, trusted, self.precision, streams)
        self._pool = ThreadPoolExecutor(self.at_once)
        self._windows = {}  # options of sliding.slide, where windows slide
        for step in self.card.steps:
            if step['type'] == SLIDE:
                fill = 'size' not in self.card.dynamic
                self._windows = {'crop': step['crop'], 'stride': step['stride'], 'fill': fill}
        if self._windows and 'logits' not in shapes:
            raise InputError(
                f'{self.file}: the logits of sliding windows must be averaged, but the graph '
                f'outputs {", ".join(shapes)}; export it with --output logits'
            )

    @property
    def at_once(self) -> int:
        """How many pictures are answered at the same time."""
        return self._graph.at_once

    def running(self, run: Callable[[np.ndarray], list[np.ndarray]]) -> 'Exported':
        """Return a copy whose graph is run in another way."""
        other = copy.copy(self)
        other._graph = replace(self._graph, run=run)
        return other

    def run(self, image: np.ndarray) -> dict[str, np.ndarray]:
        """Return the outputs of the graph, by name.

        A graph for a fixed number of images is run as often as needed.

        Args:
            image: as ``card.input`` says, such as (N, 3, H, W) normalized.

        Raises:
            InputError: the graph takes images of other shapes or another type, or fails.
        """
        self._require_taken(image)
        at_once = self.card.input.shape[0] or len(image)
        if at_once > len(image) and at_once * image[0].size > MOST_VALUES:
            raise InputError(
                f'{self.file} predicts {at_once} images at once, which is too many for this '
                'size; export it with a smaller --batch-size'
            )
        runtime = BY_SUFFIX[self.file.suffix].runtime
        parts = []
        for i in range(0, len(image), at_once):
            part = image[i : i + at_once]
            missing = at_once - len(part)  # for which the last image stands
            full = np.concatenate([part, *[part[-1:]] * missing]) if missing else part
            with named_errors(f'{self.file}: {runtime} fails', LONGEST):
                outputs = self._graph.run(np.ascontiguousarray(full))
            parts.append([output[: len(part)] for output in outputs])
        names = [output.name for output in self.card.outputs]
        whole = (np.concatenate(values) for values in zip(*parts, strict=True))
        return dict(zip(names, whole, strict=True))

    def predict(self, pixels: np.ndarray) -> Answer:
        """Return what is on a picture (H, W, 3) in uint8 and BGR, as OpenCV reads it.

        Raises:
            InputError: see :meth:`run` and :func:`~vitbackbones.runtime.preparing.prepare`.
        """
        return self.answer([self.prepare(pixels)])[0]

    def prepare(self, pixels: np.ndarray) -> Prepared:
        """Return what the graph takes of a picture (H, W, 3) in uint8 and BGR.

        Raises:
            InputError: it has another form, nothing is left of it in the size of the graph, or
                more windows would slide over it than can be computed.
        """
        picture = prepare(pixels, self.card)
        if self._windows:
            require_few(picture.image, self._windows['crop'], self._windows['stride'])
        return picture

    def answer(self, pictures: Sequence[Prepared]) -> list[Answer]:
        """Return the answers for prepared pictures whose images have one size.

        Raises:
            InputError: see :meth:`run`.
        """
        if self.at_once > 1 and len(pictures) > 1:
            alone = self._pool.map(lambda picture: self.answer([picture])[0], pictures)
            return [*alone]
        images = pictures[0].image[None]  # no copy of a single image
        if len(pictures) > 1:
            images = np.stack([picture.image for picture in pictures])
        if self._windows:
            whole = slide(lambda x: self.run(x)['logits'], images, **self._windows)
            outputs = {'logits': whole}
        else:
            outputs = self.run(images)
        shapes = {name: x.shape for name, x in outputs.items()}
        require_form(self.card.task, shapes, f'{self.file}', len(pictures))
        if self.card.task == 'segmentation':  # NaN would be hidden behind a label
            require_numbers(outputs, f'{self.file}')
        answers = []
        for i, picture in enumerate(pictures):
            of_picture = {name: x[i] for name, x in outputs.items()}
            answer = READ[self.card.task](of_picture, picture)
            require_numbers(vars(answer), f'{self.file}')
            require_names(answer, self.card.classes, f'{self.file}')
            answers.append(with_names(answer, self.card.classes))
        return answers

    def parts(self, images: np.ndarray) -> list[np.ndarray]:
        """Return what the graph is run on for prepared images: windows where they slide."""
        if not self._windows:
            return [images]
        return [window.images for window in windows(images, **self._windows)]

    def _require_taken(self, image: np.ndarray) -> None:
        given = self.card.input
        sizes = zip(given.shape[1:], image.shape[1:], strict=False)
        fits = image.ndim == len(given.shape) and all(want in (None, has) for want, has in sizes)
        if fits and len(image) and image.dtype == given.dtype:
            return
        # the number of images, which is the first size, is no matter of a graph's
        wanted = ' x '.join(['N', *('?' if n is None else str(n) for n in given.shape[1:])])
        raise InputError(
            f'{self.file} requires images of {wanted} in {given.dtype} ({given.layout}), not '
            f'{" x ".join(map(str, image.shape))} in {image.dtype}'
        )
