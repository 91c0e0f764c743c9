"""Times DETR's transformer, mmdet's against this project's, in one run.

    python tools/benchmark_detr.py [--out detr.csv]

Both hold the same weights and get the same feature map, without padding. 1050 tokens are an
800 x 1333 image at stride 32, 4200 the same image at stride 16, where score matrices are 16 times
as large. Times are medians of interleaved repeats; memory is the peak of one step above what was
there before it (CUDA: the allocator's; CPU: torch's profiler). On a CPU the fused kernel has no
dropout: training at the config's 0.1 gains nothing there, --no-dropout shows the kernel.
"""

import argparse
import copy
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import torch
from torch import Tensor, nn

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import vitbackbones  # noqa: E402, F401  (prepares OpenMMLab, before mmdet is imported)

# isort: split
from mmdet.registry import MODELS  # noqa: E402
from mmdet.structures import DetDataSample  # noqa: E402
from mmdet.utils import register_all_modules  # noqa: E402
from mmengine.config import Config  # noqa: E402

from vitbackbones.benchmarking.timing import compare, report  # noqa: E402

GRIDS = {1050: (25, 42), 4200: (50, 84)}  # tokens: (h, w)
KINDS = {'mmdet': 'DETR', 'vitbackbones': 'vitbackbones.DETR'}


def build_pair(dropout: bool, device: torch.device) -> dict[str, nn.Module]:
    """The DETR of the configs in both forms, with the same weights."""
    config = Config.fromfile(ROOT / 'configs/_base_/models/detr.py')
    config.model.backbone = {'type': 'ResNet', 'depth': 18, 'out_indices': (3,)}  # never run
    config.model.neck.in_channels = [512]
    models = {}
    for name, kind in KINDS.items():
        torch.manual_seed(0)
        config.model.type = kind
        models[name] = MODELS.build(copy.deepcopy(config.model)).to(device)
        if not dropout:
            remove_dropout(models[name])
    return models


def remove_dropout(model: nn.Module) -> None:
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.0
        if isinstance(module, nn.MultiheadAttention):
            module.dropout = 0.0


def make_step(model: nn.Module, grid: tuple[int, int], batch: int, train: bool) -> Callable:
    """A function that runs encoder and decoder on a map (batch, 256, h, w), and back if train."""
    device = next(model.parameters()).device
    generator = torch.Generator().manual_seed(0)
    feature = torch.randn(batch, 256, *grid, generator=generator).to(device)
    shape = tuple(32 * side for side in grid)
    sample = DetDataSample(metainfo={'img_shape': shape, 'batch_input_shape': shape})

    def step() -> Tensor:
        with torch.set_grad_enabled(train):
            hidden = model.forward_transformer((feature,), [sample] * batch)['hidden_states']
        if train:
            model.zero_grad()
            hidden.square().mean().backward()
        return hidden

    model.train(train)
    return step


def measure(options: argparse.Namespace) -> Iterator[dict]:
    """Yields a row of the table for every case and form."""
    device = torch.device(options.device)
    models = build_pair(not options.no_dropout, device)
    for tokens in options.tokens:
        for batch in options.batch:
            for mode in options.modes:
                steps = {
                    name: make_step(model, GRIDS[tokens], batch, mode == 'train')
                    for name, model in models.items()
                }
                case = {'tokens': tokens, 'batch': batch, 'mode': mode}
                for row in compare(steps, device, options.repeats):
                    yield case | row


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    device = 'cuda' if torch.cuda.is_available() else 'cpu'
    parser.add_argument('--device', default=device, help='default: %(default)s')
    parser.add_argument('--tokens', type=int, nargs='+', choices=GRIDS, default=list(GRIDS))
    parser.add_argument('--batch', type=int, nargs='+', default=[1, 2])
    parser.add_argument('--modes', nargs='+', choices=('eval', 'train'), default=['eval', 'train'])
    parser.add_argument(
        '--no-dropout', action='store_true', help="not the config's 0.1 in training"
    )
    parser.add_argument('--repeats', type=int, default=7)
    parser.add_argument('--out', help='CSV file to write')
    return parser.parse_args()


def main() -> None:
    options = parse_arguments()
    register_all_modules(init_default_scope=True)
    report(measure(options), options.out)


if __name__ == '__main__':
    main()
