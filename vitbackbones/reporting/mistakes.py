"""Pictures of what a detector missed and made up: annotated objects beside its detections.

What is right has a thin blue outline. A mistake is dashed, in orange, and says what it is, so that
color is never the only sign.
"""

from collections.abc import Iterator, Sequence

import cv2
import numpy as np
from PIL import Image, ImageDraw
from pycocotools import mask as masks

from ..drawing.boxes import write_labels
from ..drawing.sheet import enlarged, side_by_side
from .matching import FALSE, IGNORED, Matches

RIGHT, WRONG, CROWD = (0, 114, 178), (213, 94, 0), (128, 128, 128)  # of Okabe and Ito's colors
DASH = 7  # pixels, and as many between two
Note = tuple[dict, str, tuple]  # an annotation, what is written at it, its color


def draw_mistakes(
    image: Image.Image, matches: Matches, classes: Sequence[str], kind: str
) -> Image.Image:
    """Draw the objects of a picture beside its detections.

    Args:
        image: the picture.
        matches: what is on it.
        classes: the names of the classes.
        kind: ``'bbox'``, or ``'segm'`` for the outlines of masks.
    """
    panels = {
        'ground truth': _of_objects(matches, classes),
        'prediction': _of_found(matches, classes),
    }
    return side_by_side([(title, _draw(image, [*notes], kind)) for title, notes in panels.items()])


def _of_objects(matches: Matches, classes: Sequence[str]) -> Iterator[Note]:
    takers = matches.takers()
    for i, (each, label) in enumerate(zip(matches.objects, matches.labels, strict=True)):
        name = classes[label]
        if matches.crowd[i]:
            yield each, f'crowd of {name}', CROWD
        elif i not in takers:
            yield each, f'missed: {name}', WRONG
        elif (answer := matches.answers[takers[i]]) != label:
            yield each, f'{name}, taken for {classes[answer]}', WRONG
        else:
            yield each, name, RIGHT


def _of_found(matches: Matches, classes: Sequence[str]) -> Iterator[Note]:
    rows = zip(matches.found, matches.answers, matches.taken, strict=True)
    for each, answer, taken in rows:
        text = f'{classes[answer]} {each["score"]:.2f}'
        if taken == IGNORED:
            yield each, f'{text}, in a crowd', CROWD
        elif taken == FALSE:
            yield each, f'false: {text}', WRONG
        elif matches.labels[taken] != answer:
            yield each, f'{text}, is {classes[matches.labels[taken]]}', WRONG
        else:
            yield each, text, RIGHT


# ------------------------------------------------------------------------ lines


def _draw(image: Image.Image, notes: Sequence[Note], kind: str) -> Image.Image:
    picture = enlarged(image)
    scale = max(picture.size) / max(image.size)
    draw = ImageDraw.Draw(picture)
    for each, _, color in notes:
        for line in _outlines(each, kind):
            _draw_line(draw, line * scale, color)
    boxes = np.array([each['bbox'] for each, _, _ in notes]).reshape(-1, 4) * scale
    write_labels(picture, boxes, [text for _, text, _ in notes], [color for *_, color in notes])
    return picture


def _outlines(each: dict, kind: str) -> list[np.ndarray]:
    """Return closed lines (points, 2) around an object, in pixels of the image."""
    if kind == 'segm':
        mask = masks.decode(each['segmentation'])
        lines, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
        return [line[:, 0] for line in lines]  # OpenCV's have shape (points, 1, 2)
    x, y, width, height = each['bbox']
    return [np.array([(x, y), (x + width, y), (x + width, y + height), (x, y + height)])]


def _draw_line(draw: ImageDraw.ImageDraw, line: np.ndarray, color: tuple) -> None:
    closed = np.concatenate([line, line[:1]]).astype(float)
    if color == RIGHT:
        draw.line([*map(tuple, closed)], color, width=2)
        return
    for dash in _dashes(closed):
        draw.line([*map(tuple, dash)], color, width=4)


def _dashes(line: np.ndarray) -> Iterator[np.ndarray]:
    """Cut a line (points, 2) into dashes."""
    ends = np.append(0, np.hypot(*np.diff(line, axis=0).T).cumsum())  # lengths up to each point
    for start in np.arange(0, ends[-1], 2 * DASH):
        at = np.arange(start, min(start + DASH, ends[-1]) + 1)
        yield np.stack([np.interp(at, ends, line[:, axis]) for axis in (0, 1)], 1)
