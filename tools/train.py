"""Train a model from a config.

python tools/train.py configs/coco/detr_aug_vit_s.py
python tools/train.py configs/coco/detr_aug_vit_s.py --smoke
"""

import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))  # an installed package comes first

from vitbackbones.commands.cli import add_common_arguments, run
from vitbackbones.commands.train import train
from vitbackbones.training.find_checkpoint import LATEST


def parse() -> Namespace:
    parser = ArgumentParser(
        description=__doc__,
        formatter_class=RawDescriptionHelpFormatter,
        allow_abbrev=False,  # the command that continues a run is made from the arguments
    )
    parser.add_argument('config', help='a file of configs/')
    add_common_arguments(parser)
    weights = parser.add_mutually_exclusive_group()
    weights.add_argument(
        '--pretrained',
        metavar='FILE',
        help='backbone checkpoint or its address, in place of the one in the config',
    )
    weights.add_argument('--scratch', action='store_true', help='start from random weights')
    earlier = parser.add_mutually_exclusive_group()
    earlier.add_argument(
        '--resume',
        nargs='?',
        const=LATEST,
        metavar='FILE',
        help='continue from FILE or, without it, from the latest checkpoint of the work dir',
    )
    earlier.add_argument(
        '--overwrite',
        action='store_true',
        help='start anew where the work dir holds checkpoints, and remove them',
    )
    parser.add_argument('--amp', action='store_true', help='mixed precision')
    parser.add_argument(
        '--compile',
        action='store_true',
        help='compile the blocks of backbone and transformer, each kind once for any image size: '
        'minutes at the start, shorter steps',
    )
    parser.add_argument(
        '--smoke',
        action='store_true',
        help='try some steps, evaluation and resuming, in WORK_DIR/smoke; needs no data and no '
        'weights, and on a CPU seconds for a small model, minutes for a large one',
    )
    parser.add_argument(
        '--explain',
        action='store_true',
        help='print the steps from the config to the run, with what each changes, and stop',
    )
    return parser.parse_args()


def main() -> None:
    train(parse())


if __name__ == '__main__':
    sys.exit(run(main))
