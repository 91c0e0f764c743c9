"""Regions of a picture: filled so that it shines through, with an outline that keeps them apart."""

from collections.abc import Sequence

import cv2
import numpy as np
from PIL import Image

OPACITY = 0.45  # of the filling
LINE = 2  # width of an outline in pixels


def shade(picture: Image.Image, masks: np.ndarray, colors: Sequence) -> Image.Image:
    """Draw masks (N, h, w), which are stretched over the picture; small ones lie on large ones.

    torchvision's ``draw_segmentation_masks`` has no outlines, without which objects of one class
    that touch look like one.
    """
    pixels = np.array(picture)
    for place in np.argsort(-masks.sum((1, 2)), kind='stable'):
        soft = cv2.resize(masks[place].astype(np.float32), picture.size)
        inside, color = soft > 0.5, np.array(colors[place])
        pixels[inside] = (1 - OPACITY) * pixels[inside] + OPACITY * color
        outlines, _ = cv2.findContours(
            inside.astype(np.uint8), cv2.RETR_CCOMP, cv2.CHAIN_APPROX_NONE
        )
        cv2.drawContours(pixels, outlines, -1, colors[place], LINE, cv2.LINE_AA)
    return Image.fromarray(pixels)
