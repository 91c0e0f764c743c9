"""``vitbackbones test``: its command line.

options:
  --batch-size    predict N images at a time, in each process (default: the batch size in the
                  config)
  --dataset       for ImageNet classifiers: use other labels or images
  --tta           average predictions over the scales and flips of the config
  --draw          write visualizations of predictions and ground truth to DIR
  --report        write a page with scores, mistakes and the worst images to DIR
  --overwrite     replace the page of an earlier --report
  --precision     with --report and a number P: choose for each class the lowest score with a
                  precision of at least P, instead of the score with the best F1. With f32, bf16,
                  int8 or auto: the precision of OpenVINO, as for predict; bf16 with --runtime auto
                  measures the loss, and predict then uses bf16
  --confidence    probability that the precision holds (default: 0.9)
  --num-pictures  limit --draw and --report to N images (default: 16)
  --faster-coco   stop if faster-coco-eval is not installed; this package computes the same COCO
                  metrics in less time, and is used whenever it is installed

examples:
  %(prog)s detr_aug_vit_s_shapes work_dirs/detr_aug_vit_s_shapes --draw pictures
  %(prog)s quick_detector work_dirs/quick_detector --data-root my_pictures --report results
  %(prog)s cls_sret_t_imagenet checkpoints/sret_t.pth --dataset v2-matched
  %(prog)s detr_aug_vit_s_shapes model.onnx --data-root data/shapes  # an exported file
"""

from argparse import ArgumentParser, Namespace

from ..configuration.doctor import import_needed
from ..running import IMAGENET_SETS
from ..runtime.runtimes import BY_SUFFIX
from ..utils.rules import PRECISIONS
from .cli import FILE_OPTIONS, HELP, SHARED, add_local_rank, add_shared, count, part


def add_arguments(parser: ArgumentParser) -> None:
    """Describe the command line."""
    add = parser.add_argument
    add_shared(add, 'config', '--work-dir', '--data-root', *FILE_OPTIONS)
    add_shared(add, '--backbone', '--cfg-options', '--launcher', '--size', '--device')
    weights = f'{HELP["checkpoint"]}, or an exported file ({", ".join(BY_SUFFIX)})'
    add('checkpoint', metavar='CHECKPOINT', help=weights)
    add('--batch-size', type=count, metavar='N')
    add('--dataset', choices=IMAGENET_SETS)
    add_shared(add, '--fused', '--compile', '--trusted')
    runtime = {**SHARED['--runtime'], 'default': 'torch'}
    add('--runtime', **runtime, help='use this runtime (default: torch)')
    single = parser.add_mutually_exclusive_group()
    single.add_argument('--tta', action='store_true')
    single.add_argument('--draw', metavar='DIR')
    add_shared(add, '--tiles', '--overlap', '--merge')
    add('--report', metavar='DIR')
    add('--overwrite', action='store_true')
    add('--precision', type=_precision, metavar='P')
    add('--confidence', type=part, metavar='C')
    add('--num-pictures', type=count, default=16, metavar='N')
    add_shared(add, '--score-threshold')
    add('--faster-coco', action='store_true')
    add_local_rank(add)


def _precision(text: str) -> float | str:
    """Read a precision of scores, or of a computation, as an argument's ``type``."""
    return text if text in PRECISIONS else part(text)


def evaluate(options: Namespace) -> None:
    """Do what ``vitbackbones test --help`` describes: :func:`..running.evaluate.run_test`."""
    running = import_needed('running.evaluate', 'test')  # here: the help needs no torch
    running.run_test(running.TestRequest(**vars(options)))
