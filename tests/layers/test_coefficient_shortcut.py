"""Learned residual coefficients: the three variants and their gradients."""

import pytest
import torch

from vitbackbones.layers import CoefficientShortcut

VARIANTS = {'identity': {'identity'}, 'branch': {'branch'}, 'both': {'identity', 'branch'}}


@pytest.mark.parametrize('coefficients', VARIANTS)
def test_each_variant_learns_its_own_coefficients_from_one(coefficients):
    shortcut = CoefficientShortcut(24, coefficients)
    learned = dict(shortcut.named_parameters())
    assert set(learned) == VARIANTS[coefficients]
    x, branch, target = torch.randn(3, 2, 7, 24).unbind(0)
    torch.testing.assert_close(shortcut(x, x, branch), x + branch)
    scales = {'identity': 1.0, 'branch': 1.0}
    for name, parameter in learned.items():
        scales[name] = 0.3 if name == 'identity' else -1.7
        parameter.data.fill_(scales[name])
    out = shortcut(x, x, branch)
    torch.testing.assert_close(out, scales['identity'] * x + scales['branch'] * branch)
    (out * target).sum().backward()
    for name, parameter in learned.items():
        expected = ((x if name == 'identity' else branch) * target).sum()
        torch.testing.assert_close(parameter.grad, expected[None], atol=1e-4, rtol=1e-4)


def test_stays_in_half_precision():
    shortcut = CoefficientShortcut(24).to(torch.bfloat16)
    x = torch.randn(2, 7, 24, dtype=torch.bfloat16)
    assert shortcut(x, x, x).dtype == torch.bfloat16


def test_an_unknown_variant_lists_the_known_ones():
    with pytest.raises(ValueError, match="'none'.*'identity', 'branch', 'both'"):
        CoefficientShortcut(24, 'none')
