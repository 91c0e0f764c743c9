"""Pictures of what a detector missed and made up: annotated objects beside its detections.

What is right has a thin blue outline. A mistake has a thick one, in orange, and says what it is, so
that color is never the only sign.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from PIL import Image, ImageDraw
from pycocotools import mask as masks

from ...inference.drawing.boxes import write_labels
from ...inference.drawing.regions import shade
from ...inference.drawing.sheet import enlarged, side_by_side
from .coco import Pair

RIGHT, WRONG = (0, 114, 178), (213, 94, 0)  # of Okabe and Ito's colors
Note = tuple[dict, str, tuple]  # an annotation, what is written at it, its color


def count_mistakes(pairs: Sequence[Pair]) -> tuple[int, int]:
    """Return how many objects are missed and how many detections false; a confusion is both."""
    wrong = [pair for pair in pairs if not _is_right(*pair)]
    return sum(bool(thing) for thing, _ in wrong), sum(bool(answer) for _, answer in wrong)


def _is_right(thing: dict | None, answer: dict | None) -> bool:
    return bool(thing and answer and thing['category_id'] == answer['category_id'])


def draw_mistakes(
    image: Image.Image, pairs: Sequence[Pair], names: Mapping[int, str], kind: str
) -> Image.Image:
    """Draw the objects of a picture beside its detections; masks where ``kind`` is ``'segm'``."""
    truth, found = [], []
    for thing, answer in pairs:
        there = names[thing['category_id']] if thing else ''
        said = f'{names[answer["category_id"]]} {answer["score"]:.2f}' if answer else ''
        if _is_right(thing, answer):
            truth.append((thing, there, RIGHT))
            found.append((answer, said, RIGHT))
        elif not answer:
            truth.append((thing, f'missed: {there}', WRONG))
        elif not thing:
            found.append((answer, f'false: {said}', WRONG))
        else:
            truth.append((thing, f'{there}, taken for {names[answer["category_id"]]}', WRONG))
            found.append((answer, f'{said}, is {there}', WRONG))
    panels = [('ground truth', truth), ('prediction', found)]
    return side_by_side([(title, _draw(image, notes, kind)) for title, notes in panels])


def _draw(image: Image.Image, notes: Sequence[Note], kind: str) -> Image.Image:
    picture, colors = enlarged(image), [color for *_, color in notes]
    boxes = np.array([each['bbox'] for each, *_ in notes], float).reshape(-1, 4)
    boxes[:, 2:] += boxes[:, :2]  # width and height -> the other corner
    boxes *= max(picture.size) / max(image.size)
    if kind == 'segm' and notes:
        regions = [masks.decode(each['segmentation']).astype(bool) for each, *_ in notes]
        picture = shade(picture, np.stack(regions), colors)
    draw = ImageDraw.Draw(picture)
    for box, color in zip(boxes, colors, strict=True):
        draw.rectangle(tuple(box), outline=color, width=2 if color == RIGHT else 4)
    write_labels(picture, boxes, [text for _, text, _ in notes], colors)
    return picture
