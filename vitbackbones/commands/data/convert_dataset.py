"""``vitbackbones convert``: write boxes and polygons in the format of another tool.

options:
  --to    annotation format of OUT
  --from  annotation format of FOLDER (default: coco, an annotation file in COCO format)

examples:
  %(prog)s my_data OUT --to yolo               from annotations in COCO format
  %(prog)s labeled OUT --from voc --to cvat

OUT/import.json counts and lists everything that the other format cannot represent, such as holes in
YOLO: docs/own_data.md
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from functools import partial

from ...errors import InputError
from ...importing.coco import read_coco
from ...importing.pictures import Picture
from ...importing.source import Source
from ...importing.writing import leave_out_crowds, write_cvat, write_voc, write_yolo
from ..cli import add_shared
from .import_dataset import BOXES, add_folders, make_folder, write_boxes, write_pictures

FROM = {'coco': read_coco, **BOXES}
TO = {'yolo': write_yolo, 'voc': write_voc, 'coco': write_boxes, 'cvat': write_cvat}

WITHOUT_CROWDS = {'yolo': 'YOLO', 'cvat': 'CVAT'}


def add_arguments(parser: ArgumentParser) -> None:
    """Describe the command line."""
    add_folders(parser.add_argument)
    add_shared(parser.add_argument, '--annotations')
    parser.add_argument('--to', choices=TO, required=True)
    parser.add_argument('--from', choices=FROM, default='coco', dest='given')


def convert(options: Namespace) -> None:
    """Do what ``vitbackbones convert --help`` describes.

    Raises:
        InputError: as :func:`.import_dataset.import_dataset`.
    """
    how = {'options': options, 'read': partial(_read, options=options), 'write': TO[options.to]}
    make_folder(options, options.to, partial(write_pictures, **how), follow=options.given == 'coco')


def _read(source: Source, options: Namespace) -> tuple[Sequence[Picture], Sequence[str]]:
    """Read pictures, without what the form to write has no place for."""
    if options.annotations and options.given != 'coco':
        raise InputError('--annotations requires annotations in COCO format')
    meant = {'annotations': options.annotations} if options.annotations else {}
    pictures, classes = FROM[options.given](source, **meant)
    if form := WITHOUT_CROWDS.get(options.to):
        leave_out_crowds(source, pictures, form)
    return pictures, classes
