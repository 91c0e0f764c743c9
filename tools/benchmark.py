"""Time models side by side, in timm's protocol: this project's, their plain forms, others'.

    OMP_NUM_THREADS=2 python tools/benchmark.py plain:sret_t ours:sret_t fused:sret_t --batch 8
    python tools/benchmark.py ours:sret_t ours:sret_t,groups=None ours:sret_t,passes=1
    python tools/benchmark.py timm:deit_small_patch16_224 ours:deit_s --step forward train
    python tools/benchmark.py mmdet:retinanet_pvt-s_fpn_1x_coco ours:pvt_s --features \\
        --size 512 800x1333 --precision bfloat16 --engine compiled --out pvt.csv
    python tools/benchmark.py --suite parts --step forward train --features --out parts.csv

A model is ours:NAME[,KEY=VALUE ...], fused:NAME (ours after fuse_for_inference; fused_bf16:NAME in
bfloat16, folded:NAME without packing), onnxruntime:NAME or openvino:NAME (ours in that runtime),
plain:NAME (written straight from the equations), timm:NAME, mmpretrain:NAME or, with --features,
mmdet:CONFIG (its backbone). Weights and images are random. Every case starts with unmeasured
rounds, then the models take turns; times are wall clock, synchronized on CUDA, and the median
counts. ratio is the median in units of the first model's. A training step is forward, loss,
backward and an SGD step. peak_MiB is the most tensor memory of one step above what was there
before it. Batch 1 gives the latency. A suite brings its own models, and says so if it does not take
an option:

    parts      what a part costs, against its host without it (--suite parts deit_s for that host)
    cpu        inference: each model's forms and rivals (--suite cpu deit_s sret_t for these alone)
    gpu        all there is to know of a GPU, in calls of nine minutes, written into a folder
    data       how fast the pictures below --data-root are loaded for training
    scale      how time and memory grow; called again with the same --out it goes on
    operators  mmcv's operators without its compiled extension, beside those of --compiled FOLDER
    startup    what the beginning of a run takes
    train      a whole training step, with losses and AdamW, against the toolboxes' own
"""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from pathlib import Path

import torch
from torch import nn

sys.path.append(str(Path(__file__).resolve().parents[1]))  # an installed package comes first

from vitbackbones.benchmarking.model_sources import SOURCES, build_ours
from vitbackbones.benchmarking.steps import ENGINES, PRECISIONS, STEPS
from vitbackbones.benchmarking.suites import SUITES, require_read
from vitbackbones.commands.benchmark import benchmark
from vitbackbones.commands.cli import count, image_size, run
from vitbackbones.errors import InputError

ROOT = Path(__file__).resolve().parents[1]


def build_plain(name: str, size: tuple[int, int], features: bool) -> nn.Module:
    """Build a model of ours as the tests write it down: straight from its equations, not fused.

    Raises:
        InputError: maps are asked for, or the tests are not there.
    """
    if features:
        raise InputError(f'plain:{name} has logits only, no feature maps')
    if str(ROOT) not in sys.path:
        sys.path.append(str(ROOT))  # an installed package does not bring the tests
    try:
        from tests.reference.models import PlainModel
    except ModuleNotFoundError as error:
        raise InputError(f'{error}; plain forms are part of a clone: run in its root') from error
    return PlainModel(build_ours(name, size, features))


def parse() -> Namespace:
    parser = ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    forms = ', '.join(f'{source}:NAME' for source in (*SOURCES, 'plain'))
    known = f'{forms}; the first one is the unit of ratio'
    add('models', nargs='*', metavar='MODEL', default=[], help=known)
    add('--suite', choices=SUITES, default='', help='what to compare, in place of MODEL')
    add_cases(add)
    add('--data-root', metavar='FOLDER', help="pictures, for the suite 'data'")
    add('--compiled', metavar='FOLDER', help="of mmcv/_ext*.so, for the suite 'operators'")
    add('--features', action='store_true', help="compare backbones' maps in place of logits")
    add('--warm-up', type=int, default=2, help='unmeasured rounds (default: 2)')
    add('--repeats', type=count, default=10, help='measured rounds (default: 10)')
    add('--out', metavar='FILE', help='CSV file to write; of the suite gpu a folder')
    options = parser.parse_args()
    if options.warm_up < 0:
        raise InputError(f'--warm-up {options.warm_up}: at least 0')
    if len(set(options.models)) < len(options.models):
        parser.error('a model is named twice')
    if not options.models and not options.suite:
        raise InputError('name models or a --suite')
    given = {name for name, value in vars(options).items() if value != parser.get_default(name)}
    require_read(options.suite, given)
    return options


def add_cases(add: Callable) -> None:
    """Add the options that say in which cases models are compared."""
    sizes = "such as 224 512 800x1333 (default: the suite's, or 224)"
    add('--size', nargs='+', type=image_size, metavar='H[xW]', help=sizes)
    add('--batch', nargs='+', type=count, help="default: the suite's for each size, or 1 8")
    add('--step', nargs='+', choices=STEPS, default=['forward'])
    add('--engine', nargs='+', choices=ENGINES, default=['eager'])
    add('--precision', nargs='+', choices=PRECISIONS, default=['float32'])
    device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')
    add('--device', type=torch.device, default=device, help='default: %(default)s')


def main() -> None:
    benchmark(parse(), {**SOURCES, 'plain': build_plain})


if __name__ == '__main__':
    sys.exit(run(main))
