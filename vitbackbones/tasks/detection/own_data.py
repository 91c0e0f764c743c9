"""A detector on a folder of pictures and annotations in COCO's format, without a config for it."""

import json
from collections.abc import Mapping
from pathlib import Path

from mmengine.config import Config

from ...configuration.class_count import set_class_count
from ...configuration.data_paths import SPLITS, datasets, evaluators, layout_found, separated
from ...configuration.metainfo import training_classes
from ...data.checks.coco_file import load_json
from ...data.own.class_lists import spelling_warnings
from ...data.own.coco_folder import (
    CocoPart,
    completed,
    find_classes,
    find_parts,
    find_tested,
    is_coco,
    require_read,
    used_names,
)
from ...data.own.splits import marks
from ...registry import bare_name
from ...utils.files import write_if_changed
from ..task import OwnData, found_in_words, tested_in_words


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


def use_folder(config: Config, root: Path, lists: Path, trained: Mapping | None = None) -> OwnData:
    """Train, validate and test on the annotations that are found below ``root``.

    Args:
        config: of a detector.
        root: the folder of the data set.
        lists: the folder for annotation files that are made from those found: the parts of one
            that is split, and those that lack something.
        trained: what the checkpoint that is tested says of its data; None for training.

    Raises:
        InputError: there are no such files, or it is not clear which ones are meant.
    """
    config = separated(config)
    training = trained is None
    parts = find_parts(root) if training else find_tested(root, trained.get('trained_on', ()))
    classes = _classes(parts, trained or {})
    files = {split: _file(part, classes, lists / f'{split}.json') for split, part in parts.items()}
    for split in SPLITS:
        chosen = next(each for each in (split, 'val', 'test') if each in parts)
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
    made = {str(file): str(parts[s].file) for s, file in files.items() if file != parts[s].file}
    if made:
        config.own_files = made  # for messages
    if training and not parts['train'].whole:
        _mark(config, parts['train'])
    set_class_count(config, len(classes))
    in_words = found_in_words if training else tested_in_words
    summary = in_words(classes, _counts(parts), _source(root, parts, lists))
    return OwnData(config, summary, spelling_warnings(str(root), classes))


def _classes(parts: dict[str, CocoPart], trained: Mapping) -> list[str]:
    """Return the classes of a folder; those that a model has, if they are all of the folder's."""
    found, known = find_classes(parts), list(trained.get('classes') or ())
    return known if {*found} <= {*known} else found


def _mark(config: Config, part: CocoPart) -> None:
    """Let checkpoints say which part of a file they were trained on."""
    names = marks(entry['file_name'] for entry in part.content['images'])
    for _, dataset in datasets(config, ('train',)):
        dataset['metainfo']['trained_on'] = names


def _file(part: CocoPart, classes: list[str], copied: Path) -> Path:
    """Return the annotation file of a part: as it was found, or completed in ``copied``."""
    content = completed(part.content, classes)
    if part.whole and not part.renamed and content == part.content:
        return part.file
    write_if_changed(copied, json.dumps(content).encode())
    return copied


def _counts(parts: dict[str, CocoPart]) -> dict[str, int]:
    return {split: len(parts[split].content['images']) for split in SPLITS if split in parts}


def _source(root: Path, parts: dict[str, CocoPart], lists: Path) -> str:
    files = dict.fromkeys(str(parts[s].file.relative_to(root)) for s in SPLITS if s in parts)
    split = '' if all(p.whole for p in parts.values()) else f', split by file name in {lists}'
    return f'{root} ({", ".join(files)}){split}'
