"""Faster R-CNN and Mask R-CNN in a graph: proposals, then boxes, then masks, each of one number.

Every image has ``max_per_img`` proposals and as many objects, of which those that are none have a
score of 0. All are computed, so a graph's time does not depend on what is in the image.
"""

import torch
from torch import Tensor, nn

from ...errors import InputError
from ...openmmlab.operators.kernels import torchvision_kernels
from .base import Exportable
from .dense import joined, levels
from .selection import Found, best_apart, clip, overlap_of, padded, pick


class ExportableRCNN(Exportable):
    """A detector with a first stage that proposes boxes, as a graph has it.

    Args:
        model: mmdet's ``FasterRCNN`` or ``MaskRCNN``, with its ``StandardRoIHead``.

    Raises:
        InputError: a region's features are not those of mmcv's ``RoIAlign`` with averages.
    """

    def __init__(self, model: nn.Module) -> None:
        super().__init__(model)
        self.head = model.roi_head
        self.proposing = model.rpn_head.test_cfg
        self.settings = self.head.test_cfg
        self.proposals_apart = overlap_of(self.proposing.nms, 'model.test_cfg.rpn.nms')
        self.boxes_apart = overlap_of(self.settings.nms, 'model.test_cfg.rcnn.nms')
        self.outputs = ('boxes', 'scores', 'labels')
        _require_averages(self.head.bbox_roi_extractor, 'bbox_roi_extractor')
        if self.head.with_mask:
            self.outputs += ('masks',)
            _require_averages(self.head.mask_roi_extractor, 'mask_roi_extractor')

    def forward(self, image: Tensor) -> tuple[Tensor, ...]:
        """Return boxes (N, M, 4), scores and labels (N, M) of images (N, 3, H, W), and masks.

        Masks are (N, M, H, W) of bool, of models that have them.
        """
        size = image.shape[2:]
        maps = self.model.extract_feat(padded(self.model, image))
        rpn = self.model.rpn_head
        parts = [  # of the levels; boxes of different ones do not suppress each other
            part._replace(labels=torch.full_like(part.labels, i))
            for i, part in enumerate(levels(rpn, self.proposing, *rpn(maps), size))
        ]
        proposals = best_apart(joined(parts), self.proposals_apart, self.proposing.max_per_img)
        found = self._classified(maps, proposals, size)
        found = best_apart(found, self.boxes_apart, self.settings.max_per_img)
        if not self.head.with_mask:
            return found.objects
        head = self.head.mask_head
        masks = head(regions(self.head.mask_roi_extractor, maps, found.boxes)).sigmoid()
        if not head.class_agnostic:
            masks = pick(masks, found.labels.clamp(min=0).flatten()[:, None])  # (N M, 1, h, w)
        pasted = paste(masks[:, 0], found.boxes.flatten(0, 1), size)  # (N M, H, W)
        inside = pasted >= self.settings.mask_thr_binary
        return *found.objects, inside.view(*found.scores.shape, *size)

    def _classified(self, maps: tuple[Tensor, ...], proposals: Found, size: torch.Size) -> Found:
        """Return a box of every proposal for every class, P C of each image."""
        head = self.head.bbox_head
        logits, codes = head(regions(self.head.bbox_roi_extractor, maps, proposals.boxes))
        classes = head.num_classes
        codes = codes.view(-1, 1 if head.reg_class_agnostic else classes, 4)
        codes = codes.expand(-1, classes, 4)  # (N P, C, 4)
        rois = proposals.boxes.flatten(0, 1)[:, None].expand(-1, classes, 4)
        boxes = head.bbox_coder.decode(rois.reshape(-1, 4), codes.reshape(-1, 4))
        shape = proposals.scores.shape  # (N, P)
        boxes = clip(boxes.view(shape[0], -1, 4), size)  # (N, P C, 4)
        scores = logits.softmax(-1)[:, :-1].reshape(*shape, classes)  # (N, P, C)
        wanted = (scores > self.settings.score_thr) & (proposals.scores > 0)[..., None]
        labels = torch.arange(classes, device=scores.device).expand(*shape, classes)
        return Found(boxes, scores.where(wanted, 0).flatten(1), labels.flatten(1))


def regions(extractor: nn.Module, maps: tuple[Tensor, ...], boxes: Tensor) -> Tensor:
    """Return the features of boxes (N, P, 4), each from the level of its size: (N P, C, h, w).

    Every level gets all boxes, those of other levels as boxes without area, which are not sampled.
    """
    images = torch.arange(boxes.shape[0], device=boxes.device).to(boxes)
    images = images[:, None, None].expand(-1, boxes.shape[1], 1)  # (N, P, 1)
    rois = torch.cat([images, boxes], dim=-1).flatten(0, 1)  # (N P, 5)
    of_level = extractor.map_roi_levels(rois, extractor.num_inputs)
    features = 0
    for i, (layer, level) in enumerate(zip(extractor.roi_layers, maps, strict=False)):
        here = (of_level == i)[:, None]
        settings = (layer.spatial_scale, *layer.output_size, layer.sampling_ratio, layer.aligned)
        aligned = torchvision_kernels().roi_align(level, rois.where(here, 0), *settings)
        features = aligned.where(here[..., None, None], features)
    return features


def paste(masks: Tensor, boxes: Tensor, size: torch.Size) -> Tensor:
    """Return masks (R, h, w), each bilinearly stretched over its box: (R, *size).

    mmdet samples every pixel at a place of its own. Rows and columns are independent, so two
    products of matrices do the same. A box without area has an empty mask; mmdet's has up to
    three columns or rows.
    """
    x1, y1, x2, y2 = boxes[..., None].unbind(1)  # each (R, 1)
    rows = _shares(y1, y2, masks.shape[1], size[0])
    columns = _shares(x1, x2, masks.shape[2], size[1])
    return rows @ masks @ columns.transpose(1, 2)


def _shares(start: Tensor, end: Tensor, cells: int, pixels: int) -> Tensor:
    """Return the share of each cell from ``start`` to ``end`` in a pixel, (R, pixels, cells)."""
    centers = torch.arange(pixels, device=start.device) + 0.5
    places = (centers - start) / (end - start) * cells - 0.5  # (R, pixels)
    distances = places[..., None] - torch.arange(cells, device=start.device)
    return (1 - distances.abs()).clamp(min=0)


def _require_averages(extractor: nn.Module, name: str) -> None:
    """Raise an InputError unless torchvision's and ONNX's operator computes a region's features."""
    for layer in extractor.roi_layers:
        if type(layer).__name__ != 'RoIAlign' or layer.pool_mode != 'avg':
            raise InputError(
                f'model.roi_head.{name}.roi_layer: is {layer}; export supports only RoIAlign '
                "with pool_mode='avg'"
            )
