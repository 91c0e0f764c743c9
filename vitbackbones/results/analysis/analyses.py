"""The analyses of trained models by name: what each shows and what it needs.

An analysis is two functions of a module of this folder:

* ``measure(...) -> list[dict]``: the numbers of one model (or one work dir), one dict per row of
  the table. All rows have the same keys.
* ``draw(rows, ...) -> matplotlib.figure.Figure``: the picture of the rows of all models. Every row
  has got one more key, ``model``: the name in the legend.

What both are given depends on ``needs``:

=============  ===============================  =================================================
``needs``      ``measure``                      ``draw``
=============  ===============================  =================================================
``images``     ``(subject, options)``           ``(rows, photos)``
``model``      ``(subject, options)``           ``(rows)``
``work dirs``  ``(work_dir)``                   ``(rows)``
=============  ===============================  =================================================

``subject`` is a :class:`~vitbackbones.results.analysis.reading.Subject`,
``options`` the command line.
"""

from collections.abc import Callable
from typing import NamedTuple

from matplotlib.figure import Figure

from . import attention_maps, cost_by_part, curves, diversity


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
    'similarity': Analysis(
        'cosines between all pairs of tokens after chosen blocks',
        'images',
        diversity.measure_similarity,
        diversity.draw_similarity,
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
    'complexity': Analysis(
        'multiply-adds of one image by part', 'model', cost_by_part.measure, cost_by_part.draw
    ),
    'curves': Analysis(
        'losses, rates and metrics of runs', 'work dirs', curves.measure, curves.draw
    ),
}
