"""``vitbackbones convert``: write boxes and polygons in the format of another tool.

options:
  --to    annotation format of OUT
  --from  annotation format of FOLDER (default: coco, an annotation file in COCO format)

examples:
  %(prog)s my_data OUT --to yolo               from annotations in COCO format
  %(prog)s labeled OUT --from voc --to cvat

OUT/import.json counts and lists everything that the other format cannot represent, such as holes in
YOLO. See docs/own_data.md.
"""

from argparse import ArgumentParser

from ...importing import BOX_FORMS
from ..cli import add_shared
from .import_dataset import add_folders


def add_arguments(parser: ArgumentParser) -> None:
    """Describe the command line."""
    add_folders(parser.add_argument)
    add_shared(parser.add_argument, '--annotations')
    parser.add_argument('--to', choices=('yolo', 'voc', 'coco', 'cvat'), required=True)
    parser.add_argument('--from', choices=('coco', *BOX_FORMS), default='coco', dest='given')
