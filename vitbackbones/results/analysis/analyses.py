"""The analyses by name: what each shows, what it needs, and its two functions.

``measure`` returns the rows of one model, or of one work dir; all have the same keys. ``draw`` gets
those of all, each with the key ``model``, the name in the legend. What needs images has
``measure(subject, options)``, with the command line, and ``draw(rows, photos)``; what needs work
dirs ``measure(work_dir)`` and ``draw(rows)``.
"""

from collections.abc import Callable
from typing import NamedTuple

from matplotlib.figure import Figure

from . import attention_maps, curves, diversity


class Analysis(NamedTuple):
    """An entry of the table: one line for the command line, what it needs, and its functions."""

    help: str
    needs: str
    measure: Callable[..., list[dict]]
    draw: Callable[..., Figure]


ANALYSES = {
    'diversity': Analysis(
        'how far the tokens of an image are from all being alike, block by block',
        'images',
        diversity.measure_diversity,
        diversity.draw_diversity,
    ),
    'norms': Analysis(
        'mean length of the tokens, block by block',
        'images',
        diversity.measure_norms,
        diversity.draw_norms,
    ),
    'attention': Analysis(
        'where the attention of chosen blocks looks',
        'images',
        attention_maps.measure,
        attention_maps.draw,
    ),
    'curves': Analysis(
        'losses, rates and metrics of runs', 'work dirs', curves.measure, curves.draw
    ),
}
