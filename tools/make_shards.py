"""Write a data set for classification into tar shards with an index; docs/shards.md.

python tools/make_shards.py data/imagenet/train data/imagenet_shards
python tools/make_shards.py configs/imagenet/cls_deit_s.py data/imagenet_shards
python tools/make_shards.py 'data/from_others/train-{000000..000146}.tar'

Call it again after it was killed, with the same arguments: shards that are there are kept.
"""

import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))  # an installed package comes first

from vitbackbones.commands.cli import ConfigOptions, count, run
from vitbackbones.commands.make_shards import make_shards


def parse() -> Namespace:
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    add = parser.add_argument
    add(
        'source',
        metavar='SOURCE',
        help='a folder with a folder for each class; a config, for the data sets that it trains '
        'and evaluates on; or shards that others wrote, with braces, which get an index only',
    )
    add('out', nargs='?', metavar='OUT', help='folder for the shards')
    add(
        '--shard-size',
        type=count,
        default=10000,
        metavar='N',
        help='pictures in a shard (default: 10000, which are 1 GB of ImageNet)',
    )
    add('--name', help='of the shards of a folder (default: that of the folder)')
    add('--classes', metavar='FILE', help="names of the classes of others' shards, one a line")
    add('--data-root', help='folder of the data set, in place of the one that the config names')
    add('--cfg-options', nargs='+', action=ConfigOptions, default={}, metavar='KEY=VALUE')
    return parser.parse_args()


def main() -> None:
    make_shards(parse())


if __name__ == '__main__':
    sys.exit(run(main))
