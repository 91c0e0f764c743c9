"""Heads with anchors or points at every place, in a graph: RetinaNet, FCOS, RTMDet, a first stage.

The head's own layers, anchors and coder are used. What mmdet does with their answers for one image
after the other is done for all at once. The graph itself pads images, as it cuts boxes to what was
there before it suppresses some.
"""

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from mmdet.models.dense_heads.base_dense_head import BaseDenseHead
from mmdet.models.dense_heads.rtmdet_ins_head import RTMDetInsHead
from mmdet.models.dense_heads.yolox_head import YOLOXHead
from mmengine.config import ConfigDict
from torch import Tensor, nn

from . import Exportable
from .selection import Found, best_apart, clip, overlap_of, padded, pick, require_method_of

MOST = 300  # objects, where the config has no limit


class ExportableDenseDetector(Exportable):
    """A detector with one head, as a graph has it.

    ``forward`` takes images (N, 3, H, W) and returns the ``max_per_img`` best objects.

    Args:
        model: mmdet's ``SingleStageDetector``, whose head gives logits and boxes of each level.
    """

    outputs = ('boxes', 'scores', 'labels')

    def __init__(self, model: nn.Module) -> None:
        super().__init__(model)
        self._require_known(model.bbox_head)
        self.settings = model.bbox_head.test_cfg
        self.iou_threshold = overlap_of(self.settings.nms, 'model.test_cfg.nms')

    def forward(self, image: Tensor) -> tuple[Tensor, ...]:
        """Return boxes (N, M, 4), scores (N, M) and labels (N, M) of images (N, 3, H, W)."""
        maps = self.model.extract_feat(padded(self.model, image))
        head = self.model.bbox_head
        found = self._found(head(maps), image.shape[2:])
        most = self.settings.get('max_per_img', MOST)
        return best_apart(found, self.iou_threshold, most).objects

    def _require_known(self, head: nn.Module) -> None:
        """Raise an InputError if the head has its own way from maps to boxes."""
        own = (BaseDenseHead, RTMDetInsHead)
        require_method_of(own, head, '_predict_by_feat_single', 'model.bbox_head')

    def _found(self, maps: Sequence[Sequence[Tensor]], size: torch.Size) -> Found:
        """Return the boxes of what the head gives for each level."""
        return joined(levels(self.model.bbox_head, self.settings, maps, size))


def levels(
    head: nn.Module,
    settings: ConfigDict,
    maps: Sequence[Sequence[Tensor]],
    size: torch.Size,
) -> list[Found]:
    """Return the ``nms_pre`` best boxes of each level; those to be dropped have a score of 0.

    mmdet's head has logits (N, A C, h, w) and box codes (N, A 4, h, w) for each level, and where it
    also says how central a place is, logits (N, A, h, w) of that. As in mmdet, they lower the
    scores of the best boxes, and do not choose them. ``settings`` are its ``test_cfg``.
    """
    logits, codes, *central = maps
    sizes = [level.shape[2:] for level in logits]
    priors = head.prior_generator.grid_priors(sizes, logits[0].dtype, logits[0].device)
    least = settings.get('min_bbox_size', -1)
    first = 0  # place of a level
    found = []
    for i, (scores, of_boxes, anchors) in enumerate(zip(logits, codes, priors, strict=True)):
        scores = rows(scores, head.cls_out_channels)  # (N, h w A, C)
        scores = scores.sigmoid() if head.use_sigmoid_cls else scores.softmax(-1)[..., :-1]
        classes = scores.shape[2]
        scores = scores.where(scores > settings.get('score_thr', 0), 0).flatten(1)  # (N, h w A C)
        scores, best = scores.topk(torch.sym_min(settings.nms_pre, scores.shape[1]))
        places = best // classes
        labels = best % classes
        if central:
            scores = scores * rows(central[0][i], 1)[..., 0].sigmoid().gather(1, places)
        chosen = pick(rows(of_boxes, 4), places)  # (N, K, 4)
        boxes = head.bbox_coder.decode(anchors[places].flatten(0, 1), chosen.flatten(0, 1))
        boxes = boxes.view(chosen.shape)
        if head.bbox_coder.clip_border:
            boxes = clip(boxes, size)
        if least >= 0:
            large = (boxes[..., 2:] - boxes[..., :2] > least).all(-1)
            scores = scores.where(large, 0)
        found.append(Found(boxes, scores, labels, first + places))
        first += len(anchors)
    return found


def joined(parts: list[Found]) -> Found:
    """Return the boxes of all levels together."""
    return Found(*(torch.cat(each, dim=1) for each in zip(*parts, strict=True)))


def rows(maps: Tensor, width: int) -> Tensor:
    """Return maps (N, A width, h, w) as (N, h w A, width)."""
    return maps.permute(0, 2, 3, 1).reshape(maps.shape[0], -1, width)


class ExportableYOLOX(ExportableDenseDetector):
    """mmdet's ``YOLOX`` as a graph has it: every place has one class, and is an object or not.

    mmdet has no limit of objects; here it is 300, or the ``max_per_img`` of ``test_cfg``.
    """

    def _require_known(self, head: nn.Module) -> None:
        require_method_of((YOLOXHead,), head, 'predict_by_feat', 'model.bbox_head')

    def _found(self, maps: Sequence[Sequence[Tensor]], size: torch.Size) -> Found:
        logits, codes, objects = maps
        head = self.model.bbox_head
        sizes = [level.shape[2:] for level in logits]
        priors = head.prior_generator.grid_priors(
            sizes, logits[0].dtype, logits[0].device, with_stride=True
        )
        boxes = head._bbox_decode(torch.cat(priors), _joined_rows(codes, 4))  # (N, S, 4)
        scores, labels = _joined_rows(logits, head.cls_out_channels).sigmoid().max(-1)  # (N, S)
        scores = scores * _joined_rows(objects, 1)[..., 0].sigmoid()
        return Found(boxes, scores.where(scores >= self.settings.score_thr, 0), labels)


def _joined_rows(maps: Sequence[Tensor], width: int) -> Tensor:
    """Return the maps (N, width, h, w) of all levels as (N, S, width)."""
    return torch.cat([rows(each, width) for each in maps], dim=1)


# ------------------------------------------------------------------------ RTMDet-Ins
# Each place has weights of three small convolutions, which draw a mask. mmdet runs them as one
# convolution with a group for each object. Convolutions of 1 x 1 are products of matrices, which a
# batch of images has as well.


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
