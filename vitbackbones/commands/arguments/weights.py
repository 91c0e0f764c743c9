"""``vitbackbones weights``: list and download published weights.

options:
  names  name, hf-hub:OWNER/NAME or https URL of weights to download, or a pattern (* ? [...]) to
         list

examples:
  %(prog)s                    list all
  %(prog)s 'deit*' 'swin*'    list some
  %(prog)s deit_s             download these weights, and print the path
"""

from argparse import ArgumentParser


def add_arguments(parser: ArgumentParser) -> None:
    """Describe the command line."""
    parser.add_argument('names', nargs='*', default=['*'], metavar='NAME')
