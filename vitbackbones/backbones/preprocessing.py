"""The preprocessing of images that a model was trained with, with the keys of timm.

A ``data_config`` is a dict with timm's keys:

    input_size: (channels, height, width) of an image.
    interpolation: ``'bicubic'`` or ``'bilinear'``, for the resize before the crop.
    mean, std: of each channel, for pixels in [0, 1].
    crop_pct: side of the central crop in units of the short side of the resized picture.
    crop_mode: ``'center'``.

It is that of the published weights (``weights.table``), or of the config of the run that wrote the
checkpoint. A model without either has that of the code it was published with, which its backbone
names in ``preprocessing``.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import torch

from ..errors import InputError
from ..utils.orientation import upright
from ..utils.packages import import_optional
from ..weights import PUBLISHED, Published
from . import Backbone
from .names import MODELS, require_name

USUAL = {
    'interpolation': 'bicubic',
    'mean': (0.485, 0.456, 0.406),  # of ImageNet, RGB
    'std': (0.229, 0.224, 0.225),
    'crop_pct': 0.875,
    'crop_mode': 'center',
}
PER_FILE = ('interpolation', 'mean', 'std', 'crop_pct')  # of published weights


def data_config(
    backbone: Backbone | type[Backbone],
    published: Published | None = None,
    images: Mapping[str, object] = MappingProxyType({}),
) -> dict:
    """Return the preprocessing for a backbone, or the default of a backbone class.

    An image of other than three channels has the average of ``mean`` and ``std`` in each.

    Args:
        backbone: has the size and the channels.
        published: the weights that it starts from, if they are known.
        images: what their file says about it, in the same words (``weights.read.config_images``).
    """
    known = {key: getattr(published, key) for key in PER_FILE} if published else {}
    channels = backbone.in_channels
    size = {'input_size': (channels, *backbone.img_size)}
    config = {**size, **USUAL, **backbone.preprocessing, **known, **images}
    if channels != 3:
        config |= {key: (sum(config[key]) / 3,) * channels for key in ('mean', 'std')}
    return config


def named_config(name: str) -> dict:
    """Return the preprocessing for a model of :func:`list_models`, or for published weights.

    Raises:
        OptionError: an unknown name.
    """
    published = PUBLISHED.get(name)
    if name not in MODELS and published is not None:
        return {**data_config(Backbone, published), 'input_size': published.input_size}
    require_name(name)
    return data_config(MODELS[name][0], published)


def transform(model, train: bool = False) -> Callable:
    """Return a transform from a PIL image or tensor to the input (C, H, W) of a model, in float32.

    A picture is one of PIL, in any mode, or a tensor of bytes (channels, H, W). One of PIL is
    turned as its EXIF data says, as the pipelines of configs turn files.

    Args:
        model: a name of :func:`list_models` or of published weights, or a model with a
            ``data_config``.
        train: cut at random, 8 % to 100 % of the area, and flip half of the images, in place of the
            central crop. What else a paper does (RandAugment, mixing, erasing) is in its config.

    Raises:
        OptionError: an unknown name.
        InputError: torchvision is not installed.
    """
    v2 = import_optional('torchvision.transforms.v2', 'torchvision')
    config = named_config(model) if isinstance(model, str) else model.data_config
    channels, *size = config['input_size']
    resample = v2.InterpolationMode(config['interpolation'])
    colors = {1: [v2.Grayscale()], 3: [v2.RGB()]}.get(channels, [])
    if train:
        cut = [v2.RandomResizedCrop(size, interpolation=resample), v2.RandomHorizontalFlip()]
    else:
        cut = [ResizeToCover(size, config['crop_pct'], resample), v2.CenterCrop(size)]
    numbers = [v2.ToImage(), v2.ToDtype(torch.float32, scale=True)]
    return v2.Compose(
        [as_shown, *colors, *cut, *numbers, v2.Normalize(config['mean'], config['std'])]
    )


def as_shown(picture):
    """Return a PIL image, rotated as its EXIF data states; return a tensor unchanged.

    Raises:
        InputError: it is something else, such as a path or an array.
    """
    if isinstance(picture, torch.Tensor):
        return picture
    if not hasattr(picture, 'convert'):
        kind = type(picture).__name__
        raise InputError(f'an image must be one of PIL, or a tensor (C, H, W), not {kind}')
    return upright(picture)


class ResizeToCover:
    """Resize an image so that its central ``crop_pct`` covers ``size`` (height, width)."""

    def __init__(self, size: Sequence[int], crop_pct: float, resample) -> None:
        self.sides = [math.floor(side / crop_pct) for side in size]
        self.resample = resample

    def __call__(self, picture):
        """Return the picture, of PIL or a tensor (channels, H, W), with its aspect ratio."""
        functional = import_optional('torchvision.transforms.v2.functional', 'torchvision')
        if self.sides[0] == self.sides[1]:
            return functional.resize(picture, self.sides[:1], self.resample)  # of the short side
        old = functional.get_size(picture)
        shrink = min(side / new for side, new in zip(old, self.sides, strict=True))
        return functional.resize(picture, [round(side / shrink) for side in old], self.resample)
