"""A segmentor on a folder of pictures and index masks, without a config for it."""

from collections.abc import Mapping
from pathlib import Path

from mmengine.config import Config

from ...configuration.data_paths import SPLITS, datasets, separated, use_files
from ...data.own.mask_folder import find_mask_parts
from ...data.own.numbering import Numbering, find_numbering
from ...registry import SCOPE, bare_name
from ...utils.files import write_if_changed
from ..own_data import OwnData, finish, part_for


def use_folder(config: Config, root: Path, lists: Path, trained: Mapping | None = None) -> OwnData:
    """Train, validate and test on the pictures and masks that are found below ``root``.

    Where a folder is split, the names of each part are written to ``lists``. Arguments and errors
    as of :meth:`.Task.use_folder`.
    """
    config = separated(config)
    parts = find_mask_parts(root, None if trained is None else trained.get('trained_on', ()))
    masks = [mask for part in parts.values() for _, mask in part.pairs()]
    numbering = find_numbering(root, masks)
    for split in SPLITS:
        read = part_for(split, parts)
        part, file = parts[read], lists / f'{read}.txt'
        for _, dataset in datasets(config, (split,)):
            if part.listed:
                write_if_changed(file, ''.join(f'{name}\n' for name in part.names).encode())
            settings = {
                'type': 'mmseg.BaseSegDataset',
                'data_root': str(root),
                'ann_file': str(file) if part.listed else '',
                'data_prefix': {'img_path': str(part.images), 'seg_map_path': str(part.masks)},
                'img_suffix': part.suffix,
                'seg_map_suffix': part.mask_suffix,
                'metainfo': {'classes': tuple(numbering.classes)},
                'reduce_zero_label': numbering.from_one,
            }
            use_files(dataset, settings)
            _set_loading(dataset.get('pipeline') or (), numbering)
    for branch in config.get('tta_pipeline') or ():
        _set_loading([branch], numbering)
    folders = [folder for part in parts.values() for folder in (part.images, part.masks)]
    found = dict.fromkeys(str(folder.relative_to(root)) for folder in folders)
    source = f'{root} ({", ".join(found)})'
    if any(part.listed for part in parts.values()):
        source += f', listed in {lists}'
    return finish(config, root, parts, numbering.classes, source, trained)


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
