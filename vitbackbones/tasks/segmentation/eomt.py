"""EoMT for semantic segmentation in mmseg; ``tasks/detection/eomt.py`` describes it."""

import torch
import torch.nn.functional as F
from mmengine.structures import InstanceData
from mmseg.models.segmentors import EncoderDecoder
from mmseg.utils import SampleList
from torch import Tensor

from ...backbones.shared.joining import Unfinished
from ...errors import OptionError
from ..detection.eomt import EoMTHead


class EoMTDecodeHead(EoMTHead):
    """Head that gives a class to every pixel.

    Args:
        num_classes: number of classes, at least 2.
        num_queries: number of queries.
        ignore_index: value of pixels that belong to no mask.
        options: arguments of :class:`~..detection.eomt.EoMTHead`.

    Raises:
        OptionError: there is one class, and as ``EoMTHead``.
    """

    def __init__(
        self, *, num_classes: int, num_queries: int = 100, ignore_index: int = 255, **options
    ) -> None:
        if num_classes < 2:
            raise OptionError(f'num_classes={num_classes}: count the ground, too; at least 2')
        super().__init__(
            num_things_classes=num_classes,
            num_stuff_classes=0,
            num_queries=num_queries,
            **options,
        )
        self.out_channels = num_classes
        self.ignore_index = ignore_index
        self.align_corners = False

    def loss(self, x: Unfinished, batch_data_samples: SampleList, train_cfg: dict) -> dict:
        """Return the losses by name; each class of an image is one mask."""
        truth = [self.masks_of(sample.gt_sem_seg.data) for sample in batch_data_samples]
        metas = [sample.metainfo for sample in batch_data_samples]
        return self.loss_by_feat(*self(x), truth, metas)

    def masks_of(self, labels: Tensor) -> InstanceData:
        """Return the classes in a mask (1, H, W), and where each is, (classes, H, W)."""
        present = labels.unique()
        present = present[present != self.ignore_index]
        return InstanceData(labels=present, masks=(labels == present[:, None, None]).long())

    def predict(self, x: Unfinished, batch_img_metas: list[dict], test_cfg: dict) -> Tensor:
        """Return the scores (N, classes, H, W) of the pixels that were given to the network."""
        scores, masks = self(x)
        pixels = F.interpolate(masks[-1], x.image_size, mode='bilinear').sigmoid()
        return torch.einsum('nqc,nqhw->nchw', scores[-1].softmax(-1)[..., :-1], pixels)


class EoMTSegmentor(EncoderDecoder):
    """Segmentor whose head's queries are tokens of its backbone. Arguments as of mmseg's model."""

    def __init__(self, *arguments, **options) -> None:
        super().__init__(*arguments, **options)
        self.decode_head.join(self)

    def extract_feat(self, inputs: Tensor) -> Unfinished:
        return self.decode_head.read(self.backbone, inputs)
