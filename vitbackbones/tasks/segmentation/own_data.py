"""A segmentor on a folder of pictures and index masks, without a config for it."""

import json
from collections.abc import Mapping
from pathlib import Path

from mmengine.config import Config

from ...configuration import SPLITS
from ...configuration.data_paths import datasets, separated, use_files
from ...data.own.mask_folder import find_mask_parts
from ...data.own.numbering import Numbering, find_numbering
from ...data.own.pairing import Patterns
from ...registry import SCOPE, bare_name
from ...utils.files import write_if_changed
from ...utils.messages import some
from ..own_data import OwnData, finish, part_for


def use_folder(
    config: Config,
    root: Path,
    lists: Path,
    trained: Mapping | None = None,
    pictures: str | None = None,
    masks: str | None = None,
) -> OwnData:
    """Train, validate and test on the pictures and masks that are found below ``root``.

    The files of each part are written to ``lists``. Arguments and errors as of
    :meth:`~..task.Task.use_folder`.
    """
    config = separated(config)
    known = None if trained is None else trained.get('trained_on', ())
    parts = find_mask_parts(root, known, Patterns.of(pictures, masks))
    pairs = [pair for part in parts.values() for pair in part.pairs()]
    numbering = find_numbering(root, [mask for _, mask in pairs])
    for split in SPLITS:
        read = part_for(split, parts)
        part = parts[read]
        file = lists / f'{read}.json'
        listed = [
            [str(picture.relative_to(part.images)), str(mask.relative_to(part.masks))]
            for picture, mask in part.pairs()
        ]
        write_if_changed(file, json.dumps(listed, indent=0).encode())
        for _, dataset in datasets(config, (split,)):
            settings = {
                'type': f'{SCOPE}.MaskPairs',
                'data_root': str(root),
                'ann_file': str(file),
                'data_prefix': {'img_path': str(part.images), 'seg_map_path': str(part.masks)},
                'metainfo': {'classes': tuple(numbering.classes)},
                'reduce_zero_label': numbering.from_one,
            }
            use_files(dataset, settings)
            _set_loading(dataset.get('pipeline') or (), numbering)
    for branch in config.get('tta_pipeline') or ():
        _set_loading([branch], numbering)
    firsts = {picture.parent: (picture, mask) for picture, mask in reversed(pairs)}
    shown = [' with '.join(str(f.relative_to(root)) for f in firsts[k]) for k in sorted(firsts)]
    source = f'{root} ({some(shown, str, most=3)}), listed in {lists}'
    own = finish(config, root, parts, numbering.classes, source, trained)
    own.warnings += [*next(iter(parts.values())).notes, *numbering.notes]
    return own


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
