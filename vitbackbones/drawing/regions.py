"""Regions of a picture, which shines through: filled, with an outline around, or striped."""

from collections.abc import Sequence

import cv2
import numpy as np
from PIL import Image

OPACITY = 0.45  # of the filling
LINE = 2  # width of an outline in pixels
STRIPE = 3  # width of a stripe in pixels
PERIOD = 5  # stripes until the next white one


def shade(picture: Image.Image, masks: np.ndarray, colors: Sequence) -> Image.Image:
    """Draw masks (N, h, w), which are stretched over the picture; small ones lie on large ones.

    torchvision's ``draw_segmentation_masks`` has no outlines, without which objects of one class
    that touch look like one.
    """
    pixels = np.array(picture)
    areas = np.array([np.count_nonzero(mask) for mask in masks])
    for place in np.argsort(-areas, kind='stable'):
        soft = cv2.resize(masks[place].astype(np.uint8) * 255, picture.size)
        inside = cv2.threshold(soft, 127, 255, cv2.THRESH_BINARY)[1]
        mixed = (1 - OPACITY) * np.arange(256)[:, None] + OPACITY * np.array(colors[place])
        cv2.copyTo(cv2.LUT(pixels, mixed[None].round().astype(np.uint8)), inside, pixels)
        outlines, _ = cv2.findContours(inside, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_SIMPLE)
        cv2.drawContours(pixels, outlines, -1, colors[place], LINE, cv2.LINE_AA)
    return Image.fromarray(pixels)


def stripe(picture: Image.Image, mask: np.ndarray) -> Image.Image:
    """Draw slanted stripes, a white one beside a black one, on a mask (h, w) stretched over it."""
    pixels = np.array(picture)
    inside = cv2.resize(mask.astype(np.uint8), picture.size, interpolation=cv2.INTER_NEAREST) > 0
    rows, columns = np.indices(inside.shape)
    number = (rows + columns) // STRIPE % PERIOD  # (H, W), which stripe of a period it is
    pixels[inside & (number == 0)] = 255
    pixels[inside & (number == 1)] = 0
    return Image.fromarray(pixels)
