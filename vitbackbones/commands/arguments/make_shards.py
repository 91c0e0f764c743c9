"""``vitbackbones shards``: write class folders as tar shards.

A shard gets its final name when it is complete. You can kill the command at any time and run it
again: existing shards are checked and kept.

options:
  source        folder with one folder per class
  out           folder for the shards, which are named after SOURCE
  --shard-size  put N images into a shard (default: 10000, about 1 GB of ImageNet)

examples:
  %(prog)s data/imagenet/train data/imagenet_shards
  %(prog)s data/imagenet/val data/imagenet_shards

If the command was killed, run it again with the same arguments; existing shards are kept. See
docs/shards.md for training on shards.
"""

from argparse import ArgumentParser

from ..cli import count


def add_arguments(parser: ArgumentParser) -> None:
    """Describe the command line."""
    add = parser.add_argument
    add('source', metavar='SOURCE')
    add('out', metavar='OUT')
    add('--shard-size', type=count, default=10000, metavar='N')
