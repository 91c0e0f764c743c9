"""``vitbackbones sample``: generate a small annotated dataset, to try the other commands.

It shows circles, squares and triangles. OUT/labeled contains 120 images with annotations in Pascal
VOC format, and OUT/new 20 images without annotations.

options:
  out  folder to write; must be empty or new

example:
  %(prog)s shapes
"""

from argparse import ArgumentParser


def add_arguments(parser: ArgumentParser) -> None:
    """Describe the command line."""
    parser.add_argument('out', metavar='OUT')
