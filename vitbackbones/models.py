"""Image classifiers by name: ``create_model('aug_vit_s')`` maps images to logits."""

from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor, nn

from .backbones import (
    PVT,
    T2T,
    TNT,
    AugPVT,
    AugT2T,
    AugViT,
    Backbone,
    Mixer,
    MSFSwin,
    MSFViT,
    RecursiveMixer,
    SimpleViT,
    SReT,
    Swin,
    ViT,
)
from .checkpoints.filling import load_pretrained
from .errors import OptionError
from .layers import fuse_for_inference
from .messages import did_you_mean

# name: (backbone, its arguments, what the head reads)
MODELS = {
    **{f'deit_{a}': (ViT, {'arch': a}, 'cls_token') for a in ('ti', 's', 'b')},
    **{f'aug_vit_{a}': (AugViT, {'arch': a}, 'cls_token') for a in ('ti', 's', 'b')},
    **{f'simple_vit_{a}': (SimpleViT, {'arch': a}, 'pooled') for a in ('ti', 'ss', 's', 'b')},
    **{f'msf_vit_{a}': (MSFViT, {'arch': a}, 'pooled') for a in ('ti', 'ss', 's', 'b')},
    **{f'swin_{a}': (Swin, {'arch': a}, 'pooled') for a in ('t', 's')},
    **{f'msf_swin_{a}': (MSFSwin, {'arch': a}, 'pooled') for a in ('t', 's')},
    **{f'pvt_{a}': (PVT, {'arch': a}, 'cls_token') for a in ('t', 's', 'm', 'l')},
    **{f'aug_pvt_{a}': (AugPVT, {'arch': a}, 'cls_token') for a in ('s', 'm')},
    **{f't2t_{a}': (T2T, {'arch': a}, 'cls_token') for a in ('14', '19', '24')},
    **{
        f't2t_t_{a}': (T2T, {'arch': a, 'tokens': 'transformer'}, 'cls_token')
        for a in ('14', '19', '24')
    },
    **{f'aug_t2t_{a}': (AugT2T, {'arch': a}, 'cls_token') for a in ('14', '19', '24')},
    **{f'tnt_{a}': (TNT, {'arch': a}, 'cls_token') for a in ('ti', 's', 'b')},
    'tnt_s_se': (TNT, {'arch': 's', 'se': True}, 'cls_token'),
    'tnt_s_legacy': (TNT, {'arch': 's', 'stem': 'conv', 'projection': 'pixel'}, 'cls_token'),
    **{f'sret_{a}': (SReT, {'arch': a}, 'pooled') for a in ('t', 'tl', 's')},
    **{f'sret_{a}_global': (SReT, {'arch': a, 'groups': None}, 'pooled') for a in ('t', 'tl', 's')},
    'mixer_b16': (Mixer, {'arch': 'b16'}, 'pooled'),
    'recursive_mixer_b16': (RecursiveMixer, {'arch': 'b16'}, 'pooled'),
}


# Hosts whose published code leaves linear layers, heads included, as torch initializes them.
TORCH_HEADS = (SimpleViT, SReT)


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
            nn.init.trunc_normal_(self.fc.weight, std=0.02)
            nn.init.zeros_(self.fc.bias)

    def forward(self, x: Tensor) -> Tensor:
        """Map (N, in_channels) to (N, num_classes)."""
        return self.fc(x)


class Classifier(nn.Module):
    """A backbone and a linear head, in the keys of mmpretrain's ``ImageClassifier``.

    With ``num_classes=0`` there is no head and the backbone's last output is returned.
    """

    reinit_if_mismatched = ('head.fc.*',)  # files with other classes fill the backbone

    def __init__(self, backbone: Backbone, num_classes: int) -> None:
        super().__init__()
        if num_classes and backbone.out_type == 'featmap':
            raise OptionError("a classifier needs out_type='cls_token' or 'pooled', got 'featmap'")
        self.backbone = backbone
        width, narrow = backbone.out_channels[-1], not isinstance(backbone, TORCH_HEADS)
        self.head = LinearHead(width, num_classes, narrow) if num_classes else nn.Identity()

    def forward(self, image: Tensor) -> Tensor:
        """Map images (N, 3, H, W) to logits (N, num_classes)."""
        return self.head(self.backbone(image)[-1])

    def fuse_for_inference(self) -> 'Classifier':
        """Return a faster copy in eval mode with the same logits; see ``layers.fuse``."""
        return fuse_for_inference(self)

    def split_converted(self, state: dict[str, Tensor]) -> dict[str, Tensor]:
        """Split a converted state dict (a backbone's keys and ``head.*``) between the two parts."""
        head = {key: state[key] for key in state if key.startswith('head.')}
        rest = {key: state[key] for key in state if key not in head}
        return {
            **{f'backbone.{k}': v for k, v in self.backbone.adapt_state_dict(rest).items()},
            **{'head.fc.' + k.removeprefix('head.'): v for k, v in head.items()},
        }


def list_models() -> list[str]:
    """Return the names that :func:`create_model` knows."""
    return sorted(MODELS)


def create_model(
    name: str,
    num_classes: int = 1000,
    checkpoint: str | Path | None = None,
    allow_missing: Sequence[str] = (),
    **options,
) -> Classifier:
    """Build a classifier that maps images (N, 3, H, W) to logits (N, num_classes).

    Args:
        name: one of :func:`list_models`.
        num_classes: width of the head; 0 for the features that it would read.
        checkpoint: file to fill it from, in any layout that ``checkpoints.convert`` knows. A
            head of another number of classes stays as initialised, with a warning.
        allow_missing: patterns of further keys that may stay so (``load_pretrained``).
        options: arguments of the backbone, such as ``img_size`` or ``drop_path_rate``.

    Raises:
        OptionError: the name is unknown (the nearest are given) or an option's value is bad.
        InputError: the checkpoint does not fill the model.
    """
    if name not in MODELS:
        hint = did_you_mean(name, MODELS.keys()) or f'; known: {", ".join(list_models())}'
        raise OptionError(f'unknown model {name!r}{hint}')
    backbone, arguments, out_type = MODELS[name]
    model = Classifier(backbone(**{**arguments, 'out_type': out_type, **options}), num_classes)
    if checkpoint is not None:
        with torch.no_grad():
            load_pretrained(model, checkpoint, allow_missing)
    return model
