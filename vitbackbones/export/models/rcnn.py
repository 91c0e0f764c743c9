"""Faster, Mask and Cascade R-CNN in a graph: proposals, then boxes, then masks.

Every image has ``max_per_img`` proposals and as many objects, of which those that are none have a
score of 0. All are computed, so a graph's time does not depend on what is in the image.
"""

from typing import Any, NamedTuple

import torch
from mmdet.models.dense_heads.rpn_head import RPNHead
from mmdet.models.roi_heads import CascadeRoIHead, SingleRoIExtractor, StandardRoIHead
from mmdet.models.roi_heads.bbox_heads import BBoxHead
from mmdet.models.roi_heads.mask_heads import FCNMaskHead
from torch import Tensor, nn

from ...errors import InputError
from ...openmmlab.operators.kernels import torchvision_kernels
from . import Exportable
from .dense import joined, levels
from .selection import Found, best_apart, clip, overlap_of, padded, pick, require_method_of


class ExportableRCNN(Exportable):
    """A detector with a first stage that proposes boxes, as a graph has it.

    Args:
        model: mmdet's ``FasterRCNN``, ``MaskRCNN`` or ``CascadeRCNN``.

    Raises:
        InputError: a head has its own way to boxes or masks, or a region's features are not those
            of mmcv's ``RoIAlign`` with averages.
    """

    def __init__(self, model: nn.Module) -> None:
        super().__init__(model)
        self.head = model.roi_head
        self.proposing = model.rpn_head.test_cfg
        self.settings = self.head.test_cfg
        self.proposals_apart = overlap_of(self.proposing.nms, 'model.test_cfg.rpn.nms')
        self.boxes_apart = overlap_of(self.settings.nms, 'model.test_cfg.rcnn.nms')
        require_method_of((RPNHead,), model.rpn_head, '_predict_by_feat_single', 'model.rpn_head')
        way = '_bbox_forward'
        require_method_of((StandardRoIHead, CascadeRoIHead), self.head, way, 'model.roi_head')
        self.outputs = ('boxes', 'scores', 'labels')
        self.box_stages = self._stages('bbox', '_predict_by_feat_single', BBoxHead)
        if any(stage.head.custom_cls_channels for stage in self.box_stages):
            raise InputError(
                'model.roi_head.bbox_head.loss_cls: has its own activation of scores, which cannot '
                'be exported; supported: losses with a softmax'
            )
        if self.head.with_mask:
            self.outputs += ('masks',)
            self.mask_stages = self._stages('mask', 'predict_by_feat', FCNMaskHead)

    def forward(self, image: Tensor) -> tuple[Tensor, ...]:
        """Return boxes (N, M, 4), scores and labels (N, M) of images (N, 3, H, W), and masks.

        Masks are (N, M, H, W) of bool, of models that have them.
        """
        size = image.shape[2:]
        maps = self.model.extract_feat(padded(self.model, image))
        rpn = self.model.rpn_head
        parts = [  # of the levels; boxes of different ones do not suppress each other
            part._replace(labels=torch.full_like(part.labels, i))
            for i, part in enumerate(levels(rpn, self.proposing, rpn(maps), size))
        ]
        proposals = best_apart(joined(parts), self.proposals_apart, self.proposing.max_per_img)
        found = self._classified(maps, proposals, size)
        found = best_apart(found, self.boxes_apart, self.settings.max_per_img)
        if not self.head.with_mask:
            return found.objects
        drawn = [self._of_regions(stage, maps, found.boxes).sigmoid() for stage in self.mask_stages]
        masks = torch.stack(drawn).mean(0)
        if not self.mask_stages[-1].head.class_agnostic:
            masks = pick(masks, found.labels.clamp(min=0).flatten()[:, None])  # (N M, 1, h, w)
        pasted = paste(masks[:, 0], found.boxes.flatten(0, 1), size)  # (N M, H, W)
        inside = pasted >= self.settings.mask_thr_binary
        return *found.objects, inside.view(*found.scores.shape, *size)

    def _stages(self, kind: str, method: str, known: type[nn.Module]) -> list['Stage']:
        """Return the stages that find boxes or draw masks: one, or those of a cascade.

        Raises:
            InputError: one computes in its own way.
        """
        stages = []
        for name in (f'{kind}_roi_extractor', f'{kind}_head'):
            part = getattr(self.head, name)
            stages.append(part if isinstance(part, nn.ModuleList) else [part])
        for extractor, head in zip(*stages, strict=True):
            require_method_of((known,), head, method, f'model.roi_head.{kind}_head')
            key = f'model.roi_head.{kind}_roi_extractor'
            require_method_of((SingleRoIExtractor,), extractor, 'forward', key)
            _require_averages(extractor, f'{kind}_roi_extractor')
        return [Stage(*parts) for parts in zip(*stages, strict=True)]

    def _of_regions(self, stage: 'Stage', maps: tuple[Tensor, ...], boxes: Tensor) -> Any:
        """Return what the head of a stage makes of the features of boxes (N, P, 4)."""
        features = regions(stage.extractor, maps, boxes)
        if self.head.with_shared_head:
            features = self.head.shared_head(features)
        return stage.head(features)

    def _classified(self, maps: tuple[Tensor, ...], proposals: Found, size: torch.Size) -> Found:
        """Return a box of every proposal for every class, P C of each image."""
        boxes = proposals.boxes
        total = 0
        for stage in self.box_stages:
            rois = boxes
            logits, codes = self._of_regions(stage, maps, rois)
            total = total + logits
            codes = codes.view(len(logits), -1, 4)  # (N P, 1 or C, 4)
            if stage is not self.box_stages[-1]:
                boxes = _moved(stage.head, rois, _of_best(codes, logits), size)
        classes = stage.head.num_classes
        codes = codes.expand(-1, classes, 4)  # (N P, C, 4)
        rois = rois[:, :, None].expand(-1, -1, classes, -1).flatten(1, 2)  # (N, P C, 4)
        boxes = _moved(stage.head, rois, codes, size)
        shape = proposals.scores.shape  # (N, P)
        logits = total / len(self.box_stages)
        scores = logits.softmax(-1)[:, :-1].reshape(*shape, classes)  # (N, P, C)
        wanted = (scores > self.settings.score_thr) & (proposals.scores > 0)[..., None]
        labels = torch.arange(classes, device=scores.device).expand(*shape, classes)
        return Found(boxes, scores.where(wanted, 0).flatten(1), labels.flatten(1))


class Stage(NamedTuple):
    """What cuts regions out of feature maps, and the head that reads them."""

    extractor: nn.Module
    head: nn.Module


def _of_best(codes: Tensor, logits: Tensor) -> Tensor:
    """Return the codes (R, 1, 4) of the best class, of codes (R, 1 or C, 4)."""
    if codes.shape[1] == 1:
        return codes
    best = logits[:, :-1].argmax(1)
    return codes.gather(1, best[:, None, None].expand(-1, 1, 4))


def _moved(head: nn.Module, boxes: Tensor, codes: Tensor, size: torch.Size) -> Tensor:
    """Return boxes (N, B, 4) as codes, as many in all, move them, cut to the image."""
    moved = head.bbox_coder.decode(boxes.reshape(-1, 4), codes.reshape(-1, 4))
    return clip(moved.view(boxes.shape), size)


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
