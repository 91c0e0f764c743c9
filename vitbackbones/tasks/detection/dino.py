"""DINO (Zhang et al., ICLR 2023, https://arxiv.org/abs/2203.03605) for images of any size.

mmdet's detector, parameter for parameter as it was published. It takes its queries from the best
places of the maps, and stops with "selected index k out of range" where an image has fewer places
than there are queries: 900 of them need about 200 x 240 pixels.

The continued release of mmdet encodes a coordinate of a box in twice as many numbers as DINO's
code does, 256, and has another shape of ``decoder.ref_point_head`` for them. Published weights do
not fit it. Here a coordinate has its 128 numbers beside every release.
"""

import torch.nn.functional as F
from mmdet.models.detectors import DINO as MMDetDINO
from mmdet.models.layers.transformer.utils import MLP
from torch import Tensor


class BoxPosition(MLP):
    """Map encoded boxes to the positions of queries.

    Args:
        embed_dims: width C of the queries; a coordinate is encoded in C / 2 numbers.
    """

    def __init__(self, embed_dims: int) -> None:
        super().__init__(2 * embed_dims, embed_dims, embed_dims, num_layers=2)
        self.embed_dims = embed_dims

    def forward(self, code: Tensor) -> Tensor:
        """Map (N, Q, 2 * C) to (N, Q, C); of (N, Q, 4 * C), every other frequency counts.

        Each frequency has a sine and a cosine. Twice as many of them are the same ones, and one
        between each two.
        """
        if code.shape[-1] == 4 * self.embed_dims:
            code = code.unflatten(-1, (-1, 4))[..., :2].flatten(-2)  # (N, Q, C, 4) -> (N, Q, 2 * C)
        return super().forward(code)


class DINO(MMDetDINO):
    """mmdet's ``DINO``; arguments, state-dict keys and, in large images, numbers are the same."""

    def _init_layers(self) -> None:
        super()._init_layers()
        self.decoder.ref_point_head = BoxPosition(self.embed_dims)

    def gen_encoder_output_proposals(
        self, memory: Tensor, memory_mask: Tensor | None, spatial_shapes: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return features and proposals of at least ``num_queries`` places.

        What an image lacks is filled up with places as mmdet has in the padding: no features, and
        coordinates (before the sigmoid) at infinity.

        Args:
            memory: (N, L, C) from the encoder.
            memory_mask: (N, L), True where there is padding.
            spatial_shapes: (levels, 2), height and width of each map.

        Returns:
            (N, max(L, num_queries), C) and (N, max(L, num_queries), 4).
        """
        features, proposals = super().gen_encoder_output_proposals(
            memory, memory_mask, spatial_shapes
        )
        missing = max(self.num_queries - features.shape[1], 0)
        return (
            F.pad(features, (0, 0, 0, missing)),
            F.pad(proposals, (0, 0, 0, missing), value=float('inf')),
        )
