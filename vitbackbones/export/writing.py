"""Write a model as a file for other runtimes with a metadata file, and compare the outputs.

What has not been proved is not kept: file and card are made and compared in a folder of their own,
and take their places together (``placing.py``). Graphs of the cache are written in the same way,
from a torch model that is built only when it is needed.
"""

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import cv2
import numpy as np
import torch
from mmengine.config import Config
from torch import nn
from torch.export import ExportedProgram

from ..data.loading.load_image import read_image
from ..errors import InputError
from ..layers import fuse_for_inference
from ..preparing.explain import explained
from ..runtime import Exported, load
from ..runtime.cache import ANY, Graphs, name_of
from ..runtime.card import Card, GraphInput, GraphOutput
from ..runtime.preparing import Taken
from ..runtime.runtimes import own_precision, start_openvino, torch_port
from ..tasks.predictor import Predictor
from ..utils.packages import versions
from . import parity
from .formats import INPUT, FromPixels, example, ports, require_packages, trace, write
from .pipeline import Size, one_size
from .placing import take_place, workshop
from .subject import Subject, of_config

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
    :func:`~vitbackbones.export.lower_precision.to_int8` does. ``elsewhere`` says that the file may
    be run outside of this package, so it is also compared in the precision that OpenVINO takes by
    itself.

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
    image = example(size, settings.batch, settings.dynamic, settings.preprocess)
    program = trace(fuse_for_inference(network), image, settings.dynamic)  # constants are folded
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
            more = {'by_itself': _by_itself(exported, settings, pictures)}
            replace(exported.card, parity=exported.card.parity | more).write(part)
        take_place([*folder.iterdir()], file)
    return Card.read(file)


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
        found.append(parity.differences(exported.run(image), wanted, sides))
        if wrong := parity.exceeded(found[-1]):
            text = (
                'the outputs of the exported file differ from those of the model: '
                f'{parity.in_words(wrong)}; {parity.TOLERANCE:g} is allowed. The file was removed'
            )
            precise = image if image.dtype == np.uint8 else image.astype(np.float64)
            exact = _wanted(copy.deepcopy(network).double(), exported.card, precise)
            if of_rounding := parity.exceeded(parity.differences(wanted, exact, sides)):
                text += (
                    '. The model itself differs in double precision '
                    f'({parity.in_words(of_rounding)}), so its outputs depend on rounding, for '
                    'example because many scores are nearly equal'
                )
            raise InputError(text)
        count += len(image)
        objects += int(np.sum(wanted.get('labels', parity.NO_LABEL) != parity.NO_LABEL))
    worst = parity.worst_of(found)
    proof = {'differences': worst, 'images': count, 'tolerance': parity.TOLERANCE}
    return proof | ({'objects': objects} if 'labels' in worst else {})


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
        found = [parity.differences_in_half(other.run(x), exported.run(x)) for x in images]
    except InputError as error:  # seen where sizes are open
        return {'precision': precision, 'fails': str(error)}
    return {'precision': precision, 'differences': parity.worst_of(found)}


def _wanted(network: nn.Module, card: Card, image: np.ndarray) -> dict[str, np.ndarray]:
    """Return what the network answers, by the names of outputs."""
    with torch.no_grad():
        answers = network(torch.from_numpy(image))
    names = [output.name for output in card.outputs]
    return {name: value.numpy() for name, value in zip(names, answers, strict=True)}


# ------------------------------------------------------------------------ graphs of the cache


class Original:
    """The model of a config on the CPU, and its exportable form.

    Args:
        config: of a detector, a segmentor or a classifier, checked.
        checkpoint: the file with its weights.
        format: of the graphs, a key of :data:`~vitbackbones.runtime.runtimes.FORMATS`.
    """

    def __init__(self, config: Config, checkpoint: Path, format: str) -> None:
        self.config = copy.deepcopy(config)
        self.config.load_from = str(checkpoint)
        self.format = format

    @cached_property
    def predictor(self) -> Predictor:
        """What answers in torch."""
        with explained(self.config):
            return Predictor(self.config, Path(self.config.load_from), torch.device('cpu'))

    @cached_property
    def subject(self) -> Subject:
        """What is exported. Graphs of one size take pictures as the test pipeline leaves them, too.

        Raises:
            InputError: the model or its test pipeline has no graph, or one of other masks.
        """
        require_packages(self.format)
        subject = of_config(self.config, predictor=self.predictor)
        if {'masks', 'segments'} & {*subject.network.outputs}:
            raise InputError(
                'an exported file computes masks in its input size and enlarges them, but torch '
                "computes them in the image size; use 'vitbackbones export' for such a file"
            )
        steps = subject.steps(None)
        return replace(subject, steps=lambda size: steps)

    @property
    def taken(self) -> Taken:
        """How a picture becomes an input of its graphs."""
        return Taken(self.subject.steps(None), input_of(self.subject))

    @property
    def first(self) -> str | None:
        """The name of the graph to begin with; None where each size has one, and any may come."""
        if size := one_size(self.subject.steps(None)):
            return name_of(size)
        parts = self.subject.network.modules()
        return None if any(getattr(part, 'fixed_size', '') for part in parts) else ANY

    def export(self, graphs: Graphs, name: str) -> Card:
        """Put a graph into the cache, and return its card.

        Raises:
            InputError: there is no such graph, it does not answer alike, or it cannot be written.
            OSError: the cache cannot be written to.
        """
        size = None if name == ANY else tuple(map(int, name.split('x')))
        dynamic = ('batch', 'size') if size is None else ('batch',)
        settings = Settings(format=self.format, dynamic=dynamic, size=size)
        card = export(self.subject, settings, graphs.file(name), elsewhere=False)
        graphs.seal(name)
        return card
