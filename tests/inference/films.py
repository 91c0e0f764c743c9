"""Films of Shapes that move, with the identity and the box of each in every frame."""

from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
from scipy.optimize import linear_sum_assignment

from vitbackbones.data.loading.coco_masks import box_around
from vitbackbones.data.shapes import scene

RATE = 25
SPEEDS = (0.005, 0.015)  # picture sides per frame
LEAST = 0.3  # of a shape that is in view, where it counts


class Moving(NamedTuple):
    """A shape: kind, corners (K, 2) around its center, center and velocity (2,), color."""

    kind: int
    corners: np.ndarray
    center: np.ndarray
    velocity: np.ndarray
    color: tuple


class Truth(NamedTuple):
    """What is on a frame: identities, kinds (M,) and boxes (M, 4) as x1, y1, x2, y2."""

    ids: np.ndarray
    kinds: np.ndarray
    boxes: np.ndarray


def film(seed: int, frames: int, shapes: int = 4, size: int = 128):
    """Yield frames (H, W, 3) in BGR, and their truth; shapes bounce off the edges."""
    rng = np.random.default_rng(seed)
    ground, _ = scene._ground(size, rng)
    moving = [_shape(rng, size) for _ in range(shapes)]
    for _ in range(frames):
        image = ground.copy()
        masks = []
        for shape in moving:
            corners = shape.corners + shape.center
            scene._fill(image, corners, shape.color)
            masks.append(scene._fill(np.zeros((size, size), np.uint8), corners, 1, cv2.LINE_8) > 0)
            ahead = shape.center + shape.velocity
            shape.velocity[(ahead < 0.1 * size) | (ahead > 0.9 * size)] *= -1
            shape.center[:] += shape.velocity
        noise = rng.integers(-14, 15, image.shape, np.int16)
        yield (image + noise).clip(0, 255).astype(np.uint8), _truth(moving, masks)


def _shape(rng: np.random.Generator, size: int) -> Moving:
    kind = int(rng.integers(len(scene.KINDS)))
    angle = rng.uniform(0, 2 * np.pi)
    speed = size * rng.uniform(*SPEEDS)
    return Moving(
        kind,
        scene._corners(kind, size * rng.uniform(0.15, 0.2), rng),
        size * rng.uniform(0.15, 0.85, 2),
        speed * np.array([np.cos(angle), np.sin(angle)]),
        scene._color(rng),
    )


def _truth(moving: list[Moving], masks: list[np.ndarray]) -> Truth:
    """Return the shapes of which enough is in view."""
    seen = []
    for number, mask in enumerate(masks):
        view = mask & ~np.any(masks[number + 1 :], axis=0)  # later ones are in front
        if view.sum() >= LEAST * mask.sum():
            seen.append((number, moving[number].kind, box_around(view)))
    ids, kinds, boxes = zip(*seen, strict=True)
    return Truth(np.array(ids), np.array(kinds), np.array(boxes, np.float32))


def write_film(file: Path, frames) -> Path:
    """Write frames as a video."""
    images = [*frames]
    codec = cv2.VideoWriter.fourcc(*('MJPG' if file.suffix == '.avi' else 'mp4v'))
    video = cv2.VideoWriter(str(file), codec, RATE, images[0].shape[1::-1])
    for image in images:
        video.write(image)
    video.release()
    return file


def idf1(truths: list[Truth], found: list[Truth]) -> float:
    """Return the F1 of identities at an IoU of 0.5, after Ristani et al., 2016."""
    true_ids = [*{i for truth in truths for i in truth.ids.tolist()}]
    ids = [*{i for each in found for i in each.ids.tolist()}]
    together = np.zeros((len(true_ids), len(ids)))
    for truth, each in zip(truths, found, strict=True):
        for row, column in np.argwhere(_overlaps(truth.boxes, each.boxes) >= 0.5):
            together[true_ids.index(truth.ids[row]), ids.index(each.ids[column])] += 1
    matched = together[linear_sum_assignment(together, maximize=True)].sum()
    return 2 * matched / sum(len(each.ids) for each in [*truths, *found])


def _overlaps(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return the IoU (M, N) of boxes (M, 4) and (N, 4)."""
    pairs = one[:, None], other[None]
    sides = np.minimum(*(p[..., 2:] for p in pairs)) - np.maximum(*(p[..., :2] for p in pairs))
    shared = sides.clip(0).prod(-1)
    areas = [(p[..., 2:] - p[..., :2]).prod(-1) for p in pairs]
    return shared / (sum(areas) - shared)
