"""Channel maps of a block as points of a plane, by t-SNE (TNT, Fig. 4b).

Each channel of the patch tokens is a point: its values at all patches of all images. Channels that
respond alike lie together; the paper reads from it how varied they are. scikit-learn's t-SNE, from
the first two principal components, always with the same draws. Distances between far points and
the units of the axes mean nothing.
"""

import torch
from matplotlib.figure import Figure
from sklearn.manifold import TSNE

from .plots import COLORS, grouped, hide, label, new_figure
from .reading import choose_blocks, find_blocks
from .subject import Subject, read_images

PERPLEXITY = 30.0


def measure(subject: Subject, options) -> list[dict]:
    """Return a row for each channel and chosen block, by default the last.

    Raises:
        InputError: a block is unknown.
    """
    last = [len(find_blocks(subject.model))]
    chosen = choose_blocks(subject.model, options.blocks or last)
    parts: dict[int, list[torch.Tensor]] = {block: [] for block in chosen}
    for found in read_images(subject):
        latest = {place.block: place.patches[0] for place in found.tokens}  # the last pass
        for block in chosen:
            parts[block].append(latest[block].float().cpu())  # (h * w, C)
    return [
        {'block': block, 'channel': channel, 'x': x, 'y': y}
        for block in chosen
        for channel, (x, y) in enumerate(embed(torch.cat(parts[block]).T))
    ]


def embed(points: torch.Tensor) -> list[list[float]]:
    """Return the places (C, 2) of points (C, values)."""
    perplexity = min(PERPLEXITY, (len(points) - 1) / 3)
    return TSNE(2, perplexity=perplexity, init='pca', random_state=0).fit_transform(points).tolist()


def draw(rows: list[dict], photos=()) -> Figure:
    """Draw a panel for each model (columns) and block (rows)."""
    models = {model: grouped(own, 'block') for model, own in grouped(rows, 'model').items()}
    figure, axes = new_figure(max(map(len, models.values())), len(models), (3.4, 3.2))
    for number, ((model, blocks), column) in enumerate(zip(models.items(), axes.T, strict=True)):
        hide(column[len(blocks) :])
        for (block, own), panel in zip(blocks.items(), column, strict=False):
            places = ([row[axis] for row in own] for axis in 'xy')
            panel.scatter(*places, s=8, color=COLORS[number % len(COLORS)], alpha=0.7)
            title = f'{model}\nblock {block}, {len(own)} channels'
            label(panel, title, 't-SNE axis 1 (no unit)', 't-SNE axis 2 (no unit)')
    return figure
