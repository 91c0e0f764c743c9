"""Write a model as a file for other runtimes with a metadata file, and compare the outputs.

What has not been proved is not kept: file and card are made and compared in a folder of their own,
and take their places together (``placing.py``).
"""

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import nn
from torch.export import ExportedProgram

from ..data.loading.load_image import read_image
from ..errors import InputError
from ..layers import fuse_for_inference
from ..runtime import Exported, load
from ..runtime.card import Card, GraphInput, GraphOutput
from ..runtime.runtimes import own_precision, start_openvino, torch_port
from ..utils.packages import versions
from .formats import INPUT, require_packages, write
from .graphs import FromPixels, example, ports, trace
from .parity import (
    NO_LABEL,
    TOLERANCE,
    differences,
    differences_in_half,
    exceeded,
    in_words,
    worst_of,
)
from .pipeline import Size
from .placing import take_place, workshop
from .subject import Subject

SEED = 0
BATCHES = (1, 3)  # images at once, where their number is open
SCALES = ((1, 1), (1.25, 1.5), (0.71, 0.5))  # of height and width, where the size is open
LEAST = 64  # pixels of a scaled side at least, unless the size itself has fewer


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How a model is exported.

    Attributes:
        format: a key of :data:`~vitbackbones.runtime.runtimes.FORMATS`.
        dynamic: what may differ from call to call, of ``'batch'`` and ``'size'``.
        size: height and width of the images, None for the subject's.
        batch: number of images, where it is not dynamic.
        preprocess: take pictures in uint8 and normalize inside.
    """

    format: str = 'onnx'
    dynamic: tuple[str, ...] = ()
    size: Size | None = None
    batch: int = 1
    preprocess: bool = False


def export(
    subject: Subject,
    settings: Settings,
    file: Path,
    pictures: Sequence[Path] = (),
    finish: Callable[[Path], Card] | None = None,
    elsewhere: bool = True,
) -> Card:
    """Write a model and its metadata file, and return the content of the latter.

    What is at ``file`` is replaced at the end. ``pictures`` are compared beside random images.
    ``finish`` changes the file once it has been compared, and returns its card, as
    :func:`~vitbackbones.export.int8.to_int8` does. ``elsewhere`` says that the file may be run
    outside of this package, so it is also compared in the precision that OpenVINO takes by itself.

    Raises:
        InputError: a package is missing, the model has no such graph, its runtime cannot run it, or
            its answers are not those of the model. Nothing was written then.
    """
    require_packages(settings.format)
    if 'size' in settings.dynamic:
        for part in subject.network.modules():
            if why := getattr(part, 'fixed_size', ''):
                raise InputError(f'{subject.name}: the size cannot be dynamic: {why}')
    size = settings.size or subject.size
    if size is None:
        raise InputError(f'{subject.name}: the test pipeline does not set a size; give --size HxW')
    settings = replace(settings, size=size)
    network = subject.network
    if settings.preprocess:
        network = FromPixels(network, subject.mean, subject.std)
    network = network.eval()  # which the file has to answer like
    program = _traced(network, settings)
    with workshop(file) as folder:
        part = folder / file.name
        write(settings.format, program, subject.network.outputs, part)
        card = _card(subject, settings, program)
        card.write(part)
        exported = load(part, trusted=True)  # it was written here
        card = replace(card, parity=_parity(network, exported, settings, pictures))
        card.write(part)
        if finish:
            finish(part).write(part)
        if elsewhere and settings.format == 'openvino' and not Card.read(part).bf16:
            exported = load(part)
            parity = exported.card.parity | {'by_itself': _by_itself(exported, settings, pictures)}
            replace(exported.card, parity=parity).write(part)
        take_place([*folder.iterdir()], file)
    return Card.read(file)


def _traced(network: nn.Module, settings: Settings) -> ExportedProgram:
    """Return the graph of a network, with what is constant folded into weights."""
    image = example(settings.size, settings.batch, settings.dynamic, settings.preprocess)
    return trace(fuse_for_inference(network), image, settings.dynamic)


# ------------------------------------------------------------------------ card


def _card(subject: Subject, settings: Settings, program: ExportedProgram) -> Card:
    """Return the card of a graph, without what is known once it has been compared."""
    image, values = ports(program)
    return Card(
        format=settings.format,
        task=subject.task,
        name=subject.name,
        classes=subject.classes,
        palette=subject.palette,
        input=replace(input_of(subject, settings.preprocess), **torch_port(INPUT, image)._asdict()),
        steps=subject.steps(None if 'size' in settings.dynamic else settings.size),
        outputs=[
            GraphOutput(**torch_port(name, value)._asdict())
            for name, value in zip(subject.network.outputs, values, strict=True)
        ],
        dynamic=list(settings.dynamic),
        checkpoint=subject.checkpoint,
        threshold=subject.threshold,
        parity={},
        versions=dict(each.rpartition(' ')[::2] for each in versions()),
    )


def input_of(subject: Subject, preprocess: bool = False) -> GraphInput:
    """Return the input of a graph for any number of images of any size.

    ``preprocess``: whether it takes pictures, and normalizes inside.
    """
    return GraphInput(
        name=INPUT,
        dtype='uint8' if preprocess else 'float32',
        layout='NHWC' if preprocess else 'NCHW',
        shape=[None, None, None, 3] if preprocess else [None, 3, None, None],
        color='rgb',
        mean=subject.mean,
        std=subject.std,
        preprocess_inside=preprocess,
    )


# ------------------------------------------------------------------------ proof


def _random(card: Card, settings: Settings) -> Iterator[np.ndarray]:
    """Yield images of all numbers and sizes that are tried."""
    draw = np.random.default_rng(SEED)
    batches = BATCHES if 'batch' in settings.dynamic else (settings.batch,)
    scales = SCALES if 'size' in settings.dynamic else SCALES[:1]
    for number in batches:
        for scale in scales:
            height, width = (
                max(min(LEAST, side), round(side * factor))
                for side, factor in zip(settings.size, scale, strict=True)
            )
            # colors that change as slowly as in photographs
            coarse = draw.integers(0, 256, (number, 8, 8, 3), np.uint8)
            how = {'dsize': (width, height), 'interpolation': cv2.INTER_CUBIC}
            pixels = np.stack([cv2.resize(each, **how) for each in coarse])
            if not card.input.preprocess_inside:
                mean, std = (np.float32(each) for each in (card.input.mean, card.input.std))
                # (N, H, W, 3) -> (N, 3, H, W)
                pixels = ((pixels - mean) / std).transpose(0, 3, 1, 2)
            yield np.ascontiguousarray(pixels, card.input.dtype)


def _parity(
    network: nn.Module, exported: Exported, settings: Settings, pictures: Sequence[Path]
) -> dict:
    """Return what was compared.

    Raises:
        InputError: a difference is too large.
    """
    found = []
    count = 0
    objects = 0
    for image in _images(exported, settings, pictures):
        wanted = _wanted(network, exported.card, image)
        sides = image.shape[1:3] if exported.card.input.preprocess_inside else image.shape[2:]
        found.append(differences(exported.run(image), wanted, sides))
        if wrong := exceeded(found[-1]):
            text = (
                'the outputs of the exported file differ from those of the model: '
                f'{in_words(wrong)}; {TOLERANCE:g} is allowed. The file was removed'
            )
            precise = image if image.dtype == np.uint8 else image.astype(np.float64)
            exact = _wanted(copy.deepcopy(network).double(), exported.card, precise)
            if of_rounding := exceeded(differences(wanted, exact, sides)):
                text += (
                    f'. The model itself differs in double precision ({in_words(of_rounding)}), '
                    'so its outputs depend on rounding, for example because many scores are '
                    'nearly equal'
                )
            raise InputError(text)
        count += len(image)
        objects += int(np.sum(wanted.get('labels', NO_LABEL) != NO_LABEL))
    worst = worst_of(found)
    parity = {'differences': worst, 'images': count, 'tolerance': TOLERANCE}
    return parity | ({'objects': objects} if 'labels' in worst else {})


def _images(
    exported: Exported, settings: Settings, pictures: Sequence[Path]
) -> Iterator[np.ndarray]:
    """Yield what is compared: random images, and pictures as the graph takes them."""
    yield from _random(exported.card, settings)
    prepared = (exported.prepare(read_image(str(file))).image[None] for file in pictures)
    yield from (part for image in prepared for part in exported.parts(image))


def _by_itself(exported: Exported, settings: Settings, pictures: Sequence[Path]) -> dict:
    """Return how far a file of OpenVINO is from itself in float32, where nothing is set."""
    precision = own_precision()
    if precision == 'f32':
        return {'precision': precision}
    other = exported.running(start_openvino(exported.file, precision=precision).run)
    images = _images(exported, settings, pictures)
    try:
        worst = worst_of([differences_in_half(other.run(x), exported.run(x)) for x in images])
    except InputError as error:  # seen where sizes are open
        return {'precision': precision, 'fails': str(error)}
    return {'precision': precision, 'differences': worst}


def _wanted(network: nn.Module, card: Card, image: np.ndarray) -> dict[str, np.ndarray]:
    """Return what the network answers, by the names of outputs."""
    with torch.no_grad():
        answers = network(torch.from_numpy(image))
    names = [output.name for output in card.outputs]
    return {name: value.numpy() for name, value in zip(names, answers, strict=True)}
