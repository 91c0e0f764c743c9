"""Evaluate a checkpoint with the metrics of its config.

python tools/test.py configs/shapes/detr_aug_vit_s.py work_dirs/.../epoch_10.pth --draw pictures
python tools/test.py configs/shapes/detr_aug_vit_s.py work_dirs/.../epoch_10.pth --report results
python tools/test.py configs/imagenet/cls_sret_t.py checkpoints/sret_t.pth --dataset v2-matched
"""

import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))  # an installed package comes first

from vitbackbones.commands.cli import add_common_arguments, add_fused, run
from vitbackbones.commands.imagenet_sets import SETS
from vitbackbones.commands.test import evaluate


def parse() -> Namespace:
    parser = ArgumentParser(
        description=__doc__, formatter_class=RawDescriptionHelpFormatter, allow_abbrev=False
    )
    add = parser.add_argument
    add('config', help='a file of configs/')
    add('checkpoint', help='a .pth file that tools/train.py wrote, or the work dir for the latest')
    add_common_arguments(parser)
    add('--dataset', choices=SETS, help='for ImageNet classifiers: other labels or images')
    add('--tta', action='store_true', help="average over the config's scales and flips")
    add_fused(add)
    add('--draw', metavar='DIR', help='write pictures of prediction and ground truth to DIR')
    add('--report', metavar='DIR', help='write a page of scores, mistakes and the worst pictures')
    add('--overwrite', action='store_true', help='replace the page of an earlier --report')
    add('--num-pictures', type=int, default=16, metavar='N', help='how many (default: 16)')
    add(
        '--score-threshold',
        type=float,
        default=0.3,
        help="least score drawn, and counted in a report's confusion matrix (default: 0.3)",
    )
    add('--explain', action='store_true', help='print the steps before the test, and stop')
    options = parser.parse_args()
    if options.num_pictures < 1:
        parser.error('--num-pictures: at least 1')
    if options.tta and options.draw:
        parser.error('--draw shows single predictions; leave out --tta')
    return options


def main() -> None:
    evaluate(parse())


if __name__ == '__main__':
    sys.exit(run(main))
