"""Pictures and their masks below a folder, by the names of the folders that they are in.

A folder of masks is one whose path has a word such as mask, annotation or label in it, also joined
to the name of a split; docs/own_data.md has the layouts.
"""

import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ...errors import InputError
from ...utils.messages import page, some
from ..checks.findings import spread
from ..loading.image_file import ARRAY, IMAGES
from .folder import files_below
from .splits import WORDS, divided, named_split

MASK_WORDS = re.compile(r'masks?|annot(ation)?s?|labels?|ann_dir|segmentation|\bgt\b')
OTHER_MASKS = re.compile('object|instance|panoptic|color|vis')  # that no class is read from
SAMPLE = 50  # pictures by which the names of the masks are found
KNOWN = (
    f'Known are images/ and masks/, with or without train/ and val/ in them: {page("own_data")}.'
)


@dataclass
class MaskPart:
    """The pictures of one split and their masks, in two folders."""

    images: Path
    masks: Path
    suffix: str  # what follows a name
    mask_suffix: str
    names: list[str]  # relative to both folders, without suffix
    listed: bool = False  # whether the folders have more than these, so that they must be listed
    whole: bool = True  # False where this is a share of pictures that nothing else splits

    @property
    def labeled(self) -> set[str]:
        """The names of the pictures with labels: all."""
        return {*self.names}

    def pairs(self) -> list[tuple[Path, Path]]:
        """Return the files of each picture and its mask."""
        return [
            (self.images / f'{name}{self.suffix}', self.masks / f'{name}{self.mask_suffix}')
            for name in self.names
        ]

    def only(self, names: set[str]) -> 'MaskPart':
        """Return a part of this one, with these pictures."""
        kept = [name for name in self.names if name in names]
        return replace(self, names=kept, listed=True, whole=False)


def find_mask_parts(root: Path, trained_on: Iterable[str] | None = None) -> dict[str, MaskPart]:
    """Return the parts for training and validation, and that for testing if there is one.

    With ``trained_on``, as of :func:`.splits.divided`, nothing has to be for training.

    Raises:
        InputError: there are no such folders, or it is not clear which ones are meant.
    """
    parts = named_parts(root, needed=('train',) if trained_on is None else tuple(WORDS))
    return divided(root, parts, trained_on)


def named_parts(root: Path, needed: Sequence[str] = ('train',)) -> dict[str, MaskPart]:
    """Return the parts that folders or lists name; a single one is for training.

    If any split is named, one of those ``needed`` must be.

    Raises:
        InputError: as :func:`find_mask_parts`.
    """
    images, masks = defaultdict(list), defaultdict(list)  # files by the split that folders name
    for file in sorted(files_below(root, (*IMAGES, ARRAY))):
        folder = str(file.parent.relative_to(root)).lower()
        split = named_split(MASK_WORDS.sub(' ', folder))
        if not MASK_WORDS.search(folder):
            images[split].append(file)
        elif not OTHER_MASKS.search(folder):
            masks[split].append(file)
    splits = [split for split in (*WORDS, None) if images.get(split) and masks.get(split)]
    if not set(needed).isdisjoint(splits):
        splits = [split for split in splits if split]
    elif None in splits:
        splits = [None]
    else:
        raise InputError(
            f'{root}: no pictures and masks in it or below that belong together. {KNOWN}'
        )
    parts = {split or 'train': _part(images[split], masks[split]) for split in splits}
    return _by_voc_lists(root, parts)


def _part(images: list[Path], masks: list[Path]) -> MaskPart:
    """Return the part of these files, each picture with the mask of its name."""
    folder, mask_folder = (
        Path(os.path.commonpath([f.parent for f in files])) for files in (images, masks)
    )
    suffixes = Counter(file.suffix for file in images)
    if len(suffixes) > 1:
        kinds = ', '.join(f'{count} {suffix}' for suffix, count in suffixes.items())
        raise InputError(f'{folder}: has pictures of several kinds, {kinds}; save them as one.')
    (suffix,) = suffixes
    names = [str(file.relative_to(folder)).removesuffix(suffix) for file in images]
    mask_names = [str(file.relative_to(mask_folder)) for file in masks]
    sample = [names[row] for row in spread(len(names), SAMPLE)]
    endings = Counter(
        mask.removeprefix(name) for name in sample for mask in mask_names if mask.startswith(name)
    )
    if not endings:
        raise InputError(
            f'{folder}: no mask is named as a picture, {some(sample)}, but {some(mask_names)}. A '
            'mask needs the name of its picture, and may have more behind it.'
        )
    ending = max(endings, key=lambda ending: (endings[ending], -len(ending)))
    listed = mask_folder.is_relative_to(folder)
    return MaskPart(folder, mask_folder, suffix, ending, names, listed=listed)


def _by_voc_lists(root: Path, parts: dict[str, MaskPart]) -> dict[str, MaskPart]:
    """Split one part by VOC's lists of names, where there are some."""
    files = {split: root / 'ImageSets' / 'Segmentation' / f'{split}.txt' for split in WORDS}
    files = {split: file for split, file in files.items() if file.is_file()}
    if [*parts] != ['train'] or 'train' not in files:
        return parts
    part, listed = parts['train'], {}
    for split, file in files.items():
        names = file.read_text('utf-8', 'replace').split()
        strange = sorted(set(names) - set(part.names))
        if strange:
            raise InputError(
                f'{file}: names pictures that are not in {part.images}: {some(strange)}.'
            )
        listed[split] = replace(part, names=names, listed=True)
    return listed
