"""``vitbackbones import``: convert other annotations to COCO files and index masks."""

import json
import re
from argparse import Namespace
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from ...data.own.annotation_files import foreign
from ...data.own.coco_folder import find_parts, measurable
from ...data.own.folder import WORDS, in_words, spelling_warnings
from ...data.own.pairing import Patterns
from ...errors import InputError, printable
from ...importing import BOX_FORMS
from ...importing.coco import import_corrections
from ...importing.labelme import read_labelme
from ...importing.masks import import_masks, read_instances
from ...importing.pictures import Picture, relative_links, write_coco
from ...importing.source import Source
from ...importing.xml_files import read_cvat, read_voc
from ...importing.yolo import read_yolo
from ...importing.yolo_settings import SETTINGS, folder_of
from ...utils.files import require_apart, whole_folder
from ...utils.messages import command_line, plural, show_warnings, some

BOXES = dict(zip(BOX_FORMS, (read_voc, read_yolo, read_labelme, read_cvat), strict=True))
SUFFIXES = {'.xml': 'voc or cvat', '.txt': 'yolo', '.json': 'labelme; COCO needs no import'}
SHOWN = 10  # problems of one kind that are printed; the rest is counted
OF_ONE_FILE = re.compile(r'\S*[\d/\\]\S*')  # names and numbers in what is said of a file
RECORD = 'import.json'  # in the folder that is written: what it was made of
# All there is in a folder that import or convert has written
WRITTEN = {RECORD, 'annotations', 'images', 'masks', 'classes.txt', 'labels', 'data.yaml'}
WRITTEN |= {'JPEGImages', 'Annotations', 'ImageSets', 'annotations.xml'}
Pictures, Names = Sequence[Picture], Sequence[str]


def import_dataset(options: Namespace) -> None:
    """Do what ``vitbackbones import --help`` describes.

    Raises:
        InputError: there is nothing to import, something of it cannot be used, or the folder to
            write holds something else or is being written.
    """
    if (options.form == 'corrections') != bool(options.list):
        raise InputError('LIST is only for corrections: import corrections LIST FOLDER OUT')
    if (options.least or options.annotations) and not options.list:
        raise InputError('--least and --annotations are only for corrections')
    patterns = Patterns.of(options.pictures, options.masks)
    if options.instances and options.form != 'masks':
        raise InputError('--instances is only for masks')
    if patterns and options.form in BOXES:
        raise InputError('--pictures and --masks are only for masks and corrections')

    def fill(source: Source, part: Path) -> str:
        colors = options.colors and Path(options.colors).expanduser()
        if options.form in BOXES:
            return write_pictures(source, part, options, BOXES[options.form], write_boxes)
        if options.instances:
            read = partial(read_instances, form=options.instances, table=colors, patterns=patterns)
            return write_pictures(source, part, options, read, write_boxes)
        if options.list:
            given = options.least, options.annotations, patterns
            summary = import_corrections(source, Path(options.list), part, options.copy, *given)
        else:
            summary = import_masks(source, part, colors, options.copy, patterns)
        _require_sound(source, options.skip_faulty)
        return summary

    # The folder of corrections was trained on, which follows all links
    out = make_folder(options, options.form, fill, follow=bool(options.list))
    arguments = ['quick_segmentor', '--data-root', str(out)]
    if (out / 'annotations').is_dir():
        arguments[0] = 'quick_detector'
        try:
            parts = measurable(find_parts(out))
        except InputError as error:
            print(printable(f'not yet ready for training: {error}'))
            return
        anns = [ann for part in parts.values() for ann in part.content['annotations']]
        if all(ann['segmentation'] for ann in anns):
            arguments[0] = 'quick_instance'
    print('next:', command_line('train', *arguments))
    print('before a long run:', command_line('check', *arguments))


def make_folder(
    options: Namespace, form: str, fill: Callable[[Source, Path], str], follow: bool = False
) -> Path:
    """Let ``fill`` write a folder and say what is in it; print that, and return the folder.

    ``follow`` is that of :class:`~...importing.source.Source`.

    Raises:
        InputError: as :func:`import_dataset`.
    """
    given, out = (Path(path).expanduser().absolute() for path in (options.folder, options.out))
    is_yolo = 'yolo' in (vars(options).get('form'), vars(options).get('given'))
    is_named = is_yolo or vars(options).get('instances')
    if options.names and not (is_named and len({*options.names, ''}) > len(options.names)):
        raise InputError(
            '--names is only for yolo and masks --instances, and each name must be different: '
            '--names cat dog'
        )
    is_settings = given.suffix.lower() in SETTINGS and given.is_file()
    settings = given if is_yolo and is_settings else None
    root = folder_of(given) if settings else given
    if not root.is_dir():
        raise InputError(f'{root}: {"is a file; give a" if root.exists() else "no such"} folder')
    require_apart(out, 'OUT', root)
    with whole_folder(out, 'OUT') as part:
        _require_free(out, options.overwrite)
        source = Source(root, follow, settings, options.names)
        try:
            summary = fill(source, part)
        finally:
            for what, places in source.changes.items():  # all places are in RECORD
                print(printable(f'{what}: {len(places)} ({some(places, str, 3)})'))
        record = {'form': form, 'folder': str(root), 'found': summary}
        record |= {'changes': source.changes, 'faults': source.faults}
        (part / RECORD).write_text(json.dumps(record, indent=2) + '\n')
        relative_links(part, out.parent.resolve() / out.name)
    print(f'{summary}, in {out}')
    return out


def _require_free(out: Path, overwrite: bool) -> None:
    """Refuse to write over what this tool has not written, or was not told to replace."""
    if not out.exists() or (out.is_dir() and not any(out.iterdir())):
        return
    if not (out / RECORD).is_file():
        raise InputError(f'{out}: contains other files than an import; choose another folder')
    if strange := sorted({entry.name for entry in out.iterdir()} - WRITTEN):
        raise InputError(
            f'{out}: contains {some(strange)} in addition to an import, and --overwrite would '
            'delete it. Move it elsewhere, or choose another folder.'
        )
    if not overwrite:
        raise InputError(
            f'{out}: contains an import; replace it with --overwrite, or choose another folder'
        )


def write_boxes(source: Source, out: Path, pictures: Pictures, classes: Names, copy: bool) -> None:
    """Write COCO's form, which has a place for everything."""
    write_coco(out, pictures, classes, copy)


def write_pictures(
    source: Source, out: Path, options: Namespace, read: Callable, write: Callable
) -> str:
    """Read annotated pictures in one form, write them in another, and say what they are."""
    pictures, classes = read(source)
    _require_sound(source, options.skip_faulty)
    count = sum(len(picture.objects) for picture in pictures)
    source.require_all(count)
    if not count:
        found = [
            f'{plural(len(source.ending(suffix)), f"{suffix} file")} ({form})'
            for suffix, form in SUFFIXES.items()
        ]
        raise InputError(
            f'{source.root}: there is no usable object in {plural(len(pictures), "image")}. The '
            f'folder has {", ".join(found)}.{foreign(source.ending(".json"))}'
        )
    show_warnings(spelling_warnings(str(source.root), classes))
    bare = sum(not picture.objects for picture in pictures)
    splits = Counter(picture.split or 'train' for picture in pictures)
    shares = ', '.join(f'{split} {splits[split]}' for split in WORDS if splits[split])
    is_split = any(picture.split for picture in pictures)
    for picture in pictures:
        if is_split and not picture.split:
            source.change('images without a split, used for training', picture.path)
    write(source, out, pictures, classes, options.copy)
    return (
        f'{in_words(classes)}; {plural(count, "object")} on {plural(len(pictures), "image")}, '
        f'{bare} of them without objects{f"; {shares}" if is_split else ""}'
    )


def _require_sound(source: Source, skip_faulty: bool) -> None:
    """Print the faults, and refuse them where their files are not to be left out."""
    kinds = defaultdict(list)
    for fault in source.faults:
        kinds[OF_ONE_FILE.sub('...', fault.partition(': ')[2])].append(fault)
    for kind, faults in kinds.items():
        for fault in faults[:SHOWN]:
            print(printable(fault))
        if more := faults[SHOWN:]:  # all are in RECORD if they are skipped
            print(printable(f'{plural(len(more), "more file")} with this problem: {kind}'))
    if source.faults and not skip_faulty:
        raise InputError(
            f'{plural(len(source.faults), "problem")}, see above; no file was written. Correct '
            'these files, or skip them with --skip-faulty.'
        )
