"""Check every annotation and decode every image of a config's data sets before a run.

python tools/check_dataset.py configs/coco/detr_aug_vit_s.py
"""

import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))  # an installed package comes first

from vitbackbones.commands.check_dataset import check
from vitbackbones.commands.cli import ConfigOptions, count, run


def parse() -> Namespace:
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    add = parser.add_argument
    add('config', help='a file of configs/')
    add('--data-root', help='folder of the data set, in place of the one that the config names')
    add('--workers', type=count, metavar='N', help='threads that decode (default: all cores)')
    add('--cfg-options', nargs='+', action=ConfigOptions, default={}, metavar='KEY=VALUE')
    return parser.parse_args()


def main() -> None:
    check(parse())


if __name__ == '__main__':
    sys.exit(run(main))
