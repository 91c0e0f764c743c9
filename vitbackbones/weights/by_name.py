"""What a name stands for: published weights, or the nearest start where there are none."""

from pathlib import Path

from ..errors import InputError
from ..utils.messages import did_you_mean
from .table import (
    DETECTORS,
    LEFT_RANDOM,
    NEVER_PUBLISHED,
    PUBLISHED,
    Detector,
    Published,
    find_detector,
)
from .transfer import ADDRESS


def is_name(text: str) -> bool:
    """Return whether ``text`` could only be a name: files and addresses have a dot or a slash."""
    return not set('./\\:') & set(text)


def find(name: str) -> Published | Detector:
    """Return what was published by a name.

    Raises:
        InputError: nothing was; the message has the nearest start, or names like it.
    """
    if row := PUBLISHED.get(name) or find_detector(name):
        return row
    if name not in NEVER_PUBLISHED:
        hint = did_you_mean(name, [*PUBLISHED, *DETECTORS, *NEVER_PUBLISHED])
        raise InputError(
            f'{name}: no such file, and not a name of published weights{hint}; '
            '"vitbackbones weights" lists them'
        )
    nearest = NEVER_PUBLISHED[name]
    if not nearest:
        raise InputError(f'{name}: its weights were never published; train it first')
    missing = f', allow_missing={LEFT_RANDOM[name]}' if name in LEFT_RANDOM else ''
    raise InputError(
        f'{name}: its weights were never published; its nearest start is {nearest}: '
        f"create_model('{name}', checkpoint='{nearest}'{missing}), or --pretrained auto with a "
        'config'
    )


def name_of(file: str | Path) -> str | None:
    """Return the name that a file is called after, as it is or by its publisher; None if none.

    A copy on the hub is known by its repository.

    >>> name_of('checkpoints/deit_s.pth'), name_of('resnet50-0676ba61.pth')
    ('deit_s', 'resnet50')
    """
    if hub := ADDRESS.fullmatch(str(file)):
        copies = {row.hf_hub: name for name, row in PUBLISHED.items()}
        return copies.get(hub['repository'])
    stem, file_name = Path(file).stem, Path(file).name
    if stem in PUBLISHED or stem in NEVER_PUBLISHED:
        return stem
    urls = {Path(row.url).name: name for name, row in PUBLISHED.items() if row.url}
    return urls.get(file_name)
