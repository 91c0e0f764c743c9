"""``vitbackbones test``: its command line.

examples:
  %(prog)s detr_aug_vit_s_shapes work_dirs/detr_aug_vit_s_shapes --draw pictures
  %(prog)s quick_detector work_dirs/quick_detector --data-root my_pictures --report results
  %(prog)s cls_sret_t_imagenet checkpoints/sret_t.pth --dataset v2-matched
  %(prog)s detr_aug_vit_s_shapes model.onnx --data-root data/shapes  # an exported file
"""

from argparse import ArgumentParser, Namespace

from ..running.evaluate import run_test
from ..running.imagenet_sets import SETS
from ..running.request import TestRequest
from ..runtime.runtimes import BY_SUFFIX
from .cli import SHARED, add_run_arguments, add_shared, count


def add_arguments(parser: ArgumentParser) -> None:
    """Describe the command line."""
    add = parser.add_argument
    add_run_arguments(add)
    weights = f'{SHARED["checkpoint"]["help"]}, or an exported file ({", ".join(BY_SUFFIX)})'
    add('checkpoint', metavar='CHECKPOINT', help=weights)
    add('--dataset', choices=SETS, help='for ImageNet classifiers: other labels or images')
    add_shared(add, '--fused', '--compile', '--trusted')
    runtime = SHARED['--runtime'] | {'default': 'torch', 'help': 'what computes (default: torch)'}
    add('--runtime', **runtime)
    single = parser.add_mutually_exclusive_group()
    scales = "average over the config's scales and flips"
    single.add_argument('--tta', action='store_true', help=scales)
    pictures = 'write pictures of prediction and ground truth to DIR'
    single.add_argument('--draw', metavar='DIR', help=pictures)
    add_shared(add, '--tiles', '--overlap', '--merge')
    add('--report', metavar='DIR', help='write a page of scores, mistakes and the worst pictures')
    add('--overwrite', action='store_true', help='replace the page of an earlier --report')
    number = 'number of pictures (default: 16)'
    add('--num-pictures', type=count, default=16, metavar='N', help=number)
    add_shared(add, '--score-threshold')
    faster = 'compute COCO metrics by faster-coco-eval, which gives the same numbers sooner'
    add('--faster-coco', action='store_true', help=faster)


def evaluate(options: Namespace) -> None:
    """Do what ``vitbackbones test --help`` describes: :func:`..running.evaluate.run_test`."""
    run_test(TestRequest(**vars(options)))
