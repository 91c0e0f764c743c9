"""Image classifiers by name: ``create_model('aug_vit_s')`` maps images to logits."""

from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor, nn

from .backbones import HOSTS, Backbone
from .backbones.base import contract_broken, trunc_normal_linears
from .checkpoints.convert.rename import rename
from .checkpoints.filling import load_pretrained
from .errors import OptionError
from .layers import fuse_for_inference
from .messages import did_you_mean
from .signatures import accepted_keywords
from .weights import fetch

# name: (backbone, its arguments, what the head reads), as the backbones say themselves; a class
# does not answer to the names of the one that it derives from
MODELS = {
    name: (host, arguments, arguments.get('out_type', host.head_input))
    for host in HOSTS
    for name, arguments in vars(host).get('classifiers', {}).items()
}


class LinearHead(nn.Module):
    """A linear classifier in the keys of mmpretrain's ``LinearClsHead``.

    Args:
        in_channels, num_classes: its widths.
        narrow: start from a normal distribution of 0.02 without biases, not from torch's.
    """

    def __init__(self, in_channels: int, num_classes: int, narrow: bool) -> None:
        super().__init__()
        self.fc = nn.Linear(in_channels, num_classes)
        if narrow:
            trunc_normal_linears(self)

    def forward(self, x: Tensor) -> Tensor:
        """Map (N, in_channels) to (N, num_classes)."""
        return self.fc(x)


class TwoTokenHead(LinearHead):
    """DeiT's two linear classifiers, of the class token and of the distillation token.

    Arguments as :class:`LinearHead`.
    """

    def __init__(self, in_channels: int, num_classes: int, narrow: bool) -> None:
        super().__init__(in_channels, num_classes, narrow)
        self.fc_dist = nn.Linear(in_channels, num_classes)
        if narrow:
            trunc_normal_linears(self.fc_dist)

    def forward(self, x: Tensor) -> Tensor:
        """Map (N, 2, in_channels) to the mean of the logits (N, num_classes), in training too."""
        return (self.fc(x[:, 0]) + self.fc_dist(x[:, 1])) / 2


class Classifier(nn.Module):
    """A backbone and a linear head, in the keys of mmpretrain's ``ImageClassifier``.

    Args:
        backbone: returns vectors (N, C), ``out_type='cls_token'`` or ``'pooled'``, or two tokens
            (N, 2, C), ``'cls_dist_tokens'``.
        num_classes: number of logits; with 0 there is no head and the backbone's last output is
            returned.

    Raises:
        OptionError: there is to be a head, but the backbone returns maps or sets no
            ``out_channels``.
    """

    # files with other classes fill the backbone
    reinit_if_mismatched = ('head.fc.*', 'head.fc_dist.*')

    def __init__(self, backbone: Backbone, num_classes: int) -> None:
        super().__init__()
        if num_classes and backbone.out_type == 'featmap':
            raise OptionError("a classifier needs out_type='cls_token' or 'pooled', got 'featmap'")
        widths = backbone.out_channels
        if num_classes and not (isinstance(widths, Sequence) and widths):
            problem = f'has out_channels={widths!r}' if widths else 'sets no out_channels'
            raise contract_broken(backbone, problem, 'a tuple, the width of each output')
        self.backbone = backbone
        self.head = nn.Identity()
        if num_classes:
            width, narrow = backbone.out_channels[-1], not backbone.torch_head
            head = TwoTokenHead if backbone.out_type == 'cls_dist_tokens' else LinearHead
            self.head = head(width, num_classes, narrow)

    def forward(self, image: Tensor) -> Tensor:
        """Map images (N, 3, H, W) to logits (N, num_classes)."""
        return self.head(self.backbone(image)[-1])

    def fuse_for_inference(
        self, pack: bool | str = 'auto', dtype: torch.dtype | None = None
    ) -> 'Classifier':
        """Return a faster copy in eval mode with the same logits; see ``layers.fuse``."""
        return fuse_for_inference(self, pack, dtype)

    def split_converted(self, state: dict[str, Tensor]) -> dict[str, Tensor]:
        """Split a converted state dict, a backbone's keys and its heads', between the two parts."""
        head = {key: state[key] for key in state if key.startswith(('head.', 'head_dist.'))}
        rest = {key: state[key] for key in state if key not in head}
        return {
            **{f'backbone.{k}': v for k, v in self.backbone.adapt_state_dict(rest).items()},
            **rename(head, {r'^head\.': 'head.fc.', r'^head_dist\.': 'head.fc_dist.'}),
        }


def list_models() -> list[str]:
    """Return the names that :func:`create_model` knows."""
    return sorted(MODELS)


def create_model(
    name: str,
    num_classes: int = 1000,
    checkpoint: str | Path | None = None,
    allow_missing: Sequence[str] = (),
    pretrained: bool = False,
    **options,
) -> Classifier:
    """Build a classifier that maps images (N, 3, H, W) to logits (N, num_classes).

    Args:
        name: one of :func:`list_models`.
        num_classes: width of the head; 0 for the features that it would read.
        checkpoint: what to fill it from: a file in any layout that ``checkpoints.convert`` knows,
            an address, or a name of published weights. A head of another number of classes stays
            as initialized, with a warning.
        allow_missing: patterns of further keys that may stay so (``load_pretrained``).
        pretrained: whether to fill it from the weights that were published by its name.
        options: arguments of the backbone, such as ``img_size`` or ``drop_path_rate``.

    Raises:
        OptionError: the name or an option is unknown (the nearest are given), or its value is bad.
        InputError: the checkpoint does not fill the model, or nothing was published by its name.
    """
    if name not in MODELS:
        hint = did_you_mean(name, MODELS.keys()) or f'; known: {", ".join(list_models())}'
        raise OptionError(f'unknown model {name!r}{hint}')
    backbone, arguments, out_type = MODELS[name]
    known = accepted_keywords(backbone)
    for option in options:
        if option not in known:
            raise OptionError(f'{name} has no option {option!r}{did_you_mean(option, known)}')
    if pretrained and checkpoint is not None:
        raise OptionError('pretrained=True and a checkpoint: give one of the two')
    if pretrained:
        checkpoint = fetch(name)
    model = Classifier(backbone(**{**arguments, 'out_type': out_type, **options}), num_classes)
    if checkpoint is not None:
        with torch.no_grad():
            load_pretrained(model, checkpoint, allow_missing)
    return model
