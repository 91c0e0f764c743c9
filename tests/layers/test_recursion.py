"""Recursive blocks against the same block and projections called one after the other."""

import torch

from vitbackbones.layers import (
    Block,
    Recursion,
    RecursiveBlock,
    Slicing,
    fixed_permutation,
)

SIZE = (3, 4)


def make(groups=(1, 1), nll_ratio=1.0, nll='per_pass', permutation='fixed', **options):
    parts = {
        'attention': {'type': 'DotProductAttention'},
        'shortcut': {'type': 'CoefficientShortcut'},
    }
    recursion = Recursion(len(groups), nll_ratio, nll, groups=groups, permutation=permutation)
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


def test_stochastic_depth_spares_the_projections():
    block = make(drop_path_rate=0.999999).train()
    x = torch.randn(2, 12, 24)
    with torch.no_grad():
        for shortcut in (block.shortcut_attn, block.shortcut_mlp):
            shortcut.identity.fill_(1.0)
    torch.testing.assert_close(block(x, SIZE, [0, 1]), block.nlls[1](block.nlls[0](x)))


def seen(slicing, x, first=0):
    """Which of the tokens (1, L, L), one-hot, each answer is the mean of."""
    return slicing(lambda run: run.mean(1, keepdim=True).expand_as(run), x, first) > 0


def test_tokens_before_the_grid_belong_to_every_slice():
    tokens = torch.eye(8)[None]
    pairs = seen(Slicing(2), tokens, first=2)[0]
    assert pairs[:2].all()  # their answers are the mean of those of both slices
    assert pairs[2:5].int().tolist() == [[1, 1, 1, 1, 1, 0, 0, 0]] * 3
    assert pairs[5:].int().tolist() == [[1, 1, 0, 0, 0, 1, 1, 1]] * 3
    shuffled = seen(Slicing(2, 'fixed').eval(), tokens, first=2)[0]
    assert shuffled[:, :2].all()
    assert shuffled[2:, 2:].sum(1).eq(3).all()
    assert shuffled[2:, 2:].diagonal().all()
    uneven = seen(Slicing(5), torch.eye(4)[None], first=1)[0]  # of three tokens each is a slice
    assert uneven.int().tolist() == [[1, 1, 1, 1], [1, 1, 0, 0], [1, 0, 1, 0], [1, 0, 0, 1]]


def test_without_the_inverse_answers_stay_where_the_shuffle_put_them():
    x = torch.arange(12.0).view(1, 6, 2)
    for groups in (1, 2):
        order = fixed_permutation(5, x.device)
        stays = Slicing(groups, 'fixed_no_inverse').eval()(lambda run: run, x, 1)
        assert torch.equal(stays, torch.cat([x[:, :1], x[:, 1:][:, order]], 1))
        assert torch.equal(Slicing(groups, 'fixed_always').eval()(lambda run: run, x, 1), x)


def test_a_permutation_may_be_said_for_each_pass():
    words = ['random', 'none']
    block = make([4, 4, 2], permutation=words)
    assert [s.permutation for s in block.slicings] == ['random', 'none', 'none']
    block = make([4, 4], permutation='random_always')
    assert [s.permutation for s in block.slicings] == ['none', 'random_always']
