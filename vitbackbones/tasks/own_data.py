"""What detection and segmentation share where a config is run on the data of a folder."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mmengine.config import Config

from ..configuration import SPLITS
from ..configuration.classes import set_class_count
from ..configuration.data_paths import datasets
from ..data.own.folder import in_words, marks, spelling_warnings
from ..utils.messages import plural


@dataclass
class OwnData:
    """A config on the data of a folder, what was found there in one line, and what is odd of it."""

    config: Config
    summary: str
    warnings: list[str]


def part_for(split: str, parts: Mapping[str, object]) -> str:
    """Return the part of a folder that a split reads: its own, or else that for validation."""
    return next(part for part in (split, 'val', 'test') if part in parts)


def finish(
    config: Config,
    root: Path,
    parts: Mapping[str, object],
    classes: Sequence[str],
    source: str,
    trained: Mapping | None,
) -> OwnData:
    """Let a config that names the ``parts`` of ``root`` know their classes, and say what they are.

    ``source`` names the files in one line; ``trained`` is that of :meth:`~.task.Task.use_folder`.
    """
    if trained is None and not parts['train'].whole:
        # checkpoints name a few of the pictures that they were trained on
        for _, dataset in datasets(config, ('train',)):
            dataset['metainfo']['trained_on'] = marks(parts['train'].names)
    set_class_count(config, len(classes))
    counts = {split: len(part.names) for split, part in parts.items()}
    line = summarize(classes, counts, source, training=trained is None)
    return OwnData(config, line, spelling_warnings(str(root), classes))


def summarize(
    classes: Sequence[str], counts: Mapping[str, int], source: str, training: bool
) -> str:
    """Say which classes and how many images a folder has, or how many of them are evaluated.

    >>> summarize(('cat', 'dog'), {'train': 80, 'val': 20}, 'pets', training=True)
    '2 classes: cat, dog; 80 images for train, 20 for val, also used for test, from pets'
    >>> summarize(('cat', 'dog'), {'train': 80, 'val': 20}, 'pets', training=False)
    '2 classes: cat, dog; evaluated on the 20 images for val, which also selected the best \
    checkpoint (there is no test split), not on 80 for train, from pets'
    """
    counts = {split: counts[split] for split in SPLITS if split in counts}
    shown = next(iter(counts)) if training else part_for('test', counts)
    images = plural(counts.pop(shown), 'image')
    others = ', '.join(f'{count} for {split}' for split, count in counts.items())
    if training:
        found = f'{images} for {shown}' + (f', {others}' if others else '')
        if others and 'test' not in counts:
            found += ', also used for test,'
    elif others:
        chose = ', which also selected the best checkpoint (there is no test split)'
        found = f'evaluated on the {images} for {shown}{chose * (shown == "val")}, not on {others},'
    else:
        found = f'evaluated on all {images}'
    return f'{in_words(classes)}; {found} from {source}'
