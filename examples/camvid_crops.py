"""CamVid crops: small photographs of one thing each, cut from road scenes, for classification.

CamVid's label maps (Brostow et al., 2009, in SegNet's classes) say what every pixel is. A square
window of which at least 60 % belong to one class becomes a picture of that class. Windows lie on a
grid of half their side, so neighbors overlap. Of every class equally many are drawn: chance is one
in eight. CamVid's own split is kept: no frame is in two splits, and 171 of the 233 test frames are
of a drive that is in no other.

    python -m examples.camvid_crops data/camvid data/camvid_crops
"""

import argparse
import os
import tempfile
from pathlib import Path

import cv2
import numpy as np

from vitbackbones.errors import InputError

# By their label. Poles, pedestrians and bicyclists fill too few windows.
CLASSES = {
    0: 'sky',
    1: 'building',
    3: 'road',
    4: 'pavement',
    5: 'tree',
    6: 'sign',
    7: 'fence',
    8: 'car',
}
COUNTS = {'train': 800, 'val': 120, 'test': 400}  # pictures of each class
SIZE = 32  # side of a window in pixels
SHARE = 0.6  # of a window that must be of its class

Window = tuple[str, int, int]  # name of the frame, top row, left column


def class_shares(mask: np.ndarray, label: int, size: int) -> np.ndarray:
    """Return the share of ``label`` in each window of a mask (H, W), as (rows, columns)."""
    total = cv2.integral((mask == label).astype(np.uint8))  # (H + 1, W + 1)
    step = size // 2
    inside = total[size:, size:] - total[:-size, size:] - total[size:, :-size]
    return (inside + total[:-size, :-size])[::step, ::step] / size**2


def _windows(masks: Path, size: int) -> dict[int, list[Window]]:
    """Return all windows of a folder of masks by the label that fills them."""
    found: dict[int, list[Window]] = {label: [] for label in CLASSES}
    for path in sorted(masks.glob('*.png')):
        mask = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
        if mask is None or mask.ndim != 2 or min(mask.shape) < size:
            raise InputError(f'{path}: no label map of at least {size} x {size} pixels')
        for label in CLASSES:
            corners = np.argwhere(class_shares(mask, label, size) >= SHARE) * (size // 2)
            found[label] += [(path.stem, row, column) for row, column in corners.tolist()]
    return found


def _write_split(source: Path, split: str, count: int, size: int, folder: Path) -> None:
    """Write ``count`` windows of each class, always the same, as CLASS/FRAME_ROW_COLUMN.png."""
    masks = source / 'annotations' / split
    for label, found in _windows(masks, size).items():
        if len(found) < count:
            raise InputError(
                f'{masks}: {len(found)} windows show {CLASSES[label]} (label {label}), {count} are '
                'needed; give the folder of CamVid, with annotations/ and images/'
            )
        chosen = np.random.default_rng(label).choice(len(found), count, replace=False)
        place = folder / CLASSES[label]
        place.mkdir(parents=True)
        for frame, row, column in (found[i] for i in sorted(chosen)):
            path = source / 'images' / split / f'{frame}.jpg'
            image = cv2.imread(str(path))
            if image is None:
                raise InputError(f'{path}: missing, or not an image')
            crop = image[row : row + size, column : column + size]
            cv2.imwrite(str(place / f'{frame}_{row:03}_{column:03}.png'), crop)


def write(
    source: str | Path, root: str | Path, counts: dict[str, int] = COUNTS, size: int = SIZE
) -> None:
    """Cut the pictures into ``root/{train,val,test}/<class>/*.png``.

    Args:
        source: CamVid, ``{images,annotations}/{train,val,test}``, masks of labels 0 to 11.
        root: folder to write; it must not exist.
        counts: pictures of each class, for each split.
        size: side of the pictures in pixels.

    Raises:
        InputError: ``root`` exists or cannot be written, a file of CamVid is missing or damaged,
            or too few windows show a class.
    """
    source, root = Path(source), Path(root).absolute()
    if root.exists():
        raise InputError(f'{root} exists; remove it, or choose another folder')
    try:
        root.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=root.parent, prefix=f'.{root.name}-') as folder:
            for split, count in counts.items():
                _write_split(source, split, count, size, Path(folder, 'new', split))
            os.rename(Path(folder, 'new'), root)  # the whole data set, or nothing
    except OSError as error:
        raise InputError(f'{root} cannot be written: {error}') from error


def main() -> None:
    parser = argparse.ArgumentParser(
        prog='python -m examples.camvid_crops',
        description="Cut CamVid's frames into pictures of one class each.",
    )
    parser.add_argument('source', help='CamVid, for example data/camvid')
    parser.add_argument('root', help='folder to write, for example data/camvid_crops')
    options = parser.parse_args()
    try:
        write(options.source, options.root)
    except InputError as error:
        parser.exit(2, f'error: {error}\n')
    total = {split: count * len(CLASSES) for split, count in COUNTS.items()}
    print(f'{total} pictures of {SIZE} x {SIZE} pixels in {options.root}')


if __name__ == '__main__':
    main()
