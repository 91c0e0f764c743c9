"""DINO (Zhang et al., ICLR 2023, https://arxiv.org/abs/2203.03605) for images of any size.

mmdet's detector, parameter for parameter. It takes its queries from the best places of the maps,
and stops with "selected index k out of range" where an image has fewer places than there are
queries: 900 of them need about 200 x 240 pixels.
"""

import torch.nn.functional as F
from mmdet.models.detectors import DINO as MMDetDINO
from torch import Tensor


class DINO(MMDetDINO):
    """mmdet's ``DINO``; arguments, state-dict keys and, in large images, numbers are the same."""

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
