"""Scenes of Shapes: pictures of circles, squares and triangles, and where each of them is in view.

Every picture has a random generator of its own, seeded with (seed, split, index): any subset
is the same pictures, and no picture of one split can be one of the other.
"""

from colorsys import hsv_to_rgb
from dataclasses import dataclass

import cv2
import numpy as np

KINDS = ('circle', 'square', 'triangle')
SPLITS = ('train', 'val')  # the position seeds the split
COUNTS = (1, 3)  # shapes per picture, from and to
RADII = (0.15, 0.28)  # of the circumscribed circle, in picture sides
MARGIN = 0.1  # between a shape's center and the edge, in picture sides
TILT = np.pi / 18  # most that a shape is turned, in radians
VISIBLE = 0.8  # of a shape's area that must stay in view
CONTRAST = 80  # least distance in BGR between a shape and the ground under it
SUBPIXEL = 4  # fractional bits of cv2's polygon corners


@dataclass
class Shape:
    """One shape: ``kind`` indexes KINDS, ``corners`` (K, 2) are x, y, ``mask`` (H, W) is bool.

    The mask is the part in view: inside the picture and not hidden by a later shape.
    """

    kind: int
    corners: np.ndarray
    mask: np.ndarray


@dataclass
class Scene:
    """A picture (H, W, 3) in uint8 BGR and its shapes, the hindmost first.

    ``clutter`` (H, W) is bool: the part in view of the lines on the ground.
    """

    image: np.ndarray
    clutter: np.ndarray
    shapes: list[Shape]


def _corners(kind: int, radius: float, rng: np.random.Generator) -> np.ndarray:
    """Draw corners (K, 2) around the origin, at most ``radius`` away from it, a little tilted."""
    if KINDS[kind] == 'circle':
        angles = np.linspace(0, 2 * np.pi, 48, endpoint=False)
    elif KINDS[kind] == 'square':
        half = np.pi * rng.uniform(0.19, 0.31)  # between the diagonals: sides up to 1 : 1.5
        angles = np.array([-half, half, np.pi - half, np.pi + half])
    else:
        angles = 2 * np.pi * (np.arange(3) + rng.uniform(-0.12, 0.12, 3)) / 3 - np.pi / 2
    angles = angles + rng.uniform(-TILT, TILT)
    return radius * np.stack([np.cos(angles), np.sin(angles)], axis=1)


def _ground(size: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draw a dark background (H, W, 3) of two scales of faint color, and its thin lines (H, W)."""
    ground = np.full((size, size, 3), rng.integers(10, 60), np.float32)
    for cells, strength in ((3, 15), (size // 6, 10)):
        texture = rng.uniform(-strength, strength, (cells, cells, 3)).astype(np.float32)
        ground += cv2.resize(texture, (size, size), interpolation=cv2.INTER_CUBIC)
    ground = ground.clip(0, 255).astype(np.uint8)
    lines = np.zeros((size, size), np.uint8)
    for _ in range(rng.integers(0, 3)):
        start, end = rng.integers(0, size, (2, 2)).tolist()
        cv2.line(ground, start, end, _color(rng), 1, cv2.LINE_AA)
        cv2.line(lines, start, end, 255, 1, cv2.LINE_AA)
    return ground, lines > 0


def _color(rng: np.random.Generator) -> tuple[int, ...]:
    """Draw a pale color of any hue."""
    hue, saturation, value = rng.uniform((0, 0, 0.75), (1, 0.6, 1))
    return tuple(round(255 * part) for part in hsv_to_rgb(hue, saturation, value))


def _fill(image: np.ndarray, corners: np.ndarray, color, line: int = cv2.LINE_AA) -> np.ndarray:
    fixed = np.round(corners * 2**SUBPIXEL).astype(np.int32)
    return cv2.fillPoly(image, [fixed], color, line, SUBPIXEL)


def draw_scene(
    index: int, split: str = 'train', seed: int = 0, size: int = 128, kind: int | None = None
) -> Scene:
    """Draw picture ``index`` of a split: the same arguments give the same picture.

    Returns:
        Scene with an image of (size, size, 3) and as many shapes as COUNTS says; with one shape if
        its ``kind`` is given.
    """
    rng = np.random.default_rng((seed, SPLITS.index(split), index))
    scene = Scene(*_ground(size, rng), [])
    count = rng.integers(COUNTS[0], COUNTS[1] + 1) if kind is None else 1
    while len(scene.shapes) < count:
        radius = size * rng.uniform(*RADII)
        any_kind = int(rng.integers(len(KINDS)))
        own_kind = any_kind if kind is None else kind
        center = size * rng.uniform(MARGIN, 1 - MARGIN, 2)
        corners = _corners(own_kind, radius, rng) + center
        mask = _fill(np.zeros((size, size), np.uint8), corners, 1, cv2.LINE_8).astype(bool)
        shape = Shape(own_kind, corners, mask)
        covered = [(other, other.mask & ~mask) for other in scene.shapes]
        if any(
            view.sum() < VISIBLE * cv2.contourArea(other.corners.astype(np.float32))
            for other, view in [(shape, mask), *covered]
        ):  # too little of it, or of a shape behind it, stays in view
            continue
        ground = scene.image[mask].mean(axis=0)
        color = _color(rng)
        while np.linalg.norm(ground - color) < CONTRAST:
            color = _color(rng)
        _fill(scene.image, corners, color)
        for behind in (scene.clutter, *(other.mask for other in scene.shapes)):
            behind &= ~mask
        scene.shapes.append(shape)
    noise = rng.integers(-14, 15, scene.image.shape, np.int16)
    scene.image = (scene.image + noise).clip(0, 255).astype(np.uint8)
    return scene
