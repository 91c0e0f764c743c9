"""``vitbackbones import``: convert annotations from other formats to COCO files and index masks.

The other commands accept the new folder as ``--data-root``. It is either complete or does not
exist. The source files are not changed.

options:
  form     format of the annotations
  list     for corrections: a list of an audit (corrections.json or faults.json), or a COCO file
           with corrected annotations, in the folder of faults.json
  --instances  for masks: import objects. Each number or color is an object; with regions, each
           region of a class; with files, each mask file
  --least  for corrections: apply only entries of LIST with at least this likelihood (default: 0)

examples:
  %(prog)s voc FOLDER OUT     XML files of Pascal VOC, LabelImg, Roboflow ...
  %(prog)s yolo FOLDER OUT    text files of YOLO, boxes or polygons
  %(prog)s yolo FOLDER/data.yaml OUT     the same, with the classes and splits of a file
  %(prog)s labelme FOLDER OUT  JSON files of labelme
  %(prog)s cvat FOLDER OUT    XML files of CVAT for images
  %(prog)s masks FOLDER OUT   masks with a color for each class
  %(prog)s masks FOLDER OUT --instances    masks with a number or a color for each object
  %(prog)s masks FOLDER OUT --instances files    masks of one object each
  %(prog)s corrections LIST FOLDER OUT    corrections that you accepted from an audit

Use OUT as --data-root of the other commands, for example of "train quick_detector". If files cannot
be used, they are listed and nothing is written. See docs/own_data.md for the files that are read
and what is changed.
"""

from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable

from ...importing import BOX_FORMS, MASK_FORMS
from ...utils.messages import page
from ..cli import FILE_OPTIONS, add_shared, score


def add_arguments(parser: ArgumentParser) -> None:
    """Describe the command line."""
    add = parser.add_argument
    add('form', type=_form, choices=(*BOX_FORMS, 'masks', 'corrections'))
    add('list', nargs='?', metavar='LIST')
    add_folders(add)
    table = (
        'file with the colors of the classes in masks (default: found in FOLDER; '
        f'{page("own_data")})'
    )
    add('--colors', metavar='FILE', help=table)
    add('--instances', nargs='?', choices=MASK_FORMS, const=MASK_FORMS[0])
    add('--least', type=score, default=0.0, metavar='LIKELIHOOD')
    add_shared(add, *FILE_OPTIONS)


def _form(text: str) -> str:
    """Read the form as an argument's ``type``."""
    if text == 'coco':
        raise ArgumentTypeError(
            'COCO format requires no import; give its folder to check and train with --data-root'
        )
    return text


def add_folders(add: Callable) -> None:
    """Add what convert takes as well, by a parser's ``add_argument``."""
    add('folder', metavar='FOLDER', help='folder of images and annotations; it is not changed')
    add('out', metavar='OUT', help='folder to write; must be empty or new')
    add('--copy', action='store_true', help='copy the images (default: OUT contains links to them)')
    add('--overwrite', action='store_true', help='replace an earlier import in OUT')
    add('--skip-faulty', action='store_true', help='skip files that cannot be used')
    names = (
        'for yolo and import masks --instances: names of the classes in the order of their '
        'numbers (default: found in FOLDER), or words in the names of mask files'
    )
    add('--names', nargs='+', default=(), metavar='NAME', help=names)
