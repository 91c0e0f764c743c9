"""``python -m vitbackbones.data.shapes OUT``: write the Shapes dataset."""

import argparse

from ...errors import InputError
from .scene import KINDS
from .writing import LAYOUTS, write


def main() -> None:
    program = 'python -m vitbackbones.data.shapes'
    parser = argparse.ArgumentParser(prog=program, description='Write the Shapes dataset.')
    parser.add_argument('root', help='folder to write, for example data/shapes')
    parser.add_argument('--train', type=int, default=2000, help='training pictures (%(default)s)')
    parser.add_argument('--val', type=int, default=500, help='held-out pictures (%(default)s)')
    parser.add_argument('--size', type=int, default=128, help='side in pixels (%(default)s)')
    parser.add_argument('--classes', nargs='+', default=KINDS, help='category names')
    parser.add_argument('--seed', type=int, default=0, help='of all images (%(default)s)')
    parser.add_argument('--layout', choices=LAYOUTS, default='coco', help='default: %(default)s')
    options = parser.parse_args()
    try:
        root = write(**vars(options))
    except InputError as error:
        parser.exit(2, f'error: {error}\n')
    print(f'{options.train} + {options.val} images of {options.size} pixels in {root}')


if __name__ == '__main__':
    main()
