"""Recursive blocks against the same block and projections called one after the other."""

import pytest
import torch
from torch import nn

from vitbackbones.layers import Block, Recursion, RecursiveBlock, Slicing

SIZE = (3, 4)


def make(groups=(1, 1), nll_ratio=1.0, nll='per_pass', **options):
    parts = {
        'attention': {'type': 'DotProductAttention'},
        'shortcut': {'type': 'CoefficientShortcut'},
    }
    recursion = Recursion(len(groups), nll_ratio, nll, groups=groups)
    block = RecursiveBlock(24, 3, 2.0, recursion=recursion, **parts, **options)
    with torch.no_grad():
        for parameter in block.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
    return block.eval()


def plain(block):
    """The block's own weights in a block that is not recursive."""
    copy = Block(24, 3, 2.0, {'type': 'DotProductAttention'}, {'type': 'CoefficientShortcut'})
    copy.load_state_dict(block.state_dict(), strict=False)
    return copy.eval()


@pytest.mark.parametrize('passes', [1, 2, 5])
def test_every_pass_shares_the_block_and_has_its_own_projection(passes):
    block, x = make([1] * passes), torch.randn(2, 12, 24)
    once, expected = plain(block), x
    for nll in block.nlls:
        expected = nll(once(expected, SIZE))
    torch.testing.assert_close(block(x, SIZE, range(passes)), expected)
    nlls = sum(p.numel() for p in block.nlls.parameters())
    own = sum(p.numel() for p in once.parameters())
    assert sum(p.numel() for p in block.parameters()) == own + nlls
    assert nlls == passes * sum(p.numel() for p in block.nlls[0].parameters())


def test_passes_can_run_apart():
    block, x = make([4, 2]), torch.randn(2, 12, 24)
    torch.testing.assert_close(block(block(x, SIZE, [0]), SIZE, [1]), block(x, SIZE, [0, 1]))


def test_every_pass_attends_in_slices_of_its_own():
    block, x = make([3, 2], nll_ratio=0), torch.randn(2, 12, 24)
    once = plain(block)
    expected = once(once(x, SIZE, Slicing(3)), SIZE, Slicing(2, 'fixed').eval())
    torch.testing.assert_close(block(x, SIZE, [0, 1]), expected)
    torch.testing.assert_close(block.single_pass(x, SIZE), once(x, SIZE, Slicing(3)))


def test_projections_have_the_dropout_of_the_block():
    x = torch.randn(2, 12, 24)
    for rate in (0.0, 0.5):
        block = make(drop_rate=rate)
        for part in (block.nlls[0], block.mlp):
            assert torch.equal(part.train()(x), part.eval()(x)) is (rate == 0)


def test_a_projection_is_a_residual_mlp():
    nll, x = make().nlls[1], torch.randn(2, 12, 24)
    expected = nll.shortcut.identity * x + nll.shortcut.branch * nll.mlp(nll.norm(x))
    torch.testing.assert_close(nll(x), expected)


def test_without_projections_the_block_is_repeated_alone():
    block, x = make(nll_ratio=0), torch.randn(2, 12, 24)
    once = plain(block)
    assert all(isinstance(nll, nn.Identity) for nll in block.nlls)
    torch.testing.assert_close(block(x, SIZE, [0, 1]), once(once(x, SIZE), SIZE))


def test_only_later_passes_are_shuffled():
    slicings = make([4, 4, 2]).slicings
    assert [s.groups for s in slicings] == [4, 4, 2]
    assert [s.permutation for s in slicings] == ['none', 'fixed', 'fixed']


def test_stochastic_depth_spares_the_projections():
    block = make(drop_path_rate=0.999999).train()
    x = torch.randn(2, 12, 24)
    with torch.no_grad():
        for shortcut in (block.shortcut_attn, block.shortcut_mlp):
            shortcut.identity.fill_(1.0)
    torch.testing.assert_close(block(x, SIZE, [0, 1]), block.nlls[1](block.nlls[0](x)))
