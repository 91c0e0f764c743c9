"""Learning from a teacher's answers.

``soft`` (Shen et al., "Sliced Recursive Transformer", ECCV 2022): the targets are the teacher's
probabilities and nothing else, neither labels nor a temperature nor a distillation token,

    L = - 1/B sum_b sum_c softmax(t_b)_c log softmax(s_b)_c    (s, t: logits of student, teacher).

``hard`` (Touvron et al., "Training data-efficient image transformers", ICML 2021, Eq. 3): half the
loss of the labels, half that of the teacher's decision. With a ``DistillationHead`` the class token
learns the labels and the distillation token the decision, as published; any other head learns both.
"""

from functools import cached_property

import torch
import torch.nn.functional as F
from mmpretrain.models.heads import LinearClsHead
from mmpretrain.registry import MODELS as MMPRETRAIN_MODELS
from torch import Tensor, nn

from ...errors import InputError
from ...layers import require_choice
from ...utils.messages import in_one_line
from ...weights.convert import FORMATS, find_format, take_state_dict
from ...weights.read.load import load_file
from .classifier import ImageClassifier

KINDS = ('soft', 'hard')


class Taught(ImageClassifier):
    """Base of the classifiers that learn from a frozen teacher; without one to evaluate.

    Attributes:
        teacher_checkpoint: file of the teacher's weights, None if it has them already.
        teaching: the settings that decide what the teacher answers.
    """

    teacher_checkpoint: str | None
    teaching: tuple

    def build_teacher(self) -> nn.Module:
        """Return the network that teaches."""
        raise NotImplementedError

    @cached_property
    def teacher(self) -> nn.Module:
        """The frozen teacher, built when it is first asked, so that evaluation needs none.

        ``cached_property`` keeps it out of the submodules, so it is no part of the state dict, of
        the optimizer or of ``train()``. The random numbers of its construction do not count.

        Raises:
            InputError: the checkpoint is not of this teacher.
        """
        with torch.random.fork_rng(devices=()):
            teacher = self.build_teacher()
        if self.teacher_checkpoint is not None:
            state = take_state_dict(load_file(self.teacher_checkpoint))
            try:
                teacher.load_state_dict(FORMATS[find_format(state)].convert(state))
            except RuntimeError as error:
                raise InputError(
                    f'{self.teacher_checkpoint} does not fit the teacher '
                    f'{type(teacher).__name__}: {in_one_line(error, 300)}'
                ) from error
        return teacher.requires_grad_(False).eval()


class DistillationHead(LinearClsHead):
    """DeiT's two linear heads: ``LinearClsHead`` twice, for ``out_type='cls_dist_tokens'``.

    That of the class token learns the labels, that of the distillation token a teacher's decision.
    Without a teacher (``type='vitbackbones.ImageClassifier'``) the mean of the logits learns the
    labels, as in timm; with one see :class:`Distilled`.

    Args:
        num_classes, in_channels: widths of each classifier.
        options: as of ``LinearClsHead``.
    """

    def __init__(self, num_classes: int, in_channels: int, **options) -> None:
        super().__init__(num_classes, in_channels, **options)
        self.fc_dist = nn.Linear(in_channels, num_classes)

    def both(self, features: tuple[Tensor, ...]) -> tuple[Tensor, Tensor]:
        """Return the logits (N, classes) of the class token and of the distillation token.

        Args:
            features: the backbone's outputs; the last is (N, 2, in_channels).
        """
        tokens = self.pre_logits(features)
        return self.fc(tokens[:, 0]), self.fc_dist(tokens[:, 1])

    def forward(self, features: tuple[Tensor, ...]) -> Tensor:
        """Return the mean of both logits (N, classes)."""
        by_class, by_distillation = self.both(features)
        return (by_class + by_distillation) / 2


class Distilled(Taught):
    """A classifier that learns from a frozen teacher; without one to evaluate.

    The teacher sees the student's input, augmented and normalized alike.

    Args:
        teacher: config of a classifier of mmpretrain, of timm (``type='TimmClassifier'``) or of
            ours; called with images it gives logits.
        teacher_checkpoint: file of its weights, with exactly its keys. None if the config itself
            brings them.
        distillation: ``'soft'`` or ``'hard'``.
        options: as of ``ImageClassifier``.
    """

    def __init__(
        self,
        teacher: dict,
        teacher_checkpoint: str | None = None,
        distillation: str = 'soft',
        **options,
    ) -> None:
        super().__init__(**options)
        require_choice('distillation', distillation, KINDS)
        self.teacher_config = teacher
        self.teaching = (teacher,)
        self.teacher_checkpoint = teacher_checkpoint
        self.distillation = distillation

    def build_teacher(self) -> nn.Module:
        return MMPRETRAIN_MODELS.build(self.teacher_config)

    @torch.no_grad()
    def teach(self, images: Tensor) -> tuple[Tensor, ...]:
        """Return the teacher's logits (N, classes) for ``images``; on a GPU in half precision."""
        with torch.autocast(images.device.type, torch.float16, enabled=images.is_cuda):
            return (self.teacher.to(images.device)(images).float(),)

    def loss(self, inputs: Tensor, data_samples: list) -> dict[str, Tensor]:
        """Return the terms of the loss.

        Raises:
            InputError: teacher and student have different numbers of classes.
        """
        (teacher,) = self.teach(inputs)  # (N, classes)

        def terms(features: tuple[Tensor, ...]) -> dict[str, Tensor]:
            student = self.head(features)  # (N, classes)
            if student.shape != teacher.shape:
                raise InputError(
                    f'model.teacher has {teacher.shape[1]} classes, but the student has '
                    f'{student.shape[1]} (model.head.num_classes); both must have the same classes'
                )
            if self.distillation == 'soft':
                return {'loss_distill': F.cross_entropy(student, teacher.softmax(dim=1))}
            by_label = student
            by_teacher = student
            if isinstance(self.head, DistillationHead):
                by_label, by_teacher = self.head.both(features)
            return {
                'loss_label': 0.5 * self.head._get_loss(by_label, data_samples)['loss'],
                'loss_distill': 0.5 * F.cross_entropy(by_teacher, teacher.argmax(dim=1)),
            }

        return self.over_branches(inputs, terms)
