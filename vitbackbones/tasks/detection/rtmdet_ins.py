"""RTMDet-Ins's head (Lyu et al., "RTMDet", 2022) for images of any size.

mmdet enlarges the masks of all objects at once to the size of the image, in float32. For 100
objects in a photo of 12 megapixels that takes ten gigabytes.
"""

import math

import torch
import torch.nn.functional as F
from mmdet.models.dense_heads import RTMDetInsSepBNHead
from mmengine.config import ConfigDict
from mmengine.structures import InstanceData
from torch import Tensor


class RTMDetInsHead(RTMDetInsSepBNHead):
    """mmdet's ``RTMDetInsSepBNHead``, which enlarges one mask after the other.

    Arguments, state-dict keys and predictions are the same.
    """

    def _bbox_mask_post_process(
        self,
        results: InstanceData,
        mask_feat: Tensor,
        cfg: ConfigDict,
        rescale: bool = False,
        with_nms: bool = True,
        img_meta: dict | None = None,
    ) -> InstanceData:
        """Return the objects of an image; the arguments are mmdet's."""
        # mmdet's method chooses the boxes; the masks that it draws on a single place are replaced
        found = super()._bbox_mask_post_process(
            results, mask_feat[:, :1, :1], cfg, rescale, with_nms, img_meta
        )
        if len(found):
            logits = self._mask_predict_by_feat_single(mask_feat, found.kernels, found.priors)
            meta = img_meta if rescale else None
            masks = [self._enlarged(each, meta).sigmoid() > cfg.mask_thr_binary for each in logits]
            found.masks = torch.stack(masks)
        return found

    def _enlarged(self, logits: Tensor, meta: dict | None) -> Tensor:
        """Return logits (h, w) of a mask at the size of the input, or of the image of ``meta``."""
        stride = self.prior_generator.strides[0][0]
        logits = F.interpolate(logits[None, None], scale_factor=stride, mode='bilinear')
        if meta is None:
            return logits[0, 0]
        across, down = meta['scale_factor']
        height, width = logits.shape[2:]
        size = [math.ceil(height * (1 / down)), math.ceil(width * (1 / across))]  # as mmdet rounds
        height, width = meta['ori_shape'][:2]
        return F.interpolate(logits, size, mode='bilinear')[0, 0, :height, :width]
