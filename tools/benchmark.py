"""Times models side by side, in timm's protocol: this project's, their plain forms, others'.

    OMP_NUM_THREADS=2 python tools/benchmark.py plain:sret_t ours:sret_t fused:sret_t --batch 8
    python tools/benchmark.py ours:sret_t ours:sret_t,groups=None ours:sret_t,passes=1
    python tools/benchmark.py timm:deit_small_patch16_224 ours:deit_s --step forward train
    python tools/benchmark.py mmdet:retinanet_pvt-s_fpn_1x_coco ours:pvt_s --features \\
        --size 512 800x1333 --precision bfloat16 --engine compiled --out pvt.csv

A model is ours:NAME[,KEY=VALUE ...], fused:NAME (ours after fuse_for_inference), plain:NAME
(written straight from the equations), timm:NAME, mmpretrain:NAME or, with --features, mmdet:CONFIG
(its backbone). Weights and images are random. Every case starts with unmeasured rounds, then the
models take turns; times are wall clock, synchronized on CUDA, and the median counts. ratio is the
median in units of the first model's. A training step is forward, loss, backward and an SGD step.
peak_MiB is the most tensor memory of one step above what was there before it. Batch 1 gives the
latency.
"""

import argparse
import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from pathlib import Path

import torch
from torch import Tensor, nn

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # the plain forms, tests.reference, are not installed

from vitbackbones.benchmarking.model_sources import SOURCES, build_contender  # noqa: E402
from vitbackbones.benchmarking.timing import compare, report  # noqa: E402
from vitbackbones.commands import cli  # noqa: E402
from vitbackbones.errors import InputError  # noqa: E402

ENGINES = {'eager': lambda model: model, 'compiled': partial(torch.compile, dynamic=False)}
PRECISIONS = {'float32': torch.float32, 'bfloat16': torch.bfloat16}


def image_size(text: str) -> tuple[int, int]:
    """Read '224' or '800x1333' as (height, width)."""
    height, _, width = text.partition('x')
    return int(height), int(width or height)


def shown(case: dict) -> dict:
    return case | {'size': 'x'.join(map(str, case['size']))}


def make_step(word: str, case: dict, options: argparse.Namespace) -> Callable[[], object]:
    """Return a function that runs the model on a batch of images, and back if it is a training."""
    train = case['step'] == 'train'
    if train and word.startswith('fused:'):
        raise InputError(f'{word}: a folded model cannot be trained; leave it out of --step train')
    place = {'device': options.device, 'dtype': PRECISIONS[case['precision']]}
    model = build_contender(word, case['size'], options.features).to(**place)
    model.train(train)
    image = torch.randn(case['batch'], 3, *case['size'], **place)
    run = ENGINES[case['engine']](model)
    return _training(run, model, image) if train else torch.inference_mode()(lambda: run(image))


def _training(run: Callable, model: nn.Module, image: Tensor) -> Callable[[], None]:
    optimizer = torch.optim.SGD((p for p in model.parameters() if p.requires_grad), lr=1e-4)

    def step() -> None:
        outputs = run(image)
        outputs = [outputs] if isinstance(outputs, Tensor) else outputs
        sum(x.float().square().mean() for x in outputs).backward()
        optimizer.step()
        optimizer.zero_grad()

    return step


def first_run(word: str, case: dict, step: Callable[[], object]) -> None:
    try:
        step()
    except (AssertionError, RuntimeError, ValueError) as error:
        what = ' '.join(map(str, shown(case).values()))
        reason = str(error).strip().splitlines() or [type(error).__name__]
        raise InputError(f'{word} cannot run this case ({what}): {reason[0]}') from error


def measure(options: argparse.Namespace) -> Iterator[dict]:
    """Yield a row of the table for every case and model."""
    axes = ('step', 'engine', 'precision', 'size', 'batch')
    for values in product(*(getattr(options, axis) for axis in axes)):
        case = dict(zip(axes, values, strict=True))
        torch.compiler.reset()
        torch.manual_seed(0)
        steps = {word: make_step(word, case, options) for word in options.models}
        for word, step in steps.items():
            first_run(word, case, step)
        for row in compare(steps, options.device, options.repeats, options.warm_up):
            throughput = round(1e3 * case['batch'] / row['median_ms'], 1)
            yield shown(case) | {'images_per_s': throughput} | row


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    forms = ', '.join(f'{source}:NAME' for source in SOURCES)
    add('models', nargs='+', metavar='MODEL', help=f'{forms}; the first one is the unit of ratio')
    add(
        '--size',
        nargs='+',
        type=image_size,
        default=[(224, 224)],
        metavar='H[xW]',
        help='such as 224 512 800x1333 (default: 224)',
    )
    add('--batch', nargs='+', type=int, default=[1, 8], help='default: 1 8')
    add('--step', nargs='+', choices=('forward', 'train'), default=['forward'])
    add('--engine', nargs='+', choices=ENGINES, default=['eager'])
    add('--precision', nargs='+', choices=PRECISIONS, default=['float32'])
    add('--features', action='store_true', help="compare backbones' maps in place of logits")
    device = 'cuda' if torch.cuda.is_available() else 'cpu'
    add('--device', type=torch.device, default=device, help='default: %(default)s')
    add('--warm-up', type=int, default=2, help='unmeasured rounds (default: 2)')
    add('--repeats', type=int, default=10, help='measured rounds (default: 10)')
    add('--out', help='CSV file to write')
    options = parser.parse_args()
    if len(set(options.models)) < len(options.models):
        parser.error('a model is named twice')
    return options


def main() -> None:
    options = parse_arguments()
    report(measure(options), options.out)


if __name__ == '__main__':
    sys.exit(cli.run(main))
