"""``vitbackbones models``: what ``create_model`` builds, by name."""

from argparse import ArgumentParser, Namespace

import torch

from ...backbones.by_name import create_model
from ...backbones.names import list_models
from ...weights.table import PUBLISHED
from .configs import columns, matching

EXAMPLES = """\
examples:
  %(prog)s                      all of them
  %(prog)s 'sret*'
  %(prog)s deit --pretrained    those with published weights
"""
HEADINGS = ('model', 'parameters', 'image', 'published top-1')


def add_arguments(parser: ArgumentParser) -> None:
    """Describe the command line."""
    parser.epilog = EXAMPLES
    add = parser.add_argument
    wanted = 'part of a name, or a pattern with * and ? (default: all)'
    add('pattern', nargs='?', default='*', metavar='PATTERN', help=wanted)
    add('--pretrained', action='store_true', help='only models whose weights were published')


def models(options: Namespace) -> None:
    """List the models whose names fit a pattern.

    Raises:
        InputError: there is none.
    """
    filled = {entry.model for entry in PUBLISHED.values()}
    known = [name for name in list_models() if name in filled or not options.pretrained]
    rows = [HEADINGS]
    for name in matching(known, options.pattern):
        with torch.device('meta'):  # shapes are enough
            model = create_model(name)
        count = sum(parameter.numel() for parameter in model.parameters())
        _, height, width = model.data_config['input_size']
        entry = PUBLISHED.get(name)
        top1 = f'{entry.top1}' if entry and entry.top1 else ''
        rows.append((name, f'{count / 1e6:.2f} M', f'{height} x {width}', top1))
    print(columns(rows))
