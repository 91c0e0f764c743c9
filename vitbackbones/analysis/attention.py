"""Where the attention of chosen blocks looks, laid over the photograph.

With a class token: the weights of the patches for the class token as query. Without one: the mean
weight of each patch over all queries, the attention that it receives. Both are means over the
heads. Keys of a spatially reduced attention (PVT) stand for their area of the image; the patches
of shifted windows (Swin) and slices (SReT) are put back in their places, and see only the queries
of their own window or slice. Inner attention of TNT, among the pixels of a patch, is left out.

Weights are recomputed from the attention's own q and k (``attention.weights``), because the fused
kernel does not show them.
"""

import math

import torch
from matplotlib.figure import Figure
from torch import Tensor

from ..backbones.swin import WindowBlock
from ..errors import InputError
from .plots import as_matrix, grouped, hide, new_figure, plain_picture
from .reading import Grid, Weights, choose_blocks
from .subject import Subject, read_images

INNER = 'inner'  # the name of the block on pixels in a block of TNT


def measure(subject: Subject, options) -> list[dict]:
    """Return a row for each patch (or key), block, pass and image.

    Raises:
        InputError: a block is unknown or has no attention that tells its weights.
    """
    chosen = choose_blocks(subject.model, options.blocks)
    rows = []
    for number, found in enumerate(read_images(subject, chosen, options.pictures), 1):
        calls = [call for call in found.attention if not call.name.startswith(INNER)]
        if silent := set(chosen) - {call.block for call in calls}:
            raise InputError(
                f'{subject.name}: block {min(silent)} has no attention that tells its weights '
                '(a method weights(x, context, bias))'
            )
        rows += [row for call in calls for row in _rows(call, number)]
    return rows


def _rows(call: Weights, image: int) -> list[dict]:
    query, values = looked_at(call)
    place = {'image': image, 'block': call.block, 'pass': call.turn, 'query': query}
    return [
        {**place, 'y': y, 'x': x, 'value': value}
        for y, line in enumerate(values.tolist())
        for x, value in enumerate(line)
    ]


def looked_at(call: Weights) -> tuple[str, Tensor]:
    """Return which query asks, ``'class token'`` or ``'all'``, and the weights as a map (h, w).

    Raises:
        InputError: the keys are no grid.
    """
    if isinstance(call.module, WindowBlock):
        return 'all', _received_in_windows(call)
    weights = call.values[0].float().mean(0)  # (L, S), the mean over the heads
    queries, keys = weights.shape
    patches = queries if call.grid is None else math.prod(call.grid)
    grid = _key_grid(call.grid, min(keys, patches))
    if grid is None:
        raise InputError(f'block {call.block}: its {keys} keys are not known to be a grid')
    asked = queries > patches and keys == queries
    line = weights[0] if asked else weights.mean(0)
    return 'class token' if asked else 'all', line[-math.prod(grid) :].unflatten(0, grid).cpu()


def _key_grid(grid: Grid | None, keys: int) -> Grid | None:
    """Return the (h, w) of keys that lie on a grid, or on one of the same shape but coarser."""
    if grid is None or math.prod(grid) == keys:
        return grid
    height = max(round(math.sqrt(keys * grid[0] / grid[1])), 1)
    return (height, keys // height) if keys % height == 0 else None


def _received_in_windows(call: Weights) -> Tensor:
    """Return what each patch receives (h, w) from the queries of its window.

    The block itself puts windows back in place: it runs once more with an attention that answers
    each token with what that one receives.
    """
    received = call.values.mean((1, 2))[..., None]  # (windows, M * M, 1), over heads and queries

    def answer(attention, inputs: tuple, output: Tensor) -> Tensor:
        return received.expand_as(output)

    block, (tokens, grid, *_) = call.module, call.inputs
    handle = block.attn.register_forward_hook(answer)
    try:
        with torch.no_grad():
            attended = block.attend(block.norm1(tokens), grid)  # (N, h * w, C)
    finally:
        handle.remove()
    return attended[0, :, 0].unflatten(0, tuple(grid)).float().cpu()


def draw(rows: list[dict], photos: dict[str, list]) -> Figure:
    """Draw a row of panels for each model and image: the photograph, and a map for each block."""
    lines = {
        line: grouped(own, 'block', 'pass')
        for line, own in grouped(rows, 'model', 'image', 'query').items()
    }
    figure, axes = new_figure(len(lines), 1 + max(map(len, lines.values())), (1.9, 2.15))
    for ((model, image, query), places), panels in zip(lines.items(), axes, strict=True):
        photo = photos[model][image - 1]
        plain_picture(panels[0], photo, f'{model}\nquery: {query}')
        hide(panels[1 + len(places) :])
        for ((block, turn), own), panel in zip(places.items(), panels[1:], strict=False):
            plain_picture(panel, photo, f'block {block}, pass {turn}')
            extent = (-0.5, photo.shape[1] - 0.5, photo.shape[0] - 0.5, -0.5)
            panel.imshow(as_matrix(own), cmap='inferno', alpha=0.6, extent=extent)
    return figure
