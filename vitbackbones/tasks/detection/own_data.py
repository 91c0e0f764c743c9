"""A detector on a folder of pictures and annotations in COCO's format, without a config for it."""

import json
from pathlib import Path

from mmengine.config import Config

from ...configuration.class_count import set_class_count
from ...configuration.data import SPLITS, datasets, evaluators, layout_found, separated
from ...configuration.metainfo import training_classes
from ...datasets.checks.coco_file import load_json
from ...datasets.own.coco_folder import (
    CocoPart,
    completed,
    find_classes,
    find_parts,
    is_coco,
    require_read,
    used_names,
)
from ...datasets.own.names import spelling_warnings
from ...files import write_if_changed
from ...registry import bare_name
from ..task import OwnData, found_in_words


def fits_folder(config: Config, root: Path) -> bool:
    """Tell whether a folder has the files that a config names, in classes that it names.

    The smallest file tells the classes. Data sets of other kinds than COCO's are taken as they are.
    """
    named = [dataset for _, dataset in datasets(config)]
    if {bare_name(dataset['type']) for dataset in named} != {'CocoDataset'}:
        return True
    if not all(layout_found(config, root)):
        return False
    files = [root / dataset['ann_file'] for dataset in named if dataset.get('ann_file')]
    if not files:
        return False
    smallest = min(files, key=lambda file: file.stat().st_size)
    content = load_json(str(smallest))
    if not is_coco(content):
        return True
    require_read(smallest, content)
    return {*used_names(content)} <= {*training_classes(config)}


def use_folder(config: Config, root: Path, lists: Path) -> OwnData:
    """Train, validate and test on the annotations that are found below ``root``.

    Args:
        config: of a detector.
        root: the folder of the data set.
        lists: the folder for annotation files that are made from those found: the parts of one
            that is split, and those that lack something.

    Raises:
        InputError: there are no such files, or it is not clear which ones are meant.
    """
    config = separated(config)
    parts = find_parts(root)
    classes = find_classes(parts)
    files = {split: _file(part, classes, lists / f'{split}.json') for split, part in parts.items()}
    for split in SPLITS:
        chosen = split if split in parts else 'val'
        for _, dataset in datasets(config, (split,)):
            dataset.update(
                data_root=str(root),
                ann_file=str(files[chosen]),
                data_prefix={'img': f'{parts[chosen].images}/'},
                metainfo={'classes': tuple(classes)},
            )
        for _, metric in evaluators(config, (split,)):
            if 'ann_file' in metric:
                metric['ann_file'] = str(files[chosen])
    set_class_count(config, len(classes))
    warnings = spelling_warnings(str(parts['train'].file), classes)
    return OwnData(config, _summary(root, parts, classes, lists), warnings)


def _file(part: CocoPart, classes: list[str], copied: Path) -> Path:
    """Return the annotation file of a part: as it was found, or completed in ``copied``."""
    content = completed(part.content, classes)
    if part.whole and content == part.content:
        return part.file
    write_if_changed(copied, json.dumps(content).encode())
    return copied


def _summary(root: Path, parts: dict[str, CocoPart], classes: list[str], lists: Path) -> str:
    ordered = [(split, parts[split]) for split in SPLITS if split in parts]
    files = dict.fromkeys(str(part.file.relative_to(root)) for _, part in ordered)
    counts = {split: len(part.content['images']) for split, part in ordered}
    split = '' if all(part.whole for _, part in ordered) else f', split by file name in {lists}'
    return found_in_words(classes, counts, f'{root} ({", ".join(files)}){split}')
