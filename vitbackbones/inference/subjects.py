"""Models and the images that they are shown, for analyses.

A config's model sees an image as its test pipeline and its data preprocessor make it. A model by
name sees the middle of it, normalized as ImageNet's. With a size of the user's own, either sees the
middle of the image in that size.
"""

from collections.abc import Sequence

import numpy as np
import torch
from PIL import Image, ImageOps
from torch import nn

from ..results.analysis.reading import Subject
from .predictor import Predictor
from .sources import Frame

IMAGENET = ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))  # mean and deviation of RGB in [0, 1]
BORDER = 0.0625  # of a photograph, cut off on each side: 224 of 256 pixels are left


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
