"""A model for tests of what times models."""

import time

from torch import nn


class Toy(nn.Module):
    """A linear layer that takes a millisecond, as times of zero have no ratio."""

    def __init__(self, size):
        super().__init__()
        self.line = nn.Linear(3 * size[0] * size[1], 4)

    def forward(self, x):
        time.sleep(1e-3)
        return self.line(x.flatten(1))  # (N, 3 * H * W)


def build(name, size, features):
    """A source of models, as those of ``model_sources``."""
    return Toy(size)
