"""What an analysis looks at: a model under a name, and the images that it is shown."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor, nn
from tqdm import tqdm

from .reading import Reading, find_backbone, reading


@dataclass(frozen=True)
class Subject:
    """A model in eval mode.

    Attributes:
        name: in the legend and the table.
        model: on the device where it is to run.
        images: (1, 3, H, W) each, normalized as the model wants them, on the same device.
        photos: (H, W, 3) each, uint8, RGB: what an image shows, at its size.
    """

    name: str
    model: nn.Module
    images: Sequence[Tensor] = ()
    photos: Sequence[np.ndarray] = field(default=())


def read_images(
    subject: Subject, attention: Sequence[int] = (), count: int | None = None
) -> Iterator[Reading]:
    """Run the backbone on the first ``count`` images, one after another, and yield what is read.

    Args:
        subject: the model and its images.
        attention: numbers of the blocks whose attention weights are wanted.
        count: all images by default.
    """
    backbone = find_backbone(subject.model)
    images = subject.images[:count]
    for image in tqdm(images, subject.name, leave=False, disable=None):  # None: off a terminal
        with reading(backbone, attention) as found, torch.no_grad():
            backbone(image)
        yield found


def mean_by_place(subject: Subject, numbers: Callable[[Tensor], dict[str, float]]) -> list[dict]:
    """Return a row for the embedding and every block and pass: means over the images.

    Args:
        subject: the model and its images.
        numbers: from the patch tokens (L, C) of one image to numbers by name.
    """
    places: list[tuple[int, int]] = []
    sums: list[dict[str, float]] = []
    for found in read_images(subject):
        places = [(place.block, place.turn) for place in found.places]
        values = [numbers(place.patches[0].float()) for place in found.places]
        sums = [
            {key: before.get(key, 0) + value[key] for key in value}
            for before, value in zip(sums or [{}] * len(values), values, strict=True)
        ]
    return [
        {'depth': depth, 'block': block, 'pass': turn}
        | {key: value / len(subject.images) for key, value in total.items()}
        for depth, ((block, turn), total) in enumerate(zip(places, sums, strict=True))
    ]
