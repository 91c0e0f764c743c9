"""Folding for inference: same outputs, fewer operations, the original untouched."""

import pytest
import torch
from torch import nn

from vitbackbones.layers import Block, DotProductAttention, fuse_for_inference
from vitbackbones.layers.squeeze_excite import ExcitedMlp

COEFFICIENTS = {'type': 'CoefficientShortcut'}


def randomise(module):
    torch.manual_seed(0)
    with torch.no_grad():
        for value in module.state_dict().values():
            if value.is_floating_point():
                value.copy_(torch.rand_like(value) + 0.5)
    return module.eval()


def test_batch_norms_fold_into_the_convolution_before_them():
    layers = nn.Sequential(nn.Conv2d(3, 6, 3), nn.BatchNorm2d(6), nn.ReLU(), nn.BatchNorm2d(6))
    x = torch.randn(2, 3, 8, 8)
    fused = fuse_for_inference(randomise(layers))
    torch.testing.assert_close(fused(x), layers(x), atol=1e-5, rtol=1e-5)
    kinds = [type(layer) for layer in fused]
    assert kinds == [nn.Conv2d, nn.Identity, nn.ReLU, nn.BatchNorm2d]


def test_a_norm_before_a_convolution_stays():
    layers = nn.Sequential(nn.BatchNorm2d(3), nn.ReLU(), nn.Conv2d(3, 3, 3))
    x = torch.randn(2, 3, 8, 8)
    fused = fuse_for_inference(randomise(layers))
    torch.testing.assert_close(fused(x), layers(x), atol=1e-5, rtol=1e-5)


def test_branch_coefficients_fold_into_the_last_linear_layer():
    block = randomise(Block(24, 3, 2.0, {'type': 'DotProductAttention'}, COEFFICIENTS))
    before = {key: value.clone() for key, value in block.state_dict().items()}
    fused, x = fuse_for_inference(block), torch.randn(2, 6, 24)
    torch.testing.assert_close(fused(x, (2, 3)), block(x, (2, 3)), atol=1e-5, rtol=1e-5)
    assert not any('shortcut' in name for name, _ in fused.named_parameters())
    for key, value in block.state_dict().items():
        assert torch.equal(value, before[key]), key
    assert all(p.requires_grad for p in block.parameters())


PARTS = {
    'mean shift': ({'type': 'MeanShiftAttention'}, COEFFICIENTS),
    'tied mean shift': ({'type': 'MeanShiftAttention', 'sharing': 'QKVPQ'}, COEFFICIENTS),
    'probe after it': ({'type': 'MeanShiftAttention', 'probe': 'residual'}, COEFFICIENTS),
    'slices': ({'type': 'SlicedAttention'}, COEFFICIENTS),
    'identity': ({'type': 'DotProductAttention'}, {'type': 'IdentityShortcut'}),
    'branch alone': (
        {'type': 'DotProductAttention'},
        {**COEFFICIENTS, 'coefficients': 'branch'},
    ),
    'augmented': ({'type': 'DotProductAttention'}, {'type': 'AugmentedShortcut'}),
    'one path': ({'type': 'DotProductAttention'}, {'type': 'AugmentedShortcut', 'paths': 1}),
}


@pytest.mark.parametrize('name', PARTS)
@torch.no_grad()
def test_blocks_of_all_parts_keep_their_function(name):
    block, x = randomise(Block(24, 3, 2.0, *PARTS[name])), torch.randn(2, 6, 24)
    before, fused = x.clone(), fuse_for_inference(block)
    torch.testing.assert_close(fused(x, (2, 3)), block(x, (2, 3)), atol=2e-5, rtol=1e-5)
    assert torch.equal(x, before)  # what comes in is not written over


@pytest.mark.parametrize('name', ['mean shift', 'identity', 'augmented', 'one path'])
@torch.no_grad()
def test_a_block_for_the_first_token(name):
    block, x = randomise(Block(24, 3, 2.0, *PARTS[name])), torch.randn(2, 6, 24)
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


def test_gradients_of_the_image_are_the_same():
    block, answers = randomise(Block(24, 3, 2.0, *PARTS['augmented'])).double(), []
    for form in (block, fuse_for_inference(block)):
        x = torch.randn(2, 6, 24, generator=torch.Generator().manual_seed(1)).double()
        x.requires_grad_()
        answers.append(torch.autograd.grad(form(x, (2, 3)).square().mean(), x)[0])
    torch.testing.assert_close(*answers, atol=1e-9, rtol=1e-9)


class Doubled(DotProductAttention):
    """Does more after its last linear layer, so nothing may be folded into that."""

    def forward(self, x, context=None):
        return 2 * super().forward(x, context) + x


def test_a_branch_that_is_not_known_to_end_in_a_linear_layer_keeps_its_coefficient():
    block = randomise(Block(24, 3, 2.0, {'type': Doubled}, COEFFICIENTS))
    fused, x = fuse_for_inference(block), torch.randn(2, 6, 24)
    torch.testing.assert_close(fused(x, (2, 3)), block(x, (2, 3)), atol=1e-5, rtol=1e-5)
    names = {name for name, _ in fused.named_parameters() if 'shortcut' in name}
    assert names == {'shortcut_attn.identity', 'shortcut_attn.branch'}


def test_the_copy_is_in_eval_mode():
    block = Block(24, 3, 2.0, {'type': 'DotProductAttention'}, COEFFICIENTS, drop_rate=0.5)
    fused = fuse_for_inference(block.train())
    assert block.training
    assert not any(module.training for module in fused.modules())
