"""``vitbackbones convert``: write boxes and polygons in the format of another tool."""

from argparse import Namespace
from collections.abc import Sequence
from functools import partial

from ...errors import InputError
from ...importing.coco import read_coco
from ...importing.pictures import Picture
from ...importing.source import Source
from ...importing.writing import leave_out_crowds, write_cvat, write_voc, write_yolo
from .import_dataset import BOXES, make_folder, write_boxes, write_pictures

FROM = {'coco': read_coco, **BOXES}
TO = {'yolo': write_yolo, 'voc': write_voc, 'coco': write_boxes, 'cvat': write_cvat}

WITHOUT_CROWDS = {'yolo': 'YOLO', 'cvat': 'CVAT'}


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
