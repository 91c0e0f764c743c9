"""Where the attention of chosen blocks looks, laid over the photograph.

Weights are recomputed from the attention's own q and k (``attention.weights``), because the fused
kernel does not show them. Patches of windows and slices see only the queries of their own. The
attention among the pixels of a patch of TNT is left out.
"""

import math

import numpy as np
import torch
from matplotlib.figure import Figure
from torch import Tensor

from vitbackbones.analysis.plots import grouped, label, new_figure
from vitbackbones.backbones.swin import WindowBlock
from vitbackbones.errors import InputError

from .reading import Weights, choose_blocks
from .subjects import Subject

CLASS_TOKEN, ALL = 'class_token', 'all'


def measure(subject: Subject, options) -> list[dict]:
    """Return a row for each patch (or key), block, pass and image.

    Raises:
        InputError: a block is unknown, has no attention that tells its weights, or no class token
            where ``options.query`` asks for it.
    """
    chosen = choose_blocks(subject.model, options.blocks)
    rows = []
    for number, found in enumerate(subject.read(chosen, options.pictures), 1):
        silent = set(chosen) - {call.block for call in found.attention}
        if silent:
            raise InputError(
                f'{subject.name}: block {min(silent)} has no attention that tells its weights '
                '(a method weights(x, context, bias))'
            )
        for call in found.attention:
            query, values = looked_at(call, options.query)
            place = {'image': number, 'block': call.block, 'pass': call.turn, 'query': query}
            for (y, x), value in np.ndenumerate(values.double().numpy()):
                rows.append({**place, 'y': y, 'x': x, 'value': value})
    return rows


def looked_at(call: Weights, query: str | None = None) -> tuple[str, Tensor]:
    """Return which query asks and the weights as a map (h, w).

    Args:
        call: one call of an attention.
        query: :data:`CLASS_TOKEN` or :data:`ALL`; by default the class token where there is one.

    Raises:
        InputError: the keys are no grid, or there is no class token to ask.
    """
    weights = call.values[0].float().mean(0)  # (L, S), the mean over the heads
    queries, keys = weights.shape
    patches = queries if call.grid is None else math.prod(call.grid)
    can_ask = keys == queries > patches and not isinstance(call.module, WindowBlock)
    query = query or (CLASS_TOKEN if can_ask else ALL)
    if query == CLASS_TOKEN and not can_ask:
        raise InputError(
            f'block {call.block}: there is no class token to ask; leave --query out, or ask {ALL}'
        )
    if isinstance(call.module, WindowBlock):
        return query, _received_in_windows(call)
    grid, patch_keys = call.grid, min(keys, patches)
    if grid and math.prod(grid) != patch_keys:  # of a coarser grid of the same shape
        height = max(round(math.sqrt(patch_keys * grid[0] / grid[1])), 1)
        grid = (height, patch_keys // height) if patch_keys % height == 0 else None
    if grid is None:
        raise InputError(f'block {call.block}: its {keys} keys are not known to be a grid')
    line = weights[0] if query == CLASS_TOKEN else weights.mean(0)
    return query, line[-math.prod(grid) :].unflatten(0, grid).cpu()


def _received_in_windows(call: Weights) -> Tensor:
    """Return what each patch receives (h, w) from the queries of its window.

    The block itself puts windows back in place: it runs on zeros, and its attention answers each
    token with what that one receives.
    """
    received = call.values.mean((1, 2))[..., None]  # (windows, M * M, 1), over heads and queries
    block, (h, w) = call.module, call.grid
    tokens = received.new_zeros(1, h * w, len(block.norm1.weight))
    with torch.no_grad(), block.attn.register_forward_hook(lambda *_: received):
        attended = block.attend(tokens, call.grid)  # (1, h * w, 1)
    return attended.view(h, w).float().cpu()


def draw(rows: list[dict], photos: dict[str, list]) -> Figure:
    """Draw a row of panels for each model and image: the photograph, and a map for each block."""
    lines = [
        (line, grouped(own, 'block', 'pass'))
        for line, own in grouped(rows, 'model', 'image', 'query').items()
    ]
    columns = 1 + max(len(panels) for _, panels in lines)
    figure, grid = new_figure(len(lines), columns, (1.9, 2.15))
    for axes in grid.flat:
        axes.set_axis_off()
    for ((model, image, query), panels), (first, *others) in zip(lines, grid, strict=True):
        photo = photos[model][image - 1]
        first.imshow(photo)
        label(first, f'{model}\nquery: {query}')
        for ((block, turn), own), axes in zip(panels.items(), others, strict=False):
            values = np.reshape([row['value'] for row in own], (-1, own[-1]['x'] + 1))  # (h, w)
            extent = (-0.5, photo.shape[1] - 0.5, photo.shape[0] - 0.5, -0.5)
            axes.imshow(photo)
            axes.imshow(values, cmap='inferno', alpha=0.6, extent=extent)
            label(axes, f'block {block}, pass {turn}')
    return figure
