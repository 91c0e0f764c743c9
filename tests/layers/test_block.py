"""The two branches of a block, where each of its options acts, and its shortcuts."""

import pytest
import torch
from torch import nn

from vitbackbones.backbones.pvt import SpatialReduction
from vitbackbones.layers import Block, CoefficientShortcut, Dropout, DropPath, NoShortcut

SIZE = (2, 4)


def make(**options):
    block = Block(
        24, 3, 2.0, {'type': 'DotProductAttention'}, {'type': 'IdentityShortcut'}, **options
    )
    with torch.no_grad():
        for parameter in block.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
    return block.eval()


def tokens():
    return torch.randn(2, 8, 24)


def test_keys_and_values_come_from_the_reduction():
    block, n = make(reduction=SpatialReduction(24, 2)), tokens()
    context = block.reduction(n, SIZE)
    assert context.shape == (2, 2, 24)
    assert torch.equal(block.attend(n, SIZE), block.attn(n, context))
    assert block.attn.kv.out_features == 48


def test_what_could_never_drop_is_not_there():
    options = {'drop_rate': 0.1, 'drop_path_rate': 0.1}
    kinds = [{type(part) for part in make(**given).modules()} for given in ({}, options)]
    assert kinds[1] - kinds[0] == {Dropout, DropPath}
    for impossible in ({'drop_rate': -0.1}, {'drop_rate': 1.5}, {'drop_path_rate': -0.1}):
        with pytest.raises(ValueError, match='0.1|1.5'):
            make(**impossible)


def changes(layer, x):
    """Whether a layer answers otherwise in training, and how many of its answers are 0."""
    trained = layer.train()(x)
    return not torch.equal(trained, layer.eval()(x)), (trained == 0).float().mean().item()


def test_each_rate_acts_in_its_place():
    x = torch.randn(40, 8, 24)
    block = make(drop_rate=0.5)
    for branch in (block.attn, block.mlp):
        assert changes(branch, x) == (True, pytest.approx(0.5, abs=0.05))
    block = make(attn_drop_rate=0.5)
    assert changes(block.attn, x) == (True, pytest.approx(0, abs=0.05))
    assert changes(block.mlp, x) == (False, 0)
    block = make(drop_path_rate=0.999999).train()
    assert torch.equal(block(x, SIZE), x)


def test_an_attention_of_ones_own_is_told_all_that_a_host_may_say():
    given = {}

    class Told(nn.Module):
        def __init__(self, **options):
            super().__init__()
            given.update(options)

    told = {'type': Told, 'attn_drop_rate': 0.3}  # a config's own word comes first
    Block(24, 3, 2.0, told, {'type': 'IdentityShortcut'}, drop_rate=0.1, qkv_bias=False)
    assert given == {
        'embed_dims': 24,
        'num_heads': 3,
        'qkv_bias': False,
        'proj_bias': True,
        'cross': False,
        'drop_rate': 0.1,
        'attn_drop_rate': 0.3,
    }


def test_a_mlp_of_ones_own():
    class Twice(nn.Module):
        def __init__(self, embed_dims, hidden_dims, drop_rate):
            super().__init__()
            self.given = embed_dims, hidden_dims, drop_rate

        def forward(self, x):
            return 2 * x

    block, x = make(mlp=Twice, drop_rate=0.25), tokens()
    assert block.mlp.given == (24, 48, 0.25)
    between = x + block.attn(block.norm1(x))
    torch.testing.assert_close(block(x, SIZE), between + 2 * block.norm2(between))


def test_without_a_shortcut_only_the_branch_is_left():
    x, normed, branch = torch.randn(3, 2, 7, 24).unbind(0)
    assert torch.equal(NoShortcut(24)(x, normed, branch), branch)


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
