"""Predict large images in overlapping tiles, each like an image of its own.

A model that shrinks a photograph of 6000 x 4000 to its own size loses what is small in it. In tiles
nothing shrinks. What two tiles both see is found twice: of objects one stays, following Akyon et
al., "Slicing Aided Hyper Inference", 2022. A picture that one tile covers is answered as it is.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, product

import numpy as np

from ..data.loading.coco_masks import to_mask
from ..data.loading.image_file import UnreadableImage
from ..data.sources import Frame
from ..errors import InputError
from ..runtime.answers import Answer, Detected, Segmented
from ..runtime.preparing import ranges
from ..runtime.run_lengths import to_rle
from .run import Model

MOST = 10_000  # tiles of a picture
SAME = 0.5  # of the smaller box, from which on two boxes of different tiles show one object
TRUSTED = 0.5  # of the best score, from which on another box of an object widens its box
MERGES = ('nms', 'nmm')

Tile = tuple[slice, slice]  # rows and columns


@dataclass(frozen=True)
class Tiling:
    """How an image is split into tiles, and how their predictions are merged.

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
                f'tiles of {self}: the side must be at least 1, the overlap from 0 to 0.9, and '
                f'the merging one of {", ".join(MERGES)}'
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
                f'its {width} x {height} pixels require {len(rows) * len(columns)} tiles, more '
                f'than the limit of {MOST}; use larger tiles'
            )
        return [*product(rows, columns)]


def in_tiles(model: Model, tiling: Tiling | None, batch_size: int) -> Model:
    """Return a model that predicts tiles in batches, or the same model if there is no tiling."""
    return TiledModel(model, tiling, batch_size) if tiling else model


class TiledModel:
    """A model that predicts images in tiles; arguments as in :func:`in_tiles`."""

    def __init__(self, model: Model, tiling: Tiling, batch_size: int = 1) -> None:
        self.model = model
        self.tiling = tiling
        self.batch_size = batch_size
        self.meta = model.meta
        self.color = getattr(model, 'color', 'color')
        self.runtime = f'{model.runtime}; in tiles of {tiling}'
        self.at_once = getattr(model, 'at_once', 1)

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
        # with an axis more than prepared images have, whose batches it must not join
        return {'inputs': frame.pixels[None], 'tiled': frame, 'tiles': tiles}

    def answer(self, samples: Sequence[dict], logits: bool = False) -> list[Answer]:
        """Return the answers for prepared frames, whose images have one size.

        Raises:
            InputError: the answers of tiles cannot be merged.
        """
        if 'tiles' not in samples[0]:
            return self.model.answer(samples, logits)
        return [self._answer(sample['tiled'], sample['tiles']) for sample in samples]

    def _answer(self, frame: Frame, tiles: list[Tile]) -> Answer:
        answers = self._answers(frame, tiles)
        first = next(answers)
        found = zip(tiles, chain([first], answers), strict=True)
        size = frame.pixels.shape[:2]
        is_map = isinstance(first, Segmented)
        return (
            merge_logits(found, size) if is_map else merge_objects(found, size, self.tiling.merge)
        )

    def _answers(self, frame: Frame, tiles: list[Tile]) -> Iterator[Answer]:
        """Yield the answers of tiles, a batch of which is in memory."""
        for start in range(0, len(tiles), self.batch_size):
            parts = tiles[start : start + self.batch_size]
            pictures = (np.ascontiguousarray(frame.pixels[part]) for part in parts)
            samples = [self.model.prepare(replace(frame, pixels=each)) for each in pictures]
            yield from self.model.answer(samples, logits=True)


def merge_logits(found: Iterable[tuple[Tile, Segmented]], size: tuple[int, int]) -> Segmented:
    """Return the labels of an image (H, W); logits of overlapping tiles are averaged.

    Those of a row of tiles are in memory. A mean and a sum have the same largest class.

    Raises:
        InputError: there are no logits, or those of one class, which a threshold decides on.
    """
    labels = np.zeros(size, np.int64)
    top = 0
    sums = None  # sums: (classes, rows from top on, W)
    for (rows, columns), answer in found:
        if answer.logits is None or len(answer.logits) < 2:
            raise InputError('--tiles: the model has no logits of at least two classes to average')
        if sums is None:
            sums = np.zeros((len(answer.logits), rows.stop - rows.start, size[1]), np.float32)
        if done := rows.start - top:
            labels[top : rows.start] = sums[:, :done].argmax(0)
            sums = np.concatenate([sums[:, done:], np.zeros_like(sums[:, :done])], 1)
            top = rows.start
        sums[:, :, columns] += answer.logits
    labels[top:] = sums.argmax(0)
    return Segmented(labels)


class PastedMasks:
    """Masks in bool of a picture (H, W), each made of its parts in tiles when it is asked for."""

    def __init__(self, parts: list[list[tuple[Tile, dict]]], size: tuple[int, int]) -> None:
        self.parts = parts
        self.size = size

    def __len__(self) -> int:
        return len(self.parts)

    def __getitem__(self, which: int | np.ndarray) -> 'np.ndarray | PastedMasks':
        if isinstance(which, np.ndarray):
            return PastedMasks([self.parts[i] for i in np.arange(len(self))[which]], self.size)
        mask = np.zeros(self.size, bool)
        for tile, code in self.parts[which]:
            mask[tile] |= to_mask(code, *code['size'])
        return mask


def merge_objects(
    found: Iterable[tuple[Tile, Detected]], size: tuple[int, int], merge: str
) -> Detected:
    """Return the objects of an image (H, W), best first, merged from its tiles.

    Two boxes of a class show one object if they are of different tiles and share at least
    :data:`SAME` of the smaller one, as the part of an object at an edge does. What one tile finds
    is left to the model.

    Args:
        found: where tiles lie, and what is in each, in its own pixels.
        size: of the picture.
        merge: ``'nms'`` leaves the box and mask with the best score, ``'nmm'`` joins all of the
            object with at least :data:`TRUSTED` of that score.

    Raises:
        InputError: there are panoptic segments, whose numbers differ from tile to tile.
    """
    objects = []  # boxes (M, 4), scores (M,), labels (M,) and number (M,) of each tile
    masks = []
    for number, ((rows, columns), each) in enumerate(found):
        if each.segments is not None:
            raise InputError(
                '--tiles: panoptic segments cannot be merged across tiles; remove --tiles'
            )
        corner = np.array([columns.start, rows.start] * 2, np.float32)
        origins = np.full(len(each.scores), number)
        objects.append((each.boxes + corner, each.scores, each.labels, origins))
        masked = each.masks is not None
        masks += [((rows, columns), to_rle(mask)) for mask in each.masks] if masked else []
    boxes, scores, labels, origins = map(np.concatenate, zip(*objects, strict=True))
    order = np.argsort(-scores, kind='stable')
    parts: dict[int, list[int]] = {}  # of the best of an object, what makes its mask
    for label in np.unique(labels):
        left = order[labels[order] == label]
        while len(left):
            best = left[0]
            left = left[1:]
            is_same = shared(boxes[best], boxes[left]) >= SAME
            is_same &= origins[left] != origins[best]
            same = left[is_same]
            left = left[~is_same]
            parts[best] = [best]
            if merge == 'nmm':
                parts[best] = sure = [best, *same[scores[same] >= TRUSTED * scores[best]]]
                boxes[best, :2] = boxes[sure, :2].min(0)
                boxes[best, 2:] = boxes[sure, 2:].max(0)
    kept = order[np.isin(order, [*parts])]
    pasted = PastedMasks([[masks[i] for i in parts[best]] for best in kept if masks], size)
    return Detected(boxes[kept], scores[kept], labels[kept], pasted if masked else None)


def shared(box: np.ndarray, boxes: np.ndarray) -> np.ndarray:
    """Return the overlap of a box (4,) with each of ``boxes`` (M, 4), as a part of the smaller."""
    sides = np.minimum(box[2:], boxes[:, 2:]) - np.maximum(box[:2], boxes[:, :2])
    areas = np.minimum(*((each[..., 2:] - each[..., :2]).prod(-1) for each in (box, boxes)))
    return sides.clip(0).prod(-1) / np.maximum(areas, np.finfo(np.float32).tiny)
