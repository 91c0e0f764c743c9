"""Mask2Former as one graph: objects and panoptic segments as mmdet gives them.

mmdet's own head is run, on a copy of the model whose pixel decoder can be traced. mmdet loops over
images and queries; here all are computed at once. Each pixel belongs to the query that is surest of
it, so segments never overlap and their order does not matter.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ...data.loading.coco_masks import OFFSET
from . import Exportable
from .attention import encode, make_traceable, shared_copy, sizes_of
from .selection import NO_LABEL, pick


class TraceablePixelDecoder(nn.Module):
    """mmdet's ``MSDeformAttnPixelDecoder``, with its parameters, with sizes that are numbers."""

    def __init__(self, decoder: nn.Module) -> None:
        super().__init__()
        self.decoder = decoder
        make_traceable(decoder)

    def forward(self, maps: tuple[Tensor, ...]) -> tuple[Tensor, list[Tensor]]:
        """Return the map that masks are computed from, and the maps that queries attend to.

        Args:
            maps: (N, C_i, h_i, w_i), from fine to coarse.

        Returns:
            (N, C, h, w) of the finest map, and a list of (N, C, h_i, w_i), from coarse to fine.
        """
        own = self.decoder
        attended = maps[: -own.num_encoder_levels - 1 : -1]  # from coarse to fine
        projected = [conv(x) for conv, x in zip(own.input_convs, attended, strict=True)]
        codes = [
            own.postional_encoding(None, input=level) + own.level_encoding.weight[i][:, None, None]
            for i, level in enumerate(projected)
        ]
        memory = encode(own.encoder, projected, codes).transpose(1, 2)  # (N, C, S)
        sizes = sizes_of(projected)
        parts = memory.split([height * width for height, width in sizes], dim=2)
        levels = [part.unflatten(2, size) for part, size in zip(parts, sizes, strict=True)]
        finer = zip(maps, own.lateral_convs, own.output_convs, strict=False)  # not attended to
        for x, lateral, output in reversed([*finer]):
            coarser = F.interpolate(levels[-1], x.shape[2:], mode='bilinear')
            levels.append(output(lateral(x) + coarser))
        return own.mask_feature(levels[-1]), levels[: own.num_outs]


class ExportableMask2Former(Exportable):
    """A ``Mask2Former`` of mmdet as a graph has it.

    ``outputs`` are ``boxes``, ``scores``, ``labels`` and ``masks`` of objects where the model gives
    them (``test_cfg.instance_on``), then ``segments`` where it gives these (``panoptic_on``).
    Segments are (N, H, W) of int64: label + 1000 times the number of a thing, and the number of
    classes where nothing was found, as in mmdet's ``pred_panoptic_seg``.

    Args:
        model: mmdet's ``Mask2Former``, or ``EoMT``.
    """

    def __init__(self, model: nn.Module) -> None:
        super().__init__(shared_copy(model))
        head = self.model.panoptic_head
        if hasattr(head, 'pixel_decoder'):  # EoMT has none
            head.pixel_decoder = TraceablePixelDecoder(head.pixel_decoder)
        self.fusion = self.model.panoptic_fusion_head
        settings = self.fusion.test_cfg
        objects = ('boxes', 'scores', 'labels', 'masks')
        self.outputs = objects if settings.get('instance_on', False) else ()
        self.outputs += ('segments',) if settings.get('panoptic_on', True) else ()

    def forward(self, image: Tensor) -> tuple[Tensor, ...]:
        """Return what ``outputs`` names, of images (N, 3, H, W)."""
        logits, masks = self.model.panoptic_head(self.model.extract_feat(image), None)
        scores = logits[-1].softmax(-1)  # (N, Q, C + 1)
        given = (scores, masks[-1], image.shape[2:])
        objects = self._objects(*given) if 'masks' in self.outputs else ()
        return (*objects, *(self._segments(*given) if 'segments' in self.outputs else ()))

    def _objects(self, scores: Tensor, masks: Tensor, size: torch.Size) -> tuple[Tensor, ...]:
        """Return boxes (N, M, 4), scores and labels (N, M) and masks (N, M, H, W) of things."""
        classes = self.fusion.num_classes
        count = self.fusion.test_cfg.get('max_per_image', 100)
        scores, places = scores[..., :-1].flatten(1).topk(count)  # of (N, Q C)
        labels = places % classes
        masks = F.interpolate(pick(masks, places // classes), size, mode='bilinear')  # (N, M, H, W)
        inside = masks > 0
        sure = (masks.sigmoid() * inside).sum((2, 3)) / (inside.sum((2, 3)) + 1e-6)
        is_thing = labels < self.fusion.num_things_classes
        scores, order = (scores * sure).where(is_thing, 0).topk(count)
        is_thing = pick(is_thing, order)
        masks = pick(inside, order) & is_thing[..., None, None]
        labels = pick(labels, order).where(is_thing, NO_LABEL)
        return bounding_boxes(masks), scores, labels, masks

    def _segments(self, scores: Tensor, masks: Tensor, size: torch.Size) -> tuple[Tensor]:
        """Return the segments (N, H, W)."""
        settings = self.fusion.test_cfg
        classes = self.fusion.num_classes
        scores, labels = scores.max(-1)  # (N, Q)
        kept = (labels != classes) & (scores > settings.get('object_mask_thr', 0.8))  # (N, Q)
        masks = F.interpolate(masks, size, mode='bilinear').sigmoid()
        owner = (masks * scores.where(kept, -1)[..., None, None]).argmax(1)  # (N, H, W)
        queries = torch.arange(masks.shape[1], device=masks.device)[:, None, None]
        owned = (owner[:, None] == queries) & kept[..., None, None]  # (N, Q, H, W)
        sure = masks >= 0.5
        area = owned.sum((2, 3))
        whole = sure.sum((2, 3))
        kept = (area > 0) & (whole > 0) & (area / whole >= settings.get('iou_thr', 0.8))
        if settings.get('filter_low_score', False):
            owned = owned & sure
        is_thing = kept & (labels < self.fusion.num_things_classes)
        numbers = labels + OFFSET * is_thing.cumsum(1) * is_thing
        shown = (owned & kept[..., None, None]).any(1)
        return (pick(numbers, owner.flatten(1)).view_as(owner).where(shown, classes),)


def bounding_boxes(masks: Tensor) -> Tensor:
    """Return the boxes (N, M, 4) around masks (N, M, H, W) of bool; zeros around empty ones."""
    x1, x2 = _ends(masks.any(2))
    y1, y2 = _ends(masks.any(3))
    return torch.stack([x1, y1, x2, y2], dim=-1).float()


def _ends(places: Tensor) -> tuple[Tensor, Tensor]:
    """Return the first place (..., L) that is True, and the one after the last; 0 for none."""
    after = torch.arange(1, places.shape[-1] + 1, device=places.device)
    end = (places * after).amax(-1)
    first = (places * after.flip(0)).amax(-1)  # largest for the first place
    return torch.where(end > 0, places.shape[-1] - first, 0), end
