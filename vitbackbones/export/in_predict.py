"""An exported file in the place of a model: what ``predict`` asks of it."""

from collections.abc import Sequence
from pathlib import Path

from ..data.loading.image_file import UnreadableImage
from ..errors import InputError
from ..inference.object_writer import ObjectWriter
from ..inference.sources import Frame
from ..inference.writers import MaskWriter, PredictionWriter, ScoreWriter
from .runtime import load
from .runtime.answers import Answer

# By the task of a card, what writes the answers.
WRITERS: dict[str, type[PredictionWriter]] = {
    'classification': ScoreWriter,
    'detection': ObjectWriter,
    'segmentation': MaskWriter,
}


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
