"""``vitbackbones benchmark``: time models side by side, in every case that was asked for."""

from argparse import Action, ArgumentParser, Namespace
from collections.abc import Callable, Mapping

import torch

from ..errors import InputError
from ..results.benchmark.comparing import ENGINES, PRECISIONS, STEPS, cases, compared, report
from ..results.benchmark.model_sources import SOURCES, Source
from .cli import count, image_size

EXAMPLES = """\
examples:
  %(prog)s ours:sret_t fused:sret_t --batch 8
  %(prog)s ours:sret_t ours:sret_t,groups=None ours:sret_t,passes=1
  %(prog)s timm:deit_small_patch16_224 ours:deit_s --step forward train
  %(prog)s timm:pvt_v2_b2 ours:pvt_s --features --size 512 800x1333 --out pvt.csv

A model is ours:NAME[,KEY=VALUE ...], fused:NAME (ours after fuse_for_inference; fused_bf16:NAME in
bfloat16), compiled:NAME and compiled_bf16:NAME (the same with compile=True, which takes a minute)
or timm:NAME. Weights and images are random. Every case starts with unmeasured rounds, then the
models take turns, in timm's protocol; times are wall clock, synchronized on CUDA, and the median
counts. ratio is the median in units of the first model's. A training step is forward, loss,
backward and an SGD step. peak_MiB is the most tensor memory of one step above what was there before
it. Batch 1 gives the latency; OMP_NUM_THREADS sets the threads.
"""


def add_arguments(parser: ArgumentParser, sources: Mapping[str, Source] = SOURCES) -> None:
    """Describe the command line."""
    parser.epilog = EXAMPLES
    add = parser.add_argument
    known = f'{", ".join(f"{source}:NAME" for source in sources)}; the first is the unit of ratio'
    add('models', nargs='+', metavar='MODEL', help=known)
    add_cases(add)
    add('--features', action='store_true', help="compare backbones' maps in place of logits")
    add_rounds(add)


def add_cases(add: Callable[..., Action]) -> None:
    """Add the options that say in which cases models are compared."""
    sizes = "such as 224 512 800x1333 (default: 224, or a suite's own)"
    add('--size', nargs='+', type=image_size, metavar='H[xW]', help=sizes)
    batches = "numbers of images (default: 1 8, or a suite's own)"
    add('--batch', nargs='+', type=count, metavar='N', help=batches)
    timed = 'what is timed (default: forward)'
    add('--step', nargs='+', choices=STEPS, default=['forward'], help=timed)
    add('--engine', nargs='+', choices=ENGINES, default=['eager'], help='how it is run')
    numbers = 'format of numbers (default: float32)'
    add('--precision', nargs='+', choices=PRECISIONS, default=['float32'], help=numbers)


def add_rounds(add: Callable[..., Action]) -> None:
    """Add the options that say where, how often, and into which file."""
    device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')
    place = 'where models run (default: a GPU if there is one)'
    add('--device', type=torch.device, default=device, help=place)
    add('--warm-up', type=int, default=2, metavar='N', help='unmeasured rounds (default: 2)')
    add('--repeats', type=count, default=10, metavar='N', help='measured rounds (default: 10)')
    add('--out', metavar='FILE', help='CSV file to write')


def benchmark(options: Namespace, sources: Mapping[str, Source] = SOURCES) -> None:
    """Do what ``vitbackbones benchmark --help`` describes.

    Raises:
        InputError: a model is unknown, named twice or cannot run a case, or ``--out`` cannot be
            written.
    """
    if len(set(options.models)) < len(options.models):
        raise InputError('a model is named twice')
    rows = (
        row
        for case in cases(options, {(224, 224): (1, 8)})
        for row in compared(options.models, case, options, sources)
    )
    report(rows, options.out)
