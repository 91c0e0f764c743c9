"""What models that have not seen a picture say of its labels."""

from typing import NamedTuple


class Suspicion(NamedTuple):
    """A place where a label is likely to be wrong, and what is suggested.

    Attributes:
        likelihood: from 0 to 1.
        picture: its number.
        kind: ``'missing'``, ``'spurious'``, ``'class'``, ``'loose'`` or ``'mask'``.
        label: the id of the label; None where one is missing.
        box: that is suggested, or the label's: x, y, width, height in pixels.
        category: that is suggested, or the label's, from 0.
        reason: in words.
        outlines: of a region of a mask, each x, y, x, y ... in pixels.
    """

    likelihood: float
    picture: int
    kind: str
    label: int | str | None
    box: tuple[float, ...]
    category: int
    reason: str
    outlines: tuple[tuple[int, ...], ...] = ()
