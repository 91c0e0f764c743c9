"""The analyses of trained models by name: what each shows and what it needs.

An analysis is two functions of a module of this folder, with a suffix where it has several:

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

``subject`` is a :class:`~vitbackbones.results.analysis.subject.Subject`,
``options`` the command line.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from matplotlib.figure import Figure


@dataclass(frozen=True)
class Analysis:
    """An entry of the table.

    Attributes:
        help: one line for the command line.
        needs: ``'images'``, ``'model'`` or ``'work dirs'``, see above.
        module: the file of this folder that does it.
        suffix: of the names of its functions, in a module of several analyses.
    """

    help: str
    needs: str
    module: str
    suffix: str = ''

    @property
    def measure(self) -> Callable[..., list[dict]]:
        """Return the function that measures; the module is imported when it is asked for."""
        return getattr(import_module(f'.{self.module}', __package__), f'measure{self.suffix}')

    @property
    def draw(self) -> Callable[..., Figure]:
        """Return the function that draws."""
        return getattr(import_module(f'.{self.module}', __package__), f'draw{self.suffix}')


ANALYSES = {
    'diversity': Analysis(
        'how far the tokens of an image are from all being alike, block by block',
        'images',
        'diversity',
        '_diversity',
    ),
    'similarity': Analysis(
        'cosines between all pairs of tokens after chosen blocks',
        'images',
        'diversity',
        '_similarity',
    ),
    'subspaces': Analysis(
        'how much the projections Q, K, V, P, W of a head read the same subspace',
        'model',
        'subspaces',
    ),
    'norms': Analysis('mean length of the tokens, block by block', 'images', 'diversity', '_norms'),
    'maps': Analysis('channels of the tokens as maps, and their mean, per pass', 'images', 'maps'),
    'attention': Analysis('where the attention of chosen blocks looks', 'images', 'attention_maps'),
    'pixels': Analysis('pixel tokens of TNT laid out as an image', 'images', 'maps', '_pixels'),
    'tsne': Analysis('channel maps of a block as points of a plane (t-SNE)', 'images', 'tsne'),
    'complexity': Analysis('multiply-adds of one image by part', 'model', 'cost_by_part'),
    'coefficients': Analysis(
        'learned shortcut coefficients over the epochs', 'work dirs', 'coefficients'
    ),
    'curves': Analysis('losses, rates and metrics of runs', 'work dirs', 'curves'),
}
