"""Models by name, under timm's names: ``create_model('aug_vit_s')`` maps images to logits.

``features_only=True`` gives maps in place of logits. A model is a backbone and a head, or its maps.
"""

from collections.abc import Callable, Sequence
from copy import copy
from inspect import signature
from pathlib import Path
from typing import Any, Literal, overload

import torch
from torch import Tensor, nn
from typing_extensions import Self

from ..errors import OptionError
from ..layers import UNKNOWN, Origin, fuse_for_inference, require_choice
from ..utils.messages import did_you_mean
from ..utils.signatures import accepted_keywords
from ..weights import PUBLISHED, fetch
from ..weights.convert import OWN
from ..weights.convert.state_dict import rename
from ..weights.filling import load_pretrained
from ..weights.table import name_of
from . import hub
from .base import Backbone
from .feature_info import FeatureInfo
from .foreign.timm_models import Timm
from .head import GLOBAL_POOL, LinearHead, TwoTokenHead
from .names import entry_of, published_start
from .preprocessing import data_config
from .shared.contract import contract_broken


class Model(nn.Module):
    """A backbone together with the preprocessing that its weights require.

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
        """Return patterns that map a parameter's name to its depth, for timm's layer-wise decay.

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
        """Turn activation checkpointing of the blocks on or off."""
        self.backbone.with_cp = enable

    @classmethod
    def from_pretrained(cls, source: str | Path, **options: Any) -> Self:
        """Return a model that :meth:`save_pretrained` wrote, as an object of the same class."""
        return hub.from_pretrained(source, create_model, **options)

    def save_pretrained(self, save_directory: str | Path, **options: Any) -> str | None:
        """Write weights, ``config.json`` and a card, as huggingface_hub's mixin does.

        Raises:
            InputError: huggingface_hub is not installed, or an option of the model is no data.
        """
        config = hub.arguments_of(self)
        wrapped = hub.mixin()(self)
        return wrapped.save_pretrained(save_directory, config=config, **options)

    def push_to_hub(self, repo_id: str, **options: Any) -> str:
        """Upload what :meth:`save_pretrained` writes; options and errors are huggingface_hub's."""
        config = hub.arguments_of(self)
        return hub.mixin()(self).push_to_hub(repo_id, config=config, **options)

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
        if isinstance(self.backbone, Timm):
            asked: dict[str, Any] = {'norm': norm, 'stop_early': stop_early}
            asked |= {'output_fmt': output_fmt, 'intermediates_only': intermediates_only}
            return self.backbone.net.forward_intermediates(x, indices, **asked)
        key = self.backbone.stages_name
        count = len(getattr(self.backbone, key))
        last = count if indices is None else indices
        wanted = [*range(-last, 0)] if isinstance(last, int) else [*last]
        if not wanted or not all(-count <= i < count for i in wanted):
            raise OptionError(f'indices={indices!r}: must name blocks or stages of {count}')
        places = sorted({i % count for i in wanted})
        twin: Any = copy(self.backbone)  # shares all parts, and is asked for other outputs
        twin._modules = {**self.backbone._modules, 'norm': nn.Identity()}
        twin.out_type = 'featmap'
        twin.out_indices = tuple(places)
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
            raise OptionError(
                "a classifier requires out_type='cls_token' or 'pooled', got 'featmap'"
            )
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
                f'global_pool={global_pool!r}: this model was created with '
                f'{self.global_pool!r}. Pass global_pool to create_model'
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


@overload
def create_model(
    name: str,
    num_classes: int = ...,
    checkpoint: Any = ...,
    *,
    features_only: Literal[True],
    **options: Any,
) -> Features: ...


@overload
def create_model(
    name: str, num_classes: int = ..., checkpoint: Any = ..., allow_missing: Any = (), **kwargs: Any
) -> Classifier: ...


def create_model(
    name: str,
    num_classes: int = 1000,
    checkpoint: str | Path | None = None,
    allow_missing: Sequence[str] = (),
    *,
    pretrained: bool = False,
    features_only: bool = False,
    in_chans: int = 3,
    global_pool: str | None = None,
    stored_size: tuple[int, int] | None = None,
    **options: Any,
) -> Classifier | Features:
    """Build a network that maps images (N, in_chans, H, W) to logits (N, num_classes).

    Args:
        name: one of :func:`list_models`, or ``'timm:NAME'`` for a network of timm.
        num_classes: width of the head; 0 for the features that it would read.
        checkpoint: what to fill it from: a file in any layout that ``weights.convert`` knows,
            an address, or a name of published weights. A head of another number of classes stays
            as initialized, with a warning.
        allow_missing: patterns of further keys that may stay so (``load_pretrained``).
        pretrained: whether to fill it from the weights that were published by its name.
        features_only: return a list of maps, those of ``out_indices``, in place of logits. There a
            number from 1 means the last so many blocks or stages, as in timm.
        in_chans: channels of the image. A checkpoint of three channels is adapted to it.
        global_pool: what the head reads, ``'token'`` (the class token) or ``'avg'`` (the mean of
            all others); ``''`` for a map, without a head. By default what the model was made with.
        stored_size: (height, width) of the images that the checkpoint was trained for, where it
            does not tell and another shape has as many positions.
        options: arguments of the backbone, such as ``img_size`` or ``drop_path_rate``.

    Raises:
        OptionError: the name or an option is unknown (the nearest are given), its value is bad, or
            the weights were trained with another one.
        InputError: the checkpoint does not fill the model, or nothing was published by its name.
    """
    host, arguments, out_type = entry_of(name)
    if isinstance(num_classes, bool):  # timm's second argument
        raise OptionError(
            f'num_classes={num_classes}: must be a number. Pass other options by keyword'
        )
    if not isinstance(num_classes, int) or num_classes < 0:
        raise OptionError(f'num_classes={num_classes!r}: must be an integer of at least 0')
    if pretrained and checkpoint is not None:
        raise OptionError('pretrained=True and a checkpoint: give only one of them')
    known = accepted_keywords(host)
    for option in options:
        if known is not None and option not in known:
            hint = did_you_mean(option, known | signature(create_model).parameters.keys())
            raise OptionError(f'{name} has no option {option!r}{hint}')
    made_with = {'name': name, 'in_chans': in_chans, 'global_pool': global_pool, **options}
    made_with |= {'features_only': True} if features_only else {'num_classes': num_classes}
    options = _for_backbone(options, out_type, features_only, global_pool)
    backbone = host(**{'in_channels': in_chans, **arguments, 'out_type': out_type, **options})
    model = Features(backbone) if features_only else Classifier(backbone, num_classes)
    model.made_with = made_with
    source = published_start(name) if pretrained else checkpoint
    if source is None:
        model.data_config = data_config(backbone, PUBLISHED.get(name))
        return model
    published = PUBLISHED.get(name_of(source) or '')
    needed, trained = (published.options, published.model) if published else ({}, '')
    for key, value in needed.items():
        if [*map(tuple, options.get(key) or ())] != [*value]:  # it would compute something else
            raise OptionError(
                f'{key}={options.get(key)}: these weights of {trained} were trained with '
                f'{key}={value}, which their file does not state. Pass it to create_model'
            )
    file = fetch(str(source)) if pretrained else source
    with torch.no_grad():
        network = backbone if features_only else model
        filled = load_pretrained(network, file, allow_missing, stored_size=stored_size)
    if published is None and filled.format not in OWN:  # its publisher's file under another name
        published = PUBLISHED.get(name)
    model.data_config = data_config(backbone, published, filled.images)
    return model


def _for_backbone(
    options: dict, out_type: str, features_only: bool, global_pool: str | None
) -> dict:
    """Return options in the words of a backbone that by default gives ``out_type``."""
    if global_pool is not None:
        # of two types with one word the model's own
        types = ('cls_token', 'pooled', 'featmap', out_type)
        words = {GLOBAL_POOL[kind]: kind for kind in types}
        require_choice('global_pool', global_pool, words)
        options = {**options, 'out_type': words[global_pool]}
    if not features_only:
        return options
    if options.get('out_type', 'featmap') != 'featmap':
        raise OptionError(
            'features_only=True returns feature maps: remove out_type and global_pool'
        )
    last = options.get('out_indices')
    if isinstance(last, int) and last > 0:  # as in timm, the last so many
        options = {**options, 'out_indices': tuple(range(-last, 0))}
    return {**options, 'out_type': 'featmap'}
