"""``vitbackbones benchmark``: time models side by side, in every case that was asked for."""

import sys
from argparse import Action, ArgumentParser, Namespace
from collections.abc import Callable, Iterator

import torch
from torch import nn

from ..benchmarking.comparing import cases, compared
from ..benchmarking.model_sources import SOURCES, build_ours
from ..benchmarking.steps import ENGINES, PRECISIONS, STEPS
from ..benchmarking.suites import FOLDERS, SUITES, require_read, suite_rows
from ..benchmarking.tables import report, require_room
from ..configuration.paths import CLONE
from ..errors import InputError
from .cli import count, image_size
from .config_sources import CONFIG_SOURCES

EXAMPLES = """\
examples:
  %(prog)s plain:sret_t ours:sret_t fused:sret_t --batch 8
  %(prog)s ours:sret_t ours:sret_t,groups=None ours:sret_t,passes=1
  %(prog)s timm:deit_small_patch16_224 ours:deit_s --step forward train
  %(prog)s mmdet:retinanet_pvt-s_fpn_1x_coco ours:pvt_s --features \\
      --size 512 800x1333 --precision bfloat16 --engine compiled --out pvt.csv
  %(prog)s --suite parts --step forward train --features --out parts.csv

A model is ours:NAME[,KEY=VALUE ...], fused:NAME (ours after fuse_for_inference; fused_bf16:NAME in
bfloat16, folded:NAME without packing), compiled:NAME and compiled_bf16:NAME (the same with
compile=True, which takes a minute), onnxruntime:NAME or openvino:NAME (ours in that runtime),
plain:NAME (written straight from the equations; in a clone), timm:NAME, mmpretrain:NAME or, with
--features, mmdet:CONFIG (its backbone). Weights and images are random. Every case starts with
unmeasured rounds, then the models take turns, in timm's protocol; times are wall clock,
synchronized on CUDA, and the median counts. ratio is the median in units of the first model's. A
training step is forward, loss, backward and an SGD step. peak_MiB is the most tensor memory of one
step above what was there before it. Batch 1 gives the latency; OMP_NUM_THREADS sets the threads. A
suite brings its own models, and says so if it does not take an option:

  parts      what a part costs, against its host without it (--suite parts deit_s for that host)
  cpu        inference: each model's forms and rivals (--suite cpu deit_s sret_t for these alone)
  export     every runtime: eager, fused, compiled, ONNX Runtime, OpenVINO, in turns
  gpu        all there is to know of a GPU, in calls of nine minutes, written into a folder
  data       how fast the pictures below --data-root are loaded for training
  scale      how time and memory grow; called again with the same --out it goes on
  operators  mmcv's operators without its compiled extension, beside those of --compiled FOLDER
  startup    what the beginning of a run takes
  train      a whole training step, with losses and AdamW, against the toolboxes' own
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Describe the command line."""
    parser.epilog = EXAMPLES
    add = parser.add_argument
    forms = ', '.join(f'{source}:NAME' for source in (*SOURCES, 'plain'))
    known = f'{forms}; the first one is the unit of ratio'
    add('models', nargs='*', metavar='MODEL', default=[], help=known)
    add('--suite', choices=SUITES, default='', help='what to compare, in place of MODEL')
    _add_cases(add)
    add('--data-root', metavar='DIR', help="pictures, for the suite 'data'")
    add('--compiled', metavar='DIR', help="of mmcv/_ext*.so, for the suite 'operators'")
    add('--features', action='store_true', help="compare backbones' maps in place of logits")
    add('--warm-up', type=int, default=2, metavar='N', help='unmeasured rounds (default: 2)')
    add('--repeats', type=count, default=10, metavar='N', help='measured rounds (default: 10)')
    add('--out', metavar='FILE', help='CSV file to write; of the suite gpu a folder')


def _add_cases(add: Callable[..., Action]) -> None:
    """Add the options that say in which cases models are compared."""
    sizes = "such as 224 512 800x1333 (default: the suite's, or 224)"
    add('--size', nargs='+', type=image_size, metavar='H[xW]', help=sizes)
    batches = "default: the suite's for each size, or 1 8"
    add('--batch', nargs='+', type=count, metavar='N', help=batches)
    add('--step', nargs='+', choices=STEPS, default=['forward'], help='default: forward')
    add('--engine', nargs='+', choices=ENGINES, default=['eager'], help='default: eager')
    numbers = 'default: float32'
    add('--precision', nargs='+', choices=PRECISIONS, default=['float32'], help=numbers)
    device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')
    add('--device', type=torch.device, default=device, help='default: a GPU if there is one')


def benchmark(options: Namespace) -> None:
    """Do what ``vitbackbones benchmark --help`` describes.

    Raises:
        InputError: options contradict each other, a model is unknown or cannot run a case, or
            ``--out`` cannot be written.
    """
    _check(options)
    sources = {**SOURCES, 'plain': build_plain, **CONFIG_SOURCES}
    if options.suite in FOLDERS:
        report(suite_rows(options.suite)(options, sources), None)
        return
    require_room(options.out)
    rows = suite_rows(options.suite) if options.suite else _rows
    report(rows(options, sources), options.out)


def _check(options: Namespace) -> None:
    """Refuse what has no meaning together.

    Raises:
        InputError: says what.
    """
    if options.warm_up < 0:
        raise InputError(f'--warm-up {options.warm_up}: at least 0')
    if len(set(options.models)) < len(options.models):
        raise InputError('a model is named twice')
    if not options.models and not options.suite:
        raise InputError('name models or a --suite')
    defaults = ArgumentParser()
    add_arguments(defaults)
    given = {name for name, value in vars(options).items() if value != defaults.get_default(name)}
    require_read(options.suite, given)


def build_plain(name: str, size: tuple[int, int], features: bool) -> nn.Module:
    """Build a model of ours as the tests write it down: straight from its equations, not fused.

    Raises:
        InputError: maps are asked for, or the tests are not there.
    """
    if features:
        raise InputError(f'plain:{name} has logits only, no feature maps')
    if CLONE:
        sys.path.insert(0, str(CLONE))  # other packages install a ``tests``, too
    try:
        from tests.reference.models import PlainModel  # a wheel does not bring the tests
    except ModuleNotFoundError as error:
        raise InputError(f'{error}; plain forms are part of a clone: run in its root') from error
    return PlainModel(build_ours(name, size, features))


def _rows(options: Namespace, sources: dict) -> Iterator[dict]:
    """Yield a row of the table for every case and model."""
    for case in cases(options, {(224, 224): (1, 8)}):
        yield from compared(options.models, case, options, sources)
