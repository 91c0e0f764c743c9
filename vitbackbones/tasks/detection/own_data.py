"""A detector on a folder of pictures and annotations in COCO's format, without a config for it."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from mmengine.config import Config

from ...configuration import SPLITS
from ...configuration.classes import training_classes
from ...configuration.data_paths import datasets, evaluators, layout_found, separated
from ...data.checks.coco_file import load_json
from ...data.own import coco_folder
from ...data.own.annotation_files import is_coco
from ...registry import bare_name
from ...utils.files import write_if_changed
from ..own_data import OwnData, finish, part_for


def fits_folder(config: Config, root: Path) -> bool:
    """Return whether a folder has the files and classes of a config.

    The smallest file tells the classes. Datasets of other kinds than COCO's are taken as they are.
    """
    named = [dataset for _, dataset in datasets(config)]
    if {bare_name(dataset['type']) for dataset in named} != {'CocoDataset'}:
        return True
    files = [root / dataset['ann_file'] for dataset in named if dataset.get('ann_file')]
    if not files or not all(layout_found(config, root)):
        return False
    smallest = min(files, key=lambda file: file.stat().st_size)
    content = load_json(str(smallest))
    if not is_coco(content):
        return True
    coco_folder.require_read(smallest, content)
    return {*coco_folder.used_names(content)} <= {*training_classes(config)}


def use_folder(
    config: Config,
    root: Path,
    lists: Path,
    trained: Mapping | None = None,
    annotations: Sequence[str] = (),
) -> OwnData:
    """Train, validate and test on the annotations that are found below ``root``.

    Where a file is split or lacks something, what is made of it is written to ``lists``. Arguments
    and errors as of :meth:`~..task.Task.use_folder`; ``annotations`` are those of
    :func:`~...data.own.annotation_files.find_files`.
    """
    config = separated(config)
    trained_on = None if trained is None else trained.get('trained_on', ())
    parts = coco_folder.measurable(
        coco_folder.find_parts(root, trained_on, annotations), testing=trained is not None
    )
    classes = coco_folder.find_classes(parts)
    known = list((trained or {}).get('classes') or ())
    if {*classes} <= {*known}:
        classes = known  # in the order that the model has learned
    files = {split: part.file for split, part in parts.items()}
    for split, part in parts.items():
        content = coco_folder.completed(part.content, classes)
        if not part.whole or part.changed or content != part.content:
            files[split] = lists / f'{split}.json'
            write_if_changed(files[split], json.dumps(content).encode())
    for split in SPLITS:
        read = part_for(split, parts)
        for _, dataset in datasets(config, (split,)):
            dataset.update(
                data_root=str(root),
                ann_file=str(files[read]),
                data_prefix={'img': f'{parts[read].images}/'},
                metainfo={'classes': tuple(classes)},
            )
        for _, metric in evaluators(config, (split,)):
            if 'ann_file' in metric:
                metric['ann_file'] = str(files[read])
    made = {str(file): str(parts[s].file) for s, file in files.items() if file != parts[s].file}
    if made:
        config.own_files = made  # for messages
    found = dict.fromkeys(str(parts[s].file.relative_to(root)) for s in SPLITS if s in parts)
    source = f'{root} ({", ".join(found)})'
    if not all(part.whole for part in parts.values()):
        source += f', split by file name in {lists}'
    return finish(config, root, parts, classes, source, trained)
