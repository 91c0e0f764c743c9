"""Precision over recall, drawn: a panel for each IoU, a line for each class, their mean in bold."""

import warnings
from collections.abc import Mapping, Sequence
from io import BytesIO

import numpy as np
from matplotlib import rc_context
from matplotlib.figure import Figure

from ...errors import printable
from ..analysis.plots import label, new_figure, style_of
from .elements import Picture

NAMED = 7  # classes with a style of their own; of more, the worst
STEP = 12  # markers stand at every twelfth recall


def draw_curves(
    panels: Mapping[str, np.ndarray], recalls: np.ndarray, classes: Sequence[str]
) -> Picture:
    """Draw precisions (C, R) by title, NaN for a class without objects, over recalls (R,)."""
    figure, axes = new_figure(1, len(panels), (4.6, 4.0))
    for (title, lines), panel in zip(panels.items(), axes[0], strict=True):
        means = lines.mean(1)
        known = np.flatnonzero(~np.isnan(means))
        worst = sorted(known[np.argsort(means[known], kind='stable')[:NAMED]])
        for i in {*known} - {*worst}:
            panel.plot(recalls, lines[i], color='0.75', linewidth=0.6)
        for number, i in enumerate(worst):
            text = f'{means[i]:.3f}  {_plain(classes[i])}'  # names may begin with _
            panel.plot(recalls, lines[i], label=text, markevery=STEP, **style_of(number))
        if len(known):
            text = f'{means[known].mean():.3f}  mean'
            panel.plot(recalls, lines[known].mean(0), 'k', linewidth=2.5, label=text)
            panel.legend(fontsize=8, framealpha=0.8)
        panel.set(xlim=(0, 1), ylim=(0, 1.02))
        panel.grid(alpha=0.3)
        label(panel, title, 'recall', 'precision')
    return Picture(content=as_svg(figure), kind='image/svg+xml', title='precision over recall')


def _plain(name: str) -> str:
    """Keep formulas and what SVG cannot hold out of a name, and it from filling the picture."""
    return printable(name if len(name) <= 24 else f'{name[:23]}…').replace('$', r'\$')


def as_svg(figure: Figure) -> bytes:
    """Write a figure with its text as text, for which the reader's fonts have every script."""
    content = BytesIO()
    with rc_context({'svg.fonttype': 'none'}), warnings.catch_warnings():
        warnings.filterwarnings('ignore', 'Glyph', UserWarning)  # missing from matplotlib's font
        figure.savefig(content, format='svg', metadata={'Date': None})
    return content.getvalue()
