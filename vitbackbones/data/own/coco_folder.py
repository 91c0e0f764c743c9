"""Annotation files in COCO's format below a folder, whatever they are called, and their pictures.

Known are the forms of COCO itself (``annotations/instances_train2017.json``), of Roboflow
(``train/_annotations.coco.json``, ``valid/``, ``test/``), of CVAT and Label Studio (one file).
"""

import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from ...errors import InputError
from ...utils.messages import page, some
from ...utils.verbs import command_line
from ..checks.coco_file import COLUMNS, load_json, table
from ..checks.findings import spread, stays_below
from .folder import files_below, folders_below
from .splits import divided, named_split

SAMPLE = 20  # file names by which a folder of pictures is found
READ = {  # what is read here of each list; some exports lack the rest
    'images': ('id', 'file_name'),
    'annotations': ('id', 'image_id', 'category_id'),
    'categories': ('id', 'name'),
}
# How exports write the names of pictures: as they are below a folder, with the separators of
# Windows, and with folders of the machine that they come from (Label Studio).
FORMS = (
    lambda name: name,
    lambda name: name.replace('\\', '/'),
    lambda name: name.replace('\\', '/').rpartition('/')[2],
)


@dataclass
class CocoPart:
    """One split: its annotation file, what that holds, and the folder of its pictures."""

    file: Path
    content: dict
    images: Path
    whole: bool = True  # False where content is a part of the file
    renamed: bool = False  # whether pictures have other names in content than in the file

    @property
    def names(self) -> list[str]:
        """The names of the pictures."""
        return [entry['file_name'] for entry in self.content['images']]

    def only(self, names: set[str]) -> 'CocoPart':
        """Return a part of this one, with these pictures."""
        images = [entry for entry in self.content['images'] if entry['file_name'] in names]
        keys = {entry['id'] for entry in images}
        boxes = [entry for entry in self.content['annotations'] if entry['image_id'] in keys]
        content = {**self.content, 'images': images, 'annotations': boxes}
        return replace(self, content=content, whole=False)


def find_parts(root: Path, trained_on: Iterable[str] | None = None) -> dict[str, CocoPart]:
    """Return the parts for training and validation, and that for testing if there is one.

    With ``trained_on``, as of :func:`.splits.divided`, nothing has to be for training.

    Raises:
        InputError: there are no such files, or it is not clear which ones are meant.
    """
    groups = {}
    for file in sorted(files_below(root, ('.json',))):
        groups.setdefault(named_split(str(file.relative_to(root))), []).append(file)
    if 'train' in groups:
        groups.pop(None, None)  # such as all annotations in one file, beside those of each split
    files = {}
    for split, candidates in groups.items():
        # COCO itself has other annotations beside these
        named = [file for file in candidates if file.name.startswith('instances')]
        contents = [(file, load_json(str(file))) for file in named or candidates]
        found = [(file, content) for file, content in contents if is_coco(content)]
        if len(found) > 1:
            names = some((file.relative_to(root) for file, _ in found), str)
            raise InputError(
                f'{root}: several annotation files for {split or "train"}: {names}. Move all but '
                'the one that is meant out of the folder, or join them.'
            )
        if found:
            files[split or 'train'] = found[0]
    if not files or (trained_on is None and 'train' not in files):
        raise InputError(_nothing_to_train_on(root, files))
    parts = {split: _part(root, split, *found) for split, found in files.items()}
    return divided(root, parts, trained_on)


# ------------------------------------------------------------------------ annotation files


def is_coco(content: object) -> bool:
    """Tell whether what a JSON file holds has the three lists of COCO's format."""
    return isinstance(content, dict) and content.keys() >= COLUMNS.keys()


def _nothing_to_train_on(root: Path, found: dict[str, tuple[Path, dict]]) -> str:
    if found:
        names = some((file.relative_to(root) for file, _ in found.values()), str)
        return (
            f'{root}: {names} is for {" and ".join(found)}, and no annotation file (*.json) is for '
            'training. Put it there, or give the file that is to be split another name.'
        )
    for suffix, kind in (('.xml', 'voc'), ('.txt', 'yolo')):
        if next(files_below(root, (suffix,)), None):
            return (
                f"{root}: no annotation file in COCO's format (*.json), but {suffix} files. "
                f'Convert them: {command_line("import", kind, root, "OUT")}, then --data-root OUT.'
            )
    return (
        f"{root}: no annotation file in COCO's format (*.json with images, annotations and "
        f'categories) in it or below. {page("own_data")} lists the layouts that are known. '
        f'Those of labelme, one for each picture: {command_line("import", "labelme", root, "OUT")}.'
    )


def require_read(file: Path, content: dict) -> None:
    """Require the values that are read here, each of its type, and ids that are used once.

    Ids are compared here because one that is used twice may be on both sides of a split.

    Raises:
        InputError: names the first that is missing, of another type or used twice.
    """
    for part, keys in READ.items():
        table(str(file), content, part, {key: COLUMNS[part][key] for key in keys})


# ------------------------------------------------------------------------ pictures


def _part(root: Path, split: str, file: Path, content: dict) -> CocoPart:
    require_read(file, content)
    names = [entry['file_name'] for entry in content['images']]
    for form in FORMS:
        written = [form(name) for name in names]
        if len(set(written)) < len(set(names)):  # names that differ in their folders alone
            continue
        folder = _image_folder(root, split, file, written)
        if folder:
            pairs = zip(content['images'], written, strict=True)
            images = [{**entry, 'file_name': name} for entry, name in pairs]
            return CocoPart(file, {**content, 'images': images}, folder, renamed=written != names)
    raise InputError(
        f'{file}: its images ({some(names)}) are not in {root} or below. Put them there, or '
        'correct file_name in the annotations.'
    )


def _image_folder(root: Path, split: str, file: Path, names: list[str]) -> Path | None:
    """Return the folder below which the pictures are: the one with most of a sample of them.

    Of equal ones it is that of the split, then that of the annotation file; None where there is no
    picture.
    """
    sample = [names[row] for row in spread(len(names), SAMPLE)]
    ranks = {}
    for folder in folders_below(root):
        # os.path.isfile() says no to impossible names
        found = [stays_below(folder, name) and os.path.isfile(folder / name) for name in sample]
        is_of_split = named_split(str(folder.relative_to(root))) == split
        ranks[folder] = (sum(found), is_of_split, folder == file.parent)
    best = max(ranks.values())
    if not best[0]:
        return None
    folders = [folder for folder, rank in ranks.items() if rank == best]
    if len(folders) > 1:
        raise InputError(
            f'{file}: its images are in several folders, {some(folders, str)}. Move all but one '
            'out of the folder of the data set.'
        )
    return folders[0]


# ------------------------------------------------------------------------ what is read of them


def find_classes(parts: dict[str, CocoPart]) -> list[str]:
    """Return the classes that annotations use, in the order of the first file.

    Raises:
        InputError: there is none.
    """
    names = dict.fromkeys(name for part in parts.values() for name in used_names(part.content))
    first = next(iter(parts.values()))
    if not names:
        raise InputError(f'{first.file}: no annotation uses a category of the file.')
    order = [entry['name'] for entry in first.content['categories']]
    return sorted(names, key=lambda name: order.index(name) if name in order else len(order))


def used_names(content: dict) -> list[str]:
    """Return the names of the categories that annotations use, in the order of the file."""
    keys = {entry['category_id'] for entry in content['annotations']}
    return [entry['name'] for entry in content['categories'] if entry['id'] in keys]


def completed(content: dict, classes: list[str]) -> dict:
    """Return ``content`` with what toolboxes need and some exports lack.

    Categories stand in the order of ``classes``, by which mmdet numbers labels, and all classes
    have one. Annotations have an ``iscrowd`` and an ``area``, and not the id 0, which COCO
    evaluation never counts as found.
    """
    categories = list(content['categories'])
    names = {entry['name'] for entry in categories}
    lacking = [name for name in classes if name not in names]
    for number, name in enumerate(lacking, _free_id(categories)):
        categories.append({'id': number, 'name': name})
    rank = {name: place for place, name in enumerate(classes)}
    categories.sort(key=lambda entry: rank.get(entry['name'], len(rank)))
    boxes, free = [], _free_id(content['annotations'])
    for entry in content['annotations']:
        box = {'iscrowd': 0, **entry}
        with suppress(KeyError, TypeError, ValueError, OverflowError):  # a check names a bad box
            _, _, width, height = entry['bbox']
            box.setdefault('area', 1.0 * width * height)  # 1.0: a text would be repeated
        boxes.append(box | {'id': free} if entry['id'] == 0 else box)
    return {**content, 'categories': categories, 'annotations': boxes}


def _free_id(entries: list[dict]) -> int:
    return 1 + max((entry['id'] for entry in entries if type(entry['id']) is int), default=0)
