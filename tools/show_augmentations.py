"""Draw what a classification config's augmentations make of pictures, as one contact sheet.

python tools/show_augmentations.py configs/imagenet/cls_msf_vit_s.py PHOTOS --out sheet.jpg
"""

import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))  # an installed package comes first

from vitbackbones.commands.cli import ConfigOptions, run
from vitbackbones.commands.show_augmentations import show


def parse() -> Namespace:
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    add = parser.add_argument
    add('config', help='a classification config of configs/')
    add('inputs', nargs='+', metavar='INPUT', help='images or folders')
    add('--out', required=True, metavar='FILE', help='the picture to write (.jpg, .png)')
    add('--images', type=int, default=6, metavar='N', help='rows, spread over INPUT (default: 6)')
    add('--draws', type=int, default=4, metavar='N', help='of training per image (default: 4)')
    add('--cfg-options', nargs='+', action=ConfigOptions, default={}, metavar='KEY=VALUE')
    options = parser.parse_args()
    if min(options.images, options.draws) < 1:
        parser.error('--images and --draws: at least 1')
    return options


def main() -> None:
    show(parse())


if __name__ == '__main__':
    sys.exit(run(main))
