"""What an analysis looks at: a model under a name, and the images that it is shown."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from mmengine.config import Config
from torch import Tensor, nn


@dataclass(frozen=True)
class Subject:
    """A model in eval mode.

    Attributes:
        name: in the legend and the table.
        model: on the device where it is to run.
        images: (1, 3, H, W) each, normalized as the model wants them, on the same device.
        photos: (H, W, 3) each, uint8, RGB: what an image shows, at its size.
        config: the file that the model comes from; ``None`` for a model by name.
    """

    name: str
    model: nn.Module
    images: Sequence[Tensor] = ()
    photos: Sequence[np.ndarray] = field(default=())
    config: Config | None = None
