"""The images and masks of each split of a folder.

A folder of masks has a word such as mask, annotation or label in its path, also joined to the name
of a split: ``images/train`` and ``masks/train``, ``train/images`` and ``train/masks``, ``img_dir``
and ``ann_dir``, CamVid's ``train`` and ``trainannot``, VOC's ``JPEGImages`` and
``SegmentationClass``, whose lists in ``ImageSets/Segmentation`` name the splits. All layouts are in
docs/own_data.md.
"""

import os
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ...errors import InputError
from ...utils.messages import some
from .folder import KINDS, SPLIT_OF, WORDS, divided, files_below, lines_in
from .pairing import Patterns, chosen_pairs, find_pairs

VOC_LISTS = ('ImageSets', 'Segmentation')


@dataclass
class MaskPart:
    """The pictures of one split and their masks."""

    images: Path  # the folder around all pictures
    masks: Path
    files: dict[str, tuple[Path, Path]]  # picture and mask by name: from images, without suffix
    whole: bool = True  # False where this is a share of pictures that nothing else splits
    bare: list[Path] = field(default_factory=list)  # pictures without a mask
    notes: list[str] = field(default_factory=list)  # on files of all parts that are left out

    @property
    def names(self) -> list[str]:
        """The names of the pictures."""
        return list(self.files)

    @property
    def labeled(self) -> set[str]:
        """The names of the pictures with labels: all."""
        return {*self.names}

    def pairs(self) -> list[tuple[Path, Path]]:
        """Return the files of each picture and its mask."""
        return list(self.files.values())

    def only(self, names: Iterable[str]) -> 'MaskPart':
        """Return a part of this one, with these pictures."""
        kept = {name: pair for name, pair in self.files.items() if name in names}
        return replace(self, files=kept, whole=False)


def find_mask_parts(
    root: Path, trained_on: Iterable[str] | None = None, patterns: Patterns | None = None
) -> dict[str, MaskPart]:
    """Return the parts for training and validation, and that for testing if there is one.

    With ``trained_on``, as of :func:`.folder.divided`, nothing has to be for training.

    Raises:
        InputError: as :func:`named_parts`, or pictures have no masks.
    """
    parts = named_parts(root, patterns, ('train',) if trained_on is None else tuple(WORDS))
    masks = [mask for part in parts.values() for _, mask in part.pairs()]
    example = f' ({masks[0].relative_to(root)})' if masks else ''
    for split, part in [*parts.items()]:
        names = some((file.relative_to(root) for file in part.bare), str)
        if part.bare and not part.files and split == 'test':  # as benchmarks are published
            part.notes.append(f'{root}: no image for test has a mask, so they are skipped: {names}')
            del parts[split]
        elif part.bare:
            raise InputError(
                f'{root}: {len(part.bare)} of {len(part.bare) + len(part.files)} images have no '
                f'mask: {names}. Add their masks, named like the others{example}, or move these '
                'images out.'
            )
    return divided(root, parts, trained_on)


def named_parts(
    root: Path,
    patterns: Patterns | None = None,
    needed: Sequence[str] = ('train',),
    kinds: Sequence[str] = KINDS,
) -> dict[str, MaskPart]:
    """Return the parts that folders or lists name; a single one is for training.

    If any split is named, one of those ``needed`` must be. ``kinds`` as of :func:`find_pairs`.

    Raises:
        InputError: there are no such files, or it is not clear which ones are meant.
    """
    pairs = chosen_pairs(root, patterns) if patterns else find_pairs(root, kinds)
    splits = defaultdict(list)
    for picture, mask in pairs.found:
        splits[picture.split or mask.split].append((picture.path, mask.path))
    if not set(needed).isdisjoint(splits):
        if unsplit := splits.pop(None, ()):
            text = f'{len(unsplit)} pairs are skipped because they belong to no split'
            pairs.notes.append(f'{root}: {text}')
    elif None in splits:
        splits = {None: splits[None]}
    else:
        raise InputError(
            f'{root}: its masks are for {" and ".join(map(str, splits))}, and none are for '
            'training. Add some. To have these split for you, rename their folder.'
        )
    parts = {split or 'train': _part(splits[split]) for split in (*WORDS, None) if split in splits}
    for part in parts.values():
        part.bare = [file for file in pairs.bare if file.is_relative_to(part.images)]
        part.notes = pairs.notes
    return _by_lists(root, parts)


def _part(pairs: list[tuple[Path, Path]]) -> MaskPart:
    images = Path(os.path.commonpath([image.parent for image, _ in pairs]))
    masks = Path(os.path.commonpath([mask.parent for _, mask in pairs]))
    files = {}
    for image, mask in pairs:
        place = image.relative_to(images)
        name = str(place).removesuffix(place.suffix)
        if name in files:
            raise InputError(
                f'{image}: has the name of {files[name][0]}, except for the suffix. Rename one of '
                'the two, and its mask.'
            )
        files[name] = (image, mask)
    return MaskPart(images, masks, files)


def _by_lists(root: Path, parts: dict[str, MaskPart]) -> dict[str, MaskPart]:
    """Split one part by lists of names, those of VOC before others, where there are some."""
    folders = defaultdict(dict)
    for file in files_below(root, ('.txt',)):
        split = SPLIT_OF.get(file.stem.lower())
        if split and file.read_bytes().strip():  # tools write an empty list of a split without any
            folders[file.parent][split] = file
    voc = [folder for folder in folders if folder.parts[-2:] == VOC_LISTS]
    chosen = voc or list(folders)
    if [*parts] != ['train'] or len(chosen) != 1 or 'train' not in folders[chosen[0]]:
        return parts
    part, listed = parts['train'], {}
    bare = {str(file.relative_to(part.images).with_suffix('')): file for file in part.bare}
    for split, file in sorted(folders[chosen[0]].items()):
        names = [_listed_name(line, root, part, bare) for line in lines_in(file)]
        if strange := sorted({*names} - part.files.keys() - bare.keys()):
            text = f'{file}: lists images that are not in {part.images}: {some(strange)}.'
            if voc:
                raise InputError(f'{text} Write one image name on each line.')
            part.notes.append(f'{text} The list is not used.')
            return parts
        kept = {name: part.files[name] for name in names if name in part.files}
        without = [bare[name] for name in names if name in bare]
        listed[split] = replace(part, files=kept, bare=without)
    if unlisted := part.files.keys() - {name for each in listed.values() for name in each.files}:
        part.notes.append(f'{root}: {len(unlisted)} images are not in any list of {chosen[0]}')
    return {split: listed[split] for split in WORDS if split in listed}


def _listed_name(line: str, root: Path, part: MaskPart, bare: Collection[str]) -> str:
    """Return the picture of a line, also with its path or suffix, or more behind it."""
    for form in (line, re.sub(r'\s+-?\d+$', '', line), re.split(r'[\s,]', line)[0]):
        for base in (part.images, root):
            name = os.path.relpath(base / form, part.images)
            for known in (name, name.rpartition('.')[0]):
                if known in part.files or known in bare:
                    return known
    return line
