"""The loss around the trained weights of a config (SReT, Fig. 9, after Li et al., "Visualizing the
Loss Landscape of Neural Nets", NeurIPS 2018):

    L(theta + a delta + b eta)        for a and b from -1 to 1.

delta and eta are random and filter-normalized: each filter, a row of a weight, is as long as the
filter of theta in its place. So networks whose weights differ in scale can be compared. Weights of
one dimension (norms, coefficients), biases and what training does not change stay as they are.

The loss is the model's own, in eval mode, on images of the config's validation data: BatchNorms
keep their statistics, and nothing is dropped or mixed. Run it in the root of a clone:

    python -m examples.landscape CONFIG CHECKPOINT --out out

It writes out/landscape.csv, each point as soon as it is known, and out/landscape.png. The same
command continues a landscape that was stopped.
"""

import copy
import json
import sys
import zlib
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import numpy as np
import torch
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from mmengine.config import Config
from mmengine.registry import DATASETS, init_default_scope
from mmengine.runner import Runner
from torch import Tensor, nn
from torch.utils.data import Subset
from tqdm import tqdm

from vitbackbones.analysis.plots import label
from vitbackbones.commands.cli import add_shared, count
from vitbackbones.commands.ending import run
from vitbackbones.configuration.data_paths import locate_data
from vitbackbones.errors import InputError
from vitbackbones.inference.configured import read_model_config
from vitbackbones.preparing.data_sets import check_data
from vitbackbones.preparing.explain import explained
from vitbackbones.registry import bare_name
from vitbackbones.tasks.predictor import Predictor
from vitbackbones.training.distributed import choose_device
from vitbackbones.training.find_checkpoint import choose_checkpoint
from vitbackbones.utils.files import folder_lock, prepare_folder
from vitbackbones.utils.messages import show_warnings

LEVELS = 24  # of the contours, at most
FACTOR = 30  # between the least and the largest loss, from which the picture shows its logarithm

# ------------------------------------------------------------------------ the weights


def make_direction(model: nn.Module, generator: torch.Generator) -> dict[str, Tensor]:
    """Return a filter-normalized random direction, by the names of the parameters that it moves.

    Args:
        model: any network.
        generator: of the CPU, so that a direction is the same on every device.
    """
    direction = {}
    for name, weight in model.named_parameters():
        if weight.requires_grad and weight.ndim > 1 and not name.endswith('bias'):
            noise = torch.randn(weight.shape, generator=generator).to(weight)
            filters = [each.detach().flatten(1) for each in (noise, weight)]  # (filters, values)
            noise_lengths, lengths = (each.norm(dim=1) for each in filters)
            direction[name] = noise * (lengths / noise_lengths).view(-1, *[1] * (weight.ndim - 1))
    return direction


@contextmanager
def movable(model: nn.Module, seed: int) -> Iterator[Callable[[float, float], None]]:
    """Give ``move(a, b)``, which sets the weights of ``model`` to theta + a delta + b eta.

    At the end of the block they are theta again, to the bit.
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
        images.append(len(next(iter(batch.values()))))
    return float(np.average(losses, weights=images))


# ------------------------------------------------------------------------ the images


def load_batches(config: Config, samples: int) -> list[dict]:
    """Return the batches of ``samples`` images spread over the validation data, or of all.

    They are prepared as for validation, so nothing is random. But annotations are loaded before
    the image is resized, so that boxes and masks follow it; toolboxes load them after that for
    validation, whose metrics compare at the original size.

    Raises:
        InputError: the config has no ``val_dataloader``.
    """
    if not config.get('val_dataloader'):
        raise InputError(f'{config.filename}: has no val_dataloader, on which the loss is measured')
    init_default_scope(config.get('default_scope') or 'mmengine')
    given = config.val_dataloader
    dataset = DATASETS.build(_with_annotations_first(given['dataset']))
    if hasattr(dataset, 'full_init'):  # mmengine's, which may load its list of files late
        dataset.full_init()
    chosen = np.linspace(0, len(dataset) - 1, min(samples, len(dataset))).round().astype(int)
    loader = {key: given[key] for key in ('batch_size', 'collate_fn') if key in given}
    loader |= {'dataset': Subset(dataset, chosen.tolist()), 'sampler': None}
    return list(Runner.build_dataloader(loader))


def _with_annotations_first(node):
    """Return the config of a data set whose pipelines load annotations right after the image."""
    if isinstance(node, list):
        return [_with_annotations_first(part) for part in node]
    if not isinstance(node, dict):
        return node
    changed = {key: _with_annotations_first(value) for key, value in node.items()}
    if 'pipeline' in changed:
        changed['pipeline'] = sorted(changed['pipeline'], key=_turn)
    return changed


def _turn(transform: dict) -> int:
    """Return which of three turns a transform has; those of one turn stay in their order."""
    name = bare_name(transform['type'])
    if name.startswith('LoadImage'):
        return 0
    return 1 if name.startswith(('LoadAnnotations', 'LoadMask')) else 2


# ------------------------------------------------------------------------ the points


def measure(
    model: nn.Module, batches: Sequence[dict], points: int, seed: int, file: Path, settings: dict
) -> np.ndarray:
    """Return the losses (points, points); rows are a, columns b. They may be infinite or NaN.

    Points that ``file`` has are not measured again; each new one is written as soon as it is known.

    Raises:
        InputError: ``file`` was started with other settings.
    """
    head = f'# {json.dumps(settings | {"points": points, "seed": seed})}\na,b,loss\n'
    known = _read(file, head) if file.exists() else {}
    lines = [f'{a!r},{b!r},{loss!r}\n' for (a, b), loss in known.items()]
    file.write_text(head + ''.join(lines))
    steps = np.linspace(-1, 1, points).tolist()
    places = [(a, b) for a in steps for b in steps]
    missing = [place for place in places if place not in known]
    print(f'{len(missing)} of {len(places)} points are missing')
    with movable(model, seed) as move, open(file, 'a', buffering=1) as table:
        for a, b in tqdm(missing, unit='point', leave=False, disable=None):
            move(a, b)
            known[a, b] = mean_loss(model, batches)
            table.write(f'{a!r},{b!r},{known[a, b]!r}\n')
    return np.reshape([known[place] for place in places], (points, points))


def _read(file: Path, head: str) -> dict[tuple[float, float], float]:
    text = file.read_text()
    if not text.startswith(head):
        raise InputError(f'{file} was started with other settings; choose another --out')
    whole = text.removeprefix(head).split('\n')[:-1]  # a kill may cut the last line short
    numbers = [tuple(map(float, line.split(','))) for line in whole]
    return {(a, b): loss for a, b, loss in numbers}


def checksum(model: nn.Module) -> int:
    """Return a number that another checkpoint does not share."""
    total = 0
    for name, tensor in model.state_dict().items():
        content = tensor.detach().cpu().contiguous().flatten().view(torch.uint8).numpy()
        total = zlib.crc32(content, zlib.crc32(name.encode(), total))
    return total


# ------------------------------------------------------------------------ the picture


def draw(loss: np.ndarray) -> Figure:
    """Draw contours and surface of losses (points, points); rows are a, columns b.

    Raises:
        InputError: no loss is finite.
    """
    finite = loss[np.isfinite(loss)]
    if not finite.size:
        raise InputError('the loss is finite at no point; was the checkpoint of a diverged run?')
    logarithm = 0 < FACTOR * finite.min() < finite.max()
    height = np.ma.masked_invalid(np.log10(loss) if logarithm else loss)
    levels = MaxNLocator(LEVELS).tick_values(height.min(), height.max())
    colors = {'cmap': 'viridis', 'vmin': levels[0], 'vmax': levels[-1]}
    a, b = np.meshgrid(*[np.linspace(-1, 1, len(loss))] * 2, indexing='ij')
    figure = Figure((9.5, 4.3), layout='constrained', dpi=110)
    flat = figure.add_subplot(1, 2, 1)
    flat.contourf(a, b, height, levels, **colors)
    lines = flat.contour(a, b, height, levels[::4], colors='white', linewidths=0.7)
    flat.clabel(lines, fontsize=8)
    flat.plot(0, 0, 'r+')
    flat.set_aspect('equal')
    label(flat, f'loss at the weights: {loss[len(loss) // 2, len(loss) // 2]:.4g}', 'a', 'b')
    raised = figure.add_subplot(1, 2, 2, projection='3d')
    surface = raised.plot_surface(a, b, height, rstride=1, cstride=1, **colors)
    raised.set_zlim(levels[0], levels[-1])
    label(raised, '', 'a', 'b')
    name = 'log10 of the loss' if logarithm else 'loss'
    figure.colorbar(surface, ax=raised, label=name, shrink=0.7, pad=0.1)
    return figure


# ------------------------------------------------------------------------ the command


def read_arguments(words: Sequence[str] | None = None) -> Namespace:
    """Read the command line."""
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    add = parser.add_argument
    add_shared(add, 'config', 'checkpoint')
    add('--out', required=True, metavar='DIR', help='folder for the table and the figure')
    side = 'of a side, an odd number; its square is measured (default: 21)'
    add('--points', type=count, default=21, metavar='N', help=side)
    add('--samples', type=count, default=64, metavar='N', help='images (default: 64)')
    add('--seed', type=int, default=0, help='of the two directions (default: 0)')
    add_shared(add, '--data-root', '--device', '--cfg-options')
    options = parser.parse_args(words)
    if options.points % 2 == 0:
        parser.error('--points: an odd number has the weights at its center')
    return options


def main(options: Namespace) -> None:
    """Do what the head of this file describes."""
    config = read_model_config(options.config, options.cfg_options)
    config = locate_data(config, options.data_root, ('val',))
    show_warnings(check_data(config, ('val',)))
    out = prepare_folder(options.out, '--out')
    with explained(config), folder_lock(out, '--out'):
        checkpoint = choose_checkpoint(options.checkpoint, 'CHECKPOINT')
        model = Predictor(config, checkpoint, choose_device(options.device)).model
        batches = load_batches(config, options.samples)
        data = zlib.crc32(repr(config.val_dataloader).encode())
        settings = {'weights': checksum(model), 'data': data, 'samples': options.samples}
        file = out / 'landscape.csv'
        loss = measure(model, batches, options.points, options.seed, file, settings)
        draw(loss).savefig(out / 'landscape.png', bbox_inches='tight')
    print(f'{file}: {loss.size} points; landscape.png beside it')


if __name__ == '__main__':
    sys.exit(run(partial(main, read_arguments())))
