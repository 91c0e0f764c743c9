"""``type='vitbackbones.Timm', name=...``: the networks of timm as backbones."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from inspect import signature
from typing import Any

import torch
from torch import Tensor, nn

from ...errors import OptionError
from ...layers import Origin, fit_position
from ...utils.messages import did_you_mean, in_one_line, some
from ...utils.packages import import_optional
from ...weights.table import packaged
from ..shared.joining import JointBlock, Unfinished, not_joinable, require_depth
from ..shared.options import UNCHANGED, input_size
from ..shared.running import cast_to_parameter_dtype
from .base import Foreign, Network, leaves, tried

EXTRA = "'vitbackbones[timm]'"  # what pip installs it by
# Options by which a network takes images of any size, the first that its constructor has.
FLEXIBLE: tuple[dict, ...] = (
    {'dynamic_img_size': True, 'dynamic_img_pad': True},
    {'dynamic_img_size': True},
    {'strict_img_size': False},
    {},
)
# Classes, by name, whose blocks take any number of tokens.
PLAIN_NETS = {'VisionTransformer', 'Eva'}
IMAGES = ('interpolation', 'mean', 'std', 'crop_pct', 'crop_mode')  # of backbones.preprocessing


class Timm(Foreign):
    """A network of timm, as ``timm.create_model(name)`` builds it, without its classifier.

    The maps are those of ``timm.create_model(name, features_only=True)``, for images of any size.

    Args:
        name: one of ``timm.list_models()``, with or without the tag of its weights, such as
            ``'vit_small_patch14_dinov2.lvd142m'``.
        out_indices: of timm's ``feature_info``, or a name such as ``'setr_mla'``; by default the
            last map of each stride from 4.
        in_channels: channels of the image.
        img_size: (height, width), or the side of a square, that positions and windows are made for;
            by default timm's.
        drop_path_rate: stochastic depth of the last block.
        final_norm: whether the network's last norm is applied to the maps, where it has one.
        pretrained: whether ``init_weights`` fills it from the weights that timm names; or a file,
            an address or ``'hf-hub:OWNER/NAME'`` in their place, of timm's keys or its publisher's.
        pre_logits: whether the vector of ``out_type='pooled'`` is what timm's classifier reads; by
            default it is the mean of the map.
        settings: further arguments of ``timm.create_model``.
        options: arguments of :class:`~vitbackbones.backbones.base.Backbone`.

    Raises:
        InputError: timm is not installed.
        OptionError: no network or weights of this name, one that gives no maps, or an option that
            it does not take.
    """

    def __init__(
        self,
        name: str,
        out_indices: int | str | Sequence[int] | None = None,
        in_channels: int = 3,
        img_size: int | tuple[int, int] | None = None,
        drop_path_rate: float = 0.0,
        final_norm: bool = False,
        pretrained: bool | str = False,
        pre_logits: bool = False,
        settings: dict = UNCHANGED,
        **options,
    ) -> None:
        super().__init__(name, in_channels, **options)
        given = {'in_chans': in_channels, **settings}
        if img_size is not None:
            given['img_size'] = input_size(img_size)
        if drop_path_rate:
            given['drop_path_rate'] = drop_path_rate
        published = published_config(name)
        self.preprocessing = {key: published[key] for key in IMAGES if published.get(key)}
        self.img_size = input_size(given.get('img_size') or published['input_size'][1:])
        self.final_norm = final_norm
        key = repr((name, sorted(given.items()), final_norm))
        found = tried(
            name, lambda: flexible(name, given, final_norm), in_channels, self.img_size, key
        )
        self.choose_maps(out_indices, found)
        self.given = found.options
        self.net = create(name, self.given, num_classes=0)
        self.classifier = ''  # its name in timm, where it has a place behind this backbone
        if pre_logits and self.out_type == 'pooled':
            self.classifier = published['classifier']
            self.out_channels = (self.net.head_hidden_size,)
        else:
            # what lies behind the last map is left out; indices of the rest may change by it
            self.indices = self.net.prune_intermediate_layers([*self.out_indices], not final_norm)
        if self.with_cp:
            self.recompute(self.net.set_grad_checkpointing)
        self.start_from(pretrained, weights_of(name))

    def forward(self, image: Tensor) -> tuple[Tensor, ...]:
        """Map images (N, in_channels, H, W) to maps, or to the vector (N, C) of ``pre_logits``."""
        return (self.net(self.padded(image)),) if self.classifier else super().forward(image)

    def require_joinable(self, count: int) -> nn.Module:
        """Return the final norm of a ViT, if other tokens can join its last ``count`` blocks.

        Raises:
            OptionError: they cannot, with the reason.
        """
        names = {kind.__name__ for kind in type(self.net).__mro__}
        if not names & PLAIN_NETS:
            known = ' and '.join(sorted(PLAIN_NETS))
            reason = f'{self.name} is a {type(self.net).__name__}. Use one of the classes {known}'
            raise not_joinable(self, f'{reason} of timm; or another head, such as Mask2Former')
        require_depth(count, len(self.net.blocks))
        return self.net.norm

    def run_first(self, image: Tensor, count: int) -> Unfinished:
        """Run all but the last ``count`` blocks on images (N, in_channels, H, W)."""
        net = self.net
        (image,) = cast_to_parameter_dtype(self, (image,))
        padded = self.padded(image)
        x = net._pos_embed(net.patch_embed(padded))
        x, rope = x if isinstance(x, tuple) else (x, None)  # Eva has rotary positions
        x = net.norm_pre(x)
        length = x.shape[1]
        blocks: list[JointBlock] = []
        for i, block in enumerate(net.blocks):
            own = {} if rope is None else {'rope': rope[i] if net.rope_mixed else rope}
            blocks.append(partial(self._run_joint, block, length, own))
        for run in blocks[:-count]:
            x = run(x, None)
        size = net.patch_embed.dynamic_feat_size(padded.shape[-2:])
        image_size = (image.shape[2], image.shape[3])
        return Unfinished(x, size, image_size, blocks[-count:], net.norm)

    def _run_joint(
        self, block: nn.Module, length: int, own: dict, x: Tensor, bias: Tensor | None = None
    ) -> Tensor:
        """Run a block on ``length`` tokens and any others in front, which get no positions."""
        others = x.shape[1] - length
        options = {key: unrotated(code, others) for key, code in own.items()}
        return self.run_block(block, x, attn_mask=bias, **options)

    def maps_of(self, image: Tensor) -> Sequence[Tensor]:
        return intermediates(self.net, image, self.final_norm, self.indices)

    def groups(self, coarse: bool) -> dict[str, int]:
        """Return timm's groups (``group_matcher``)."""
        group = import_optional('timm.models._manipulate', EXTRA).group_with_matcher
        if not hasattr(self.net, 'group_matcher'):
            return dict.fromkeys(leaves(self.net), 0)
        try:
            matcher = self.net.group_matcher(coarse=coarse)
        except AssertionError:  # a family without stages
            matcher = self.net.group_matcher()
        return group(((name, name) for name in leaves(self.net)), matcher, reverse=True)

    def no_weight_decay(self) -> set[str]:
        named: set[str] = getattr(self.net, 'no_weight_decay', set)()
        own = dict(self.net.named_parameters())
        return {f'net.{name}' for name in named if name in own}

    def fold_for_inference(self) -> None:
        """Make one convolution of the branches of RepVGG's descendants, as timm does."""
        import_optional('timm.utils', EXTRA).reparameterize_model(self.net, inplace=True)

    def in_own_keys(self, state: dict[str, Tensor], origin: Origin) -> dict[str, Tensor]:
        """Return what timm's filter makes of a state dict, without what is left out here.

        The classifier that reads ``pre_logits`` gets the keys of ours, ``head``.
        """
        if any(key.startswith('net.') for key in state):
            return state
        code = state.get('pos_embed')
        own = getattr(self.net, 'pos_embed', None)
        grid = getattr(getattr(self.net, 'patch_embed', None), 'grid_size', None)
        if grid and code is not None and own is not None and code.shape == own.shape:
            # which the filter takes as it is, whatever the shape of its grid
            extra = code.shape[1] - grid[0] * grid[1]
            fitted = fit_position(code, extra, grid, leading=extra, origin=origin)
            state = {**state, 'pos_embed': fitted}
        whole, convert = with_filter(self.name, self.given)
        if convert is not None:
            takes_model = len(signature(convert).parameters) > 1
            state = convert(dict(state), whole) if takes_model else convert(dict(state))
        own = self.net.state_dict()
        known = whole.state_dict()
        # left out are the classifier, and what lies behind the last map
        kept = {f'net.{key}': x for key, x in state.items() if key in own or key not in known}
        heads = {f'{self.classifier}.{kind}': f'head.{kind}' for kind in ('weight', 'bias')}
        return kept | {heads[key]: state[key] for key in heads.keys() & state.keys()}


def create(name: str, given: Mapping[str, Any], **options) -> Any:
    """Build a network of timm, without checks of the size of an image."""
    net = import_optional('timm', EXTRA).create_model(name, **given, **options)
    for part in net.modules():
        if hasattr(part, 'strict_img_size'):
            part.strict_img_size = False
    return net


def unrotated(rope: Tensor, count: int) -> Tensor:
    """Put ``count`` rotations by 0 before rotary positions (..., L, sines and cosines)."""
    sines = rope.new_zeros(*rope.shape[:-2], count, rope.shape[-1] // 2)
    return torch.cat([torch.cat([sines, sines + 1], -1), rope], -2)


def intermediates(
    net: Any, image: Tensor, norm: bool, indices: Sequence[int] | None = None
) -> list[Tensor]:
    """Return maps (N, C, h, w) of a network of timm, without tokens that are no patches."""
    return net.forward_intermediates(
        image, indices=indices, norm=norm, output_fmt='NCHW', intermediates_only=True
    )


def flexible(name: str, given: Mapping[str, Any], norm: bool) -> Network:
    """Build a network that takes images of most sizes, to look at it.

    Raises:
        OptionError: it does not take an option.
    """
    net, given = create_flexible(name, given, num_classes=0)
    net.eval()
    declared = getattr(net.feature_info, 'info', net.feature_info)
    strides = [each['reduction'] for each in declared]
    return lambda image: intermediates(net, image, norm), strides, given


def create_flexible(
    name: str, given: Mapping[str, Any], **options
) -> tuple[Any, Mapping[str, Any]]:
    """Return a network that takes images of most sizes, and the options that make it so.

    Raises:
        OptionError: it does not take an option.
    """
    for more in FLEXIBLE:
        try:
            return create(name, {**more, **given}, **options), {**more, **given}
        except TypeError as error:
            if not more:  # an option of the user's
                raise OptionError(f'{name}: {in_one_line(error)}') from error
    raise AssertionError  # the last of them is empty


def with_filter(name: str, given: Mapping[str, Any]) -> tuple[Any, Callable | None]:
    """Return a network without memory, and what timm rewrites published weights for it by.

    Only timm's own loading of weights is told the filter, so it is stood in for.
    """
    from unittest.mock import patch  # takes a while

    filters: list[Callable | None] = []

    def note(model: nn.Module, filter_fn: Callable | None = None, **options) -> None:
        filters.append(filter_fn)

    builder = import_optional('timm.models._builder', EXTRA)
    with torch.device('meta'), patch.object(builder, 'load_pretrained', note):
        net = create(name, given, pretrained=True)
    return net, (filters or [None])[0]


def published_config(name: str) -> dict:
    """Return timm's ``pretrained_cfg`` of a name.

    Raises:
        InputError: timm is not installed.
        OptionError: there is no such network, or no such weights of it.
    """
    timm = import_optional('timm', EXTRA)
    architecture, _, tag = name.partition('.')
    if not timm.is_model(architecture):
        raise OptionError(f'timm has no {architecture!r}{did_you_mean(name, timm.list_models())}')
    known = timm.list_models(architecture, include_tags=True)
    if tag and name not in known:
        raise OptionError(f'timm has no {name!r}; it has {some(known, str)}')
    return timm.get_pretrained_cfg(name).to_dict()


def weights_of(name: str) -> str | None:
    """Return the address of the weights that timm names, None if there are none.

    If a Python package brings them, it is their name in ``weights.table``.
    """
    published = published_config(name)
    if repository := published.get('hf_hub_id'):
        if repository.endswith('/'):
            tag = f'.{published["tag"]}' if published.get('tag') else ''
            repository = f'{repository}{published["architecture"]}{tag}'
        file = published.get('hf_hub_filename')
        address = f'hf-hub:{repository}{f":{file}" if file else ""}'
        row = packaged(address)
        return row.name if row else address
    return published.get('url') or None
