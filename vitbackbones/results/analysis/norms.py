"""Mean length of the tokens, block by block (MSF, Fig. 4): (1/L) sum_i ||x_i||_2.

The patch tokens x_i of the residual stream, without the class token, after the embedding and
every block. With trained weights it grows with depth under dot-product attention and stays under
mean-shift attention.
"""

from matplotlib.figure import Figure

from .plots import draw_over_depth
from .subject import Subject, mean_by_place


def measure(subject: Subject, options) -> list[dict]:
    """Return the mean norm at every place, the mean over the images."""
    return mean_by_place(subject, lambda tokens: {'norm': tokens.norm(dim=1).mean().item()})


def draw(rows: list[dict], photos=()) -> Figure:
    """Draw it over the depth."""
    return draw_over_depth(rows, {'norm': ('Length of the tokens', 'mean L2 norm')})
