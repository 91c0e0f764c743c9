"""Mean-shift attention against the Gaussian kernel written out."""

import itertools

import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from vitbackbones.layers import MeanShiftAttention, mean_shift


def gaussian(q, k, v, bias=0.0):
    distance = (q[..., :, None, :] - k[..., None, :, :]).square().sum(-1)
    return (-0.5 * distance / q.shape[-1] ** 0.5 + bias).softmax(-1) @ v


def random_heads(length=9, width=16, dtype=torch.float64):
    generator = torch.Generator().manual_seed(0)
    shape = (3, 2, 3, length, width)
    return [*torch.randn(shape, generator=generator, dtype=torch.float64).to(dtype)]


def test_equals_the_gaussian_kernel_with_its_gradients():
    inputs = [*random_heads(), torch.randn(1, 3, 9, 9).double()]
    for given in (inputs[:3], inputs):  # without and with a bias
        torch.testing.assert_close(mean_shift(*given), gaussian(*given))
    inputs = [x.requires_grad_() for x in inputs]
    ours, theirs = mean_shift(*inputs), gaussian(*inputs)
    torch.testing.assert_close(ours, theirs)
    weights = torch.randn(2, 3, 9, 16, dtype=torch.float64)
    gradients = [torch.autograd.grad((y * weights).sum(), inputs) for y in (ours, theirs)]
    torch.testing.assert_close(*gradients)


@pytest.mark.parametrize('training', [False, True])
def test_it_stays_on_the_fused_kernel(training):
    q, k, v = random_heads(dtype=torch.float32)
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):  # raises where that kernel cannot be used
        out = mean_shift(q, k.requires_grad_(training), v)
        if training:
            out.sum().backward()


@pytest.mark.parametrize('dtype', [torch.bfloat16, torch.float16])
def test_half_precision_loses_little_on_keys_of_large_norm(dtype):
    q, k, v = random_heads(length=196, width=64)
    q, k = 2.4 * q, 2.4 * k + 1.0  # half the squared norms are about 200
    q, k, v = (x.to(dtype) for x in (q, k, v))
    exact = gaussian(*(x.double() for x in (q, k, v)))
    norm = 0.5 * k.square().sum(-1)[..., None, :]
    naive = ((q @ k.transpose(-2, -1) - norm) / 8).softmax(-1) @ v
    error = (mean_shift(q, k, v) - exact).abs().max()
    assert error < 0.25 * (naive - exact).abs().max()
    assert error < 8 * torch.finfo(dtype).eps


@pytest.mark.parametrize('groups', [1, 2])
@pytest.mark.parametrize('cross', [False, True])
def test_module_equals_the_equation_with_probes_from_the_updated_tokens(cross, groups):
    attention = MeanShiftAttention(24, 3, cross=cross, groups=groups)
    x = torch.randn(2, 7, 24)
    context = torch.randn(2, 4, 24) if cross else None
    q, _, _, p = attention.qkvp(x).chunk(4, -1)
    _, k, v, _ = attention.qkvp(context if cross else x).chunk(4, -1)
    q, k, v, p = (t.unflatten(-1, (3, 8)).transpose(1, 2) for t in (q, k, v, p))
    expected = attention.proj((gaussian(q, k, v) - p).transpose(1, 2).flatten(2))
    torch.testing.assert_close(attention(x, context), expected, atol=1e-5, rtol=1e-4)


SHARINGS = sorted(
    {
        ''.join('QKVPW'[word.index(letter)] for letter in word)
        for word in itertools.product(range(5), repeat=5)
    }
)


@pytest.mark.parametrize('sharing', SHARINGS)
def test_sharing_has_one_matrix_per_letter_and_equals_own_matrices_that_are_equal(sharing):
    torch.manual_seed(0)
    shared = MeanShiftAttention(12, 3, sharing=sharing, qkv_bias=False, proj_bias=False)
    assert sum(p.numel() for p in shared.parameters()) == 144 * len(set(sharing))
    own = MeanShiftAttention(12, 3, qkv_bias=False, proj_bias=False)
    matrices = shared.qkvp.weight.split(12)
    letters = list(dict.fromkeys(sharing[:4]))
    own.qkvp.weight.data = torch.cat([matrices[letters.index(c)] for c in sharing[:4]])
    back = sharing[4]
    own.proj.weight.data = (
        matrices[letters.index(back)].T if back in letters else shared.proj.weight
    )
    x, context = torch.randn(2, 5, 12), torch.randn(2, 3, 12)
    torch.testing.assert_close(shared(x), own(x))
    torch.testing.assert_close(shared(x, context), own(x, context))
    shared(x).square().sum().backward()
    assert all(p.grad.abs().sum() > 0 for p in shared.parameters())


def test_a_shared_back_projection_may_have_a_bias():
    attention = MeanShiftAttention(12, 3, sharing='QKVPP', qkv_bias=False)
    x = torch.randn(2, 5, 12)
    before = attention(x)
    attention.proj_bias.data += 1
    torch.testing.assert_close(attention(x), before + 1)


def test_residual_form_is_the_equation_with_the_product_of_back_projection_and_probe():
    head = MeanShiftAttention(12, 3, qkv_bias=False)
    residual = MeanShiftAttention(12, 3, qkv_bias=False, probe='residual')
    residual.load_state_dict(head.state_dict())
    q, k, v, p = head.qkvp.weight.split(12)
    residual.qkvp.weight.data = torch.cat([q, k, v, head.proj.weight @ p])
    x = torch.randn(2, 5, 12)
    torch.testing.assert_close(residual(x), head(x), atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize(
    ('arguments', 'message'),
    [
        ({'sharing': 'QKVPX'}, "sharing='QKVPX': must be five letters out of QKVPW"),
        ({'probe': 'tail'}, "probe='tail'"),
    ],
)
def test_bad_values_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        MeanShiftAttention(24, 3, **arguments)


@pytest.mark.parametrize('norm', [400.0, 700.0])  # half a square is 80000 and 245000
def test_half_precision_stays_finite_where_a_norm_leaves_its_range(norm):
    q, k, v = random_heads(length=49, dtype=torch.float16)
    k[..., 7, :] *= norm / k[..., 7, :].float().norm(dim=-1, keepdim=True).half()
    out = mean_shift(q, k, v)
    assert out.isfinite().all()
    wanted = mean_shift(*(x.double() for x in (q, k, v)))  # a key so far away has no weight
    torch.testing.assert_close(out.double(), wanted, atol=0.02, rtol=0.02)
