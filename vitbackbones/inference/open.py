"""The model that ``predict`` asks: a config and its weights, or an exported file.

For an exported file nothing of torch or OpenMMLab is imported.
"""

from argparse import Namespace
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..configuration.doctor import import_needed
from ..data.loading.image_file import UnreadableImage
from ..errors import InputError
from ..export.runtime import load
from ..export.runtime.answers import Answer
from ..export.runtime.runtimes import is_exported
from .run import Model
from .sources import Frame
from .writers import MaskWriter, ObjectWriter, PredictionWriter, ScoreWriter

# By the task of a card, what writes the answers.
WRITERS: dict[str, type[PredictionWriter]] = {
    'classification': ScoreWriter,
    'detection': ObjectWriter,
    'segmentation': MaskWriter,
}
# Options of a model that torch computes, and what they are where they are not given
OF_TORCH = {'device': None, 'amp': False, 'fused': None, 'compile': False, 'cfg_options': {}}


@dataclass(frozen=True)
class OpenModel:
    """A model that was found, and what follows from it.

    Attributes:
        load: returns what prepares frames and answers batches of them.
        writer: makes what writes the answers; arguments as :class:`.writers.PredictionWriter`.
        settings: what the answers depend on, by the names that a user knows.
        inputs: what the command line names to be predicted.
    """

    load: Callable[[], Model]
    writer: Callable[..., PredictionWriter]
    settings: dict
    inputs: list[str]


def open_model(options: Namespace) -> OpenModel:
    """Open the model of a command line of ``predict``.

    Raises:
        InputError: something is wrong with the config, the weights, the exported file or an option.
    """
    if is_exported(options.config):
        return _open_exported(options)
    return import_needed('inference.configured', 'predict').open_configured(options)


def _open_exported(options: Namespace) -> OpenModel:
    file = Path(options.config)
    for name, default in OF_TORCH.items():
        if getattr(options, name) != default:
            option = f'--{name.replace("_", "-")}'
            raise InputError(f'{file}: an exported file takes no {option}; leave it out')
    model = ExportedModel(file, options.trusted)
    card = model.exported.card
    settings = {'the exported file': f'{file.name} ({card.file_sha256})'}
    return OpenModel(
        lambda: model, WRITERS[card.task], settings, [options.checkpoint, *options.inputs]
    )


class ExportedModel:
    """An exported file that answers frames.

    Attributes:
        exported: the file and its card.
        meta: ``classes`` and ``palette``.

    Raises:
        InputError: see :func:`vitbackbones.export.runtime.load`.
    """

    def __init__(self, file: str | Path, trusted: bool = False) -> None:
        self.exported = load(file, trusted=trusted)
        card = self.exported.card
        self.meta = {'classes': card.classes, 'palette': card.palette}

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

    def answer(self, samples: Sequence[dict]) -> list[Answer]:
        """Return the answers for prepared frames, whose images have one size."""
        return self.exported.answer([sample['picture'] for sample in samples])
