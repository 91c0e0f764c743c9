"""DETR written out from what facebookresearch/detr computes, in its keys, as narrow as wanted.

Layers are torch's and torchvision's own: ``nn.MultiheadAttention``, ``Bottleneck`` and
``FrozenBatchNorm2d``. Padded pixels are 1 in a mask (N, H, W); tokens are (L, N, C).
"""

import math

import torch
import torch.nn.functional as F
from torch import nn
from torchvision.models.resnet import Bottleneck, ResNet
from torchvision.ops import FrozenBatchNorm2d


class Body(ResNet):
    """torchvision's ResNet of 3, 4, 6, 3 blocks without its head, ``width`` channels at first."""

    def __init__(self, width, dilated):
        nn.Module.__init__(self)
        self._norm_layer, self.groups, self.base_width = FrozenBatchNorm2d, 1, 64
        self.inplanes, self.dilation = width, 1
        self.conv1 = nn.Conv2d(3, width, 7, stride=2, padding=3, bias=False)
        self.bn1 = FrozenBatchNorm2d(width)
        for i, blocks in enumerate((3, 4, 6, 3)):
            stride, dilate = (1 if i == 0 else 2), dilated and i == 3
            stage = self._make_layer(Bottleneck, width * 2**i, blocks, stride, dilate)
            setattr(self, f'layer{i + 1}', stage)

    def forward(self, x):
        x = F.max_pool2d(self.bn1(self.conv1(x)).relu(), 3, stride=2, padding=1)
        return self.layer4(self.layer3(self.layer2(self.layer1(x))))


def sine(mask, features, temperature=10000):
    """Positions (N, 2 * features, h, w) of what is not padded, scaled to 2 pi on either side."""
    codes = []
    for axis in (1, 2):  # y, then x
        place = (~mask).cumsum(axis, dtype=torch.float32)
        last = place.narrow(axis, place.shape[axis] - 1, 1)
        place = place / (last + 1e-6) * 2 * math.pi
        pair = torch.arange(features, dtype=torch.float32) // 2
        angle = place[..., None] / temperature ** (2 * pair / features)
        code = torch.stack([angle[..., 0::2].sin(), angle[..., 1::2].cos()], -1).flatten(3)
        codes.append(code)
    return torch.cat(codes, 3).permute(0, 3, 1, 2)  # (N, h, w, c) -> (N, c, h, w)


class Layer(nn.Module):
    """A layer with norms behind; with ``memory`` it is one of the decoder."""

    def __init__(self, dims, heads, hidden, decoder):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(dims, heads)
        if decoder:
            self.multihead_attn = nn.MultiheadAttention(dims, heads)
        self.linear1, self.linear2 = nn.Linear(dims, hidden), nn.Linear(hidden, dims)
        for i in range(3 if decoder else 2):
            setattr(self, f'norm{i + 1}', nn.LayerNorm(dims))

    def forward(self, x, own, mask=None, memory=None, positions=None):
        """``own`` are positions of x; ``mask`` (N, L) is of x or, if there is one, of memory."""
        place = x + own
        x = self.norm1(x + self.self_attn(place, place, x, mask if memory is None else None)[0])
        if memory is not None:
            x = self.norm2(x + self.multihead_attn(x + own, memory + positions, memory, mask)[0])
        last = self.norm2 if memory is None else self.norm3
        return last(x + self.linear2(self.linear1(x).relu()))


class DETR(nn.Module):
    def __init__(self, width=8, dims=32, heads=4, hidden=48, depth=2, queries=7, dilated=False):
        super().__init__()
        self.transformer = nn.Module()
        for part in ('encoder', 'decoder'):
            layers = nn.ModuleList(
                Layer(dims, heads, hidden, part == 'decoder') for _ in range(depth)
            )
            setattr(self.transformer, part, nn.Module())
            getattr(self.transformer, part).layers = layers
        self.transformer.decoder.norm = nn.LayerNorm(dims)
        self.class_embed = nn.Linear(dims, 92)
        self.bbox_embed = nn.Module()
        widths = [dims, dims, dims, 4]
        self.bbox_embed.layers = nn.ModuleList(map(nn.Linear, widths[:-1], widths[1:]))
        self.query_embed = nn.Embedding(queries, dims)
        self.input_proj = nn.Conv2d(32 * width, dims, 1)
        self.backbone = nn.ModuleList([nn.Module()])
        self.backbone[0].body = Body(width, dilated)

    def forward(self, image, mask):
        """Logits (depth, N, queries, 92) and boxes (depth, N, queries, 4) of all layers."""
        maps = self.backbone[0].body(image)
        mask = F.interpolate(mask[None].float(), size=maps.shape[-2:]).bool()[0]
        x = self.input_proj(maps)
        positions = sine(mask, x.shape[1] // 2).to(x.dtype)
        x, positions = (each.flatten(2).permute(2, 0, 1) for each in (x, positions))
        mask = mask.flatten(1)  # (N, h, w) -> (N, L)
        for layer in self.transformer.encoder.layers:
            x = layer(x, positions, mask)
        places = self.query_embed.weight[:, None].expand(-1, len(image), -1)
        queries, found = torch.zeros_like(places), []
        for layer in self.transformer.decoder.layers:
            queries = layer(queries, places, mask, x, positions)
            found.append(self.transformer.decoder.norm(queries))
        hidden = torch.stack(found).transpose(1, 2)  # (depth, Q, N, C) -> (depth, N, Q, C)
        boxes = hidden
        for i, linear in enumerate(self.bbox_embed.layers):
            boxes = linear(boxes if i == 0 else boxes.relu())
        return self.class_embed(hidden), boxes.sigmoid()
