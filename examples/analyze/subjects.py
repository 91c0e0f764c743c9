"""Models and the images that they are shown.

A config's model sees an image as its test pipeline and its data preprocessor make it. A model by
name sees the middle of it, normalized as ImageNet's. With a size of the user's own, either sees the
middle of the image in that size.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from PIL import Image, ImageOps
from torch import Tensor, nn
from tqdm import tqdm

from vitbackbones.backbones.by_name import Classifier, create_model
from vitbackbones.backbones.names import MODELS, require_name
from vitbackbones.data.sources import Frame
from vitbackbones.errors import InputError
from vitbackbones.tasks.predictor import Predictor
from vitbackbones.utils.literals import read_value, split

from .reading import Reading, find_backbone, reading

IMAGENET = ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))  # mean and deviation of RGB in [0, 1]
BORDER = 0.0625  # of a photograph, cut off on each side: 224 of 256 pixels are left


@dataclass(frozen=True)
class Subject:
    """What an analysis looks at: a model in eval mode, and the images that it is shown.

    Attributes:
        name: in the legend and the table.
        model: on the device where it is to run.
        images: (1, 3, H, W) each, normalized as the model wants them, on the same device.
        photos: (H, W, 3) each, uint8, RGB: what an image shows, at its size.
    """

    name: str
    model: nn.Module
    images: Sequence[Tensor] = ()
    photos: Sequence[np.ndarray] = ()

    def read(self, attention: Sequence[int] = (), count: int | None = None) -> Iterator[Reading]:
        """Run the backbone on the first ``count`` images, or on all, and yield what is read.

        ``attention`` is that of :func:`reading`.
        """
        backbone = find_backbone(self.model)
        images = self.images[:count]
        for image in tqdm(images, self.name, leave=False, disable=None):  # None: off a terminal
            with reading(backbone, attention) as found, torch.no_grad():
                backbone(image)
            yield found


def build_classifier(spec: str, size: tuple[int, int], **options) -> Classifier:
    """Build a classifier that ``spec`` names, with arguments of its backbone behind the name.

    A dot leads into a dict: ``sret_t,groups=None``, ``deit_ti,arch.depth=24``.

    Args:
        spec: a name of ``list_models()``, and arguments as ``create_model`` takes them.
        size: (height, width) of the images; position codes are made for square ones.
        options: further arguments, which those of ``spec`` replace.

    Raises:
        InputError: the name or an argument is unknown, or has a bad value.
    """
    name, *settings = split(spec)
    options |= {'img_size': size[0]} if size[0] == size[1] else {}
    try:
        require_name(name)
        for setting in settings:  # KEY=VALUE or KEY.KEY=VALUE
            place, _, value = setting.partition('=')
            *outer, key = place.split('.')
            node = options
            for part in outer:  # an arch changes the one of the model
                base = {'base': MODELS[name][1]['arch']} if part == 'arch' else {}
                node = node.setdefault(part, base)
            node[key] = read_value(value)
        return create_model(name, **options)
    except (TypeError, ValueError) as error:
        raise InputError(f'ours:{spec}: {error}') from error


def by_name(name: str, model: nn.Module, size: tuple[int, int], frames: Sequence[Frame]) -> Subject:
    """Return a subject for a model without a config, on the device of its weights."""
    device = next(model.parameters()).device
    photos = [_fitted(frame.pixels, size)[..., ::-1].copy() for frame in frames]
    mean, deviation = (torch.tensor(values, device=device)[:, None, None] for values in IMAGENET)
    pixels = (torch.from_numpy(photo).to(device).permute(2, 0, 1) / 255 for photo in photos)
    images = [((each - mean) / deviation)[None] for each in pixels]  # (1, 3, H, W)
    return Subject(name, model, images, photos)


def of_config(
    name: str, predictor: Predictor, size: tuple[int, int] | None, frames: Sequence[Frame]
) -> Subject:
    """Return a subject for the model of a config.

    Raises:
        UnreadableImage: the pipeline cannot resize an image of such sides.
    """
    images, photos = [], []
    for frame in frames:
        if size is None:
            image = predictor.prepare(frame)['inputs']  # (3, H, W) in BGR
        else:
            image = torch.from_numpy(_fitted(frame.pixels, size)).permute(2, 0, 1)  # (3, h, w)
        batch = {'inputs': [image], 'data_samples': None}
        inputs = predictor.model.data_preprocessor(batch)['inputs']  # (1, 3, H, W), padded
        pixels = image.flip(0).permute(1, 2, 0).clamp(0, 255).byte().cpu().numpy()
        photo = np.zeros((*inputs.shape[2:], 3), np.uint8)  # RGB, black where it was padded
        photo[: pixels.shape[0], : pixels.shape[1]] = pixels
        images.append(inputs)
        photos.append(photo)
    return Subject(name, predictor.model, images, photos)


def _fitted(pixels: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    """Return the middle of an image (H, W, 3), in any order of colors, in ``size`` (h, w)."""
    picture = Image.fromarray(np.ascontiguousarray(pixels))
    return np.array(ImageOps.fit(picture, size[::-1], Image.Resampling.BICUBIC, BORDER))
