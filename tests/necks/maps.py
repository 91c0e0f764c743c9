"""Maps as backbones give them."""

import math

import torch


def maps(channels, strides, height, width, batch=2):
    """Random maps (N, C, ceil(H / stride), ceil(W / stride)) of an image."""
    generator = torch.Generator().manual_seed(0)
    return tuple(
        torch.randn(batch, c, math.ceil(height / s), math.ceil(width / s), generator=generator)
        for c, s in zip(channels, strides, strict=True)
    )


def sizes(levels):
    return [tuple(level.shape[2:]) for level in levels]


def same_weights(neck, other):
    """Initialize a neck and give its weights, under their keys, to another one."""
    torch.manual_seed(0)
    neck.init_weights()
    other.load_state_dict(neck.state_dict())
    return neck, other
