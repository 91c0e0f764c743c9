"""Folding for inference: same outputs, fewer operations, the original untouched."""

import pytest
import torch
from torch import nn

from vitbackbones.backbones.tnt import ExcitedMlp
from vitbackbones.layers import (
    Block,
    CoefficientShortcut,
    DotProductAttention,
    IdentityShortcut,
    Mlp,
    fuse_for_inference,
    keep_first_token,
)

COEFFICIENTS = {'type': 'CoefficientShortcut'}


def randomize(module):
    torch.manual_seed(0)
    with torch.no_grad():
        for value in module.state_dict().values():
            if value.is_floating_point():
                value.copy_(torch.rand_like(value) + 0.5)
    return module.eval()


def test_batch_norms_right_after_a_convolution_fold_into_it():
    layers = nn.Sequential(
        nn.BatchNorm2d(3), nn.Conv2d(3, 6, 3), nn.BatchNorm2d(6), nn.ReLU(), nn.BatchNorm2d(6)
    )
    x = torch.randn(2, 3, 8, 8)
    fused = fuse_for_inference(randomize(layers))
    torch.testing.assert_close(fused(x), layers(x), atol=1e-4, rtol=1e-5)
    kinds = [type(layer) for layer in fused]
    assert kinds == [nn.BatchNorm2d, nn.Conv2d, nn.Identity, nn.ReLU, nn.BatchNorm2d]


def test_folding_leaves_the_original_as_it_is():
    block = randomize(Block(24, 3, 2.0, {'type': 'DotProductAttention'}, COEFFICIENTS))
    before = {key: value.clone() for key, value in block.state_dict().items()}
    assert not left(fuse_for_inference(block))
    for key, value in block.state_dict().items():
        assert torch.equal(value, before[key]), key
    assert all(p.requires_grad for p in block.parameters())


PARTS = {
    'mean shift': ({'type': 'MeanShiftAttention'}, COEFFICIENTS),
    'tied': ({'type': 'DotProductAttention', 'sharing': 'QKVV'}, COEFFICIENTS),
    'tied mean shift': ({'type': 'MeanShiftAttention', 'sharing': 'QKVPQ'}, COEFFICIENTS),
    'probe after it': ({'type': 'MeanShiftAttention', 'probe': 'residual'}, COEFFICIENTS),
    'slices': ({'type': 'SlicedAttention'}, COEFFICIENTS),
    'identity': ({'type': 'DotProductAttention'}, {'type': 'IdentityShortcut'}),
    'no shortcut': ({'type': 'DotProductAttention'}, {'type': 'NoShortcut'}),
    'branch alone': (
        {'type': 'DotProductAttention'},
        {**COEFFICIENTS, 'coefficients': 'branch'},
    ),
    'augmented': ({'type': 'DotProductAttention'}, {'type': 'AugmentedShortcut'}),
    'stream': (
        {'type': 'DotProductAttention'},
        {'type': 'AugmentedShortcut', 'source': 'stream', 'scale': 0.5},
    ),
    'activation alone': (
        {'type': 'DotProductAttention'},
        {'type': 'AugmentedShortcut', 'paths': 1, 'activation': 'GELU', 'projection': 'none'},
    ),
    'one path': ({'type': 'DotProductAttention'}, {'type': 'AugmentedShortcut', 'paths': 1}),
}


@pytest.mark.parametrize('name', PARTS)
@torch.no_grad()
def test_blocks_of_all_parts_keep_their_function(name):
    block, x = randomize(Block(24, 3, 2.0, *PARTS[name])), torch.randn(2, 6, 24)
    before, fused = x.clone(), fuse_for_inference(block)
    torch.testing.assert_close(fused(x, (2, 3)), block(x, (2, 3)), atol=2e-5, rtol=1e-5)
    assert torch.equal(x, before)  # what comes in is not written over


@pytest.mark.parametrize(
    'name', ['mean shift', 'identity', 'no shortcut', 'augmented', 'stream', 'one path']
)
@torch.no_grad()
def test_a_block_for_the_first_token(name):
    block, x = randomize(Block(24, 3, 2.0, *PARTS[name])), torch.randn(2, 6, 24)
    first = block.for_first_token()
    assert first is not block
    for form in (first, fuse_for_inference(first)):
        wanted = block(x, (2, 3))[:, :1]
        torch.testing.assert_close(form(x, (2, 3)), wanted, atol=2e-5, rtol=1e-5)


def test_a_block_that_mixes_tokens_elsewhere_has_no_form_for_the_first():
    sliced = Block(24, 3, 2.0, {'type': 'SlicedAttention'}, COEFFICIENTS)
    excited = Block(24, 3, 2.0, {'type': 'DotProductAttention'}, COEFFICIENTS, mlp=ExcitedMlp)
    assert sliced.for_first_token() is sliced
    assert excited.for_first_token() is excited


class Doubled(DotProductAttention):
    """Does more after its last linear layer, so nothing may be folded into that."""

    def forward(self, x, context=None):
        return 2 * super().forward(x, context) + x


class Averaging(nn.Module):
    """An attention of one's own that lists what it supports."""

    supports = {'last_linear', 'first_token'}

    def __init__(self, embed_dims, **options):
        super().__init__()
        self.out = nn.Linear(embed_dims, embed_dims)

    @property
    def last_linear(self):
        return self.out

    def forward(self, x, context=None):
        context = x if context is None else context
        return self.out(x + context.mean(1, keepdim=True))


class Silent(Averaging):
    """The same with a method of its own, and no list."""

    def forward(self, x, context=None):
        return super().forward(x, context).tanh()


class Halved(IdentityShortcut):
    def forward(self, x, normed, branch):
        return x + branch / 2


class Gated(Mlp):
    """Reads the input of its activation again."""

    def forward(self, x):
        hidden = self.fc1(x)
        return self.fc2(self.act(hidden) * hidden)


class Parallel(Block):
    """Both branches beside each other; the attention's answer goes two ways."""

    def forward(self, x, size):
        n = self.norm1(x)
        attended = self.attn(n)
        return self.shortcut_mlp(self.shortcut_attn(x, n, attended), n, self.mlp(n)) + attended


class Biased(Block):
    def attend(self, n, size):
        return super().attend(n, size) + n.flip(1)


def left(module):
    """The names of the shortcuts' parameters that were not folded."""
    return {name for name, _ in module.named_parameters() if 'shortcut' in name}


ALL = {f'shortcut_{b}.{c}' for b in ('attn', 'mlp') for c in ('identity', 'branch')}
ATTN = {name for name in ALL if 'attn' in name}
# a block of one's own parts: its class, attention, shortcut, MLP, and what is not folded
GUESTS = {
    'more after the linear layer': (Block, Doubled, CoefficientShortcut, Mlp, ATTN),
    'listed': (Block, Averaging, CoefficientShortcut, Mlp, set()),
    'not listed': (Block, Silent, CoefficientShortcut, Mlp, ATTN),
    'another sum': (Block, Averaging, Halved, Mlp, set()),
    'another MLP': (Block, Averaging, CoefficientShortcut, Gated, ALL - ATTN),
    'another block': (Parallel, Averaging, CoefficientShortcut, Mlp, ALL),
    'another way to attend': (Biased, Averaging, CoefficientShortcut, Mlp, ALL),
}


@pytest.mark.parametrize('name', GUESTS)
@torch.no_grad()
def test_parts_of_ones_own_are_folded_as_far_as_they_support_it(name):
    cls, attention, shortcut, mlp, kept = GUESTS[name]
    block = randomize(cls(24, 3, 2.0, {'type': attention}, {'type': shortcut}, mlp=mlp))
    fused, x = fuse_for_inference(block), torch.randn(2, 6, 24)
    wanted = block(x, (2, 3))
    torch.testing.assert_close(fused(x, (2, 3)), wanted, atol=2e-5, rtol=1e-5)
    assert left(fused) == kept
    first = block.for_first_token()
    assert (first is not block) == (name == 'listed')
    torch.testing.assert_close(first(x, (2, 3))[:, :1], wanted[:, :1], atol=2e-5, rtol=1e-5)


@torch.no_grad()
def test_the_last_block_alone_answers_for_the_first_token_if_it_can():
    def able():
        return randomize(Block(24, 3, 2.0, *PARTS['identity']))

    blocks, x = nn.ModuleList([able(), able()]), torch.randn(2, 6, 24)
    wanted = blocks[1](blocks[0](x, (2, 3)), (2, 3))[:, :1]
    for _ in range(2):  # the second time there is nothing left to do
        keep_first_token(blocks)
        out = blocks[1](blocks[0](x, (2, 3)), (2, 3))
        torch.testing.assert_close(out, wanted, atol=2e-5, rtol=1e-5)
    unable = nn.ModuleList([able(), nn.Linear(24, 24)])
    kinds = [type(block) for block in unable]
    keep_first_token(unable)
    assert [type(block) for block in unable] == kinds
