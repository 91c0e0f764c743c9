"""The loss around the trained weights (SReT, Fig. 9, after Li et al., "Visualizing the Loss
Landscape of Neural Nets", NeurIPS 2018):

    L(theta + a delta + b eta)        for a and b from -1 to 1.

delta and eta are random and filter-normalized: each filter, a row of a weight, is as long as the
filter of theta in its place. So networks whose weights differ in scale can be compared. Weights of
one dimension (norms, coefficients), biases and what training does not change stay as they are.

The loss is the model's own, in eval mode: BatchNorms keep their statistics, and nothing is dropped
or mixed. :mod:`.landscape_data` says on which images. Each point is written as soon as it is known
(:mod:`.landscape_points`).
"""

import copy
import re
import zlib
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import torch
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from torch import Tensor, nn
from tqdm import tqdm

from ..errors import InputError
from .landscape_data import load_batches
from .landscape_points import Points
from .plots import SEQUENTIAL, label, unique
from .subject import Subject

LEVELS = 24  # of the contours, at most
FACTOR = 30  # between the least and the largest loss, from which the picture shows its logarithm

# ------------------------------------------------------------------------ the weights


def make_direction(model: nn.Module, generator: torch.Generator) -> dict[str, Tensor]:
    """Return a filter-normalized random direction, by the names of the parameters that it moves.

    Args:
        model: any network.
        generator: of the CPU, so that a direction is the same on every device.
    """
    moved = {
        name: weight.detach()
        for name, weight in model.named_parameters()
        if weight.requires_grad and weight.ndim > 1 and not name.endswith('bias')
    }
    return {name: _as_long(weight, generator) for name, weight in moved.items()}


def _as_long(weight: Tensor, generator: torch.Generator) -> Tensor:
    """Return random filters, each as long as the one of ``weight`` (filters, ...) in its place."""
    noise = torch.randn(weight.shape, generator=generator).to(weight)
    lengths, wanted = (each.flatten(1).norm(dim=1) for each in (noise, weight))  # (filters,)
    return noise * (wanted / lengths).view(-1, *[1] * (weight.ndim - 1))


@contextmanager
def movable(model: nn.Module, seed: int) -> Iterator[Callable[[float, float], None]]:
    """Give ``move(a, b)``, which sets the weights of ``model`` to theta + a delta + b eta.

    At the end of the block they are theta again, to the bit.

    Args:
        model: any network.
        seed: of the two directions.
    """
    generator = torch.Generator().manual_seed(seed)
    delta, eta = make_direction(model, generator), make_direction(model, generator)
    weights = {name: weight for name, weight in model.named_parameters() if name in delta}
    theta = {name: weight.detach().clone() for name, weight in weights.items()}

    @torch.no_grad()
    def move(a: float, b: float) -> None:
        for name, weight in weights.items():
            weight.copy_(theta[name] + a * delta[name] + b * eta[name])

    try:
        yield move
    finally:
        with torch.no_grad():
            for name, weight in weights.items():
                weight.copy_(theta[name])


@torch.no_grad()
def mean_loss(model: nn.Module, batches: Sequence[dict]) -> float:
    """Return the mean loss of a toolbox's model in eval mode over all images of ``batches``."""
    losses, images = [], []
    for batch in batches:
        data = model.data_preprocessor(copy.deepcopy(batch), False)
        loss, _ = model.parse_losses(model(**data, mode='loss'))
        losses.append(loss.item())
        images.append(_images(batch))
    return float(np.average(losses, weights=images))


def _images(batch: dict) -> int:
    return len(next(iter(batch.values())))


# ------------------------------------------------------------------------ the analysis


def measure(subject: Subject, options: Namespace) -> list[dict]:
    """Return one row per point: ``a``, ``b`` and ``loss``, which may be infinite or NaN.

    Args:
        subject: a model with its config.
        options: ``points`` a side, ``samples``, ``seed`` of the directions, ``out``, the folder of
            the points, and ``resume`` or ``overwrite`` those that are there.

    Raises:
        InputError: ``points`` is even; the config has no data to evaluate on; there are points
            already, or those to go on with were made with other settings.
    """
    if options.points % 2 == 0:
        raise InputError(f'--points {options.points}: an odd number has the weights at its center')
    batches = load_batches(subject.config, options.samples)
    points = _open_points(subject, options)
    steps = np.linspace(-1, 1, options.points).tolist()
    places = [(a, b) for a in steps for b in steps]
    missing = [place for place in places if place not in points.losses]
    images = sum(map(_images, batches))
    print(
        f'{subject.name}: {len(missing)} of {len(places)} points are missing; a loss is the mean '
        f'over {images} images of val_dataloader, without augmentation'
    )
    progress = {'initial': len(places) - len(missing), 'total': len(places), 'disable': None}
    with movable(subject.model, options.seed) as move:
        for a, b in tqdm(missing, subject.name, unit='point', leave=False, **progress):
            move(a, b)
            points.add(a, b, mean_loss(subject.model, batches))
    return [{'a': a, 'b': b, 'loss': points.losses[a, b]} for a, b in places]


def _open_points(subject: Subject, options: Namespace) -> Points:
    name = re.sub(r'[^-.=()\w]+', '_', subject.name)  # which may have a path in it
    path = Path(options.out, f'landscape-{name}.csv')
    if options.overwrite:
        path.unlink(missing_ok=True)
    return Points(path, _settings(subject, options), options.resume)


def _settings(subject: Subject, options: Namespace) -> dict:
    """Return what the loss of a point depends on, by the names that a user knows."""
    weights = 0
    for name, tensor in subject.model.state_dict().items():
        content = tensor.detach().cpu().contiguous().flatten().view(torch.uint8).numpy()
        weights = zlib.crc32(content, zlib.crc32(name.encode(), weights))
    config = subject.config
    return {
        'model': zlib.crc32(repr(config.model).encode()),
        'val_dataloader': zlib.crc32(repr(config.val_dataloader).encode()),
        'checkpoint': weights,
        '--points': options.points,
        '--samples': options.samples,
        '--seed': options.seed,
    }


# ------------------------------------------------------------------------ the picture


def draw(rows: Sequence[dict]) -> Figure:
    """Draw contours and surface of each model, all in one scale.

    Args:
        rows: of :func:`measure`, each with its ``model``.

    Raises:
        InputError: no loss is finite.
    """
    models = unique(rows, 'model')
    figure = Figure((9.5, 4.3 * len(models)), layout='constrained', dpi=110)
    logarithm, levels = _scale([row['loss'] for row in rows])
    name = 'log10 of the loss' if logarithm else 'loss'
    colors = {'cmap': SEQUENTIAL, 'vmin': levels[0], 'vmax': levels[-1]}
    for number, model in enumerate(models):
        a, b, loss = _grid([row for row in rows if row['model'] == model])
        height = np.ma.masked_invalid(np.log10(loss) if logarithm else loss)
        flat = figure.add_subplot(len(models), 2, 2 * number + 1)
        filled = flat.contourf(a, b, height, levels, **colors)
        lines = flat.contour(a, b, height, levels[::4], colors='white', linewidths=0.7)
        flat.clabel(lines, fontsize=8)
        flat.plot(0, 0, 'r+')
        flat.set_aspect('equal')
        label(flat, model, 'a', 'b')
        raised = figure.add_subplot(len(models), 2, 2 * number + 2, projection='3d')
        raised.plot_surface(a, b, height, rstride=1, cstride=1, **colors)
        raised.set_zlim(levels[0], levels[-1])
        label(raised, f'loss at the weights: {loss[len(loss) // 2, len(loss) // 2]:.4g}', 'a', 'b')
        figure.colorbar(filled, ax=raised, label=name, shrink=0.7, pad=0.1)
    return figure


def _scale(losses: Sequence[float]) -> tuple[bool, np.ndarray]:
    """Return whether the logarithm is shown, and the levels of the contours."""
    finite = np.array([loss for loss in losses if np.isfinite(loss)])
    if not finite.size:
        raise InputError('the loss is finite at no point; was the checkpoint of a diverged run?')
    logarithm = bool(0 < FACTOR * finite.min() < finite.max())
    shown = np.log10(finite) if logarithm else finite
    return logarithm, MaxNLocator(LEVELS).tick_values(shown.min(), shown.max())


def _grid(rows: Sequence[dict]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Lay the points of a model out as three matrices: a, b and the loss."""
    side = len(unique(rows, 'a'))
    columns = ([row[key] for row in rows] for key in ('a', 'b', 'loss'))
    return tuple(np.reshape(column, (side, side)) for column in columns)
