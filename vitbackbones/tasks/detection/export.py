"""Detectors as one graph, from images to boxes, scores and labels.

A toolbox's ``predict`` goes from image to image and keeps what each one has. A graph answers for
the whole batch with arrays of fixed length. What a kind of detector needs for that is a module of
its own, and this is the table of them.
"""

from torch import nn

from ...errors import InputError
from ..task import Deferred

# by the class of a detector: the module or function that makes its graph of it
EXPORTABLE: dict[str, str] = {
    'DETR': 'tasks.detection.export_detr:ExportableDETR',
    'DeformableDETR': 'tasks.detection.export_deformable:ExportableDeformableDETR',
    'DINO': 'tasks.detection.export_deformable:ExportableDINO',
    'RetinaNet': 'tasks.detection.export_dense:ExportableDenseDetector',
    'RTMDet': 'tasks.detection.export_dense:ExportableDenseDetector',
    'FasterRCNN': 'tasks.detection.export_rcnn:ExportableRCNN',
    'MaskRCNN': 'tasks.detection.export_rcnn:ExportableRCNN',
    'Mask2Former': 'tasks.export_mask2former:ExportableMask2Former',
}


def exportable(model: nn.Module, output: str) -> nn.Module:
    """Return a detector as a module from images to arrays.

    It maps images (N, 3, H, W), normalized, all of one size and without padding, to a tuple of
    tensors whose names are its attribute ``outputs``:

    - ``boxes``: (N, M, 4), x1 y1 x2 y2 in pixels of these images.
    - ``scores``: (N, M), best first.
    - ``labels``: (N, M), int64.
    - ``masks``, of models that predict them: (N, M, H, W).

    They are those of the toolbox's ``predict`` with ``rescale=False``. M is the ``max_per_img`` of
    its ``test_cfg``; places without an object have score 0 and label -1. ``fixed_size`` says why
    H and W cannot differ from call to call, and is empty where they can.

    Args:
        model: of mmdet, built and in eval mode. The module shares its weights.
        output: of segmentors, of no meaning here.

    Raises:
        InputError: a detector of this class has no graph.
    """
    name = type(model).__name__
    if name not in EXPORTABLE:
        raise InputError(
            f'model.type: {name} cannot be exported; those that can are {", ".join(EXPORTABLE)}'
        )
    return Deferred(EXPORTABLE[name])(model)
