"""The table of published weights by name: URLs, hashes, licenses and preprocessing.

The facts are in the CSV files beside this one. Mean, deviation and crop are those of timm's
registry where it has the model, and of the publisher's code otherwise; the accuracies are the
publishers' own. No address was tried when the tables were made.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..utils.literals import read_rows
from ..utils.messages import did_you_mean


@dataclass(frozen=True)
class Published:
    """A file of published weights.

    Attributes:
        name: by which it is asked for.
        model: what it fills, a name of ``create_model`` where there is one.
        license: of the weights, an SPDX identifier.
        mean, std: of the normalization, for red, green and blue between 0 and 1.
        interpolation: of the resizing before the crop.
        crop_pct: side of the crop, as a part of the short side of the resized image.
        input_size: channels, height and width.
        source: publisher, and the page that has the address.
        url: https address, or ``pip:PACKAGE/FILE`` (``downloads``); None if it is only published
            for browsers, see ``source``.
        hf_hub: the same weights on the Hugging Face hub, OWNER/NAME.
        sha256: all of the file's hash, or the beginning of it that its name carries.
        top1: accuracy on ImageNet in percent as published; None if not known.
        num_classes: outputs of the file's head.
        options: of ``create_model``, without which the model computes something else.
    """

    name: str
    model: str
    license: str
    mean: tuple[float, float, float]
    std: tuple[float, float, float]
    interpolation: str
    crop_pct: float
    input_size: tuple[int, int, int]
    source: str
    url: str | None = None
    hf_hub: str | None = None
    sha256: str | None = None
    top1: float | None = None
    num_classes: int = 1000
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Detector:
    """A file with the weights of a whole detector; fields as of :class:`Published`.

    Attributes:
        config: the name of the shipped config that it fills.
        options: what the config needs besides, for ``--cfg-options``.
        ap: COCO val2017, in percent as published.
        hf_hub: the same file on the Hugging Face hub; the copies there have other keys.
    """

    name: str
    config: str
    url: str
    sha256: str
    license: str
    ap: float
    source: str
    options: str = ''
    hf_hub: str | None = None


@dataclass(frozen=True)
class NeverPublished:
    """A model, or a file that configs start from, that nobody published.

    Attributes:
        name: of the model or file.
        nearest: the nearest network that was published; empty where none is near.
        left_random: what stays as initialized then, patterns for ``allow_missing``.
    """

    name: str
    nearest: str = ''
    left_random: list[str] = field(default_factory=list)


def _read(kind: type, file: str) -> dict:
    return {row.name: row for row in read_rows(Path(__file__).with_name(file), kind)}


PUBLISHED: dict[str, Published] = _read(Published, 'published.csv')
DETECTORS: dict[str, Detector] = _read(Detector, 'detectors.csv')
_NEVER = _read(NeverPublished, 'never_published.csv')
NEVER_PUBLISHED = {name: row.nearest for name, row in _NEVER.items()}
LEFT_RANDOM = {name: row.left_random for name, row in _NEVER.items() if row.left_random}


def find_detector(name: str) -> Detector | None:
    """Return the detector of a name, or the one that fills the config of that name as it is."""
    filling = {row.config: row for row in DETECTORS.values() if not row.options}
    return DETECTORS.get(name) or filling.get(name)


# ------------------------------------------------------------------------ names

PIP = 'pip:'  # how the address of a file in an installed package begins
HUB_ADDRESS = re.compile(
    r'hf-hub:(?P<repository>[\w.-]+/[\w.-]+)(@(?P<revision>[^:@]+))?(:(?P<file>[^:]+))?'
)


def is_name(text: str) -> bool:
    """Return whether ``text`` could only be a name: files and addresses have a dot or a slash."""
    return not set('./\\:') & set(text)


def find(name: str) -> Published | Detector:
    """Return the published weights with a name.

    Raises:
        InputError: nothing was; the message has the nearest start, or names like it.
    """
    if row := PUBLISHED.get(name) or find_detector(name):
        return row
    if name not in NEVER_PUBLISHED:
        hint = did_you_mean(name, [*PUBLISHED, *DETECTORS, *NEVER_PUBLISHED])
        raise InputError(
            f'{name}: no such file, and not the name of published weights{hint}. "vitbackbones '
            'weights" lists them'
        )
    nearest = NEVER_PUBLISHED[name]
    if not nearest:
        raise InputError(f'{name}: its weights were never published. Train it first')
    missing = f', allow_missing={LEFT_RANDOM[name]}' if name in LEFT_RANDOM else ''
    raise InputError(
        f'{name}: its weights were never published. The nearest published weights are '
        f"{nearest}: create_model('{name}', checkpoint='{nearest}'{missing}), or --pretrained "
        'auto with a config'
    )


def packaged(source: str | Path) -> Published | None:
    """Return the published weights of a name, file or copy if a Python package brings them."""
    row = PUBLISHED.get(name_of(source) or '')
    return row if row and row.url and row.url.startswith(PIP) else None


def license_of(source: str, sha256: str) -> str | None:
    """Return the SPDX identifier of published weights; None for any others.

    Args:
        source: a name in the tables, or an address in them; any other text for a file.
        sha256: of the content; the tables have the beginning of some.
    """
    for row in (*PUBLISHED.values(), *DETECTORS.values()):
        asked = source in (row.name, row.url, f'hf-hub:{row.hf_hub}')
        if asked or (row.sha256 and sha256.startswith(row.sha256)):
            return row.license
    return None


def name_of(file: str | Path) -> str | None:
    """Return the name of published weights from a file name; None if there is none.

    A copy on the hub is known by its repository.

    >>> name_of('checkpoints/deit_s.pth'), name_of('resnet50-0676ba61.pth')
    ('deit_s', 'resnet50')
    """
    if hub := HUB_ADDRESS.fullmatch(str(file)):
        copies = {row.hf_hub: name for name, row in PUBLISHED.items()}
        return copies.get(hub['repository'])
    stem = Path(file).stem
    if stem in PUBLISHED or stem in NEVER_PUBLISHED:
        return stem
    urls = {Path(row.url).name: name for name, row in PUBLISHED.items() if row.url}
    return urls.get(Path(file).name)
