"""The torch model of cached graphs, built only when it is needed."""

import copy
from dataclasses import replace
from functools import cached_property
from pathlib import Path

import torch
from mmengine.config import Config

from ..errors import InputError
from ..preparing.explain import explained
from ..runtime.cache import ANY, Graphs, name_of
from ..runtime.card import Card
from ..runtime.preparing import Taken
from ..tasks.predictor import Predictor
from .formats import require_packages
from .pipeline import one_size
from .subject import Subject, of_config
from .writing import Settings, export, input_of


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
