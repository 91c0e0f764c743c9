"""Open a model for inference: a config with its weights, or an exported file.

For an exported file, and for a model whose graph is in the cache, nothing of torch or OpenMMLab is
imported.
"""

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from io import IOBase
from itertools import groupby, islice
from pathlib import Path
from typing import Any

import numpy as np

from ..configuration.doctor import import_needed
from ..data.loading.image_file import UnreadableImage, pixels_of, read_image
from ..data.sources import Frame, Source, require_no_address
from ..errors import InputError
from ..runtime import load
from ..runtime.answers import Answer, Detected, with_names
from ..runtime.cache import Graphs, recall
from ..runtime.card import Threshold
from ..runtime.runtimes import is_exported
from ..utils.messages import show_warnings
from ..utils.rules import DICT, NONE, PRECISIONS, SIDE, Rule, choice, number, whole
from .graphs import GraphModel
from .request import AUTO, RUNTIMES, ModelRequest
from .run import Model
from .tiles import Tiling, in_tiles
from .writers import MaskWriter, ObjectWriter, PredictionWriter, ScoreWriter

SCORE = number(least=0, most=1)
FILE = Rule('the path of a file', lambda x: isinstance(x, str | Path))
NO_LIST = (bytes, bytearray, IOBase, Mapping)  # though they can be iterated over
PICTURES = Rule(
    'a file, an image, an array, a tensor, or a list of these',
    lambda x: _is_one(x) or (isinstance(x, Iterable) and not isinstance(x, NO_LIST)),
)
# By the task, what writes the answers.
WRITERS: dict[str, type[PredictionWriter]] = {
    'classification': ScoreWriter,
    'detection': ObjectWriter,
    'segmentation': MaskWriter,
}
GPUS = (Path('/dev/nvidiactl'), Path('/dev/kfd'))  # without asking torch


@dataclass(frozen=True)
class FoundModel:
    """A model that was found, with its inputs and settings.

    Attributes:
        load: returns what prepares frames and answers batches of them.
        settings: what the answers depend on, by the names that a user knows.
        inputs: what the command line names to be predicted.
        task: a folder of ``tasks``.
        weights: the file that they are in, for the user.
        along: the name of the config whose weights come with the package; None for others.
        tiling: how pictures are cut, None where they are not.
        threshold: from which score on objects count, None where nobody has chosen it.
    """

    load: Callable[[], Model]
    settings: dict
    inputs: list[str]
    task: str
    weights: str
    along: str | None = None
    tiling: Tiling | None = None
    threshold: Threshold | None = None


class OpenModel:
    """A model that predicts images, as ``predict`` does; made by :func:`open_model`.

    Attributes:
        weights: the file that they are in.
        runtime: what computes, and why.
        classes: their names, by the labels of the answers.
        palette: their colors (red, green, blue), None where none are known.
        threshold: objects of a lower score are left out; None where none are.
    """

    def __init__(
        self,
        model: Model,
        weights: str,
        tiling: Tiling | None = None,
        threshold: Threshold | None = None,
    ) -> None:
        self._model: Model | None = model
        self._tiling = tiling
        self.weights = weights
        self.runtime: str = model.runtime
        self.classes = [*model.meta.get('classes', ())]
        self.palette = model.meta.get('palette')
        self.threshold = threshold

    def predict(self, pictures: Any, batch_size: int = 1) -> list[Answer]:
        """Return an answer for each picture, see :mod:`vitbackbones.runtime.answers`.

        Args:
            pictures: files; images of Pillow, which answer as their files do; arrays (H, W, 3) of
                uint8 in BGR, as OpenCV reads them; or tensors (3, H, W) of uint8 in RGB, as
                torchvision reads them. Several in a list, or one alone.
            batch_size: pictures at a time, where neighbors become images of one size; with
                ``tiles``, tiles of a picture.

        Raises:
            InputError: one is no picture, cannot be read, or cannot be resized; or the model is
                closed.
        """
        whole(1).require('batch_size', batch_size)
        PICTURES.require('pictures', pictures)
        if self._model is None:
            raise InputError('the model is closed: call predict inside the with block')
        model = in_tiles(self._model, self._tiling, batch_size)
        several = [pictures] if _is_one(pictures) else pictures
        samples = (model.prepare(_frame(each, i, model.color)) for i, each in enumerate(several))
        answers = []
        for _, group in groupby(samples, lambda sample: sample['inputs'].shape):
            while batch := [*islice(group, batch_size)]:  # no more are in memory
                answers += model.answer(batch)
        if self.threshold:
            least = self.threshold.of(self.classes)
            answers = [each.sure(least) if isinstance(each, Detected) else each for each in answers]
        return [with_names(each, self.classes) for each in answers]

    def __enter__(self) -> 'OpenModel':
        return self

    def __exit__(self, *_) -> None:
        """Let go of the model and its memory."""
        self._model = None


def open_model(
    config: str | Path,
    checkpoint: str | Path | None = None,
    *,
    runtime: str = AUTO,
    precision: str = AUTO,
    device: str | None = None,
    amp: bool = False,
    fused: str | None = None,
    compile: bool = False,
    cfg_options: Mapping | None = None,
    size: int | None = None,
    trusted: bool = False,
    tiles: int | None = None,
    overlap: float = 0.2,
    merge: str = 'nms',
    score_threshold: float | str | Path | None = None,
) -> OpenModel:
    """Open a model to predict images from Python.

    Args:
        config: name or file of a config, or an exported file.
        checkpoint: a file, a work dir for its latest, or ``WORK_DIR/best``; None for weights that
            come with the package, or for an exported file.
        runtime: ``'torch'``, ``'openvino'``, ``'onnxruntime'``, or ``'auto'``: OpenVINO on a CPU
            where it is installed and the model exports, otherwise torch.
        precision: ``'f32'``; ``'bf16'`` or ``'int8'``, of which ``export`` or ``test`` has measured
            the loss; or ``'auto'``: bfloat16 where the loss was measured and the processor has it.
        device, amp, fused, compile: of torch, as of ``vitbackbones predict``.
        cfg_options: key -> value, changes of the config.
        size: side of images in pixels, as of ``vitbackbones predict``.
        trusted: whether code in an exported ``.pt2`` file may run.
        tiles: side of the tiles that larger pictures are cut into, None to leave them whole.
        overlap, merge: of tiles, see :class:`.tiles.Tiling`.
        score_threshold: objects of a lower score are left out; or a file of scores that ``test
            --report`` has written. None for what it has chosen for these weights, and for all
            objects where it has not.

    Raises:
        InputError: something is wrong with one of them.

    >>> with open_model('detr_aug_vit_s_shapes') as model:  # doctest: +SKIP
    ...     print(model.runtime, model.predict(['photo.jpg'])[0].boxes)
    """
    choice(*RUNTIMES).require('runtime', runtime)
    choice(*PRECISIONS).require('precision', precision)
    (DICT | NONE).require('cfg_options', cfg_options)
    (SIDE | NONE).require('size', size)
    (whole(1) | NONE).require('tiles', tiles)
    (SCORE | FILE | NONE).require('score_threshold', score_threshold)
    request = ModelRequest(
        config=str(config),
        checkpoint=str(checkpoint) if checkpoint else None,
        runtime=runtime,
        precision=precision,
        device=device,
        amp=amp,
        fused=fused,
        compile=compile,
        cfg_options=dict(cfg_options or {}),
        size=size,
        trusted=trusted,
        tiling=Tiling(tiles, overlap, merge) if tiles is not None else None,
    )
    found = find_model(request)
    show_warnings(own_run_hints(found.along))
    model = OpenModel(found.load(), found.weights, found.tiling, found.threshold)
    if score_threshold is not None:
        model.threshold = Threshold.given(score_threshold, 'score_threshold', model.classes)
    return model


def own_run_hints(along: str | None) -> list[str]:
    """Say that a run of the user has weights, if those of the package are used."""
    run = Path('work_dirs', along or '')
    if not along or not any(run.glob('*.pth')):
        return []
    return [f'{run} contains weights of your own. To use them, give {run} as checkpoint']


def _is_one(pictures: Any) -> bool:
    """Return whether this is a picture, and no list of them."""
    is_array = hasattr(pictures, 'shape') and len(pictures.shape) < 4
    return is_array or isinstance(pictures, str | Path) or hasattr(pictures, 'convert')


def _frame(picture: Any, number: int, color: str | int) -> Frame:
    """Return a picture of a kind that :meth:`OpenModel.predict` takes."""
    name = f'picture {number}'
    if isinstance(picture, str | Path):
        require_no_address(picture, name)
        file = Path(picture)
        if file.is_dir():
            raise UnreadableImage(f'{name}: {file} is a folder. Give a list of its files')
        return Frame(Source(file, file.name), read_image(str(file), color, advice=''))
    if hasattr(picture, 'convert'):  # of Pillow
        try:
            return Frame(Source(Path(name), name), pixels_of(picture))
        except Exception as error:  # Pillow reads a file only now, and every plugin has its own
            raise UnreadableImage(f'{name}: {error}') from error
    pixels = picture
    if not isinstance(picture, np.ndarray):
        # (3, H, W) in RGB -> (H, W, 3) in BGR
        pixels = np.moveaxis(np.atleast_1d(picture)[::-1], 0, -1)
    if pixels.ndim != 3 or pixels.shape[2] != 3 or pixels.dtype != np.uint8 or not pixels.size:
        shape = ' x '.join(map(str, np.shape(picture)))
        given = f'{shape} of {pixels.dtype}' if shape else type(picture).__name__
        raise UnreadableImage(
            f'{name}: must be a file, a Pillow image, an array (H, W, 3) of uint8 in BGR or a '
            f'tensor (3, H, W) of uint8 in RGB, not {given}'
        )
    return Frame(Source(Path(name), name), np.ascontiguousarray(pixels))


# ------------------------------------------------------------------------ finding a model


def find_model(request: ModelRequest) -> FoundModel:
    """Find the model of a request.

    Raises:
        InputError: something is wrong with the config, the weights, the exported file or an option.
    """
    if is_exported(request.config):
        found = _exported(request)
    else:
        found = _recalled(request) or _configured(request)
    tiling = request.tiling
    if tiling and found.task == 'classification':
        raise InputError(
            f'--tiles: {request.config} is a classifier and predicts on whole images; '
            'remove --tiles'
        )
    settings = found.settings | {'--tiles': str(tiling) if tiling else None}
    return replace(found, settings=settings, tiling=tiling)


def _configured(request: ModelRequest) -> FoundModel:
    return import_needed('inference.configured', 'predict').find_configured(request)


def _recalled(request: ModelRequest) -> FoundModel | None:
    """Return the model that a request meant before, if its graphs are in the cache."""
    suffix = RUNTIMES[request.runtime]
    may_use_gpu = request.device != 'cpu' and any(place.exists() for place in GPUS)
    if suffix is None or request.for_torch() or may_use_gpu or sys.platform != 'linux':
        return None
    note = recall(request.words())
    if note is None:
        return None
    graphs = Graphs(note['key'], suffix)
    if not graphs.names():
        return None

    def load_again() -> Model:
        again = partial(import_needed, 'inference.configured', 'predict')
        try:
            return GraphModel(
                graphs, lambda: again().original_of(request), request.precision, request.streams
            )
        except Exception:  # it is found again, and said
            return _configured(request).load()

    inputs = request.inputs[1:] if note['has_checkpoint'] else request.inputs
    threshold = note['threshold'] and Threshold(**note['threshold'])
    known = {key: note[key] for key in ('settings', 'task', 'weights', 'along')}
    return FoundModel(load=load_again, inputs=[*inputs], threshold=threshold, **known)


def _exported(request: ModelRequest) -> FoundModel:
    file = Path(request.config)
    for option in request.given():
        raise InputError(f'{file}: {option} is not supported for an exported file; remove it')
    if request.checkpoint:
        raise InputError(
            f'{file}: an exported file already contains its weights; remove the checkpoint'
        )
    model = ExportedModel(file, request.trusted, request.precision, request.streams)
    card = model.exported.card
    settings = {'the exported file': f'{file.name} ({card.file_sha256})'}
    threshold = None
    if card.threshold:
        threshold = Threshold.checked(card.threshold, f'{file}.json: threshold')
    return FoundModel(
        load=lambda: model,
        settings=settings,
        inputs=[*request.inputs],
        task=card.task,
        weights=str(file),
        threshold=threshold,
    )


class ExportedModel:
    """An exported file that predicts frames.

    Attributes:
        exported: the file and its card.
        meta: ``classes`` and ``palette``.
        runtime: what runs it.
        at_once: how many pictures it answers at the same time.

    Raises:
        InputError: see :func:`vitbackbones.runtime.load`.
    """

    color = 'color'

    def __init__(
        self,
        file: str | Path,
        trusted: bool = False,
        precision: str = AUTO,
        streams: bool = False,
    ) -> None:
        self.exported = load(file, trusted=trusted, precision=precision, streams=streams)
        self.at_once = self.exported.at_once
        card = self.exported.card
        self.meta = {'classes': card.classes, 'palette': card.palette}
        self.runtime = self.exported.runtime

    def prepare(self, frame: Frame) -> dict:
        """Return the ``picture`` that the graph takes, and the ``inputs`` in it.

        Raises:
            UnreadableImage: an image of such sides cannot be resized.
        """
        try:
            picture = self.exported.prepare(frame.pixels)
        except InputError as error:
            raise UnreadableImage(f'{frame}: {error}') from error
        return {'inputs': picture.image, 'picture': picture}

    def answer(self, samples: Sequence[dict], logits: bool = False) -> list[Answer]:
        """Return the answers for prepared frames, whose images have one size."""
        return self.exported.answer([sample['picture'] for sample in samples])
