"""Boxes and outlines of objects, brought inside of their picture."""

from collections.abc import Sequence

from ..errors import InputError
from .notes import Notes
from .pictures import Picture, Thing

LEAST = 1.0  # pixels of a side; mmdet learns from no thinner box
BEYOND = 0.05  # of a picture, that a box may reach over the edge; more is another scale


def add_box(
    picture: Picture, name: str, corners: Sequence[float], where: str, notes: Notes, crowd=False
) -> None:
    """Add an object by two opposite corners x, y, x, y of its box, in pixels from 0.

    Corners in another order are exchanged, a box beyond the edge is cut, and one that is outside or
    thinner than a pixel is left out; all of it is noted.

    Raises:
        InputError: a corner is no finite number, or so far outside that the scale is another one.
    """
    _require_near(picture, corners, where)
    x, y = sorted(corners[::2]), sorted(corners[1::2])
    if [x[0], y[0], x[1], y[1]] != list(corners):
        notes.add('boxes with corners in another order, exchanged', where)
    start = max(x[0], 0.0), max(y[0], 0.0)
    end = min(x[1], picture.width), min(y[1], picture.height)
    if start != (x[0], y[0]) or end != (x[1], y[1]):
        notes.add('boxes beyond the edge of their picture, cut', where)
    sides = end[0] - start[0], end[1] - start[1]
    if min(sides) < LEAST:
        notes.add('boxes outside of their picture or thinner than a pixel, left out', where)
        return
    _add(picture, Thing(name, (*start, *sides), crowd=crowd), where, notes)


def add_polygon(
    picture: Picture, name: str, points: Sequence[float], where: str, notes: Notes
) -> None:
    """Add an object by its outline x, y, x, y ... in pixels from 0; cut it as :func:`add_box`.

    Raises:
        InputError: as there.
    """
    _require_near(picture, points, where)
    x = [min(max(value, 0.0), picture.width) for value in points[::2]]
    y = [min(max(value, 0.0), picture.height) for value in points[1::2]]
    outline = tuple(value for point in zip(x, y, strict=True) for value in point)
    if outline != tuple(points):
        notes.add('outlines beyond the edge of their picture, cut', where)
    box = min(x), min(y), max(x) - min(x), max(y) - min(y)
    if min(box[2:]) < LEAST or not polygon_area(outline):
        notes.add('outlines without an area, left out', where)
        return
    _add(picture, Thing(name, box, outline), where, notes)


def polygon_area(outline: Sequence[float]) -> float:
    """Return the area inside of x, y, x, y ... by the shoelace formula.

    >>> polygon_area((0, 0, 4, 0, 4, 3))
    6.0
    """
    x, y = outline[::2], outline[1::2]
    return abs(sum(x[i - 1] * y[i] - x[i] * y[i - 1] for i in range(len(x)))) / 2


def _require_near(picture: Picture, values: Sequence[float], where: str) -> None:
    limits = (picture.width, picture.height) * (len(values) // 2)
    for value, limit in zip(values, limits, strict=True):
        if not -BEYOND * limit - 1 <= value <= (1 + BEYOND) * limit + 1:  # also if it is no number
            raise InputError(
                f'{where}: the coordinate {value:g} is far outside of the picture, which has '
                f'{picture.width} x {picture.height} pixels. Correct it, or use the picture that '
                'was annotated.'
            )


def _add(picture: Picture, thing: Thing, where: str, notes: Notes) -> None:
    if thing in picture.things:
        notes.add('objects that are there twice, taken once', where)
        return
    picture.things[thing] = None
