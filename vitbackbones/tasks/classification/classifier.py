"""mmpretrain's classifier, able to start from a whole checkpoint of any known layout.

Fine-tuning at another resolution continues with head and backbone of one file. mmengine's own
``Pretrained`` takes such a file key by key and leaves out silently what does not fit; here it is
converted, resized and counted as it is for a backbone alone.
"""

from collections.abc import Callable

from mmpretrain.models import ImageClassifier as MMPretrainImageClassifier
from torch import Tensor

from ...backbones.by_name import Classifier
from ...layers import UNKNOWN, Origin
from ...weights.filling import load_pretrained, pretrained_options


class ImageClassifier(MMPretrainImageClassifier):
    """mmpretrain's ``ImageClassifier``; ``head`` is its ``LinearClsHead``.

    ``init_cfg=dict(type='Pretrained', checkpoint=FILE)``, with the options of
    :func:`vitbackbones.weights.filling.load_pretrained`, fills backbone and head.
    """

    def init_weights(self) -> None:
        """Initialize the parts, then load the checkpoint of ``init_cfg``.

        Raises:
            InputError: the checkpoint does not fill the classifier.
        """
        options = pretrained_options(self.init_cfg)
        if options is None:
            super().init_weights()
            return
        given = self.init_cfg
        self.init_cfg = None
        super().init_weights()
        self.init_cfg = given
        load_pretrained(self, **options)

    def loss(self, inputs: Tensor, data_samples: list) -> dict[str, Tensor]:
        """Return the terms of the loss."""
        return self.over_branches(inputs, lambda features: self.head.loss(features, data_samples))

    def over_branches(
        self, inputs: Tensor, loss: Callable[[tuple[Tensor, ...]], dict[str, Tensor]]
    ) -> dict[str, Tensor]:
        """Return the terms of ``loss(features)`` of images (N, 3, H, W).

        With a loss of each branch of mixed depth (``layers.Recursion``) the sum of the terms is the
        mean of both branches' losses; those of the shallow branch end in ``_shallow``.
        """
        features = self.extract_feat(inputs)
        recursion = getattr(self.backbone, 'recursion', None)  # other backbones have none
        if recursion is None or not recursion.has_two_losses or len(features) == 1:
            return loss(features)
        shallow, deep = (loss((vector,)) for vector in features)
        named = deep | {f'{key}_shallow': shallow[key] for key in shallow if 'loss' in key}
        return {key: value / 2 if 'loss' in key else value for key, value in named.items()}

    def split_converted(
        self, state: dict[str, Tensor], origin: Origin = UNKNOWN
    ) -> dict[str, Tensor]:
        """As our own :class:`~vitbackbones.backbones.by_name.Classifier`: keys are equal."""
        return Classifier.split_converted(self, state, origin)
