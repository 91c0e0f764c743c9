"""Folding for inference: same outputs, fewer operations, the original untouched."""

import copy

import pytest
import torch
from torch import nn

from vitbackbones.backbones.tnt import ExcitedMlp
from vitbackbones.errors import OptionError
from vitbackbones.layers import Block, fuse_for_inference, keep_first_token

DOT = {'type': 'DotProductAttention'}
IDENTITY = {'type': 'IdentityShortcut'}


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
    before = copy.deepcopy(randomize(layers).state_dict())
    fused = fuse_for_inference(layers)
    torch.testing.assert_close(fused(x), layers(x), atol=1e-4, rtol=1e-5)
    kinds = [type(layer) for layer in fused]
    assert kinds == [nn.BatchNorm2d, nn.Conv2d, nn.Identity, nn.ReLU, nn.BatchNorm2d]
    assert all(torch.equal(layers.state_dict()[key], value) for key, value in before.items())
    assert all(p.requires_grad for p in layers.parameters())


@torch.no_grad()
def test_every_backbone_keeps_its_function(make_backbone):
    """At sizes that nothing divides; in bfloat16 up to a few of its steps of 2 ** -8."""
    backbone = make_backbone(img_size=64).eval()
    for name, value in backbone.named_parameters():
        if 'shortcut' in name or 'norm' in name:
            value.add_(torch.randn_like(value), alpha=0.02)
    fused = backbone.fuse_for_inference()
    half = backbone.fuse_for_inference(dtype=torch.bfloat16)
    for shape in ((1, 3, 64, 64), (3, 3, 75, 90)):
        image = torch.randn(shape)
        for expected, ours, rough in zip(backbone(image), fused(image), half(image), strict=True):
            torch.testing.assert_close(ours, expected, atol=2e-5, rtol=1e-4)
            assert rough.dtype == torch.float32
            error = (rough - expected).square().mean().sqrt() / expected.square().mean().sqrt()
            assert error < 0.02, error


def test_a_processor_that_emulates_bfloat16_says_so(monkeypatch):
    for name in ('_is_avx512_bf16_supported', '_is_amx_tile_supported'):
        monkeypatch.setattr(torch.cpu, name, lambda: False)
    with pytest.warns(UserWarning, match='emulates bfloat16, so it is slower') as caught:
        fuse_for_inference(nn.Linear(2, 2), dtype=torch.bfloat16)
    assert caught[0].filename == __file__
    fuse_for_inference(nn.Linear(2, 2, device='meta'), dtype=torch.bfloat16)  # no warning
    with pytest.raises(OptionError, match='dtype=torch.float64: must be one of None'):
        fuse_for_inference(nn.Linear(2, 2), dtype=torch.float64)


class Averaging(nn.Module):
    """An attention of one's own that lists what it supports."""

    supports = {'first_token'}

    def __init__(self, embed_dims, **options):
        super().__init__()
        self.out = nn.Linear(embed_dims, embed_dims)

    def forward(self, x, context=None):
        context = x if context is None else context
        return self.out(x + context.mean(1, keepdim=True))


class Silent(Averaging):
    """The same with a method of its own, and no list."""

    def forward(self, x, context=None):
        return super().forward(x, context).flip(1)


class Biased(Block):
    def attend(self, n, size):
        return super().attend(n, size) + n.flip(1)


ABLE = {
    'mean shift': (Block, {'type': 'MeanShiftAttention'}, {'type': 'CoefficientShortcut'}),
    'dot product': (Block, DOT, {'type': 'AugmentedShortcut'}),
    'no shortcut': (Block, {'type': Averaging}, {'type': 'NoShortcut'}),
}
UNABLE = {
    'slices': (Block, {'type': 'SlicedAttention'}, IDENTITY),
    'not listed': (Block, {'type': Silent}, IDENTITY),
    'another block': (Biased, {'type': Averaging}, IDENTITY),
}


@pytest.mark.parametrize('name', [*ABLE, *UNABLE])
@torch.no_grad()
def test_a_block_answers_for_the_first_token_alone_if_all_its_parts_can(name):
    cls, *parts = {**ABLE, **UNABLE}[name]
    block, x = randomize(cls(24, 3, 2.0, *parts)), torch.randn(2, 6, 24)
    first = block.for_first_token()
    assert (first is not block) == (name in ABLE)
    wanted = block(x, (2, 3))[:, :1]
    for form in (first, fuse_for_inference(first)):
        torch.testing.assert_close(form(x, (2, 3))[:, :1], wanted, atol=2e-5, rtol=1e-5)


def test_an_mlp_that_mixes_tokens_has_no_form_for_the_first():
    excited = Block(24, 3, 2.0, DOT, IDENTITY, mlp=ExcitedMlp)
    assert excited.for_first_token() is excited


@torch.no_grad()
def test_the_last_block_alone_answers_for_the_first_token():
    blocks = nn.ModuleList(randomize(Block(24, 3, 2.0, DOT, IDENTITY)) for _ in range(2))
    x = torch.randn(2, 6, 24)
    wanted = blocks[1](blocks[0](x, (2, 3)), (2, 3))[:, :1]
    for _ in range(2):  # the second time there is nothing left to do
        keep_first_token(blocks)
        out = blocks[1](blocks[0](x, (2, 3)), (2, 3))
        torch.testing.assert_close(out, wanted, atol=2e-5, rtol=1e-5)
