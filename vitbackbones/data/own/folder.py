"""What is below a folder of unknown content: files, the text in them, and names of classes.

Files are pictures, masks, or what tools and people leave, by the words of their paths. Whole words
of folders, or else of names, tell masks from pictures. The last one counts, as in
``segmentation/images``, and what all files have in common does not count. Which part of a dataset a
file belongs to is in the words of its path, too, or in a hash of its name.
"""

import csv
import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from ...errors import InputError
from ...utils.files import regular_file
from ...utils.grouping import by_key
from ...utils.messages import shorten, some

DEPTH = 8  # folders below the one given
MOST = 20000  # folders in all
SYSTEM = ('/proc', '/sys')  # whose files are none, and whose links lead everywhere
# What archives, editors, network disks, package managers and trackers leave in a folder
TOOLS = {'__MACOSX', '__pycache__', '@eaDir', '$RECYCLE.BIN', 'lost+found', 'node_modules'}
TOOLS |= {'site-packages', 'wandb', 'mlruns', 'lightning_logs'}
TASKS = {'detect', 'segment', 'pose', 'obb', 'classify'}  # folders in which YOLO's tools keep runs
SETTINGS = ('args.yaml', 'opt.yaml', 'hyp.yaml')  # of such a run
NUMBER = re.compile(r'(?=\D*\d)[\d\s.,:;/_+-]+(e[+-]?\d+)?', re.IGNORECASE)


def files_below(root: Path, suffixes: tuple[str, ...]) -> Iterator[Path]:
    """Yield the files below a folder with one of the suffixes, in any case; none is hidden."""
    for folder in folders_below(root):
        for entry in os.scandir(folder):
            name = entry.name
            is_meant = name.lower().endswith(suffixes) and not name.startswith('.')
            if is_meant and os.path.isfile(entry.path):  # no where a link must not be followed
                yield Path(entry.path)


def folders_below(root: Path) -> Iterator[Path]:
    """Yield a folder and those below it, also through links; each once, none is hidden.

    A link to a folder around ``root`` is not followed: what else lies there is other data.

    Raises:
        InputError: there are more than :data:`MOST` folders, or they are the system's, so ``root``
            is not that of a dataset.
    """
    place = Path(os.path.realpath(root))
    if any(place.is_relative_to(each) for each in SYSTEM):
        raise InputError(f'{root}: is a system folder. Give the folder of the dataset')
    seen = {str(folder) for folder in place.parents}
    for place, folders, _ in os.walk(root, followlinks=True):
        deep = len(Path(place).relative_to(root).parts) >= DEPTH
        known = os.path.realpath(place) in seen
        seen.add(os.path.realpath(place))
        kept = [] if deep or known else sorted(f for f in folders if not f.startswith('.'))
        folders[:] = [name for name in kept if not is_of_a_tool(Path(place, name))]
        if not known:
            yield Path(place)
        if len(seen) > MOST:
            raise InputError(
                f'{root}: contains more than {MOST} folders. Give the folder of the dataset'
            )


def gone_links(root: Path) -> str:
    """Return what to do about links below a folder whose pictures are gone, '' without any."""
    for folder in folders_below(root):
        for entry in os.scandir(folder):
            if entry.is_symlink() and not os.path.exists(entry.path):
                target = os.path.realpath(entry.path)
                return f'Links point to {target}, which no longer exists. Import again with --copy.'
    return ''


def is_of_a_tool(folder: Path) -> bool:
    """Return whether a folder holds an environment, a tool's records or the runs of YOLO's tools.

    The pictures in these, such as drawn batches and predictions, belong to no dataset.
    """
    if folder.name in TOOLS or os.path.isfile(folder / 'pyvenv.cfg'):
        return True
    has_settings = any(os.path.isfile(folder / name) for name in SETTINGS)
    if has_settings and os.path.isdir(folder / 'weights'):
        return True
    if folder.name != 'runs':
        return False
    return any(os.path.isdir(folder / task) for task in TASKS) or any(folder.glob('*/exp*'))


def read_text(file: Path) -> str:
    """Return the text of a file in UTF-8, as editors write it.

    Raises:
        InputError: it cannot be read, or is no text.
    """
    try:
        with open(file, encoding='utf-8-sig', opener=regular_file) as text:
            return text.read()  # without the mark that Windows puts first
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f'{file}: is not a UTF-8 text file: {error}. Save it as UTF-8.') from error


def lines_in(file: Path) -> list[str]:
    """Return the lines of a text that are not blank, without the blanks around them."""
    return [line.strip() for line in read_text(file).splitlines() if line.strip()]


def names_in_lines(file: Path) -> list[str]:
    """Read names from a file with one in each line.

    Raises:
        InputError: it is no text, is empty, or has a name twice.
    """
    names = lines_in(file)
    if not names or len(set(names)) < len(names):
        raise InputError(f'{file}: write one class name on each line, and each name only once.')
    return names


def in_words(names: Sequence[str]) -> str:
    """Return how many classes there are, and the first names.

    >>> in_words(['cat', 'dog'])
    '2 classes: cat, dog'
    """
    return f'{len(names)} class{"" if len(names) == 1 else "es"}: {shorten(names)}'


def spelling_warnings(source: str, names: Iterable[str]) -> list[str]:
    """Return warnings for names of classes that look like mistakes.

    These differ in case, spaces, ``-`` and ``_`` alone, or are numbers, coordinates or dates.
    """
    names = [*names]
    alike = by_key(names, lambda name: ''.join(c for c in name.casefold() if c not in ' -_'))
    numbers = [name for name in names if NUMBER.fullmatch(name)]
    groups = [' and '.join(map(repr, group)) for group in alike.values() if len(group) > 1]
    warnings = []
    if groups:
        warnings.append(
            f'{source}: classes with different names look alike: {some(groups, str)}. If they are '
            'the same class, use one name'
        )
    if numbers:
        warnings.append(
            f'{source}: class names look like numbers, coordinates or dates: {some(numbers)}. '
            'Check that they were read from the right file'
        )
    return warnings


# ------------------------------------------------------------------------ splits
# A hash rather than an order or a generator: pictures that are added later move no other one from
# one part to the other, and every tool and every resumed run comes to the same parts. The parts are
# not stratified, as a share of each class would let new pictures move old ones; a class that
# training does not have is named before the run.


WORDS = {
    'train': ('train', 'training', 'trainset'),
    'val': ('val', 'valid', 'validation', 'validate', 'valset', 'dev'),
    'test': ('test', 'testing', 'testset'),
}
SPLIT_OF = {word: split for split, words in WORDS.items() for word in words}
# A part of a test set, as COCO, DAVIS and VisDrone call it
TEST_DEV = re.compile('(?<![a-z])test(?:set)?[-_ ]?dev(?![a-z])', re.IGNORECASE)
SHARE = 0.2  # of the pictures, held out for validation and testing
MARKS = 16  # names by which a part is recognized


def named_split(path: str) -> str | None:
    """Return the split that a relative path names, None without one; the last word counts.

    >>> named_split('valid/_annotations.coco.json'), named_split('instances_train2017.json')
    ('val', 'train')
    """
    words = reversed(re.findall('[a-z]+', TEST_DEV.sub('test', path).lower()))
    return next((SPLIT_OF[word] for word in words if word in SPLIT_OF), None)


def divided(root: Path, parts: dict, trained_on: Iterable[str] | None) -> dict:
    """Return the parts of a dataset with one for validation.

    Where nothing is for validation, a fixed share of the training pictures is, by their names.
    Where nothing is for testing either, half of that share is: what chose the checkpoint of a run
    does not judge it.

    Args:
        root: the folder of the dataset, for messages.
        parts: what is known, by split; each has ``names``, of those ``labeled`` with objects, and
            ``only(names)`` returns less of it.
        trained_on: to test a model that is trained already, names of pictures that it was trained
            on. A single part is divided if it has some of these pictures; otherwise all of it is
            for testing.

    Raises:
        InputError: there is one picture alone, or one alone with objects.
    """
    if 'val' in parts or (trained_on is not None and parts.keys() != {'train'}):
        return parts
    part = parts['train']
    names = {*part.names}
    if trained_on is not None and names.isdisjoint(trained_on):
        return {'test': part}
    if len(names) < 2:
        raise InputError(f'{root}: one image cannot be split into training and validation.')
    if len(part.labeled) == 1:
        raise InputError(
            f'{root}: only one image has objects that count, so none is left for validation. '
            'Label more images.'
        )
    chosen = held_out(names, part.labeled)
    tested = set() if 'test' in parts else for_testing(chosen)
    if part.labeled and any(map(part.labeled.isdisjoint, (tested, chosen - tested))):
        tested = set()  # nothing could be measured on one of the two
    found = {'train': part.only(names - chosen), 'val': part.only(chosen - tested)}
    return parts | found | ({'test': part.only(tested)} if tested else {})


def held_out(names: Iterable[str], labeled: Iterable[str] = ()) -> set[str]:
    """Return the names of the validation part: one at least, and not all.

    Args:
        names: two or more different ones.
        labeled: of pictures with objects; some are in either part where there are two or more.
    """
    ranked = sorted(set(names), key=_place)
    chosen = [name for name in ranked if _place(name) < SHARE]
    held = set(chosen[: len(ranked) - 1] or ranked[:1])
    with_objects = sorted(set(labeled), key=_place)
    if len(with_objects) > 1:
        held = (held | {with_objects[0]}) - {with_objects[-1]}
    return held


def for_testing(names: Iterable[str]) -> set[str]:
    """Return the half of the pictures :func:`held_out` that is for testing; none of one picture."""
    ranked = sorted(set(names), key=_place)
    chosen = {name for name in ranked if _place(name) < SHARE / 2}
    return chosen if 0 < len(chosen) < len(ranked) else set(ranked[: len(ranked) // 2])


def marks(names: Iterable[str]) -> tuple[str, ...]:
    """Return a few of the names, by which a part is recognized after pictures were added."""
    return tuple(sorted(set(names), key=_place)[:MARKS])


def _place(name: str) -> float:
    """Return a number from 0 to 1 that looks random and depends on the name alone."""
    digest = hashlib.sha256(name.encode('utf-8', 'surrogateescape')).digest()
    return int.from_bytes(digest[:8], 'big') / 2**64


# ------------------------------------------------------------------------ roles


# words of names of files and folders, and with an s at their end, by the kind of file
with open(Path(__file__).with_name('roles.csv'), newline='', encoding='utf-8') as _rows:
    SETS = {
        row['kind']: {word + s for word in row['words'].split() for s in ('', 's')}
        for row in csv.DictReader(_rows)
    }
PICTURE_WORDS, MASK_WORDS = SETS['pictures'], SETS['masks']
LEFTOVERS = SETS['leftovers'] | SETS['copies']
NO_CLASSES = SETS['others'] | SETS['colors'] | LEFTOVERS
TOLD_WORDS = {*SPLIT_OF} | MASK_WORDS | PICTURE_WORDS  # which tell what a file is
KNOWN_WORDS = TOLD_WORDS | SETS['fillers'] | SETS['forms']
JOINED = '|'.join(sorted(TOLD_WORDS, key=len, reverse=True))
ALL_JOINED = re.compile(f'({JOINED})+')
EACH_JOINED = re.compile(JOINED)
WORD = re.compile(r'[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+')
COPY_NUMBER = re.compile(r'\(\d+\)')  # of Windows and browsers: train (1).json
LOSSY = ('.jpg', '.jpeg')
KINDS = ('masks', 'colors', 'others')  # of masks, in the order in which they are taken


@lru_cache(100_000)
def words(name: str) -> tuple[str, ...]:
    """Return the words of a file or folder in lower case.

    >>> words('JPEGImages'), words('gtFine_labelIds'), words('trainannot')
    (('jpeg', 'images'), ('gt', 'fine', 'label', 'ids'), ('train', 'annot'))
    """
    found = []
    for word in map(str.lower, WORD.findall(TEST_DEV.sub('test', name))):
        found += EACH_JOINED.findall(word) if ALL_JOINED.fullmatch(word) else [word]
    return tuple(found)


def words_of(path: Path) -> list[str]:
    """Return the words of a relative path."""
    return [word for name in path.parts for word in words(name)]


def own_words(path: Path) -> list[str]:
    """Return the words of a relative path that do not tell pictures from their annotations."""
    sides = PICTURE_WORDS | MASK_WORDS | SETS['forms']
    return [word for word in words_of(path) if word not in sides]


def told_apart(
    root: Path, files: Sequence[Path], kinds: Sequence[str] = KINDS
) -> tuple[set[Path], set[Path]]:
    """Return the pictures among files, and the masks of the first of ``kinds`` that is there.

    Of each there may be none.
    """
    roles = _roles(root, files)
    if not roles['pictures'] or not roles['masks'] + roles['colors'] + roles['others']:
        roles = _roles(root, files, leave=False)
    pictures = {*roles['pictures']}
    masks = {*next(filter(None, map(roles.get, kinds)), ())} or _masks_beside(pictures)
    pictures -= masks
    return pictures - _copies_beside(pictures), masks


def _roles(root: Path, files: Sequence[Path], leave: bool = True) -> dict[str, list[Path]]:
    """Return the files that are of each kind of ``roles.csv``.

    Without ``leave``, folders of leftovers count as others do.
    """
    common = os.path.commonpath([file.parent for file in files]) if files else root
    return by_key(files, lambda file: _role(file.parent.relative_to(common).parts, leave))


def _role(folders: Sequence[str], leave: bool) -> str:
    """Return what the files of a folder are by the names of the folders on the way to it."""
    named = [words(name) for name in folders]
    for each in named if leave else ():
        rest = {word for word in each if word not in KNOWN_WORDS and not word.isdigit()}
        is_of_objects = rest <= {'object', 'objects'}  # which are masks, not leftovers
        if not is_of_objects and rest <= LEFTOVERS | SETS['others']:
            return 'leftovers'
    for place in reversed(range(len(named))):
        below = {word for name in named[place:] for word in name}
        if MASK_WORDS & {*named[place]}:
            kinds = [kind for kind in ('others', 'colors') if below & SETS[kind]]
            return kinds[0] if kinds else 'masks'
        if PICTURE_WORDS & {*named[place]}:
            break
    return 'pictures'


def is_copy(path: Path) -> bool:
    """Tell whether a relative path looks like that of a copy that was put aside."""
    return bool(SETS['copies'] & {*words_of(path)} or COPY_NUMBER.search(str(path)))


def _masks_beside(files: Iterable[Path]) -> set[Path]:
    """Return the masks among files whose folders tell nothing: by words, or as PNG beside JPEG."""
    named = {file for file in files if MASK_WORDS & {*words(file.stem)}}
    if named and named != {*files}:
        return named
    others = {file for file in files if file.suffix.lower() not in LOSSY}
    return others if others != {*files} else set()


def _copies_beside(files: Iterable[Path]) -> set[Path]:
    """Return the files named as another one of their folder with a word more of a leftover."""
    named = {file: (file.parent, words(file.stem)) for file in files}
    places = {(folder, *name) for folder, name in named.values()}
    copies = set()
    for file, (folder, name) in named.items():
        rest = tuple(word for word in name if word not in NO_CLASSES)
        if rest != name and (folder, *rest) in places:
            copies.add(file)
    return copies
