"""The toolboxes' data samples as answers in numpy, and answers as what metrics read of samples."""

from typing import TYPE_CHECKING, Any

import numpy as np

from ..runtime.answers import Answer, Classified, Detected, Segmented
from ..runtime.run_lengths import to_rle

if TYPE_CHECKING:
    from mmengine.structures import BaseDataElement


def to_answer(sample: 'BaseDataElement') -> Answer:
    """Return what a toolbox's model has predicted in a data sample on the CPU."""
    if 'pred_score' in sample:
        return Classified(sample.pred_score.float().numpy())
    if 'pred_sem_seg' in sample:
        return Segmented(sample.pred_sem_seg.data[0].numpy())
    found: dict[str, Any] = {}
    if 'pred_instances' in sample and 'bboxes' in sample.pred_instances:
        objects = sample.pred_instances
        found = {
            'boxes': objects.bboxes.float().numpy(),
            'scores': objects.scores.float().numpy(),
            'labels': objects.labels.numpy(),
            'masks': objects.masks.numpy() if 'masks' in objects else None,
        }
    if 'pred_panoptic_seg' in sample:
        found['segments'] = sample.pred_panoptic_seg.sem_seg[0].numpy()
    return Detected(**found)


def fill(sample: 'BaseDataElement', answer: Answer) -> None:
    """Put an answer into a data sample, in the form that the toolbox's models leave it in."""
    import torch
    from mmengine.structures import InstanceData, PixelData

    if isinstance(answer, Classified):
        scores = torch.from_numpy(answer.scores)
        sample.set_pred_score(scores).set_pred_label(scores.argmax(keepdim=True))
    elif isinstance(answer, Segmented):
        sample.pred_sem_seg = PixelData(data=torch.from_numpy(answer.labels)[None])
    if isinstance(answer, Detected) and answer.boxes is not None:
        objects = {'bboxes': answer.boxes, 'scores': answer.scores, 'labels': answer.labels}
        found = {name: torch.from_numpy(values) for name, values in objects.items()}
        masks = answer.masks
        if masks is not None:  # of tiles: all at once would fill the memory
            is_array = isinstance(masks, np.ndarray)
            found['masks'] = torch.from_numpy(masks) if is_array else [*map(to_rle, masks)]
        sample.pred_instances = InstanceData(**found)
    if isinstance(answer, Detected) and answer.segments is not None:
        segments = torch.from_numpy(answer.segments)[None]  # (1, H, W)
        sample.pred_panoptic_seg = PixelData(sem_seg=segments)
