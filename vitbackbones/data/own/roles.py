"""What files are by the words of their paths: pictures, masks, or what tools and people leave.

Whole words of folders, or else of names, tell masks from pictures. The last one counts, as in
``segmentation/images``, and what all files have in common counts nothing.
"""

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path

from .splits import SPLIT_OF

WORDS = {
    'pictures': 'image img picture photo jpeg rgb',
    'masks': 'mask annotation annot anno ann label labelmap lbl segmentation segmap seg gt truth '
    'groundtruth semantic matte manual lab semseg',
    'fillers': 'folder file class raw data ground',  # beside these
    'forms': 'dir png jpg xml',
    'colors': 'color colored colour coloured colormap rgb rgba human',  # of masks that show classes
    # of masks that no class is read from
    'others': 'object instance panoptic edge boundary contour depth',
    # of folders in which tools and people leave things
    'leftovers': 'vis viz visual visualization visualisation overlay debug pred prediction '
    'predicted result output out run cache thumb thumbnail preview inference deprecated unused '
    'trash archive',
    'copies': 'copy kopie old backup bak tmp temp',
}
SETS = {kind: {w + s for w in text.split() for s in ('', 's')} for kind, text in WORDS.items()}
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
    for word in map(str.lower, WORD.findall(name)):
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
    """Return the files that are of each kind of :data:`WORDS`.

    Without ``leave``, folders of leftovers count as others do.
    """
    common = os.path.commonpath([file.parent for file in files]) if files else root
    roles = defaultdict(list)
    for file in files:
        roles[_role(file.parent.relative_to(common).parts, leave)].append(file)
    return roles


def _role(folders: Sequence[str], leave: bool) -> str:
    """Return what the files of a folder are by the names of the folders on the way to it."""
    named = [words(name) for name in folders]
    leftovers = LEFTOVERS | SETS['others'] - {'object', 'objects'}
    for each in named if leave else ():
        rest = {word for word in each if word not in KNOWN_WORDS and not word.isdigit()}
        if rest and rest <= leftovers:
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
