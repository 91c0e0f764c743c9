"""Convert a published checkpoint to this project's keys, verify it by loading, print its SHA-256.

python tools/convert_checkpoint.py SReT_T.pth checkpoints/sret_t.safetensors --model sret_t
"""

import logging
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from pathlib import Path

from mmengine.logging import MMLogger

sys.path.append(str(Path(__file__).resolve().parents[1]))  # an installed package comes first

from vitbackbones.checkpoints.convert import FORMATS
from vitbackbones.commands.cli import run
from vitbackbones.commands.convert_checkpoint import convert_file


def parse() -> Namespace:
    parser = ArgumentParser(
        description=__doc__, formatter_class=RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument('source', type=Path, metavar='SRC', help='a checkpoint of any known layout')
    parser.add_argument(
        'target', type=Path, metavar='DST', help='.safetensors or .pth; holds the weights alone'
    )
    parser.add_argument('--format', choices=FORMATS, help='layout of SRC (default: found)')
    parser.add_argument(
        '--model', metavar='NAME', help='a name of vitbackbones.list_models() (default: found)'
    )
    return parser.parse_args()


def main() -> None:
    options = parse()
    MMLogger.get_current_instance().setLevel(logging.WARNING)  # the report repeats what is logged
    print(convert_file(options.source, options.target, options.format, options.model))


if __name__ == '__main__':
    sys.exit(run(main))
