"""One place of a data set at which a label is likely to be wrong."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Suspicion:
    """What is wrong, where, and what is suggested.

    Attributes:
        likelihood: from 0 to 1.
        picture: its number.
        kind: ``'missing'``, ``'spurious'``, ``'class'``, ``'loose'`` or ``'mask'``.
        label: the number of the label in its picture; None where one is missing.
        box: that is suggested, or the label's: x1, y1, x2, y2 in pixels.
        category: that is suggested, or the label's, from 0.
        reason: in words.
        outlines: of a region of a mask, each x, y, x, y ... in pixels.
    """

    picture: int
    kind: str
    likelihood: float
    label: int | None
    box: tuple[float, ...]
    category: int
    reason: str
    outlines: tuple[tuple[int, ...], ...] = ()
