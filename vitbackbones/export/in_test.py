"""Test an exported file with the metrics of a config."""

from collections.abc import Sequence

import numpy as np
from mmengine.config import Config
from mmengine.model import BaseModel
from torch import Tensor

from ..errors import InputError
from ..openmmlab.samples import fill
from ..registry import SCOPE
from ..runtime import load
from ..tasks import find_task
from ..tasks.predictor import only_loading


def use_exported(
    config: Config, file: str, trusted: bool = False, precision: str = 'auto'
) -> Config:
    """Return a config whose model is an exported file.

    Its pipelines load, and leave it to the card how a picture becomes an input, so that what is
    measured is what ``predict`` does. ``trusted`` and ``precision`` are those of
    :func:`vitbackbones.runtime.load`.
    """
    config = only_loading(config)
    kind = f'{SCOPE}.ExportedInTest'
    task = type(find_task(config)).__name__.lower()
    options = {'file': str(file), 'task': task, 'trusted': trusted, 'precision': precision}
    config.model = {'type': kind} | options
    return config


class ExportedInTest(BaseModel):
    """A toolbox model that returns the predictions of an exported file.

    Args:
        file: the file.
        task: of the config, ``'detection'`` for one.
        trusted: whether code in it may run.
        precision: that it computes in.

    Raises:
        InputError: see :func:`vitbackbones.runtime.load`, or it is of another task.
    """

    def __init__(
        self, file: str, task: str, trusted: bool = False, precision: str = 'auto'
    ) -> None:
        super().__init__()
        self.exported = load(file, trusted=trusted, precision=precision)
        if self.exported.card.task != task:
            raise InputError(
                f'{file} was exported for {self.exported.card.task}, but the config is for {task}'
            )

    def __deepcopy__(self, memo: dict) -> 'ExportedInTest':
        return self  # to hooks that average weights: it has none, and no runtime can be copied

    def test_step(self, data: dict) -> list:
        """Return the data samples of a batch, with what the file answers in them."""
        pictures = []
        for image in data['inputs']:
            pixels = image.permute(1, 2, 0).numpy()  # (3, H, W) -> (H, W, 3), BGR
            pictures.append(self.exported.prepare(np.ascontiguousarray(pixels)))
        if len({picture.image.shape for picture in pictures}) == 1:
            answers = self.exported.answer(pictures)
        else:
            answers = [self.exported.answer([picture])[0] for picture in pictures]
        for sample, answer in zip(data['data_samples'], answers, strict=True):
            fill(sample, answer)
        return data['data_samples']

    def forward(self, inputs: Sequence[Tensor], data_samples: Sequence, mode: str) -> list:
        """Answer as :meth:`test_step` does; there is nothing else that a file computes."""
        return self.test_step({'inputs': inputs, 'data_samples': data_samples})
