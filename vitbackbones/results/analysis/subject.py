"""What an analysis looks at: a model under a name, and the images that it is shown."""

from collections.abc import Iterator, Sequence
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
