"""Counts of operations against counts by hand and against the published code's."""

import math

import pytest

from vitbackbones import create_model
from vitbackbones.backbones import ViT

from ..commands.conftest import load_tool

measure = load_tool('site/complexity').measure
TINY = {'embed_dims': 24, 'depth': 2, 'num_heads': 2}


def test_a_transformer_is_counted_as_by_hand():
    found = measure(lambda: ViT(TINY, img_size=64), (48, 64))
    tokens, d = 1 + 3 * 4, 24
    block = tokens * d * d * (3 + 1 + 4 + 4) + 2 * tokens * tokens * d  # scores and averages
    assert found.macs == (tokens - 1) * 3 * 16 * 16 * d + 2 * block
    assert found.norms == 5 * 5 * tokens * d
    assert found.weights == 3 * 16 * 16 * d + 2 * 12 * d * d


def test_circulant_paths_count_as_fourier_transforms_and_their_biases_apart():
    shortcut = {'type': 'AugmentedShortcut', 'paths': 3, 'blocks': 4}
    plain = measure(lambda: ViT(TINY, img_size=64), (64, 64))
    augmented = measure(lambda: ViT(TINY, img_size=64, shortcut=shortcut), (64, 64))
    paths = 2 * 2 * 3 * 17  # blocks, branches, paths, tokens
    added = paths * (2 * 24 * math.log2(6) + 2 * 4 * 24)
    assert augmented.macs - plain.macs == pytest.approx(added)
    assert augmented.path_biases == 2 * 2 * 3 * 24
    assert augmented.parameters - plain.parameters == 2 * 2 * 3 * (4 * 24 + 24)


@pytest.mark.parametrize(
    ('name', 'size', 'macs', 'fvcore'),
    [
        ('sret_t', 224, 1.1124, 1.1217),
        ('sret_t_global', 384, 6.4084, 6.4355),
        ('sret_s', 224, 4.1728, 4.1910),
    ],
)
def test_the_published_code_of_sret_counts_the_same(name, size, macs, fvcore):
    found = measure(lambda: create_model(name, img_size=size), (size, size))
    assert round(found.macs / 1e9, 4) == macs
    assert (found.macs + found.norms) / 1e9 == pytest.approx(fvcore, abs=1.1e-4)
