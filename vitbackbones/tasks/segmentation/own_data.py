"""A segmentor on a folder of pictures and index masks, without a config for it."""

from collections.abc import Mapping
from pathlib import Path

from mmengine.config import Config

from ...configuration.class_count import set_class_count
from ...configuration.data_paths import SPLITS, datasets, layout_found, separated, use_files
from ...data.checks.coco_file import is_text
from ...data.own.class_lists import spelling_warnings
from ...data.own.mask_folder import MaskPart, find_mask_parts, find_tested
from ...data.own.numbering import Numbering, find_numbering
from ...data.own.splits import marks
from ...errors import InputError
from ...registry import SCOPE, bare_name
from ...utils.files import write_if_changed
from ...utils.messages import some
from ..task import OwnData, found_in_words, tested_in_words


def fits_folder(config: Config, root: Path) -> bool:
    """Tell whether a folder has the files and folders that a config names."""
    return all(layout_found(config, root))


def use_folder(config: Config, root: Path, lists: Path, trained: Mapping | None = None) -> OwnData:
    """Train, validate and test on the pictures and masks that are found below ``root``.

    Args:
        config: of a segmentor.
        root: the folder of the data set.
        lists: the folder for the lists of the parts of one that is split.
        trained: what the checkpoint that is tested says of its data; None for training.

    Raises:
        InputError: there are no such files, or it is not clear which ones are meant.
    """
    config = separated(config)
    training = trained is None
    parts = find_mask_parts(root) if training else find_tested(root, trained.get('trained_on', ()))
    masks = [mask for part in parts.values() for _, mask in part.pairs()]
    numbering = find_numbering(root, masks)
    for split in SPLITS:
        chosen = next(each for each in (split, 'val', 'test') if each in parts)
        for _, dataset in datasets(config, (split,)):
            file = lists / f'{chosen}.txt'
            use_files(dataset, _dataset(root, parts[chosen], numbering, file))
            _set_loading(dataset.get('pipeline') or (), numbering)
    for branch in config.get('tta_pipeline') or ():
        _set_loading([branch], numbering)
    if training and not parts['train'].whole:
        for _, dataset in datasets(config, ('train',)):
            dataset['metainfo']['trained_on'] = marks(parts['train'].names)
    set_class_count(config, len(numbering.classes))
    in_words = found_in_words if training else tested_in_words
    summary = in_words(numbering.classes, _counts(parts), _source(root, parts, lists))
    return OwnData(config, summary, spelling_warnings(str(root), numbering.classes))


def _dataset(root: Path, part: MaskPart, numbering: Numbering, file: Path) -> dict:
    """Return the config of a data set; names are listed in ``file`` where they must be."""
    if part.listed:
        write_if_changed(file, _lines(part).encode())
    return {
        'type': 'mmseg.BaseSegDataset',
        'data_root': str(root),
        'ann_file': str(file) if part.listed else '',
        'data_prefix': {'img_path': str(part.images), 'seg_map_path': str(part.masks)},
        'img_suffix': part.suffix,
        'seg_map_suffix': part.mask_suffix,
        'metainfo': {'classes': tuple(numbering.classes)},
        'reduce_zero_label': numbering.from_one,
    }


def _lines(part: MaskPart) -> str:
    """Return the names of a part, one in each line.

    Raises:
        InputError: mmseg would read other names out of the list.
    """
    names = part.names
    odd = [n for n in names if n.strip().splitlines() != [n] or not is_text([n])]
    if odd:
        raise InputError(
            f'{part.images}: the names {some(odd)} cannot stand in a list, for their spaces at an '
            'end, line breaks, or bytes that are not UTF-8. Rename the files.'
        )
    return ''.join(f'{name}\n' for name in names)


def _set_loading(steps, numbering: Numbering) -> None:
    """Load masks by their numbering wherever steps, also those inside of steps, load masks."""
    for step in steps:
        if isinstance(step, list | tuple):
            _set_loading(step, numbering)
        elif bare_name(step.get('type')) in ('LoadMask', 'LoadAnnotations'):
            step.clear()
            step.update(
                type=f'{SCOPE}.LoadMask',
                num_classes=len(numbering.classes),
                values=numbering.values,
                ignored=numbering.ignored,
            )
        else:
            _set_loading(step.get('transforms') or (), numbering)


def _counts(parts: dict[str, MaskPart]) -> dict[str, int]:
    return {split: len(parts[split].names) for split in SPLITS if split in parts}


def _source(root: Path, parts: dict[str, MaskPart], lists: Path) -> str:
    folders = dict.fromkeys(
        str(folder.relative_to(root)) for p in parts.values() for folder in (p.images, p.masks)
    )
    listed = any(part.listed for part in parts.values())
    return f'{root} ({", ".join(folders)}){f", listed in {lists}" if listed else ""}'
