"""Mean-shift attention (Kobayashi, "Mean-Shift Feature Transformer", CVPR 2024, Eq. 12).

A query moves toward the keys near it: a Gaussian kernel takes the place of the dot product, and
a fourth projection, the probe, is what the average is measured from. For every head of width c

    z_i = sum_j a_ij v_j - p_i,      a_ij = softmax_j( -|q_i - k_j|^2 / (2 sqrt(c)) ).

|q_i|^2 is the same for all keys and falls out of the softmax, so only the norms of the keys are
new compared to dot-product attention, and the fused kernel does all of it in one of two exact
ways: with the norms as an additive mask (1 x S, for all queries), or with a constant 1 appended to
the queries and the norms to the keys. A mask that needs a gradient makes PyTorch leave the fused
kernel; the longer keys do not.
"""

import torch
import torch.nn.functional as F
from torch import Tensor

from .graphs import is_exported
from .parts import ATTENTIONS, register, require_choice
from .projections import ProjectedAttention, read_sharing

_ROLES = 'QKVPW'


def mean_shift(
    q: Tensor, k: Tensor, v: Tensor, bias: Tensor | None = None, dropout: float = 0.0
) -> Tensor:
    """Average the values by the Gaussian kernel between queries and keys.

    Args:
        q: (N, heads, L, c).
        k, v: (N, heads, S, c).
        bias: added to the scores, broadcast to (N, heads, L, S).
        dropout: rate on the weights.

    Returns:
        (N, heads, L, c).
    """
    norm = _key_norms(k)
    scale = q.shape[-1] ** -0.5
    # on a CPU the fused kernel takes a mask wider than the keys, but autocast would narrow it
    wide_mask = k.device.type == 'cpu' and not torch.is_autocast_enabled('cpu')
    if k.requires_grad or not (wide_mask or k.dtype == norm.dtype):
        return _with_longer_keys(q, k, v, norm, bias, scale, dropout)
    mask = scale * norm.transpose(2, 3)  # (N, heads, 1, S)
    mask = mask if bias is None else mask + bias
    return F.scaled_dot_product_attention(q, k, v, mask, dropout, scale=scale)


def _key_norms(k: Tensor) -> Tensor:
    """Return -|k|^2 / 2 of keys (N, heads, S, c), (N, heads, S, 1), in float32 at least."""
    wide = torch.promote_types(k.dtype, torch.float32)
    norm = -0.5 * k.to(wide).square().sum(-1, keepdim=True)
    return norm - norm.mean(2, keepdim=True)  # no change to the softmax, but smaller numbers


def _with_longer_keys(
    q: Tensor, k: Tensor, v: Tensor, norm: Tensor, bias: Tensor | None, scale: float, dropout: float
) -> Tensor:
    """Append the norms to the keys, in two channels so that half precision rounds them little."""
    width = q.shape[-1]
    pad = -(width + 2) % 8  # the kernels want one width for all, a multiple of 8
    limit = torch.finfo(k.dtype).max  # beyond it the halves would be -inf and inf, so NaN
    norm = norm.clamp(-limit, limit)
    high = norm.to(k.dtype)
    low = (norm - high).to(k.dtype)
    zero = q.new_zeros(())
    one = q.new_ones(())
    # each is copied once; padding a longer one would copy it again, and its gradient too
    k = torch.cat([k, high, low, zero.expand(*k.shape[:-1], pad)], -1)
    q = torch.cat([q, one.expand(*q.shape[:-1], 2), zero.expand(*q.shape[:-1], pad)], -1)
    v = torch.cat([v, zero.expand(*v.shape[:-1], 2 + pad)], -1)
    bias = None if bias is None else bias.to(q.dtype)
    out = F.scaled_dot_product_attention(q, k, v, bias, dropout, scale=scale)
    return out[..., :width]


@register(ATTENTIONS)
class MeanShiftAttention(ProjectedAttention):
    """Mean-shift attention with grouped and shared projections.

    Args:
        embed_dims: width of the tokens, a multiple of ``num_heads``.
        num_heads: number of heads.
        cross: whether keys and values come from other tokens (the context); queries and probes
            always come from the tokens that are updated. The parameters are the same.
        sharing: which matrix serves each role, as in the paper's Table 1: five letters for
            queries, keys, values, probes and the back-projection, see ``layers.projections``.
        probe: where the probe is subtracted. ``'head'``: from each head's average, before the
            back-projection (Eq. 12). ``'residual'``: after it, z_i = W sum_j a_ij v_j - P x_i,
            where it joins the skip connection; equal to Eq. 12 with the product W P for P. (This
            is our reading of the paper's residual form, Eq. 14; no code of it was published.)
            ``None``: no probe, the Gaussian kernel alone ("Gauss-Orig"); P's letter is void.
        options: further arguments of :class:`~vitbackbones.layers.projections.ProjectedAttention`.
            The published ViTs have no biases.

    Raises:
        OptionError: a bad value, and as ``ProjectedAttention``.
    """

    takes_bias = True
    supports = {'first_token'}

    def __init__(
        self,
        embed_dims: int,
        num_heads: int,
        cross: bool = False,
        sharing: str = _ROLES,
        probe: str | None = 'head',
        **options,
    ) -> None:
        require_choice('probe', probe, ('head', 'residual', None))
        letters = read_sharing(sharing, _ROLES)
        if probe is None:
            del letters['P']
        super().__init__(embed_dims, num_heads, ('qkvp',), letters, **options)
        self.probe = probe

    def forward(
        self, x: Tensor, context: Tensor | None = None, bias: Tensor | None = None
    ) -> Tensor:
        """Attend from ``x`` (N, L, C) to ``context`` (N, S, C), by default ``x`` itself.

        ``bias`` is added to the scores, broadcast to (N, heads, L, S).
        """
        roles = self.project(x, context)
        # (N, L, C) -> (N, heads, L, c)
        q, k, v = (roles[role].unflatten(2, (self.num_heads, -1)).transpose(1, 2) for role in 'QKV')
        z = mean_shift(q, k, v, bias, self.attn_drop_rate if self.training else 0.0)
        z = z.transpose(1, 2)  # (N, heads, L, c) -> (N, L, heads, c)
        if is_exported():  # fused kernels lay answers out in other ways than a graph expects
            z = z.clone(memory_format=torch.contiguous_format)
        z = z.flatten(2)
        if self.probe == 'head':
            z = z - roles['P']
        z = self.proj(z) if self.tied is None else self.back_project(z)
        return self.drop(z - roles['P'] if self.probe == 'residual' else z)

    def added_to_scores(self, k: Tensor, bias: Tensor | None) -> Tensor:
        """Return the norms of the keys, as a mask (N, heads, 1, S), and the bias."""
        mask = k.shape[-1] ** -0.5 * _key_norms(k).transpose(2, 3)
        return mask if bias is None else mask + bias
