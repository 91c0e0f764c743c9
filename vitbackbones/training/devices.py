"""The device that runs take where none is named: the one that mmengine trains on, too."""

import torch


def best_device() -> str:
    """Return 'cuda' where there is such a GPU, else 'mps' (Apple's), else 'cpu'."""
    if torch.cuda.is_available():
        return 'cuda'
    return 'mps' if torch.backends.mps.is_available() else 'cpu'


def device_name() -> str:
    """Say where a run computes, in its first lines."""
    device = best_device()
    if device == 'cuda':
        return torch.cuda.get_device_name()
    if device == 'mps':
        return "Apple's GPU"
    return f'the CPU, torch threads: {torch.get_num_threads()}'
