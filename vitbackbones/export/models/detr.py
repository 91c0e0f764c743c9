"""DETR as one graph: the best queries of every image, as boxes in pixels.

Backbone, transformer and head are the model's own. Two things differ from mmdet, which goes from
image to image: the queries of all images are chosen at once, and the graph itself pads images to
the divisor of the data preprocessor, and hides what it padded from the attention.
"""

import torch
from mmdet.structures.bbox import bbox_cxcywh_to_xyxy
from torch import Tensor, nn

from . import Exportable
from .selection import padded


def detections(
    head: nn.Module, logits: Tensor, boxes: Tensor, size: tuple[int, int]
) -> tuple[Tensor, Tensor, Tensor]:
    """Return boxes (N, M, 4) in pixels, scores and labels (N, M), best first, as mmdet does.

    Args:
        head: mmdet's, which says how many.
        logits: (N, Q, classes) with a sigmoid, where a query may have several classes; else
            (N, Q, classes + 1), the last one is for the background, and a query has its best one.
        boxes: (N, Q, 4), cx cy w h in units of the image.
        size: height and width of the image.
    """
    count = head.test_cfg.get('max_per_img', logits.shape[1])
    if head.loss_cls.use_sigmoid:
        classes = logits.shape[-1]
        scores, places = logits.sigmoid().flatten(1).topk(count)  # of (N, Q * classes)
        labels = places % classes
        queries = places // classes
    else:
        best, classes = logits.softmax(-1)[..., :-1].max(-1)  # (N, Q)
        scores, queries = best.topk(count)
        labels = classes.gather(1, queries)
    boxes = boxes.gather(1, queries[..., None].expand(-1, -1, 4))
    # cut before they are multiplied, which gives the same numbers and needs no limits of a size
    x1, y1, x2, y2 = bbox_cxcywh_to_xyxy(boxes).clamp(0, 1).unbind(-1)
    height, width = size
    return torch.stack((x1 * width, y1 * height, x2 * width, y2 * height), -1), scores, labels


class ExportableDETR(Exportable):
    """From images (N, 3, H, W) to boxes, scores and labels; see :func:`.exportable`.

    Args:
        model: mmdet's ``DETR`` or ours.
    """

    outputs = ('boxes', 'scores', 'labels')

    def forward(self, image: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        model = self.model
        size = tuple(image.shape[2:])
        image = padded(model, image)
        x = model.extract_feat(image)[-1]  # (N, C, h, w)
        # a position is hidden if its pixel is, as nearest interpolation of a mask takes it
        below, right = (
            torch.arange(cells, device=x.device) * length // cells >= side
            for cells, length, side in zip(x.shape[2:], image.shape[2:], size, strict=True)
        )
        hidden = (below[:, None] | right).expand(x.shape[0], -1, -1)  # (N, h, w)
        codes = model.positional_encoding(hidden).flatten(2).transpose(1, 2)  # (N, h w, C)
        hidden = hidden.flatten(1)  # (N, h w)
        # (N, C, h, w) -> (N, h w, C)
        memory = model.forward_encoder(x.flatten(2).transpose(1, 2), hidden, codes)['memory']
        queries, _ = model.pre_decoder(memory)
        decoded = model.forward_decoder(memory_mask=hidden, memory_pos=codes, **queries)
        states = decoded['hidden_states']  # (layers, N, Q, C)
        logits, boxes = (y[-1] for y in model.bbox_head(states[-1:]))  # of the last, (N, Q, ...)
        return detections(model.bbox_head, logits, boxes, size)
