"""Which annotation files in COCO's format below a folder are meant, one for each split.

A folder that somebody has worked in holds other JSON files as well: predictions, copies, what
earlier runs wrote. They are left out where that leaves one file, and a line says so.
"""

import re
from collections.abc import Iterable, Sequence
from fnmatch import fnmatch
from pathlib import Path

from ...errors import InputError
from ...utils.files import beginning
from ...utils.grouping import by_key
from ...utils.messages import show_warnings, some
from ..checks.coco_file import COLUMNS, load_json
from .folder import files_below, is_copy, named_split

OF_RUNS = {'runs', 'work_dirs', 'own_data', 'predictions', 'vis_data'}  # folders that runs write to
Found = list[tuple[Path, dict]]  # files and their content
# Tools that can also write COCO's format, by a key of their own one.
TOOLS = {
    b'"original_width"': 'Label Studio',
    b'"shape_attributes"': 'VGG Image Annotator',
    b'"classTitle"': 'Supervisely',
    b'"data_row"': 'Labelbox',
    b'"dm_format_version"': 'Datumaro',
}
# Forms that are imported: the suffix of a file of theirs, and what is at its beginning
FORMS = {
    'voc': ('.xml', re.compile(rb'<annotation[\s/>]')),
    'cvat': ('.xml', re.compile(rb'<annotations[\s/>]')),
    'yolo': ('.txt', re.compile(rb'\A\s*\d+(\.0*)?([ \t]+[-+.\deE]+){4,}\s')),
    'labelme': ('.json', re.compile(rb'"shapes"\s*:')),
}
OTHERS = ('.json', '.csv', '.record', '.tfrecord', '.parquet')  # suffixes of yet other forms


def find_files(root: Path, named: Sequence[str] = ()) -> dict[str, tuple[Path, dict]]:
    """Return the annotation file of each split, and its content.

    Args:
        root: the folder.
        named: ``--annotations``: files, or patterns of their paths below the folder. Of the split
            of such a file no other one is read. Where its path names no split, it is read alone.

    Raises:
        InputError: it is not clear which file is meant, or one is damaged.
    """
    files = sorted(files_below(root, ('.json',)))
    ours = [file for file in files if OF_RUNS.isdisjoint(file.relative_to(root).parts)]
    groups = _by_split(root, files if named else ours or files)
    if named:
        chosen = _by_split(root, _named(root, files, named))
        groups = chosen if None in chosen else groups | chosen
    found = {split: _in_coco_format(group) for split, group in groups.items() if split}
    beside = _in_coco_format(groups.get(None, ()), required=not found.get('train'))
    if not found.get('train'):
        found['train'] = beside
    elif beside:  # such as all annotations in one file, beside those of each split
        names = some((file.relative_to(root) for file, _ in beside), str)
        reason = 'because other annotation files are named after a split'
        show_warnings([f'{root}: {names} was not read, {reason}'])
    return {split: _meant(root, split, group) for split, group in found.items() if group}


def foreign(files: Iterable[Path]) -> str:
    """Return a sentence on the first file of a tool, or of a part of COCO's format, or ''."""
    for file in files:
        start = beginning(file)
        if tool := next((tool for key, tool in TOOLS.items() if key in start), None):
            return f' {file.name} seems to be a file of {tool}; in {tool}, export in COCO format.'
        is_part = b'"images"' in start and file.suffix.lower() == '.json'
        content = load_json(str(file)) if is_part else None
        missing = COLUMNS.keys() - content.keys() if isinstance(content, dict) else ()
        if len(missing) == 1:
            return f' {file.name} is in COCO format, but has no {missing.pop()}.'
    return ''


def is_in_form(form: str, file: Path) -> bool:
    """Return whether a file begins as those of one of the :data:`FORMS` do."""
    suffix, content = FORMS[form]
    return file.suffix.lower() == suffix and bool(content.search(beginning(file) + b'\n'))


def found_form(root: Path) -> str | None:
    """Return which of the :data:`FORMS` the first such file below a folder has."""
    for form, (suffix, _) in FORMS.items():
        if any(is_in_form(form, file) for file in files_below(root, (suffix,))):
            return form
    return None


def is_coco(content: object) -> bool:
    """Tell whether what a JSON file holds has the three lists of COCO's format."""
    return isinstance(content, dict) and content.keys() >= COLUMNS.keys()


def _by_split(root: Path, files: Iterable[Path]) -> dict[str | None, list[Path]]:
    return by_key(files, lambda file: named_split(str(file.relative_to(root))))


def _named(root: Path, files: Sequence[Path], patterns: Sequence[str]) -> list[Path]:
    chosen: set[Path] = set()
    for pattern in patterns:
        own = {file for file in files if _fits(root, file, pattern)}
        if not own:
            there = some((file.relative_to(root) for file in files), str) or 'none'
            raise InputError(
                f'--annotations {pattern}: no such file in {root}. It contains {there}'
            )
        chosen |= own
    return sorted(chosen)


def _fits(root: Path, file: Path, pattern: str) -> bool:
    place = f'/{file.relative_to(root).as_posix()}'
    return fnmatch(place, f'*/{pattern}') or file == Path(pattern).expanduser().absolute()


def _in_coco_format(files: Iterable[Path], required: bool = True) -> Found:
    """Return the files that hold annotations; a damaged one is skipped beside a sound one."""
    files = list(files)
    # COCO itself has other annotations beside these
    named = [file for file in files if file.name.startswith('instances')]
    found, damaged = [], []
    for file in named or files:
        try:
            content = load_json(str(file))
        except InputError as error:
            damaged.append(error)
            continue
        if is_coco(content):
            found.append((file, content))
    if damaged and not found and required:
        raise damaged[0]
    show_warnings([f'{error} The file is skipped.' for error in damaged])
    return found


def _has_labels(content: dict) -> bool:
    """Tell whether there are annotations, and not all are predictions, which have scores."""
    entries = content['annotations']
    are_dicts = isinstance(entries, list) and all(isinstance(ann, dict) for ann in entries)
    return are_dicts and not all('score' in ann for ann in entries)


def _meant(root: Path, split: str, found: Found) -> tuple[Path, dict]:
    """Return the one file of several that is no copy and has labels, or any of equal ones."""
    original = [each for each in found if not is_copy(each[0].relative_to(root))] or found
    kept = [each for each in original if _has_labels(each[1])] or original
    lists = [[content[part] for part in COLUMNS] for _, content in kept]
    names = [str(file.relative_to(root)) for file, _ in found]
    if any(each != lists[0] for each in lists):
        raise InputError(
            f'{root}: several annotation files for {split}: {some(names, str)}. Choose one with '
            '--annotations FILE, or move the others out of the folder.'
        )
    read = kept[0]
    if others := [name for name in names if name != str(read[0].relative_to(root))]:
        text = f'{root}: {split} is read from {read[0].relative_to(root)}, not from'
        advice = 'Use --annotations FILE to choose another file'
        show_warnings([f'{text} {some(others, str)}. {advice}'])
    return read
