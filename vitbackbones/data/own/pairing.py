"""Which picture a mask belongs to, by what their paths share.

They lie in folders that differ in words of pictures and masks alone, or else in other words as
well. They have one name, or names with a part in common: ``01_image.png``, ``01_annotation.png``.
"""

import os
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from ...errors import InputError
from ...utils.grouping import by_key
from ...utils.messages import command_line, page, some
from ..checks.findings import spread
from ..loading.image_file import ARRAY, IMAGES
from . import folder

SAMPLE = 20  # pictures of a folder by which the form of names is found
INNER = re.compile(r'\.(jpe?g|png|tiff?|bmp)', re.IGNORECASE)  # a suffix inside of a name
EXAMPLE = "--pictures 'images/{}.jpg' --masks 'masks/{}.png'"
KNOWN = (
    'Supported are images/ and masks/, with or without train/ and val/ inside, and other names: '
    f'{page("own_data")}. You can also name the files, with {{}} for the part that image and '
    f'mask share: {EXAMPLE}. If each mask file is one object: '
    f'{command_line("import", "masks", "FOLDER", "OUT", "--instances", "files")}. '
    'Annotations in COCO format are for quick_detector and quick_instance.'
)
MERGE = ' Merge masks of single classes into one mask for each image.'


class File(NamedTuple):
    """A picture or mask below a folder."""

    path: Path
    place: tuple[str, ...]  # words of its folders that tell neither masks nor pictures
    split: str | None

    @property
    def folder(self) -> Path:
        """The folder that it is in."""
        return self.path.parent

    @property
    def topic(self) -> tuple[str, ...]:
        """The place without a split."""
        return tuple(word for word in self.place if word not in folder.SPLIT_OF)

    @property
    def stem(self) -> str:
        """The name without its suffix, and one inside of it, as patches have: ``a.jpg_00.png``."""
        return INNER.sub('', self.path.stem)

    def is_array_of(self, other: 'File') -> bool:
        """Return whether labelme writes this mask as ``.npy`` where it writes the other as PNG.

        The folders of both are ``SegmentationClassNpy`` and ``SegmentationClass``, or, earlier,
        ``SegmentationClass`` and ``SegmentationClassPNG``.
        """
        names = [re.sub('(Npy|PNG)$', '', str(file.folder)) for file in (self, other)]
        return self.path.suffix == ARRAY and other.path.suffix != ARRAY and names[0] == names[1]


Pair = tuple[File, File]
Ends = tuple[str, str]  # of a name, before and behind what a picture and its mask share
Form = tuple[Ends, Ends]  # of a picture and of its mask
NO_ENDS: Ends = ('', '')
EXACT: Form = (NO_ENDS, NO_ENDS)


@dataclass
class Pairs:
    """Pictures and their masks, and what is left over."""

    found: list[Pair] = field(default_factory=list)
    bare: list[Path] = field(default_factory=list)  # pictures without a mask beside some that have
    notes: list[str] = field(default_factory=list)  # what else is there, one line each


def find_pairs(root: Path, kinds: Sequence[str] = folder.KINDS) -> Pairs:
    """Pair the pictures and masks below a folder, masks of the first of ``kinds`` there are.

    Raises:
        InputError: there are none, or it is not clear which ones are meant.
    """
    files = pictures_below(root)
    pictures, masks = folder.told_apart(root, files, kinds)
    if not pictures or not masks:
        raise InputError(
            f'{root}: no matching images and masks in it or below. '
            f'{folder.gone_links(root) or KNOWN}'
        )
    sides = [[file_of(root, file) for file in sorted(each)] for each in (pictures, masks)]
    pairs = _pair(root, *sides)
    _require_one_version(root, pairs, sides[1])
    used = {file.path for pair in pairs.found for file in pair}
    folders = {file.parent for file in used}
    rest = [file for file in files if file not in used]
    pairs.bare = [file for file in rest if file in pictures and file.parent in folders]
    pairs.notes = left_out(root, [file for file in rest if file not in pairs.bare])
    return pairs


def pictures_below(root: Path) -> list[Path]:
    """Return all files that may be pictures or masks."""
    return sorted(folder.files_below(root, (*IMAGES, ARRAY)))


def left_out(root: Path, files: Iterable[Path]) -> list[str]:
    """Say where files are that belong to no pair."""
    counts = Counter(file.parent for file in files)
    left = [f'{count} in {place.relative_to(root)}' for place, count in counts.items()]
    text = f'{root}: images and masks without a match are skipped: {some(left, str)}'
    return [text] if left else []


def file_of(root: Path, path: Path) -> File:
    """Return a file with what the words of its folders say."""
    found = folder.words_of(path.parent.relative_to(root))
    splits = (folder.SPLIT_OF.get(word) for word in reversed(found))
    split = next(filter(None, splits), None)
    place = [word for word in found if word in folder.SPLIT_OF or word not in folder.KNOWN_WORDS]
    return File(path, tuple(folder.SPLIT_OF.get(word, word) for word in place), split)


# ------------------------------------------------------------------------ pairs


def _pair(root: Path, pictures: list[File], masks: list[File]) -> Pairs:
    """Pair files in folders of one place, or else of one topic or split, or else in any.

    Raises:
        InputError: no names agree, or it is not clear which files are meant.
    """
    pairs = Pairs()
    waiting = pictures
    free = masks
    for scope in ('place', 'topic', 'split', None):
        splits = [{file.split for file in files} for files in (waiting, free)]
        if scope in ('topic', None) and {None} not in splits:  # of a split with those of another
            continue
        sizes = Counter(file.split for file in waiting)
        forms: set[Form] = set()  # of larger splits; one image alone does not show a form
        for split, _ in sizes.most_common():
            own = [file for file in waiting if file.split == split]
            pairs.found += _match(root, own, free, scope, forms)
        used = {file.folder for pair in pairs.found for file in pair}
        waiting = [file for file in waiting if file.folder not in used]
        free = [file for file in free if file.folder not in used]
    if pairs.found:
        return pairs
    named = _by_name(pictures, NO_ENDS)
    for mask in masks:
        if len(several := named.get(mask.stem, ())) > 1:
            raise _unclear(root, mask, *several[:2], kinds=('masks', 'pictures'))
    raise InputError(
        f'{root}: no mask has the name of an image. The images are '
        f'{some(file.path.stem for file in pictures)}. The masks are '
        f'{some(file.path.name for file in masks)}. Give each mask the name of its image; a '
        f'prefix or suffix may be added. {KNOWN}'
    )


def _grouped(files: Iterable[File], scope: str | None) -> dict[object, list[File]]:
    return by_key(files, lambda file: scope and getattr(file, scope))


def _match(
    root: Path, pictures: list[File], masks: list[File], scope: str | None, known: set[Form]
) -> list[Pair]:
    """Pair the files of a split by the form of names that fits most pictures of a sample.

    The form joins those that are ``known``, which a single picture is enough for.
    """
    groups, others = _grouped(pictures, scope), _grouped(masks, scope)
    found = _applied(root, EXACT, groups, others, scope)
    if len(found) == len(pictures):
        return found
    forms = Counter()
    sample = 0
    for key in groups.keys() & others.keys():
        for row in spread(len(groups[key]), SAMPLE):
            stem = groups[key][row].stem
            forms.update({form for mask in others[key] for form in _forms(stem, mask.stem)})
            sample += 1
    likely = [
        (ends, more)
        for (ends, more), count in forms.items()
        if 2 * count >= min(sample, len(masks))
        and (count > 1 or NO_ENDS in (ends, more) or (ends, more) in known)
        and not {*folder.words(' '.join(more))} & folder.NO_CLASSES
    ]
    likely.sort(key=lambda form: (-forms[form], len(''.join((*form[0], *form[1]))), form))
    if not likely:  # perhaps both ends differ: img_01_left, mask_01_v2
        both = _common_ends(pictures), _common_ends(masks)
        again = _applied(root, both, groups, others, scope)
        return again if 2 * len(again) > max(2, min(len(pictures), len(masks))) else found
    best, *rest = (_applied(root, form, groups, others, scope) for form in likely)
    for other in rest if likely[0] != EXACT else ():
        mask_of = dict(other)
        if sum(mask_of.get(picture, mask) != mask for picture, mask in best) > len(best) / 2:
            raise _unclear(root, *best[0], mask_of.get(best[0][0], other[0][1]))
    known.add(likely[0])
    return best


def _forms(picture: str, mask: str) -> set[Form]:
    """Return the forms in which two names share their beginning or their end."""
    begin = _shared(picture, mask)
    end = _shared(picture[::-1], mask[::-1])
    forms = {(('', picture[begin:]), ('', mask[begin:]))} if begin else set()
    return forms | ({((picture[:-end], ''), (mask[:-end], ''))} if end else set())


def _shared(one: str, other: str) -> int:
    """Return how many characters at their beginnings two names share, and no half number.

    >>> _shared('road_12', 'road_1'), _shared('road_12', 'road_12_mask')
    (5, 7)
    """
    count = len(os.path.commonprefix([one, other]))
    if re.search(r'\d', one[count : count + 1] + other[count : count + 1]):
        return len(one[:count].rstrip('0123456789'))
    return count


def _common_ends(files: Iterable[File]) -> Ends:
    """Return what all names begin and end with, up to a separator."""
    stems = [file.stem for file in files]
    begin = os.path.commonprefix(stems)
    end = os.path.commonprefix([stem[len(begin) :][::-1] for stem in stems])[::-1]
    begin = re.sub(r'[^_. -]*$', '', begin)
    return begin, re.sub(r'^[^_. -]*', '', end)


def _applied(root: Path, form: Form, pictures: dict, masks: dict, scope: str | None) -> list[Pair]:
    """Return the pairs of a form; outside of their place, pictures of one name are in none."""
    found = []
    for key, group in pictures.items():
        named = _by_name(group, form[0])
        others = _by_name(masks.get(key, ()), form[1])
        for name, files in named.items():
            own = others.get(name)
            if not own or (len(files) > 1 and scope != 'place'):
                continue
            if len(own) > 1:
                own = [mask for mask in own if not any(map(mask.is_array_of, own))]
            if len(own) != 1:
                raise _unclear(root, files[0], *own[:2])
            # pictures beside the folder of pictures are examples, results and the like
            named_so = [f for f in files if folder.PICTURE_WORDS & {*folder.words(f.folder.name)}]
            files = named_so or files
            if len(files) > 1:
                raise _unclear(root, own[0], *files[:2], kinds=('masks', 'pictures'))
            found.append((files[0], own[0]))
    return found


def _by_name(files: Iterable[File], ends: Ends) -> dict[str, list[File]]:
    begin, end = ends
    fitting = [f for f in files if f.stem.startswith(begin) and f.stem.endswith(end)]
    return by_key(fitting, lambda file: file.stem.removeprefix(begin).removesuffix(end))


def _require_one_version(root: Path, pairs: Pairs, masks: Iterable[File]) -> None:
    """Refuse a folder of other masks for the pictures that have some."""
    mask_of = dict(pairs.found)
    folders = {mask.folder for mask in mask_of.values()}
    others = _grouped([mask for mask in masks if mask.folder not in folders], 'folder')
    for each in others.values():
        pictures = [picture for picture in mask_of if picture.split == each[0].split]
        again = _match(root, pictures, each, 'split', set())
        if again and again[0][1].is_array_of(mask_of[again[0][0]]):
            continue
        if 2 * len(again) > len(each):
            raise _unclear(root, again[0][0], mask_of[again[0][0]], again[0][1])


def _unclear(
    root: Path, single: File, one: File, other: File, kinds: Ends = ('pictures', 'masks')
) -> InputError:
    """Say that a file of the first of two kinds has two partners of the other one."""
    shown = [_pattern(root, single, one), _pattern(root, one, single)]
    shown.append(_pattern(root, other, single))
    return InputError(
        f'{root}: {single.path.relative_to(root)} matches several {kinds[1]}: '
        f'{one.path.relative_to(root)} and {other.path.relative_to(root)}. Choose with '
        f"--{kinds[0]} '{shown[0]}' and either --{kinds[1]} '{shown[1]}' or --{kinds[1]} "
        f"'{shown[2]}', or move one kind out of the "
        f'folder.{MERGE * (kinds[1] == "masks")}'
    )


def _pattern(root: Path, file: File, partner: File) -> str:
    """Return a pattern for a file and others like it, in folders that its partner has as well."""
    forms = _forms(file.stem, partner.stem)
    begin, end = min((ends for ends, _ in forms), key=lambda ends: len(''.join(ends)))
    name = file.stem.removeprefix(begin).removesuffix(end).strip('_-. ')
    folders = file.path.relative_to(root).parent.parts
    others = partner.path.relative_to(root).parent.parts
    shown = ['*' if part in others else part for part in folders]
    return '/'.join([*shown, file.path.name.replace(name, '{}', 1)])


# ------------------------------------------------------------------------ patterns of paths


class Patterns(NamedTuple):
    """Which files are pictures and masks: paths with ``{}`` for the name that they share."""

    pictures: str
    masks: str

    @classmethod
    def of(cls, pictures: str | None, masks: str | None) -> 'Patterns | None':
        """Return those of two options, None without.

        Raises:
            InputError: one is given alone.
        """
        if pictures and masks:
            return cls(pictures, masks)
        if pictures or masks:
            raise InputError(f'--pictures and --masks: give both options, for example {EXAMPLE}')
        return None


def chosen_pairs(root: Path, patterns: Patterns) -> Pairs:
    """Pair the files of two patterns, in which ``*`` is a part of a name and ``**`` any folders.

    Raises:
        InputError: a pattern has no ``{}``, or no files, or two that have the same name.
    """
    files = pictures_below(root)
    sides = []
    options = ('--pictures', '--masks')
    for option, pattern in zip(options, patterns, strict=True):
        if pattern.count('{}') != 1:
            raise InputError(f'{option} {pattern}: requires one {{}} for the name, as in {EXAMPLE}')
    expressions = [_expression(pattern) for pattern in patterns]
    alike = expressions[0].groups == expressions[1].groups
    for option, pattern, expression in zip(options, patterns, expressions, strict=True):
        found = {}
        for file in files:
            match = expression.fullmatch(file.relative_to(root).as_posix())
            key = match and (match['name'], *(match.groups() if alike else ()))
            if key in found:
                raise InputError(
                    f'{option} {pattern}: matches both {found[key].path} and {file} for '
                    f'{match["name"]!r}. Add more of their folders or suffixes to the pattern.'
                )
            if match:
                found[key] = file_of(root, file)
        if not found:
            raise InputError(
                f'{option} {pattern}: no image in {root} matches. The folder contains '
                f'{some((file.relative_to(root) for file in files), str)}.'
            )
        sides.append(found)
    pictures, masks = sides
    pairs = Pairs([(file, masks[key]) for key, file in pictures.items() if key in masks])
    pairs.bare = [file.path for key, file in pictures.items() if key not in masks]
    pairs.notes = left_out(root, [file.path for key, file in masks.items() if key not in pictures])
    return pairs


def _expression(pattern: str) -> re.Pattern[str]:
    """Return what matches the paths of a pattern; only stars of folders are groups."""
    known = {'{}': '(?P<name>.+)', '**/': '(?:(.*)/)?', '**': '(.*)', '*': '([^/]*)'}
    folders, _, name = pattern.removeprefix('./').rpartition('/')
    parts = re.split(r'(\{\}|\*\*/?|\*)', f'{folders}/' if folders else '')
    expression = [known.get(part, re.escape(part)) for part in parts]
    for part in re.split(r'(\{\}|\*)', name):
        expression.append('[^/]*' if part == '*' else known.get(part, re.escape(part)))
    return re.compile(''.join(expression))
