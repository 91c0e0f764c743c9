"""Large pictures in overlapping tiles, each answered as a picture of its own.

A model that shrinks a photograph of 6000 x 4000 to its own size loses what is small in it. In tiles
nothing shrinks. What two tiles both see is found twice: of objects one stays, following Akyon et
al., "Slicing Aided Hyper Inference", 2022. A picture that one tile covers is answered as it is.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from ..data.loading.image_file import UnreadableImage
from ..errors import InputError
from ..export.runtime.answers import Answer, Detected
from ..export.runtime.sliding import ranges
from .run import Model
from .sources import Frame

MOST = 10_000  # tiles of a picture
SAME = 0.5  # of the smaller box, from which on two boxes of different tiles show one object
TRUSTED = 0.5  # of the best score, from which on another box of an object widens its box
MERGES = ('nms', 'nmm')

Tile = tuple[slice, slice]  # rows and columns


@dataclass(frozen=True)
class Tiling:
    """How a picture is cut, and how the answers are merged.

    Attributes:
        side: of a tile, in pixels of the picture as it was given.
        overlap: of neighbors, as a part of their side; the last ones of a row may overlap more.
        merge: of the boxes and masks of an object, ``'nms'`` keeps the best, ``'nmm'`` joins them.

    Raises:
        InputError: one of them has no meaning.
    """

    side: int
    overlap: float = 0.2
    merge: str = 'nms'

    def __post_init__(self) -> None:
        if self.side < 1 or not 0 <= self.overlap <= 0.9 or self.merge not in MERGES:
            raise InputError(
                f'tiles of {self}: their side must be at least 1, their overlap from 0 to 0.9, and '
                f'what merges them one of {", ".join(MERGES)}'
            )

    def __str__(self) -> str:
        return f'{self.side} pixels, overlap {self.overlap}, {self.merge}'

    def tiles(self, height: int, width: int) -> list[Tile]:
        """Return the tiles of a picture, row by row; all have one size.

        Raises:
            InputError: there are more than :data:`MOST`.
        """
        stride = max(1, round(self.side * (1 - self.overlap)))
        rows, columns = ([*ranges(side, self.side, stride)] for side in (height, width))
        if len(rows) * len(columns) > MOST:
            raise InputError(
                f'its {width} x {height} pixels would take {len(rows) * len(columns)} tiles, and '
                f'{MOST} are the most; make them larger'
            )
        return [*product(rows, columns)]


def in_tiles(model: Model, tiling: Tiling | None, batch_size: int) -> Model:
    """Return a model that answers in tiles, so many at a time; the same model without a tiling."""
    return TiledModel(model, tiling, batch_size) if tiling else model


class TiledModel:
    """A model that answers pictures in tiles; arguments as :func:`in_tiles`."""

    def __init__(self, model: Model, tiling: Tiling, batch_size: int = 1) -> None:
        self.model = model
        self.tiling = tiling
        self.batch_size = batch_size
        self.meta = model.meta
        self.runtime = f'{model.runtime}; in tiles of {tiling}'

    def prepare(self, frame: Frame) -> dict:
        """Return what :meth:`answer` takes of a frame.

        Raises:
            UnreadableImage: it would take too many tiles, or cannot be resized.
        """
        try:
            tiles = self.tiling.tiles(*frame.pixels.shape[:2])
        except InputError as error:
            raise UnreadableImage(f'{frame}: {error}') from error
        if len(tiles) == 1:
            return self.model.prepare(frame)
        return {'inputs': frame.pixels, 'tiled': frame, 'tiles': tiles}

    def answer(self, samples: Sequence[dict]) -> list[Answer]:
        """Return the answers for prepared frames, whose images have one size.

        Raises:
            InputError: the answers of tiles cannot be merged.
        """
        if 'tiles' not in samples[0]:
            return self.model.answer(samples)
        return [self._answer(sample['tiled'], sample['tiles']) for sample in samples]

    def _answer(self, frame: Frame, tiles: list[Tile]) -> Answer:
        found = []
        for start in range(0, len(tiles), self.batch_size):
            parts = tiles[start : start + self.batch_size]
            pictures = (np.ascontiguousarray(frame.pixels[part]) for part in parts)
            samples = [self.model.prepare(replace(frame, pixels=each)) for each in pictures]
            found += self.model.answer(samples)
        return merge_objects(found, tiles, self.tiling.merge)


def merge_objects(found: Sequence[Detected], tiles: Sequence[Tile], merge: str) -> Detected:
    """Return the objects of a picture, best first, from those of its tiles.

    Two boxes of a class show one object if they are of different tiles and share at least
    :data:`SAME` of the smaller one, as the part of an object at an edge does. What one tile finds
    is left to the model.

    Args:
        found: in each tile, in its own pixels.
        tiles: where they lie.
        merge: ``'nms'`` leaves the box with the best score, ``'nmm'`` widens it to all boxes of
            the object with at least :data:`TRUSTED` of that score.
    """
    corners = [np.array([columns.start, rows.start] * 2, np.float32) for rows, columns in tiles]
    pairs = zip(found, corners, strict=True)
    boxes = np.concatenate([each.boxes + corner for each, corner in pairs])  # (M, 4)
    scores = np.concatenate([each.scores for each in found])
    labels = np.concatenate([each.labels for each in found])
    origins = np.repeat(np.arange(len(found)), [len(each.scores) for each in found])
    order = np.argsort(-scores, kind='stable')
    kept = []
    for label in np.unique(labels):
        left = order[labels[order] == label]
        while len(left):
            best, left = left[0], left[1:]
            is_same = shared(boxes[best], boxes[left]) >= SAME
            is_same &= origins[left] != origins[best]
            same, left = left[is_same], left[~is_same]
            kept.append(best)
            if merge == 'nmm':
                sure = [best, *same[scores[same] >= TRUSTED * scores[best]]]
                boxes[best, :2] = boxes[sure, :2].min(0)
                boxes[best, 2:] = boxes[sure, 2:].max(0)
    kept = order[np.isin(order, kept)]
    return Detected(boxes[kept], scores[kept], labels[kept])


def shared(box: np.ndarray, boxes: np.ndarray) -> np.ndarray:
    """Return the part of the smaller one that a box (4,) and each of ``boxes`` (M, 4) share."""
    sides = np.minimum(box[2:], boxes[:, 2:]) - np.maximum(box[:2], boxes[:, :2])
    areas = np.minimum(*((each[..., 2:] - each[..., :2]).prod(-1) for each in (box, boxes)))
    return sides.clip(0).prod(-1) / np.maximum(areas, np.finfo(np.float32).tiny)
