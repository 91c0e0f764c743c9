"""DETR's head: float32 under mixed precision, one matching for all layers and images.

mmdet matches each image of each decoder layer by itself: 6 N rounds of small operators, and on a
GPU as many waits for results. Here one cost matrix holds them all and goes to the CPU once, and all
matches come back at once. Costs, losses and factors are mmdet's, built from the same configuration,
and the numbers are the same but for tiny boxes: mmdet's IoUs take no area for smaller than 1e-6 of
the image, about a square pixel. The published code has no such limit, and neither has this one.
"""

import numpy as np
import torch
from mmdet.models.dense_heads import DETRHead
from mmdet.structures.bbox import bbox_cxcywh_to_xyxy, bbox_xyxy_to_cxcywh
from mmdet.utils import reduce_mean
from mmengine.model import BaseModule
from mmengine.structures import InstanceData
from scipy.optimize import linear_sum_assignment
from torch import Tensor

from ...errors import InputError

# The side of an image for costs and losses, so long that no area is near mmdet's limit of 1e-6. A
# power of two, so that nothing is rounded.
SIDE = 2.0**20


def gather_objects(instances: list[InstanceData], metas: list[dict]) -> InstanceData:
    """Concatenate the objects of all images.

    Args:
        instances: labels (K,) and bboxes (K, 4) in pixels, x1 y1 x2 y2, of each image.
        metas: ``img_shape`` (height, width) of each image.

    Returns:
        labels (G,) and bboxes (G, 4) in units of their image's sides.
    """
    boxes = []
    for each, meta in zip(instances, metas, strict=True):
        sides = torch.tensor(meta['img_shape'][::-1] * 2)
        boxes.append(each.bboxes / sides.to(each.bboxes.device, non_blocking=True))
    return InstanceData(
        labels=torch.cat([each.labels for each in instances]), bboxes=torch.cat(boxes)
    )


def require_finite(cost: Tensor, metas: list[dict], model: str = 'DETR') -> None:
    """Stop a run that diverged, with a clearer message than scipy's.

    Raises:
        InputError: a cost is NaN or infinite; names the images of the batch.
    """
    if not cost.isfinite().all():
        images = ', '.join(str(meta.get('img_path') or meta.get('img_id')) for meta in metas)
        raise InputError(
            f'{model}: NaN or infinite predictions for the images {images}: the training diverged. '
            'Continue from an earlier checkpoint with a lower learning rate '
            '(optim_wrapper.optimizer.lr), stronger gradient clipping (optim_wrapper.clip_grad) '
            'or without --amp.'
        )


def assign(cost: Tensor, counts: list[int]) -> Tensor:
    """Find the cheapest one-to-one matching of queries and objects within each image.

    Args:
        cost: (N, Q, G) for one layer, on the CPU.
        counts: how many of the G objects belong to each of the N images, in order.

    Returns:
        (2, M): matched queries, counted through all N * Q, and their objects.
    """
    queries = []
    objects = []
    start = 0
    for image, count in enumerate(counts):
        rows, columns = linear_sum_assignment(cost[image, :, start : start + count])
        queries.append(rows + image * cost.shape[1])
        objects.append(columns + start)
        start += count
    return torch.from_numpy(np.stack([np.concatenate(queries), np.concatenate(objects)]))


class JointDETRHead(DETRHead):
    """mmdet's ``DETRHead``: same parameters, logits, boxes and, but for tiny boxes, losses.

    Args:
        built: mmdet's, which is of no use afterwards. All that it holds is taken over. mmdet's
            constructor, which weighs the background only for exactly its own class, is not run.
    """

    def __init__(self, built: DETRHead) -> None:
        BaseModule.__init__(self)
        vars(self).update(vars(built))

    def forward(self, hidden_states: Tensor) -> tuple[Tensor, Tensor]:
        """Map queries (layers, N, Q, C) to logits (..., classes + 1) and boxes (..., 4).

        A box is (cx, cy, w, h) in units of the image, in (0, 1).

        It computes in the type of the weights. Under automatic mixed precision mmdet's outputs are
        bfloat16, where a coordinate near 1 has steps of 1/256: boxes of a 1333 pixel image are off
        by pixels, and queries get matched to other objects. A model in half precision returns
        float32, so that boxes are not rounded once more when they become pixels.
        """
        dtype = self.fc_cls.weight.dtype
        wide = torch.promote_types(dtype, torch.float32)
        with torch.autocast(hidden_states.device.type, enabled=False):
            scores, boxes = super().forward(hidden_states.to(dtype))
        return scores.to(wide), boxes.to(wide)

    def loss_by_feat(
        self,
        all_layers_cls_scores: Tensor,
        all_layers_bbox_preds: Tensor,
        batch_gt_instances: list[InstanceData],
        batch_img_metas: list[dict],
    ) -> dict[str, Tensor]:
        """Return the losses of all layers: logits (layers, N, Q, classes + 1), boxes (..., 4)."""
        objects = gather_objects(batch_gt_instances, batch_img_metas)
        counts = [len(each) for each in batch_gt_instances]
        cost = self._cost(all_layers_cls_scores, all_layers_bbox_preds, objects)
        require_finite(cost, batch_img_metas)
        matches = torch.stack([assign(layer, counts) for layer in cost])  # (layers, 2, M)
        cls_factor, box_factor = self._factors(matches.shape[2], all_layers_cls_scores[0])
        prefixes = [*(f'd{i}.' for i in range(len(matches) - 1)), '']  # none for the last layer
        matches = matches.to(objects.labels.device, non_blocking=True)
        layers = zip(prefixes, all_layers_cls_scores, all_layers_bbox_preds, matches, strict=True)
        losses = {}
        for prefix, scores, boxes, (queries, matched) in layers:
            scores = scores.flatten(0, 1)  # (N * Q, classes + 1)
            labels = torch.full_like(scores[:, 0], self.num_classes, dtype=torch.long)
            labels[queries] = objects.labels[matched]
            boxes = boxes.flatten(0, 1)[queries]  # (M, 4)
            target = objects.bboxes[matched]  # (M, 4)
            sides = bbox_xyxy_to_cxcywh(target)
            corners = SIDE * bbox_cxcywh_to_xyxy(boxes)
            losses |= {
                f'{prefix}loss_cls': self.loss_cls(scores, labels, avg_factor=cls_factor),
                f'{prefix}loss_bbox': self.loss_bbox(boxes, sides, avg_factor=box_factor),
                f'{prefix}loss_iou': self.loss_iou(corners, SIDE * target, avg_factor=box_factor),
            }
        return losses

    @torch.no_grad()
    def _cost(self, scores: Tensor, boxes: Tensor, objects: InstanceData) -> Tensor:
        """Return the cost of each query for each object, (layers, N, Q, G), on the CPU."""
        boxes = SIDE * bbox_cxcywh_to_xyxy(boxes.flatten(0, 2))  # (layers * N * Q, 4)
        predictions = InstanceData(scores=scores.flatten(0, 2), bboxes=boxes)
        objects = InstanceData(labels=objects.labels, bboxes=SIDE * objects.bboxes)
        meta = {'img_shape': (SIDE, SIDE)}
        costs = [cost(predictions, objects, meta) for cost in self.assigner.match_costs]
        return sum(costs).view(*scores.shape[:3], -1).cpu()  # (layers, N, Q, G)

    def _factors(self, matched: int, scores: Tensor) -> tuple[Tensor, Tensor]:
        """Return what classification and box losses are divided by, numbers on the device.

        The number of boxes is the mean over all processes.
        """
        background = scores.shape[0] * scores.shape[1] - matched
        weight = scores.new_full((), matched + background * self.bg_cls_weight)
        if self.sync_cls_avg_factor:
            weight = reduce_mean(weight)
        boxes = reduce_mean(scores.new_full((), matched))
        return weight.clamp(min=1.0), boxes.clamp(min=1.0)
