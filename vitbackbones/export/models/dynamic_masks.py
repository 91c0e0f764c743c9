"""RTMDet-Ins in a graph: each place has weights of three small convolutions, which draw a mask.

mmdet runs them as one convolution with a group for each object. Convolutions of 1 x 1 are products
of matrices, which a batch of images has as well.
"""

import torch
import torch.nn.functional as F
from torch import Tensor

from .dense import ExportableDenseDetector, rows
from .selection import best_apart, padded, pick


class ExportableRTMDetIns(ExportableDenseDetector):
    """An ``RTMDet`` of mmdet with a head that draws masks, as a graph has it.

    ``forward`` takes images (N, 3, H, W) and returns the ``max_per_img`` best objects.
    """

    outputs = ('boxes', 'scores', 'labels', 'masks')

    def forward(self, image: Tensor) -> tuple[Tensor, ...]:
        """Return boxes (N, M, 4), scores and labels (N, M) and masks (N, M, H, W) of bool."""
        height, width = image.shape[2:]
        head = self.model.bbox_head
        logits, codes, kernels, shared = head(self.model.extract_feat(padded(self.model, image)))
        found = self._found((logits, codes), image.shape[2:])
        found = best_apart(found, self.iou_threshold, self.settings.max_per_img)
        weights = torch.cat([rows(each, head.num_gen_params) for each in kernels], dim=1)
        priors = head.prior_generator.grid_priors(
            [each.shape[2:] for each in kernels], shared.dtype, shared.device, with_stride=True
        )
        priors = torch.cat(priors)[found.places]  # (N, M, 4): x, y and the strides
        drawn = self._draw(shared, pick(weights, found.places), priors)  # (N, M, h, w)
        drawn = F.interpolate(drawn, scale_factor=self._stride, mode='bilinear')
        inside = drawn[..., :height, :width].sigmoid() > self.settings.mask_thr_binary
        return *found.objects, inside & (found.labels >= 0)[..., None, None]

    @property
    def _stride(self) -> int:
        """Pixels of an image that a place of the shared maps stands for."""
        return self.model.bbox_head.prior_generator.strides[0][0]

    def _draw(self, shared: Tensor, kernels: Tensor, priors: Tensor) -> Tensor:
        """Return logits (N, M, h, w) of masks.

        Args:
            shared: (N, C, h, w), the maps of all objects.
            kernels: (N, M, W), all weights, then all biases.
            priors: (N, M, 4), where an object was found, x and y, and the strides there.
        """
        head = self.model.bbox_head
        height, width = shared.shape[2:]
        grid = head.prior_generator.single_level_grid_priors(
            (height, width), 0, shared.dtype, shared.device
        )  # (h w, 2)
        away = (priors[:, :, None, :2] - grid) / (8 * priors[:, :, None, 2:3])  # (N, M, h w, 2)
        maps = shared.flatten(2)[:, None].expand(-1, priors.shape[1], -1, -1)  # (N, M, C, h w)
        x = torch.cat([away.transpose(2, 3), maps], dim=2)  # (N, M, 2 + C, h w)
        parts = kernels.split([*head.weight_nums, *head.bias_nums], dim=2)
        layers = len(head.weight_nums)
        for i in range(layers):
            bias = parts[layers + i]
            weight = parts[i].unflatten(2, (bias.shape[2], -1))  # (N, M, out, in)
            x = weight @ x + bias[..., None]
            x = x.relu() if i < layers - 1 else x
        return x.unflatten(3, (height, width)).squeeze(2)  # (N, M, 1, h w) -> (N, M, h, w)
