"""Models of the toolboxes as graphs: from images to named arrays.

A toolbox's ``predict`` goes from image to image and keeps what each one has. A graph answers for
the whole batch with arrays of fixed length. Each kind of model has a module here for that.
"""

from torch import Tensor, nn

from ...errors import InputError


class Exportable(nn.Module):
    """A model as an exported file has it; see :func:`exportable`.

    Args:
        model: shares its weights.
    """

    outputs: tuple[str, ...] = ()
    fixed_size = ''

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model


class ExportableClassifier(Exportable):
    """From images (N, 3, H, W) to ``logits`` (N, classes), the scores before softmax.

    Args:
        model: of mmpretrain, or of :func:`~vitbackbones.create_model`, which needs no toolbox.
    """

    outputs = ('logits',)

    def forward(self, image: Tensor) -> tuple[Tensor]:
        return (self.model(image),)


class FromRGB(Exportable):
    """A network of images whose first channel is blue, as of Caffe, that gets RGB images.

    Args:
        model: any other :class:`Exportable`.
    """

    def __init__(self, model: Exportable) -> None:
        super().__init__(model)
        self.outputs = model.outputs

    def forward(self, image: Tensor) -> tuple[Tensor, ...]:
        return self.model(image.flip(1))


def exportable(model: nn.Module, task: str, output: str = 'logits') -> Exportable:
    """Return a model as a module for an exported file, which shares its weights.

    It maps images (N, 3, H, W), normalized, all of one size and without padding, to a tuple of
    tensors whose names are its attribute ``outputs``. ``fixed_size`` says why H and W cannot differ
    from call to call, and is empty where they can.

    - Classifiers: ``logits`` (N, classes), the scores before softmax.
    - Segmentors, at the size of the images: ``logits`` (N, classes, H, W), as of ``encode_decode``,
      or ``mask`` (N, H, W), the class of every pixel, uint8 (int64 beyond 255 classes).
    - Detectors, as ``predict`` with ``rescale=False``: ``boxes`` (N, M, 4), x1 y1 x2 y2 in pixels
      of these images, ``scores`` (N, M), best first, ``labels`` (N, M) in int64 and, of models that
      predict them, ``masks`` (N, M, H, W) and ``segments`` (N, H, W). M is the ``max_per_img`` of
      ``test_cfg``; places without an object have score 0 and label -1.

    Args:
        model: of the task's toolbox, built and in eval mode.
        task: ``'classification'``, ``'detection'`` or ``'segmentation'``.
        output: of a segmentor, ``'logits'`` or ``'mask'``.

    Raises:
        InputError: a model of this class has no graph, or not with this output.
    """
    if task == 'classification':
        return ExportableClassifier(model)
    if task == 'segmentation':
        from .segmentor import ExportableSegmentor

        return ExportableSegmentor(model, output)
    from .deformable import ExportableDeformableDETR
    from .dense import ExportableDenseDetector, ExportableRTMDetIns, ExportableYOLOX
    from .detr import ExportableDETR
    from .mask2former import ExportableMask2Former
    from .rcnn import ExportableRCNN

    of_class = {
        'DETR': ExportableDETR,
        'DeformableDETR': ExportableDeformableDETR,
        'DINO': ExportableDeformableDETR,
        'RetinaNet': ExportableDenseDetector,
        'FCOS': ExportableDenseDetector,
        'ATSS': ExportableDenseDetector,
        'YOLOX': ExportableYOLOX,
        'RTMDet': ExportableDenseDetector,
        'RTMDet-Ins': ExportableRTMDetIns,
        'FasterRCNN': ExportableRCNN,
        'MaskRCNN': ExportableRCNN,
        'CascadeRCNN': ExportableRCNN,
        'Mask2Former': ExportableMask2Former,
        'EoMT': ExportableMask2Former,
    }
    draws_masks = hasattr(model, 'bbox_head') and hasattr(model.bbox_head, 'mask_head')
    name = type(model).__name__ + ('-Ins' if draws_masks else '')
    if name not in of_class:
        raise InputError(f'model.type: {name} cannot be exported; supported: {", ".join(of_class)}')
    return of_class[name](model)
