"""``type='vitbackbones.HuggingFace', name=...``: backbones of Hugging Face's transformers."""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from torch import Tensor, nn

from ...errors import OptionError
from ...layers import Origin
from ...utils.messages import did_you_mean, some
from ...utils.packages import import_optional
from ...weights.downloads import fetching, is_offline
from ..shared.options import UNCHANGED, input_size
from .base import Foreign, Network, leaves, tried

EXTRA = "'vitbackbones[transformers]'"  # what pip installs it by
KINDS = 'transformers.models.auto.modeling_auto'
STEM = -1  # comes before stage 0
ADDED = 'hidden_states_norms.'  # norms of maps, which no published checkpoint has


class HuggingFace(Foreign):
    """A backbone of transformers, as ``AutoBackbone`` builds it.

    Args:
        name: a repository on the hub such as ``'facebook/dinov2-small'``, whose configuration is
            read, a folder with one, or a type of model such as ``'dinov2'``.
        out_indices: of its ``stage_names``; by default the last map of each stride from 4.
        in_channels: channels of the image.
        drop_path_rate: stochastic depth of the last block.
        pretrained: whether ``init_weights`` fills it from the repository or folder; or a file,
            an address or ``'hf-hub:OWNER/NAME'`` in their place.
        settings: changes of the configuration.
        options: arguments of :class:`~vitbackbones.backbones.base.Backbone`.

    Raises:
        InputError: transformers is not installed, or the configuration cannot be had.
        OptionError: no backbone of this name, or an option that it does not take.
    """

    undecayed = ('*cls_token', '*mask_token', '*register_tokens', '*position_embeddings', '*_table')

    def __init__(
        self,
        name: str,
        out_indices: int | Sequence[int] | None = None,
        in_channels: int = 3,
        drop_path_rate: float = 0.0,
        pretrained: bool | str = False,
        settings: dict = UNCHANGED,
        **options,
    ) -> None:
        super().__init__(name, in_channels, **options)
        given = {'num_channels': in_channels, **settings}
        if drop_path_rate:
            given['drop_path_rate'] = drop_path_rate
        auto = import_optional('transformers', EXTRA).AutoBackbone
        config = configuration(name, given)
        self.preprocessing = images_of(name)
        self.img_size = input_size(getattr(config, 'image_size', None) or 224)

        def build() -> Network:
            config.out_indices = [*range(len(config.stage_names))]
            net = auto.from_config(config).eval()
            return lambda image: net(pixel_values=image).feature_maps, None, {}

        key = repr((name, config.to_dict()))
        self.choose_maps(out_indices, tried(name, build, in_channels, self.img_size, key))
        config.out_indices = [*self.out_indices]
        self.net = auto.from_config(config)
        if self.with_cp:
            self.recompute(self.net.gradient_checkpointing_enable)
        self.start_from(pretrained, weights_of(name))

    def maps_of(self, image: Tensor) -> Sequence[Tensor]:
        return self.net(pixel_values=image).feature_maps

    def groups(self, coarse: bool) -> dict[str, int]:
        """Return a group for the stem, and for each entry of the outermost list of modules."""
        lists = (name for name, part in self.net.named_modules() if isinstance(part, nn.ModuleList))
        outermost = next(lists)
        children = [name for name, _ in self.net.named_children()]
        behind = children[children.index(outermost.partition('.')[0]) + 1 :]  # the last norm
        inside = rf'{re.escape(outermost)}\.(\d+)(?:\.\w+\.(\d+))?'
        places = {}
        for name in leaves(self.net):
            match = re.match(inside, name)
            stage, block = match.groups() if match else (STEM, None)
            places[name] = (int(stage), 0 if coarse or block is None else int(block))
        last = max(places.values())
        places |= {name: last for name in places if name.partition('.')[0] in behind}
        order = sorted({*places.values(), (STEM, 0)})
        return {name: order.index(place) for name, place in places.items()}

    def in_own_keys(self, state: dict[str, Tensor], origin: Origin) -> dict[str, Tensor]:
        """Return what transformers makes of a state dict, with what has no place at its end."""
        if any(key.startswith('net.') for key in state):
            return state
        logging = import_optional('transformers.utils.logging', EXTRA)
        level = logging.get_verbosity()
        logging.set_verbosity(logging.CRITICAL)  # the package says what does not fit
        logging.disable_progress_bar()
        filled, report = type(self.net).from_pretrained(
            None, config=self.net.config, state_dict=dict(state), output_loading_info=True
        )
        logging.enable_progress_bar()
        logging.set_verbosity(level)
        missing = {key for key in report['missing_keys'] if not key.startswith(ADDED)}
        own = {key: x for key, x in filled.state_dict().items() if key not in missing}
        parts = {key.partition('.')[0] for key in own}
        left = {key: state[key] for key in report['unexpected_keys'] if key in state}
        base = f'{filled.base_model_prefix}.'
        # a classifier stays outside, and is no fault; blocks that have no place are one
        inside = {key for key in left if key.removeprefix(base).partition('.')[0] in parts}
        own |= {key: left.pop(key) for key in inside}
        return {f'net.{key}': x for key, x in own.items()} | left


def configuration(name: str, given: Mapping[str, Any]):
    """Return the configuration of a repository, a folder or a type of model, with changes.

    Raises:
        InputError: it cannot be had.
        OptionError: transformers has no backbone of this name.
    """
    auto = import_optional('transformers', EXTRA).AutoConfig
    kinds = import_optional(KINDS, EXTRA).MODEL_FOR_BACKBONE_MAPPING_NAMES
    if is_place(name):
        with fetching(name):
            config = auto.from_pretrained(name, local_files_only=is_offline(), **given)
    elif name in kinds:
        config = auto.for_model(name, **given)
    else:
        hint = did_you_mean(name, [*kinds]) or f'; known: {some(kinds, str, len(kinds))}'
        raise OptionError(f'transformers has no backbone {name!r}{hint}')
    if config.model_type not in kinds:
        raise OptionError(f'{name}: transformers returns no feature maps of {config.model_type!r}')
    usual = type(config)()
    unknown = [key for key in given if not hasattr(usual, key)]
    if unknown:
        raise OptionError(f'{name}: has no {some(unknown, str)}')
    return config


def is_place(name: str) -> bool:
    """Whether a name is that of a repository or a folder, and not a type of model."""
    return '/' in name or Path(name).is_dir()


def images_of(name: str) -> dict:
    """Return ``mean`` and ``std`` of the image processor of a repository or folder, if any."""
    images: dict = {}
    if is_place(name):
        base = import_optional('transformers.image_processing_base', EXTRA).ImageProcessingMixin
        with suppress(OSError):  # there is none
            images = base.get_image_processor_dict(name, local_files_only=is_offline())[0]
    return {k: tuple(images[f'image_{k}']) for k in ('mean', 'std') if images.get(f'image_{k}')}


def weights_of(name: str) -> str | None:
    """Return where the weights of a repository or folder are; None for a type of model."""
    if Path(name).is_dir():
        return str(Path(name, 'model.safetensors'))
    return f'hf-hub:{name}' if '/' in name else None
