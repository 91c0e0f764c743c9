"""Learning from a teacher's feature maps, beside its logits and the labels.

A backbone for detection gives maps, so maps are what it learns:

    L = w_label L_label + w_soft T^2 KL(softmax(t / T) || softmax(s / T)) + w_map mean_k L_k,
    L_k = 1/2 (1 - cos(S_k, T_k)) + 1/2 smooth_l1(S_k, T_k)

with s, t the logits of student and teacher over the teacher's classes and T the temperature
(Hinton et al., "Distilling the Knowledge in a Neural Network", 2015). T_k is a map of the teacher,
each channel at mean 0 and variance 1 over the batch; S_k is a map of the student, projected to as
many channels and resized to the same grid. Cosine and smooth L1 in equal parts are those of DUNE
(Sariyildiz et al., 2025), which standardizes the channels by running statistics instead.

Student and teacher see the same pixels (Beyer et al., "Knowledge distillation: A good teacher is
patient and consistent", CVPR 2022), the teacher at its own size and normalization.

Where the teacher's answers are cached, ``flip_prob`` and ``cutmix_prob`` make many images of each
one that it has seen. A mirrored image has mirrored maps. In CutMix (Yun et al., ICCV 2019) a
rectangle of each image, and of its maps, is that of another image, whose label and soft targets
count by its area. The teacher would answer almost the same, except near the edges.
"""

from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ...backbones.by_name import create_model
from ...backbones.foreign.timm_models import create_flexible, published_config
from ...backbones.names import OF_TIMM
from ...errors import InputError, OptionError
from ...layers import require_size
from .distillation import Taught

CELLS = 4  # of CutMix, along each side


class DenselyDistilled(Taught):
    """A classifier whose backbone learns the maps of a frozen teacher.

    The backbone returns maps (``out_type='featmap'``), and a neck pools them for the head. What is
    learned beside backbone and head, a projection for each pair of maps and a classifier over the
    teacher's classes, is of no use afterwards.

    Args:
        teacher: name of a model for :func:`vitbackbones.create_model`, or ``'timm:NAME'``.
        teacher_checkpoint: file of its weights.
        teacher_size: side in pixels that images are resized to for it.
        teacher_classes: number of its classes.
        student_sizes: sides in pixels that images are resized to for the backbone. Training draws
            one for each batch, and evaluation takes the first. Empty for images as they are.
        pairs: (place among the backbone's maps, stage of the teacher, its channels) of each pair.
        label_weight, soft_weight, map_weight: of the terms; 0 leaves one out.
        temperature: of the soft targets.
        flip_prob: probability that the backbone sees an image mirrored.
        cutmix_prob: probability that the images of a batch are mixed.
        options: as of ``ImageClassifier``.

    Raises:
        OptionError: a size or the temperature is not positive, a probability is not from 0 to 1,
            or a pair names a map that the backbone does not return.
    """

    def __init__(
        self,
        teacher: str,
        teacher_checkpoint: str | None = None,
        teacher_size: int = 128,
        teacher_classes: int = 1000,
        student_sizes: Sequence[int] = (),
        pairs: Sequence[tuple[int, int, int]] = (),
        label_weight: float = 1.0,
        soft_weight: float = 1.0,
        map_weight: float = 1.0,
        temperature: float = 1.0,
        flip_prob: float = 0.0,
        cutmix_prob: float = 0.0,
        **options,
    ) -> None:
        super().__init__(**options)
        for side in (teacher_size, *student_sizes):
            require_size('teacher_size and student_sizes', side)
        if not temperature > 0:
            raise OptionError(f'temperature={temperature}: must be greater than 0')
        for name, probability in (('flip_prob', flip_prob), ('cutmix_prob', cutmix_prob)):
            if not 0 <= probability <= 1:
                raise OptionError(f'{name}={probability}: must be from 0 to 1')
        self.teacher_name = teacher
        self.teacher_checkpoint = teacher_checkpoint
        self.teacher_size = teacher_size
        self.student_sizes = [*student_sizes]
        self.pairs = [tuple(pair) for pair in pairs]
        self.stages = [stage for _, stage, _ in pairs]
        self.teaching = (teacher, teacher_size, self.stages)
        self.label_weight = label_weight
        self.soft_weight = soft_weight
        self.map_weight = map_weight
        self.temperature = temperature
        self.flip_prob = flip_prob
        self.cutmix_prob = cutmix_prob
        widths = self.backbone.out_channels
        if any(place >= len(widths) for place, _, _ in self.pairs):
            raise OptionError(f'pairs={pairs}: the backbone returns {len(widths)} maps')
        self.soft_head = nn.Linear(widths[-1], teacher_classes)
        self.projections = nn.ModuleList(
            nn.Conv2d(widths[place], channels, 1) for place, _, channels in self.pairs
        )

    def build_teacher(self) -> nn.Module:
        # convolutions on a CPU take less time in this format
        return network(self.teacher_name).to(memory_format=torch.channels_last)

    @torch.no_grad()
    def teach(self, images: Tensor) -> tuple[Tensor, ...]:
        """Return the teacher's logits (N, classes) and maps (N, C, h, w) for ``images``."""
        teacher = self.teacher.to(images.device)
        with torch.autocast(images.device.type, torch.float16, enabled=images.is_cuda):
            features, maps = teacher.forward_intermediates(
                self._as_seen(images), indices=self.stages
            )
            logits = teacher.forward_head(features)
        return tuple(x.float() for x in (logits, *maps))

    def _as_seen(self, images: Tensor) -> Tensor:
        """Return normalized images (N, 3, H, W) at size and normalization of the teacher."""
        ours = self.data_preprocessor
        published = self.teacher.pretrained_cfg
        # (3,) -> (3, 1, 1), in 0 to 255
        mean = 255 * images.new_tensor(published['mean'])[:, None, None]
        std = 255 * images.new_tensor(published['std'])[:, None, None]
        pixels = resized(images * ours.std + ours.mean, self.teacher_size)
        seen = (pixels.clamp(0, 255) - mean) / std
        return seen.contiguous(memory_format=torch.channels_last)

    def extract_feat(self, inputs: Tensor, stage: str = 'neck') -> tuple[Tensor, ...]:
        """Return features of images, as evaluation reads them."""
        images = resized(inputs, self.student_sizes[0]) if self.student_sizes else inputs
        return super().extract_feat(images, stage)

    def loss(self, inputs: Tensor, data_samples: list) -> dict[str, Tensor]:
        """Return the terms of the loss.

        Raises:
            InputError: the teacher has other numbers of classes or channels than are given.
        """
        taught = bool(self.soft_weight or self.map_weight)
        logits, *targets = self.teach(inputs) if taught else (None,)
        if taught:
            self._require_widths(logits, targets)
        images, *targets = mirrored([inputs, *targets], self.flip_prob)
        mixture = CutMix(self.cutmix_prob, images.device)
        images, *targets = map(mixture.cut, (images, *targets))

        size = self.student_sizes and self.student_sizes[torch.randint(len(self.student_sizes), ())]
        maps = self.backbone(resized(images, size) if size else images)
        features = self.neck(maps)
        terms = {}
        if self.label_weight:
            terms['loss_label'] = self.label_weight * mixture.weighted(
                lambda samples: self.head.loss(features, samples)['loss'], data_samples
            )
        if self.soft_weight:
            known = mixture.blend((logits / self.temperature).softmax(1))
            terms['loss_soft'] = self.soft_weight * self._soft(self.soft_head(features[-1]), known)
        if self.map_weight:
            learned = [
                project(maps[place])
                for project, (place, _, _) in zip(self.projections, self.pairs, strict=True)
            ]
            losses = [*map(map_loss, learned, targets)]
            terms['loss_map'] = self.map_weight * torch.stack(losses).mean()
        return terms

    def _require_widths(self, logits: Tensor, targets: Sequence[Tensor]) -> None:
        classes = self.soft_head.out_features
        if self.soft_weight and logits.shape[1] != classes:
            raise InputError(
                f'model.teacher {self.teacher_name} has {logits.shape[1]} classes, but '
                f'model.teacher_classes={classes}. Set model.soft_weight=0 for a teacher without '
                'classes'
            )
        given = [channels for _, _, channels in self.pairs]
        found = [x.shape[1] for x in targets]
        if given != found:
            raise InputError(
                f'model.teacher {self.teacher_name} has maps of {found} channels at the stages '
                f'{self.stages}, but model.pairs says {given}'
            )

    def _soft(self, logits: Tensor, known: Tensor) -> Tensor:
        """Return the divergence, times T^2, of logits from probabilities (N, classes)."""
        learned = (logits / self.temperature).log_softmax(1)
        return self.temperature**2 * F.kl_div(learned, known, reduction='batchmean')


class CutMix:
    """In each image of a batch, a rectangle of the image before it; nothing if ``prob`` says so.

    The edges of the rectangle are at quarters of the sides, where cells of the teacher's maps end,
    too.

    Attributes:
        own: (1, 1, 4, 4), 1 where an image is its own.
        share: of the area that is an image's own.
    """

    def __init__(self, prob: float, device: torch.device) -> None:
        self.own = torch.ones(1, 1, CELLS, CELLS, device=device)
        if prob and torch.rand(()) < prob:
            # as published, the area is uniform, and both sides have one ratio
            side = round(CELLS * float(torch.rand(()).sqrt()))
            top = torch.randint(CELLS - side + 1, ())
            left = torch.randint(CELLS - side + 1, ())
            self.own[..., top : top + side, left : left + side] = 0
        self.share = float(self.own.mean())

    def cut(self, maps: Tensor) -> Tensor:
        """Return images or maps (N, C, H, W), mixed."""
        if self.share == 1:
            return maps
        return torch.where(F.interpolate(self.own, maps.shape[2:]) > 0, maps, maps.roll(1, 0))

    def blend(self, targets: Tensor) -> Tensor:
        """Return the targets (N, classes) of mixed images."""
        return self.share * targets + (1 - self.share) * targets.roll(1, 0)

    def weighted(self, loss: Callable[[list], Tensor], samples: list) -> Tensor:
        """Return the loss of mixed images, from that of one sample for each image."""
        if self.share == 1:
            return loss(samples)
        before = [samples[-1], *samples[:-1]]
        return self.share * loss(samples) + (1 - self.share) * loss(before)


def mirrored(batches: Sequence[Tensor], prob: float) -> list[Tensor]:
    """Return batches (N, C, H, W) of any C, H and W, with the same images of each mirrored."""
    if not prob:
        return [*batches]
    chosen = (torch.rand(len(batches[0]), 1, 1, 1) < prob).to(batches[0].device)
    return [torch.where(chosen, x.flip(3), x) for x in batches]


def resized(images: Tensor, side: int) -> Tensor:
    """Return images (N, C, H, W) as (N, C, side, side)."""
    return F.interpolate(images, (side, side), mode='bicubic', antialias=True)


def map_loss(student: Tensor, teacher: Tensor) -> Tensor:
    """Return the loss of a map (N, C, h, w) and the teacher's, of any grid."""
    target = F.batch_norm(teacher, None, None, training=True)
    if student.shape[2:] != target.shape[2:]:
        student = F.interpolate(student, target.shape[2:], mode='bilinear')
    angle = 1 - F.cosine_similarity(student, target, dim=1).mean()
    return 0.5 * angle + 0.5 * F.smooth_l1_loss(student, target)


def network(name: str) -> Any:
    """Return an untrained model by name, of timm's protocol: logits, and maps on request."""
    if name.startswith(OF_TIMM):
        published_config(name.removeprefix(OF_TIMM))  # refuses unknown names
        return create_flexible(name.removeprefix(OF_TIMM), {})[0]
    return create_model(name)
