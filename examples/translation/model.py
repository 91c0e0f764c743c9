"""Translation by this package's blocks, recursive ones too (SReT, Fig. 7), and beam search.

The encoder and decoder of Vaswani et al. (2017), in pre-norm form; a decoder's block has a third
branch, cross-attention, between its two. The decoder's embedding is also its output layer.
"""

import torch
from torch import Tensor, nn

from vitbackbones import layers

PAD, START, END, UNKNOWN = range(4)


class TextBlock(layers.RecursiveBlock):
    """A block among masked tokens, with a third branch between its two if ``cross``."""

    def __init__(self, embed_dims: int, num_heads: int, *, cross: bool, **own) -> None:
        super().__init__(embed_dims, num_heads, **own)
        if cross:
            self.norm_cross = nn.LayerNorm(embed_dims, eps=self.norm1.eps)
            drop = {'drop_rate': own['drop_rate']}
            self.cross = layers.DotProductAttention(embed_dims, num_heads, True, **drop)
            self.shortcut_cross = layers.build_shortcut(own['shortcut'], embed_dims, 'attention')

    def single_pass(self, x: Tensor, seen: tuple[Tensor, ...], i: int = 0) -> Tensor:
        """Map tokens (N, L, C); ``seen`` are a bias of scores, and if ``cross`` memory and bias."""
        bias, *memory = seen
        n = self.norm1(x)
        x = self.shortcut_attn(x, n, self.attn(n, bias=bias))
        if memory:
            n = self.norm_cross(x)
            x = self.shortcut_cross(x, n, self.cross(n, *memory))
        n = self.norm2(x)
        return self.shortcut_mlp(x, n, self.mlp(n))


class Translator(nn.Module):
    """From a sentence, and the beginning of its translation, to scores of what comes next.

    ``sizes`` are those of both vocabularies, ``recursion`` has no slices, which know no masks, and
    ``own`` are ``embed_dims``, ``num_heads``, ``drop_rate`` and ``shortcut`` of the blocks.
    """

    def __init__(self, sizes: list[int], depth: int, recursion: layers.Recursion, **own) -> None:
        super().__init__()
        dims, self.sweeps = own['embed_dims'], recursion.sweeps
        own |= {'mlp_ratio': 4, 'attention': {'type': 'DotProductAttention'}, 'repeated': TextBlock}
        rows = [layers.block_row([{'cross': x}] * depth, recursion, **own) for x in (False, True)]
        self.embeds = nn.ModuleList(nn.Embedding(size, dims) for size in sizes)
        self.rows, self.norms = nn.ModuleList(rows), nn.ModuleList(map(nn.LayerNorm, (dims, dims)))
        self.drop = layers.Dropout(own['drop_rate'])
        for embed in self.embeds:
            nn.init.normal_(embed.weight, std=dims**-0.5)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        """Map (N, S) and (N, T), padded at their ends, to scores (N, T, size)."""
        return self.decode(target, *self.encode(source))

    def encode(self, source: Tensor) -> tuple[Tensor, Tensor]:
        """Map (N, S) to the memory (N, S, C) and a bias (N, 1, 1, S) that hides its padding."""
        padding = torch.zeros(source.shape).masked_fill(source == PAD, float('-inf'))[:, None, None]
        return self._run(0, source, (padding,)), padding

    def decode(self, target: Tensor, memory: Tensor, padding: Tensor, last: int = 0) -> Tensor:
        """Map (N, T) and what :meth:`encode` returned to scores (N, T, size), or the last ones."""
        causal = torch.full((target.shape[1],) * 2, float('-inf')).triu(1)
        x = self._run(1, target, (causal, memory, padding))[:, -last:]  # -0 is all
        return x @ self.embeds[1].weight.T

    def _run(self, side: int, pieces: Tensor, seen: tuple[Tensor, ...]) -> Tensor:
        length, dims = pieces.shape[1], self.embeds[side].embedding_dim
        x = self.embeds[side](pieces) * dims**0.5 + layers.sinusoid_position(length, dims)
        x = self.drop(x)  # (N, L, C)
        for turn in self.sweeps:
            for block in self.rows[side]:
                x = block(x, seen, *turn)
        return self.norms[side](x)


@torch.no_grad()
def beam_search(model: nn.Module, source: Tensor, width: int, longest: int) -> Tensor:
    """Return translations (N, at most ``longest``) of (N, S), the best mean of ``width`` sums."""
    memory, padding = (each.repeat_interleave(width, 0) for each in model.encode(source))
    first = width * torch.arange(len(source))[:, None]  # row of each sentence's first beginning
    pieces = torch.full((len(memory), 1), START)
    sums = torch.full((len(source), width), float('-inf'))
    sums[:, 0] = 0  # all beginnings are the same
    for _ in range(longest):
        scores = model.decode(pieces, memory, padding, 1)[:, 0].log_softmax(-1)  # (N * width, V)
        ended = (pieces[:, -1] == END) | (pieces[:, -1] == PAD)
        if ended.all():
            break
        scores[ended] = float('-inf')
        scores[ended, PAD] = 0  # it stays as it is
        # (N * width, V) -> (N, width * V)
        sums, best = (sums.view(-1, 1) + scores).view(len(source), -1).topk(width)
        row, piece = first + best // scores.shape[1], best % scores.shape[1]  # (N, width)
        pieces = torch.cat([pieces[row.flatten()], piece.view(-1, 1)], 1)
    means = sums / (pieces[:, 1:] != PAD).sum(1).view_as(sums)
    return pieces[first[:, 0] + means.argmax(1), 1:]
