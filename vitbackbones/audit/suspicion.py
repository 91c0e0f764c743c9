"""One entry in the list of an audit."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Suspicion:
    """A label that is likely to be wrong, or missing, and what is suggested in its place.

    Attributes:
        likelihood: that the label is wrong, from 0 to 1.
        image: row of the image in the pool.
        fault: ``'missing'``, ``'spurious'``, ``'class'``, ``'loose'``, ``'outline'`` or
            ``'mask'``.
        label_id: id of the label in the pool; None if a label is missing.
        box: the suggested box, or the label's: x, y, width, height in pixels.
        category: the suggested class, or the label's, from 0.
        reason: one phrase for the reader of the list.
        outlines: polygons of a region of a mask, or the suggested ones of an object, each
            x, y, x, y ... in pixels.
    """

    likelihood: float
    image: int
    fault: str
    label_id: int | str | None
    box: tuple[float, ...]
    category: int
    reason: str
    outlines: tuple[tuple[float, ...], ...] = ()
