"""``vitbackbones sample``: write a small annotated dataset."""

import shutil
from argparse import Namespace
from pathlib import Path
from tempfile import TemporaryDirectory

from ...data.shapes import write
from ...errors import InputError
from ...importing.coco import read_coco
from ...importing.source import Source
from ...importing.writing import write_voc
from ...utils.files import whole_folder
from ...utils.messages import command_line

LABELED, NEW = 120, 20  # images
BOXES = 'instances_train.json'


def sample(options: Namespace) -> None:
    """Do what ``vitbackbones sample --help`` describes.

    Raises:
        InputError: the folder holds something, or cannot be written.
    """
    out = Path(options.out).expanduser()
    if out.exists() and not (out.is_dir() and not any(out.iterdir())):
        raise InputError(f'{out}: is not empty; choose another folder')
    with whole_folder(out.absolute(), 'OUT') as part, TemporaryDirectory() as folder:
        drawn = write(folder, train=LABELED, val=NEW)
        for file in {*drawn.glob('annotations/*.json')} - {drawn / 'annotations' / BOXES}:
            file.unlink()
        source = Source(drawn)
        pictures, classes = read_coco(source)
        write_voc(source, part / 'labeled', pictures, classes, copy=True)
        shutil.move(drawn / 'images' / 'val', part / 'new')
    print(f'{LABELED} images in {out / "labeled"}, {NEW} in {out / "new"}')
    print('next:', command_line('import', 'voc', out / 'labeled', 'my_data'))
