"""What the examples train: a small network with dropout, on numbers that are drawn anew."""

import random

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.data import Dataset

SAMPLES, BATCH, STEPS = 100, 4, 40


class NoisyNumbers(Dataset):
    """Samples (4,) with noise of all three generators that augmentations use."""

    def __len__(self) -> int:
        return SAMPLES

    def __getitem__(self, index: int) -> Tensor:
        noise = random.random() + np.random.rand() + torch.rand(4)
        return torch.tensor([index / SAMPLES, 1, 0, 0]) + noise


class Network(nn.Sequential):
    """Learns to return what it is given; ``forward`` is its loss."""

    def __init__(self) -> None:
        torch.manual_seed(0)
        super().__init__(nn.Linear(4, 16), nn.GELU(), nn.Dropout(0.2), nn.Linear(16, 4))

    def forward(self, numbers: Tensor) -> Tensor:
        """Return the loss of numbers (N, 4)."""
        return (super().forward(numbers) - numbers).square().mean()
