"""Stochastic depth; dropout, which is torch's own but can be trained when it is compiled."""

import pytest
import torch
from torch import nn

from vitbackbones.backbones import T2T, SReT
from vitbackbones.layers import Dropout, DropPath, drop_path_rates

SMALL = {'embed_dims': 32, 'depth': 1, 'num_heads': 2}


@pytest.fixture(autouse=True)
def _fresh_compiler():
    torch.compiler.reset()
    yield
    torch.compiler.reset()


def test_the_same_draws_and_gradients_as_torchs():
    x = torch.randn(2, 5, 4)
    results = []
    for cls in (nn.Dropout, Dropout):
        torch.manual_seed(0)
        given = x.clone().requires_grad_()
        out = cls(0.3)(given)
        out.square().sum().backward()
        results.append((out, given.grad))
    for expected, actual in zip(*results, strict=True):
        assert torch.equal(actual, expected)


def test_a_compiled_one_drops_its_share_and_keeps_the_mean():
    dropout = torch.compile(Dropout(0.25), backend='aot_eager')
    x = torch.ones(4, 10000, requires_grad=True)
    out = dropout(x)
    out.sum().backward()
    assert out.unique().tolist() == pytest.approx([0, 1 / 0.75])
    assert (out == 0).float().mean().item() == pytest.approx(0.25, abs=0.01)
    assert torch.equal(x.grad, out)
    dropout.eval()
    assert torch.equal(dropout(x), x)


@pytest.mark.parametrize(
    ('cls', 'options'),
    [
        (T2T, {'arch': SMALL, 'tokens': 'transformer', 'token_drop_rate': 0.1}),
        (SReT, {'arch': {'base': 't', 'depths': (1, 1, 1)}, 'drop_rate': 0.1}),
    ],
)
def test_networks_that_lay_their_tokens_out_as_a_map_train_compiled(cls, options):
    torch.manual_seed(0)
    model = cls(img_size=32, **options).train()
    compiled = torch.compile(model, backend='aot_eager')
    sum(out.square().sum() for out in compiled(torch.randn(2, 3, 32, 32))).backward()
    for name, parameter in model.named_parameters():
        if parameter.requires_grad:
            assert parameter.grad.isfinite().all(), name


def test_drop_path_keeps_the_mean_and_drops_whole_samples():
    x = torch.ones(4000, 3)
    y = DropPath(0.25).train()(x)
    assert y.unique().tolist() == pytest.approx([0, 1 / 0.75])
    assert (y == y[:, :1]).all()
    assert abs(y.mean().item() - 1) < 0.05
    assert DropPath(0.25).eval()(x) is x


def test_drop_path_rates_rise_linearly_from_zero():
    assert drop_path_rates(0.2, 5) == pytest.approx([0, 0.05, 0.1, 0.15, 0.2])
    assert drop_path_rates(0.2, 2) == [0.0, 0.2]
    assert drop_path_rates(0.2, 1) == [0.0]
