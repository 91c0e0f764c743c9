"""Similarities of subspaces (MSF, Eq. 13) where they are known."""

from types import SimpleNamespace

import pytest
import torch
from torch import nn

from vitbackbones.backbones import Mixer, MSFViT, ViT
from vitbackbones.errors import InputError
from vitbackbones.layers import DotProductAttention, MeanShiftAttention
from vitbackbones.results.analysis import subspaces
from vitbackbones.results.analysis.subject import Subject

TINY = {'embed_dims': 24, 'depth': 2, 'num_heads': 2}


def test_random_subspaces_of_vit_s_have_a_sixth_in_common():
    first, second = torch.randn(2, 40, 384, 64, dtype=torch.float64)
    found = subspaces.similarity(first, second)
    assert found.mean().item() == pytest.approx(64 / 384, abs=0.002)


def test_the_formula_of_the_paper():
    x, y = torch.randn(2, 6, 2, dtype=torch.float64)
    bases = [torch.linalg.svd(each, full_matrices=False).U for each in (x, y)]
    a, b = (base @ base.T for base in bases)
    assert subspaces.similarity(x[None], y[None]).item() == pytest.approx((a @ b).trace() / 2)


@pytest.mark.parametrize('cross', [False, True])
def test_the_matrices_are_those_that_a_head_projects_with(cross):
    part = DotProductAttention(12, 3, cross=cross)
    x = torch.randn(1, 5, 12)
    matrices = subspaces.role_matrices(part)
    with torch.no_grad():
        zero = torch.zeros_like(x)
        projected = part.project(x, x if cross else None)
        biases = part.project(zero, zero if cross else None)
    for role in 'QKV':
        made = (projected[role] - biases[role])[0].unflatten(1, (3, 4)).transpose(0, 1)
        expected = x.double() @ matrices[role]  # (3 heads, 5, 4)
        torch.testing.assert_close(made.double(), expected, atol=1e-5, rtol=1e-4)
    back = torch.cat([*matrices['W']], 1)  # (d, heads * c)
    torch.testing.assert_close(back, part.proj.weight.double())


@pytest.mark.parametrize(
    'options', [{'sharing': 'QKKKW'}, {'sharing': 'QKVPP'}, {'groups': 2}, {'probe': None}]
)
def test_matrices_that_are_shared_are_the_same(options):
    part = MeanShiftAttention(12, 3, **options)
    matrices = subspaces.role_matrices(part)
    letters = dict(zip('QKVPW', options.get('sharing', 'QKVPW'), strict=True))
    for first in matrices:
        for second in matrices:
            same = torch.equal(matrices[first], matrices[second])
            assert same == (letters[first] == letters[second])
    with torch.no_grad():
        x, zero = torch.randn(1, 5, 12), torch.zeros(1, 5, 12)
        last = 'P' if 'P' in matrices else 'V'
        made = part.project(x)[last] - part.project(zero)[last]
    expected = (x.double() @ matrices[last]).transpose(0, 1).flatten(1)
    torch.testing.assert_close(made[0].double(), expected, atol=1e-5, rtol=1e-4)


def test_rows_are_the_pairs_of_every_block():
    rows = subspaces.measure(Subject('msf', MSFViT(TINY, img_size=32)), SimpleNamespace())
    assert len(rows) == 2 * 10
    assert {row['random'] for row in rows} == {0.5}
    assert len(subspaces.measure(Subject('vit', ViT(TINY, img_size=32)), None)) == 2 * 6


def test_models_without_such_projections_are_refused():
    mixer = Mixer({'base': 's16', 'depth': 1}, img_size=32)
    with pytest.raises(InputError, match='mixer: no attention'):
        subspaces.measure(Subject('mixer', mixer), None)
    with pytest.raises(InputError, match='no blocks'):
        subspaces.measure(Subject('linear', nn.Linear(1, 1)), None)
