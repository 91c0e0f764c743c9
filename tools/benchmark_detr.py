"""Time DETR's transformer, mmdet's against this project's, in one run.

    python tools/benchmark_detr.py [--out detr.csv]

Both hold the same weights and get the same feature map, without padding. 1050 tokens are an
800 x 1333 image at stride 32, 4200 the same image at stride 16, where score matrices are 16 times
as large. Times are medians of interleaved repeats; memory is the peak of one step above what was
there before it (CUDA: the allocator's; CPU: torch's profiler). On a CPU the fused kernel has no
dropout: training at the config's 0.1 takes some queries at a time, --no-dropout shows the kernel.
"""

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

import torch

sys.path.append(str(Path(__file__).resolve().parents[1]))  # an installed package comes first

from vitbackbones.benchmarking.detr import GRIDS
from vitbackbones.commands.benchmark_detr import benchmark
from vitbackbones.commands.cli import count
from vitbackbones.commands.ending import run

ROOT = Path(__file__).resolve().parents[1]


def parse() -> Namespace:
    parser = ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    device = 'cuda' if torch.cuda.is_available() else 'cpu'
    add('--device', type=torch.device, default=device, help='default: %(default)s')
    add('--tokens', type=int, nargs='+', choices=GRIDS, default=list(GRIDS))
    add('--batch', type=count, nargs='+', default=[1, 2])
    add('--modes', nargs='+', choices=('eval', 'train'), default=['eval', 'train'])
    add('--no-dropout', action='store_true', help="not the config's 0.1 in training")
    add('--repeats', type=count, default=7)
    add('--out', metavar='FILE', help='CSV file to write')
    return parser.parse_args()


def main() -> None:
    benchmark(parse(), ROOT / 'configs' / '_base_' / 'models' / 'detr.py')


if __name__ == '__main__':
    sys.exit(run(main))
