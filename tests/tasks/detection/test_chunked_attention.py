"""Attention with dropout on a CPU: the same function and gradients, and no matrix of scores."""

import pytest
import torch
from torch.autograd.graph import saved_tensors_hooks

from vitbackbones.tasks.detection import chunked_attention as chunked
from vitbackbones.tasks.detection.fused_attention import ALIGNMENT, padding_bias

HEADS = 3


@pytest.fixture
def small_chunks(monkeypatch):
    """Several chunks, the last of them shorter."""
    monkeypatch.setattr(chunked, 'CHUNK', 200)


def inputs(queries, keys, dtype=torch.float64, width=4):
    shapes = [(2, HEADS, n, width) for n in (queries, keys, keys)]
    draw = torch.Generator().manual_seed(0)
    return [torch.randn(s, generator=draw, dtype=dtype).requires_grad_() for s in shapes]


def padding(keys, dtype=torch.float64):
    mask = torch.zeros(2, keys, dtype=torch.bool)
    mask[1, keys // 2 :] = True
    return padding_bias(mask, dtype)


@pytest.mark.usefixtures('small_chunks')
@pytest.mark.parametrize(
    ('queries', 'keys', 'padded'), [(17, 9, True), (1, 5, True), (8, 23, False)]
)
def test_gradients(queries, keys, padded):
    bias = padding(keys) if padded else None

    def run(q, k, v):
        torch.manual_seed(0)
        return chunked.chunked_attention(q, k, v, bias, 0.3)

    assert torch.autograd.gradcheck(run, inputs(queries, keys))


@pytest.mark.usefixtures('small_chunks')
def test_it_is_the_softmax_with_some_weights_zero_and_the_others_scaled():
    q, k, _ = inputs(50, 31, width=31)
    bias = padding(31)
    each = torch.eye(31, dtype=torch.float64).expand(2, HEADS, -1, -1)  # shows the weights
    got = chunked.chunked_attention(q, k, each, bias, 0.25)
    wanted = (q @ k.transpose(2, 3) / 31**0.5 + bias).softmax(-1) / 0.75
    kept = got != 0
    torch.testing.assert_close(got[kept], wanted[kept])
    assert not got[1, :, :, 15:].any()


@pytest.mark.parametrize('rate', [0.1, 0.999])
def test_share_of_what_is_dropped(rate):
    draws = ~chunked._draw(torch.Size([999, 1001]), rate, torch.Generator().manual_seed(1))
    spread = (rate * (1 - rate) / draws.numel()) ** 0.5
    assert abs(draws.double().mean() - rate) <= 4 * spread
    pairs = (draws[:, 1:] & draws[:, :-1]).double().mean()  # neighbors share no word's half
    assert abs(pairs - rate**2) <= 8 * spread


def test_every_call_draws_from_the_global_generator():
    q, k, v = inputs(5, 5)
    draws = []
    for seed in (0, 1, 0):
        torch.manual_seed(seed)
        draws += [chunked.chunked_attention(q, k, v, None, 0.5) for _ in range(2)]
    first, second, other, _, again, _ = draws
    assert torch.equal(first, again)
    assert not torch.equal(first, second)
    assert not torch.equal(first, other)


@pytest.mark.usefixtures('small_chunks')
def test_what_is_kept_for_the_backward_pass_is_linear_in_the_tokens():
    counts = []
    for length in (40, 80):
        kept = []
        with saved_tensors_hooks(lambda x, kept=kept: kept.append(x.numel()) or x, lambda x: x):
            chunked.chunked_attention(*inputs(length, length), padding(length), 0.1)
        counts.append(sum(kept))
        assert max(kept) < length * length
    assert counts[1] <= 2 * counts[0]


def test_bfloat16_is_as_near_as_torchs_own():
    q, k, v = inputs(300, 300, torch.float32, width=16)
    half = [x.detach().bfloat16().requires_grad_() for x in (q, k, v)]
    torch.manual_seed(0)
    wanted = chunked.chunked_attention(q, k, v, None, 0.1)
    torch.manual_seed(0)
    got = chunked.chunked_attention(*half, None, 0.1)
    for out in (wanted, got):
        out.sum().backward()
    pairs = [(got, wanted), *((x.grad, y.grad) for x, y in zip(half, (q, k, v), strict=True))]
    for mine, reference in pairs:
        assert mine.dtype == torch.bfloat16
        assert (mine - reference).norm() < 0.02 * reference.norm()


@pytest.mark.parametrize('length', [1, 8, 1050])
def test_rows_of_a_mask_are_aligned_for_the_memory_efficient_kernel(length):
    """torch's preprocess_mask copies a mask with other strides; it is broadcast by stride 0."""
    bias = padding_bias(torch.arange(2 * length).view(2, -1) % 2 == 1, torch.float32)
    assert bias.shape == (2, 1, 1, length)
    assert (bias.stride(0) % ALIGNMENT, bias.stride(-1)) == (0, 1)
    assert bias.flatten().tolist() == [
        (i % 2) * torch.finfo(torch.float32).min / 2 for i in range(2 * length)
    ]
