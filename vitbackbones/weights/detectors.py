"""Whole detectors that were published, and the configs that they fill.

No address was tried when the table was made.
"""

from dataclasses import dataclass

from .table import HASH

FOLDER = 'https://dl.fbaipublicfiles.com/detr/'


@dataclass(frozen=True)
class Detector:
    """A file with the weights of a whole detector.

    Attributes:
        config: the name of the shipped config that it fills.
        options: what the config needs besides, for ``--cfg-options``.
        url: https address.
        sha256: the beginning of the file's hash, which its name carries.
        license: of the weights, as an SPDX identifier in lower case.
        ap: COCO val2017, in percent as published.
        source: publisher, and the page that has the address.
        hf_hub: the same file on the Hugging Face hub; the copies there have other keys.
        size: in bytes; None if not known.
    """

    config: str
    options: str
    url: str
    sha256: str
    license: str
    ap: float
    source: str
    hf_hub: str | None = None
    size: int | None = None


def _detr(file: str, config: str, ap: float, options: str = '') -> Detector:
    source = 'facebookresearch/detr, README.md: model zoo'
    return Detector(config, options, FOLDER + file, HASH.search(file)[1], 'apache-2.0', ap, source)


DEPTH = 'model.backbone.depth=101'
DETECTORS = {
    'detr_r50': _detr('detr-r50-e632da11.pth', 'detr_r50_coco', 42.0),
    'detr_r50_dc5': _detr('detr-r50-dc5-f0fb7ef5.pth', 'detr_r50_dc5_coco', 43.3),
    'detr_r101': _detr('detr-r101-2c7b67e5.pth', 'detr_r50_coco', 43.5, DEPTH),
    'detr_r101_dc5': _detr('detr-r101-dc5-a2e86def.pth', 'detr_r50_dc5_coco', 44.9, DEPTH),
}


def find_detector(name: str) -> Detector | None:
    """Return the detector of a name, or the one that fills the config of that name as it is."""
    filling = {row.config: row for row in DETECTORS.values() if not row.options}
    return DETECTORS.get(name) or filling.get(name)
