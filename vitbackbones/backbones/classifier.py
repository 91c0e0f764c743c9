"""What :func:`vitbackbones.create_model` builds: a backbone and a head, or its maps, as in timm."""

from collections.abc import Callable, Sequence
from copy import copy
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from typing_extensions import Self

from ..errors import OptionError
from ..layers import UNKNOWN, Origin, fuse_for_inference, require_choice
from ..weights.convert.state_dict import rename
from . import hub
from .base import Backbone, contract_broken
from .preprocessing import data_config
from .shared.starting import trunc_normal_linears


class Model(nn.Module):
    """A backbone that knows which pictures it wants.

    Args:
        backbone: any.

    Attributes:
        data_config: how pictures become images for it, as timm writes it (``preprocessing``).
        made_with: the arguments of ``create_model`` that made it.
    """

    made_with: dict[str, Any] = {}

    def __init__(self, backbone: Backbone) -> None:
        super().__init__()
        self.backbone = backbone
        self.data_config = data_config(backbone)

    @property
    def pretrained_cfg(self) -> dict:
        """Return ``data_config``, where ``timm.data.resolve_model_data_config(model)`` looks."""
        return self.data_config

    def no_weight_decay(self) -> set[str]:
        """Return the names of parameters that the published recipe does not decay."""
        return {f'backbone.{name}' for name in self.backbone.no_weight_decay()}

    def group_matcher(self, coarse: bool = False) -> Callable[[str], int]:
        """Return what maps a parameter's name to its depth, for timm's layer-wise decay.

        The depths are those of ``layer_decay_rate`` in a config: 0 for the stem, one more for each
        block, and the last one for the last norm and the head.

        Args:
            coarse: of timm, without effect, as each block is a layer of its own.
        """

        def depth(name: str) -> int:
            part, _, inner = name.partition('.')
            if part == 'backbone':
                return self.backbone.layer_depth(inner)[0]
            return self.backbone.layer_depth('')[1] - 1

        return depth

    def set_grad_checkpointing(self, enable: bool = True) -> None:
        """Recompute the blocks in the backward pass, which saves memory, or stop to do so."""
        self.backbone.with_cp = enable

    @classmethod
    def from_pretrained(cls, source: str | Path, **options: Any) -> Self:
        """Return a model that :meth:`save_pretrained` wrote, of the class that it had."""
        return hub.from_pretrained(source, **options)

    def save_pretrained(self, save_directory: str | Path, **options: Any) -> str | None:
        """Write weights, ``config.json`` and a card, as huggingface_hub's mixin does.

        Raises:
            InputError: huggingface_hub is not installed, or an option of the model is no data.
        """
        config = hub.arguments_of(self)
        return hub.mixin()(self).save_pretrained(save_directory, config=config, **options)

    def push_to_hub(self, repo_id: str, **options: Any) -> str:
        """Upload what :meth:`save_pretrained` writes; options and errors are huggingface_hub's."""
        return hub.mixin()(self).push_to_hub(repo_id, config=hub.arguments_of(self), **options)

    def forward_intermediates(
        self,
        x: Tensor,
        indices: int | Sequence[int] | None = None,
        norm: bool = False,
        stop_early: bool = False,
        output_fmt: str = 'NCHW',
        intermediates_only: bool = False,
    ) -> list[Tensor] | tuple[Tensor, list[Tensor]]:
        """Return the last features and the maps after blocks or stages, as in timm.

        The features are what ``forward_features`` of a classifier returns, and take a second pass.

        Args:
            x: images (N, in_channels, H, W).
            indices: blocks or stages, from 0 or, below it, from the end; a number for the last so
                many, None for all.
            norm: whether the final norm is applied, to every map that has its width.
            stop_early: of timm, without effect.
            output_fmt: ``'NCHW'`` for maps (N, C, h, w), ``'NLC'`` for tokens (N, h * w, C).
            intermediates_only: return the list of maps alone.

        Raises:
            OptionError: an index is out of range, or the format is another one.
        """
        require_choice('output_fmt', output_fmt, ('NCHW', 'NLC'))
        key = self.backbone.stages_name
        count = len(getattr(self.backbone, key))
        last = count if indices is None else indices
        wanted = [*range(-last, 0)] if isinstance(last, int) else [*last]
        if not wanted or not all(-count <= i < count for i in wanted):
            raise OptionError(f'indices={indices!r}: must name blocks or stages of {count}')
        places = sorted({i % count for i in wanted})
        twin: Any = copy(self.backbone)  # shares all parts, and is asked for other outputs
        twin._modules = {**self.backbone._modules, 'norm': nn.Identity()}
        twin.out_type, twin.out_indices = 'featmap', tuple(places)
        maps = list(twin(x))
        for i, place in enumerate(places):
            if norm and (key == 'blocks' or place == count - 1):
                # the norm is over channels: (N, C, h, w) -> (N, h, w, C) and back
                maps[i] = self.backbone.norm(maps[i].permute(0, 2, 3, 1)).permute(0, 3, 1, 2)
            if output_fmt == 'NLC':
                maps[i] = maps[i].flatten(2).transpose(1, 2)  # (N, C, h, w) -> (N, h * w, C)
        return maps if intermediates_only else (self.backbone(x)[-1], maps)

    def fuse_for_inference(self, dtype: torch.dtype | None = None, compile: bool = False) -> Self:
        """Return a faster copy in eval mode, as ``layers.fuse_for_inference`` does."""
        return fuse_for_inference(self, dtype, compile)


# what a head reads, in timm's words
GLOBAL_POOL = {'cls_token': 'token', 'cls_dist_tokens': 'token', 'pooled': 'avg', 'featmap': ''}


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


class Classifier(Model):
    """A backbone and a linear head, in the keys of mmpretrain's ``ImageClassifier``.

    Args:
        backbone: returns vectors (N, C), ``out_type='cls_token'`` or ``'pooled'``, or two tokens
            (N, 2, C), ``'cls_dist_tokens'``.
        num_classes: number of logits; with 0 there is no head and the backbone's last output is
            returned.

    Attributes:
        num_features: width C of what the head reads.

    Raises:
        OptionError: there is to be a head, but the backbone returns maps or sets no
            ``out_channels``.
    """

    # files with other classes fill the backbone
    reinit_if_mismatched = ('head.fc.*', 'head.fc_dist.*')

    def __init__(self, backbone: Backbone, num_classes: int) -> None:
        super().__init__(backbone)
        self.num_classes = num_classes
        self.head = self._make_head()

    def _make_head(self) -> nn.Module:
        """Return an untrained head for ``num_classes``."""
        backbone = self.backbone
        if not self.num_classes:
            return nn.Identity()
        if backbone.out_type == 'featmap':
            raise OptionError("a classifier needs out_type='cls_token' or 'pooled', got 'featmap'")
        widths = backbone.out_channels
        if not (isinstance(widths, Sequence) and widths):
            problem = f'has out_channels={widths!r}' if widths else 'sets no out_channels'
            raise contract_broken(backbone, problem, 'a tuple, the width of each output')
        head = TwoTokenHead if backbone.out_type == 'cls_dist_tokens' else LinearHead
        return head(widths[-1], self.num_classes, narrow=not backbone.torch_head)

    def forward(self, image: Tensor) -> Tensor:
        """Map images (N, in_channels, H, W) to logits (N, num_classes)."""
        return self.head(self.forward_features(image))

    def forward_features(self, image: Tensor) -> Tensor:
        """Map images (N, in_channels, H, W) to what the head reads, (N, C) or two tokens.

        It is pooled already, unlike timm's.
        """
        return self.backbone(image)[-1]

    def forward_head(self, x: Tensor, pre_logits: bool = False) -> Tensor:
        """Map what :meth:`forward_features` returns to logits (N, num_classes).

        With ``pre_logits`` to vectors (N, C); two tokens are averaged.
        """
        if pre_logits:
            return x.mean(1) if self.backbone.out_type == 'cls_dist_tokens' else x
        return self.head(x)

    @property
    def num_features(self) -> int:
        return self.backbone.out_channels[-1]

    @property
    def global_pool(self) -> str:
        """Return timm's word for how tokens become what the head reads; '' for maps."""
        return GLOBAL_POOL[self.backbone.out_type]

    def get_classifier(self) -> nn.Module | tuple[nn.Module, ...]:
        """Return the linear layer of the head, both of a distilled model, or an identity."""
        layers = [*self.head.children()] or [self.head]
        return tuple(layers) if len(layers) > 1 else layers[0]

    def reset_classifier(self, num_classes: int, global_pool: str | None = None) -> None:
        """Replace the head by an untrained one; 0 classes for none.

        Raises:
            OptionError: another ``global_pool`` than the model was made with.
        """
        if global_pool not in (None, self.global_pool):
            raise OptionError(
                f'global_pool={global_pool!r}: this model was made with {self.global_pool!r}; '
                f'give it to create_model'
            )
        weight = next(self.backbone.parameters())
        self.num_classes = num_classes
        self.head = self._make_head().to(weight.device, weight.dtype)

    def split_converted(
        self, state: dict[str, Tensor], origin: Origin = UNKNOWN
    ) -> dict[str, Tensor]:
        """Split a converted state dict, a backbone's keys and its heads', between the two parts."""
        head = {key: state[key] for key in state if key.startswith(('head.', 'head_dist.'))}
        rest = {key: state[key] for key in state if key not in head}
        adapted = self.backbone.adapt_state_dict(rest, origin=origin)
        return {
            **{f'backbone.{k}': v for k, v in adapted.items()},
            **rename(head, {r'^head\.': 'head.fc.', r'^head_dist\.': 'head.fc_dist.'}),
        }


class FeatureInfo(list):
    """A dict for each map that a :class:`Features` returns, in timm's words.

    Its keys are ``num_chs``, ``reduction`` (stride), ``module`` (name of the block or stage) and
    ``index``.

    Args:
        backbone: what makes the maps.

    Attributes:
        out_indices: block or stage behind which each map is read, from 0.
    """

    def __init__(self, backbone: Any) -> None:
        self.out_indices, name = backbone.out_indices, f'backbone.{backbone.stages_name}'
        each = zip(self.out_indices, backbone.out_channels, backbone.out_strides, strict=True)
        super().__init__(
            {'num_chs': channels, 'reduction': stride, 'module': f'{name}.{i}', 'index': i}
            for i, channels, stride in each
        )

    def channels(self, idx: int | Sequence[int] | None = None) -> int | list[int]:
        """Return the channels of map ``idx``, of several, or of all."""
        return self._of('num_chs', idx)

    def reduction(self, idx: int | Sequence[int] | None = None) -> int | list[int]:
        """Return the stride of map ``idx``, of several, or of all."""
        return self._of('reduction', idx)

    def module_name(self, idx: int | Sequence[int] | None = None) -> str | list[str]:
        """Return the name of the block or stage behind which map ``idx``, several or all are."""
        return self._of('module', idx)

    def _of(self, key: str, idx: int | Sequence[int] | None):
        if isinstance(idx, int):
            return self[idx][key]
        return [self[i][key] for i in (range(len(self)) if idx is None else idx)]


class Features(Model):
    """A backbone that returns a list of maps; its keys are those of the classifier.

    Args:
        backbone: with ``out_type='featmap'``.

    Attributes:
        feature_info: channels and strides of the maps.
    """

    def __init__(self, backbone: Backbone) -> None:
        super().__init__(backbone)
        self.feature_info = FeatureInfo(backbone)

    def forward(self, image: Tensor) -> list[Tensor]:
        """Map images (N, in_channels, H, W) to maps (N, C, ceil(H / stride), ceil(W / stride))."""
        return list(self.backbone(image))
