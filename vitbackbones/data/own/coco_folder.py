"""Annotation files in COCO's format below a folder, whatever they are called, and their pictures.

Known are the forms of COCO itself (``annotations/instances_train2017.json``), of Roboflow
(``train/_annotations.coco.json``, ``valid/``, ``test/``), of CVAT and Label Studio (one file).
"""

import filecmp
import operator
import os
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import unquote

from ...errors import InputError
from ...utils.messages import command_line, page, show_warnings, some
from ...utils.rules import is_number
from ..checks.coco_file import COLUMNS, check_references, require_counted, table
from ..checks.findings import spread, stays_below
from ..loading.image_file import IMAGES, read_header, size_of
from .annotation_files import FORMS, OTHERS, find_files, foreign, found_form
from .folder import divided, files_below, folders_below, gone_links, is_copy, named_split

SAMPLE = 20  # file names by which a folder of pictures is found
LOSSLESS = ('.png', '.bmp', '.tif', '.tiff', '.npy')  # suffixes that masks have
DEEPEST = 8  # folders in front of a name that may be those of another machine
READ = {  # what is read here of each list; some exports lack the rest
    'images': ('id', 'file_name'),
    'annotations': ('id', 'image_id', 'category_id'),
    'categories': ('id', 'name'),
}


@dataclass
class CocoPart:
    """One split: its annotation file, what that holds, and the folder of its pictures."""

    file: Path
    content: dict
    images: Path
    whole: bool = True  # False where content is a part of the file
    changed: bool = False  # whether content has other names of pictures, or fewer categories

    @property
    def names(self) -> list[str]:
        """The names of the pictures."""
        return [img['file_name'] for img in self.content['images']]

    @property
    def labeled(self) -> set[str]:
        """The names of the pictures with an object that counts."""
        keys = {ann['image_id'] for ann in self.content['annotations'] if is_counted(ann)}
        return {e['file_name'] for e in self.content['images'] if e['id'] in keys}

    def only(self, names: set[str]) -> 'CocoPart':
        """Return a part of this one, with these pictures."""
        keys = {img['id'] for img in self.content['images'] if img['file_name'] in names}
        return replace(self, content=of_pictures(self.content, keys), whole=False)


def is_counted(ann: dict) -> bool:
    """Tell whether an annotation is no crowd and no box thinner than a pixel; a check does more."""
    sides = ann.get('bbox')
    sides = sides[2:] if isinstance(sides, list) else ()
    return not ann.get('iscrowd') and all(side >= 1 for side in sides if is_number(side))


def of_pictures(content: dict, keys: set) -> dict:
    """Return what a file holds of the pictures with these ids."""
    images = [img for img in content['images'] if img['id'] in keys]
    boxes = [ann for ann in content['annotations'] if ann['image_id'] in keys]
    return {**content, 'images': images, 'annotations': boxes}


def find_parts(
    root: Path, trained_on: Iterable[str] | None = None, named: Sequence[str] = ()
) -> dict[str, CocoPart]:
    """Return the parts for training and validation, and that for testing if there is one.

    With ``trained_on``, as of :func:`.folder.divided`, nothing has to be for training. ``named``
    is that of :func:`.annotation_files.find_files`.

    Raises:
        InputError: there are no such files, or it is not clear which ones are meant.
    """
    files = find_files(root, named)
    # Roboflow also writes a file for a split that got no image
    bare = [split for split, (_, content) in files.items() if content['images'] == []]
    for split in {*bare} - {'train'}:
        show_warnings([f'{files.pop(split)[0]}: has no images, so the file is skipped'])
    if not files or (trained_on is None and 'train' not in files):
        raise InputError(_nothing_to_train_on(root, files))
    parts = {split: _part(root, split, *found) for split, found in files.items()}
    found = divided(root, parts, trained_on)
    assert _objects(found) == _objects(parts), 'a split has lost annotations'
    return found


def measurable(parts: dict[str, CocoPart], testing: bool = False) -> dict[str, CocoPart]:
    """Return the parts without one for testing that has no object, which training does without.

    Raises:
        InputError: all annotations of a file are crowds, or nothing could be measured on the part
            for validation, or with ``testing`` on that for testing.
    """
    crowds = defaultdict(list)  # of each file, which may be in several parts
    for part in parts.values():
        crowds[part.file] += [ann.get('iscrowd') for ann in part.content['annotations']]
    for file, marks in crowds.items():
        require_counted(str(file), marks)
    if not any(part.labeled for part in parts.values()):
        fault = f'{", ".join(map(str, crowds))}: no image has an object that counts'
        thin = (
            ': the boxes are thinner than a pixel. COCO boxes are [x, y, width, height] in pixels, '
            'not fractions of the image.'
        )
        raise InputError(fault + thin if _objects(parts) else fault)
    bare = [split for split in ('test', 'val') if split in parts and not parts[split].labeled]
    for split in bare:
        fault = f'{parts[split].file}: no image for {split} has an object that counts'
        if split == 'test' and not testing:
            show_warnings([f'{fault}, so test uses the val images'])
        elif split == 'test' or not testing or 'test' not in parts:
            raise InputError(
                f'{fault}, so nothing can be measured. Add labeled images, or move the file out '
                'of the folder: then part of the training images is used instead.'
            )
    return {split: part for split, part in parts.items() if split != 'test' or split not in bare}


def _objects(parts: dict[str, CocoPart]) -> int:
    return sum(len(part.content['annotations']) for part in parts.values())


# ------------------------------------------------------------------------ annotation files


def _nothing_to_train_on(root: Path, found: dict[str, tuple[Path, dict]]) -> str:
    if found:
        names = some((file.relative_to(root) for file, _ in found.values()), str)
        return (
            f'{root}: {names} is for {" and ".join(found)}, and no annotation file (*.json) is for '
            'training. Add one. To have this file split for you, remove the split from its name.'
        )
    if form := found_form(root):
        return (
            f'{root}: no annotation file in COCO format (*.json), but {FORMS[form][0]} files. '
            f'Convert them with {command_line("import", form, root, "OUT")}, then use --data-root '
            'OUT.'
        )
    others = sorted(str(file.relative_to(root)) for file in files_below(root, OTHERS))
    seen = f' Of another format: {some(others, str)}.' if others else ''
    seen += foreign(root / name for name in others)
    if above := sorted(file.name for file in root.parent.glob('*.json')):
        seen += (
            f' {root.parent} contains {some(above, str)}. If this is for these images, give that '
            'folder.'
        )
    conversion = command_line('import', 'masks', root, 'OUT', '--instances')
    of_masks = f' If masks give each object a number, convert them with {conversion}.'
    return (
        f'{root}: no annotation file in COCO format (*.json with images, annotations and '
        f'categories) in it or below.{seen} {page("own_data")} lists the supported layouts, and '
        f'{page("faq")} shows how to write a COCO file.'
        f'{of_masks if any(files_below(root, LOSSLESS)) else ""}'
    )


def require_read(file: Path, content: dict) -> None:
    """Require the values that are read here, each of its type, and ids that are used once.

    Ids are compared here because one that is used twice may be on both sides of a split, and an
    annotation whose picture is unknown on neither.

    Raises:
        InputError: names the first that is missing, of another type, used twice or not defined.
    """
    read = {}
    for part, keys in READ.items():
        columns = {key: COLUMNS[part][key] for key in keys}
        read[part] = table(str(file), content, part, columns, may_be_empty=part == 'annotations')
    for key, part in (('image_id', 'images'), ('category_id', 'categories')):
        check_references(str(file), read['annotations'], key, read[part]['id'])


def _required_categories(file: Path, content: dict) -> list[dict]:
    """Return the categories without unused ones that have the name of another one.

    Exporters give the root of their categories the name of the first class.

    Raises:
        InputError: annotations use two categories of one name.
    """
    keys = {ann['category_id'] for ann in content['annotations']}
    names = Counter(used_names(content))
    if twice := [name for name, count in names.items() if count > 1]:
        raise InputError(
            f'{file}: category names are used more than once: {some(twice)}. Give each category '
            'that annotations use a different name.'
        )
    if not all(name.strip() for name in names):
        raise InputError(
            f'{file}: a category that annotations use has an empty name. Give it a name.'
        )
    first = {category['name']: category['id'] for category in reversed(content['categories'])}
    return [
        category
        for category in content['categories']
        if category['id'] in keys
        or (category['name'] not in names and first[category['name']] == category['id'])
    ]


# ------------------------------------------------------------------------ pictures


def _part(root: Path, split: str, file: Path, content: dict) -> CocoPart:
    require_read(file, content)
    categories = _required_categories(file, content)
    names = [img['file_name'] for img in content['images']]
    places = [*folders_below(root)]
    found, folders, written = 0, places, names
    for form in _forms(root, names):
        if len(set(form)) < len(set(names)):  # names that differ in their folders alone
            continue
        count, best = _image_folders(root, split, file, form, places)
        if count > found:
            found, folders, written = count, best, form
        if found == min(len(names), SAMPLE):
            break
    if not found:
        raise InputError(
            f'{file}: its images ({some(names)}) are not in {root} or below. '
            f'{gone_links(root) or "Put them there, or correct file_name in the annotations."}'
        )
    pairs = zip(content['images'], written, strict=True)
    images = [{**img, 'file_name': name} for img, name in pairs]
    folder = _one_folder(file, folders, images)
    boxes = [_with_numbers(ann) for ann in content['annotations']]
    if texts := sum(map(operator.ne, boxes, content['annotations'])):
        show_warnings([f'{file}: {texts} boxes contain text, which is read as numbers'])
    changed = written != names or categories != content['categories'] or texts > 0
    content = {**content, 'images': images, 'categories': categories, 'annotations': boxes}
    return CocoPart(file, content, folder, changed=changed)


def _with_numbers(ann: dict) -> dict:
    """Return an annotation with numbers in its box, for which Roboflow writes text."""
    box = ann.get('bbox')
    if isinstance(box, list) and any(isinstance(side, str) for side in box):
        with suppress(TypeError, ValueError):  # a check names a bad box
            return {**ann, 'bbox': [float(side) for side in box]}
    return ann


def _forms(root: Path, names: Sequence[str]) -> Iterator[list[str]]:
    """Yield the names as the pictures may be called here, the likeliest first.

    Exports write names as they are below a folder, with the separators of Windows, in percent codes
    and with folders of the machine that they come from. Letters may be of the other case, and the
    suffix may be missing.
    """
    files = [Path(name).name for name in files_below(root, ('',))]
    images = {name for name in files if name.lower().endswith(IMAGES)}
    stems = Counter(Path(name).stem for name in images)
    by_stem = {Path(name).stem: name for name in images if stems[Path(name).stem] == 1}
    spelled = {_spelling(name): name for name in files} | {name: name for name in files}

    def here(name: str) -> str:
        folder, slash, last = name.rpartition('/')
        found = spelled.get(last) or spelled.get(_spelling(last), last)
        if not found.lower().endswith(IMAGES):  # a.jpg.png is another image than a.jpg
            found = by_stem.get(found, found)
        return f'{folder}{slash}{found}'

    plain = [name.replace('\\', '/') for name in names]
    decoded = [unquote(name.rpartition('?d=')[2]) for name in plain]
    yield [here(name) for name in names]
    for each in (plain, decoded):
        deepest = max(name.count('/') for name in each)
        for start in range(min(deepest, DEEPEST) + 1):
            yield [here(name.split('/', start)[-1]) for name in each]
        yield [here(name.rpartition('/')[2]) for name in each]


def _spelling(name: str) -> str:
    return unicodedata.normalize('NFC', name).casefold()


def _image_folders(
    root: Path, split: str, file: Path, names: list[str], places: Sequence[Path]
) -> tuple[int, list[Path]]:
    """Return how many of a sample of pictures are in one of the ``places``, and the best of these.

    Of equal ones it is that of the split, then that of the annotation file, and no copy.
    """
    sample = [names[row] for row in spread(len(names), SAMPLE)]
    ranks = {}
    for folder in places:
        # os.path.isfile() says no to impossible names
        found = [stays_below(folder, name) and os.path.isfile(folder / name) for name in sample]
        place = folder.relative_to(root)
        is_of_split = named_split(str(place)) == split
        ranks[folder] = (sum(found), is_of_split, folder == file.parent, not is_copy(place))
    best = max(ranks.values())
    return best[0], [folder for folder, rank in ranks.items() if rank == best]


def _one_folder(file: Path, folders: list[Path], images: list[dict]) -> Path:
    """Return the folder whose pictures have the sizes in the file, or any of equal ones."""
    sample = [images[row] for row in spread(len(images), SAMPLE)]
    if len(folders) == 1:
        return folders[0]
    alike = [each for each in folders if _have_their_sizes(each, sample)] or folders
    first = alike[0]
    names = [img['file_name'] for img in sample if (first / img['file_name']).is_file()]
    if any(filecmp.cmpfiles(first, other, names, shallow=False)[0] != names for other in alike):
        raise InputError(
            f'{file}: its images are in several folders: {some(folders, str)}. Move all but one '
            'folder out of the dataset.'
        )
    others = some((each for each in folders if each != first), str)
    show_warnings([f'{file}: its images are read from {first}, not from {others}'])
    return first


def _have_their_sizes(folder: Path, images: list[dict]) -> bool:
    with suppress(Exception):  # of any Pillow plugin: a bad file is named later
        sizes = [size_of(read_header(str(folder / img['file_name']))) for img in images]
        return sizes == [(img.get('height'), img.get('width')) for img in images]
    return False


# ------------------------------------------------------------------------ what is read of them


def find_classes(parts: dict[str, CocoPart]) -> list[str]:
    """Return the classes that annotations use, in the order of the first file.

    Raises:
        InputError: there is none.
    """
    names = dict.fromkeys(name for part in parts.values() for name in used_names(part.content))
    first = next(iter(parts.values()))
    if not names:
        raise InputError(f'{first.file}: no annotation uses a category of this file.')
    order = [category['name'] for category in first.content['categories']]
    return sorted(names, key=lambda name: order.index(name) if name in order else len(order))


def used_names(content: dict) -> list[str]:
    """Return the names of the categories that annotations use, in the order of the file."""
    keys = {ann['category_id'] for ann in content['annotations']}
    return [category['name'] for category in content['categories'] if category['id'] in keys]


def completed(content: dict, classes: list[str]) -> dict:
    """Return ``content`` with what toolboxes need and some exports lack.

    Categories stand in the order of ``classes``, by which mmdet numbers labels, and all classes
    have one. Annotations have an ``iscrowd`` and an ``area``, and not the id 0, which COCO
    evaluation never counts as found.
    """
    categories = list(content['categories'])
    names = {category['name'] for category in categories}
    lacking = [name for name in classes if name not in names]
    for number, name in enumerate(lacking, _free_id(categories)):
        categories.append({'id': number, 'name': name})
    rank = {name: place for place, name in enumerate(classes)}
    categories.sort(key=lambda category: rank.get(category['name'], len(rank)))
    boxes = []
    free = _free_id(content['annotations'])
    for ann in content['annotations']:
        box = {'iscrowd': 0, **ann}
        with suppress(KeyError, TypeError, ValueError, OverflowError):  # a check names a bad box
            _, _, width, height = ann['bbox']
            box.setdefault('area', 1.0 * width * height)  # 1.0: a text would be repeated
        boxes.append(box | {'id': free} if ann['id'] == 0 else box)
    return {**content, 'categories': categories, 'annotations': boxes}


def _free_id(entries: list[dict]) -> int:
    return 1 + max((ann['id'] for ann in entries if type(ann['id']) is int), default=0)
