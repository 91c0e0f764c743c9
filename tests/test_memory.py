"""Memory of training is linear in the number of tokens: no host keeps scores or weights.

What backward keeps is counted by bytes, not by a clock. Scores and weights (L x S) would grow
with the square of the tokens; the fused kernels keep one number for each row instead. On a CPU
there is no such kernel with dropout on the weights, so with ``attn_drop_rate`` the growth is
quadratic there.
"""

import numpy as np
import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from .test_grid import GRID, build

SIDES = (64, 128, 192, 256)
DROPPING = {'drop_rate': 0.1, 'drop_path_rate': 0.1}
MORE = [
    ('T2T', {'tokens': 'transformer'}),
    ('ViT', {'recursion': {'passes': 2, 'nll_ratio': 1, 'groups': [3, 2]}}),
    ('SReT', {'passes': 3, 'loop': 'external', 'nll': 'per_sweep'}),
    ('SReT', {'mixed_depth': True}),
    ('SReT', {'groups': None}),
]


def kept_bytes(model, image):
    """Return the bytes that a training forward keeps for backward, without parameters."""
    own = {parameter.untyped_storage().data_ptr() for parameter in model.parameters()}
    kept = {}

    def keep(tensor):
        storage = tensor.untyped_storage()
        kept[storage.data_ptr()] = storage  # held, so that no other storage gets its place
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        maps = model.train()(image)  # the maps hold the graph, and the graph what was kept
    assert all(x.requires_grad for x in maps)
    return sum(storage.nbytes() for place, storage in kept.items() if place not in own)


def distance_from_a_line(host, attention, shortcut, **options):
    """Fit a + b * tokens to the bytes; return the largest share of them that the line misses."""
    tokens = np.square(SIDES, dtype=float)
    kept = [
        kept_bytes(
            build(host, attention, shortcut, img_size=side, **options),
            torch.randn(1, 3, side, side),
        )
        for side in SIDES
    ]
    line = np.polyval(np.polyfit(tokens, kept, 1), tokens)
    return np.abs(line / kept - 1).max()


@pytest.mark.parametrize(
    ('host', 'attention'), [case[:2] for case in GRID if case[2] == 'augmented']
)
def test_a_step_keeps_bytes_in_proportion_to_the_tokens(host, attention):
    assert distance_from_a_line(host, attention, 'augmented', **DROPPING) < 1e-3


@pytest.mark.parametrize(('host', 'options'), MORE, ids=str)
def test_so_do_other_forms(host, options):
    assert distance_from_a_line(host, 'mean-shift', 'coefficient', **options) < 1e-3


@pytest.mark.parametrize('host', ['ViT', 'T2T', 'SReT', 'TNT outer'])
def test_without_the_fused_kernel_the_growth_is_not_linear(host):
    with sdpa_kernel(SDPBackend.MATH):
        assert distance_from_a_line(host, 'dot', 'identity') > 0.02
