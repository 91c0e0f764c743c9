"""``vitbackbones import``: annotations in other forms, as COCO files and index masks.

The folder that comes out is one that ``--data-root`` of the other commands takes as it is. It is
complete or absent. The files that it is made of stay as they are.
"""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path

from ..datasets.own.names import in_words, spelling_warnings
from ..errors import InputError, printable
from ..files import whole_folder
from ..importing.coco import write_coco
from ..importing.color_masks import import_color_masks
from ..importing.notes import Notes
from ..importing.pictures import Picture, note_twins
from ..importing.voc import read_voc
from ..importing.yolo import read_yolo
from ..messages import plural, some
from ..pages import page
from ..processes import show_warnings
from ..verbs import command_line

BOXES = {'voc': read_voc, 'yolo': read_yolo}
RECORD = 'import.json'  # in the folder that is written: what it was made of
WRITTEN = {RECORD, 'annotations', 'images', 'masks', 'classes.txt'}  # all there is in it
CONFIGS = {'voc': 'quick_detector', 'yolo': 'quick_detector', 'masks': 'quick_segmentor'}


EXAMPLES = f"""\
examples:
  %(prog)s voc FOLDER OUT     XML files of Pascal VOC, LabelImg, Roboflow ...
  %(prog)s yolo FOLDER OUT    text files of YOLO, boxes or outlines
  %(prog)s masks FOLDER OUT   masks with a color for each class

OUT is a folder that --data-root of the other commands takes, such as train quick_detector. Files
that cannot be used are listed, and nothing is written; {page('own_data')} says what is looked for,
and what is changed.
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Describe the command line."""
    parser.epilog = EXAMPLES
    add = parser.add_argument
    add('form', choices=tuple(CONFIGS), help='of the annotations')
    add('folder', metavar='FOLDER', help='with pictures and annotations; it stays as it is')
    add('out', metavar='OUT', help='the folder to write; must be empty or new')
    add('--copy', action='store_true', help='copy the pictures; otherwise OUT has links to them')
    add('--overwrite', action='store_true', help='replace an earlier import in OUT')
    add('--skip-faulty', action='store_true', help='leave files out that cannot be used')
    add(
        '--colors',
        metavar='FILE',
        help=f'of masks: the color of each class (default: found in FOLDER; {page("own_data")})',
    )


def import_dataset(options: Namespace) -> None:
    """Do what ``vitbackbones import --help`` describes.

    Raises:
        InputError: there is nothing to import, something of it cannot be used, or the folder to
            write holds something else.
    """
    root, out = _folder(options.folder), Path(options.out).expanduser().absolute()
    _require_free(root, out, options.overwrite)
    notes = Notes()
    write = _import_masks if options.form == 'masks' else _import_boxes
    with whole_folder(out) as part:
        summary = write(root, part, options, notes)
        record = {'form': options.form, 'folder': str(root), 'found': summary}
        (part / RECORD).write_text(json.dumps(record, indent=2) + '\n')
    print(f'{summary}, in {out}')
    arguments = [CONFIGS[options.form], '--data-root', str(out)]
    print('next:', command_line('train', *arguments))
    print('before a long run:', command_line('check', *arguments))


def _folder(given: str) -> Path:
    root = Path(given).expanduser().absolute()
    if not root.is_dir():
        raise InputError(f'{root}: no such folder')
    return root


def _require_free(root: Path, out: Path, overwrite: bool) -> None:
    """Refuse to write into the folder that is read, or over what this tool has not written."""
    one, other = root.resolve(), out.resolve()
    if one == other or one in other.parents or other in one.parents:
        raise InputError(f'{out}: must be neither in {root} nor around it; choose another folder')
    if not out.exists() or (out.is_dir() and not any(out.iterdir())):
        return
    if not (out / RECORD).is_file():
        raise InputError(f'{out}: holds something else than an import; choose another folder')
    if strange := sorted({entry.name for entry in out.iterdir()} - WRITTEN):
        raise InputError(
            f'{out}: holds {some(strange)} beside an import, which would be lost; move it away, or '
            'choose another folder'
        )
    if not overwrite:
        raise InputError(f'{out}: holds an import; replace it with --overwrite, or choose another')


# ------------------------------------------------------------------------ forms


def _import_boxes(root: Path, out: Path, options: Namespace, notes: Notes) -> str:
    pictures, classes = BOXES[options.form](root, notes)
    note_twins(pictures, notes)
    _report(notes, options.skip_faulty)
    things = sum(len(picture.things) for picture in pictures)
    if not things:
        raise InputError(
            f'{root}: not one object that can be used, in {plural(len(pictures), "picture")}'
        )
    show_warnings(spelling_warnings(str(root), classes))
    pictures = _with_splits(pictures)
    write_coco(out, pictures, classes, options.copy)
    bare = sum(not picture.things for picture in pictures)
    return (
        f'{in_words(classes)}; {plural(things, "object")} on {plural(len(pictures), "picture")}, '
        f'{bare} of them without objects'
    )


def _import_masks(root: Path, out: Path, options: Namespace, notes: Notes) -> str:
    colors = options.colors and Path(options.colors).expanduser()
    summary = import_color_masks(root, out, colors, options.copy, notes)
    _report(notes, options.skip_faulty)
    return summary


def _with_splits(pictures: Sequence[Picture]) -> list[Picture]:
    """Give pictures without a split, where others have one, to training."""
    if any(picture.split for picture in pictures):
        for picture in pictures:
            picture.split = picture.split or 'train'
    return sorted(pictures, key=lambda picture: picture.path)


def _report(notes: Notes, skip_faulty: bool) -> None:
    """Print what was noted; stop where there are faults, unless their files are to be left out."""
    for line in notes.lines():
        print(printable(line))
    for fault in notes.faults:
        print(printable(fault))
    if notes.faults and not skip_faulty:
        raise InputError(
            f'{plural(len(notes.faults), "fault")}, see above; nothing is written. Correct what '
            'is named there, or leave these files out with --skip-faulty'
        )
