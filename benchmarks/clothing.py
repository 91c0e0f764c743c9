"""Clothing co-parsing as a folder of images and index masks, for :mod:`benchmarks.own_sets`.

    git clone https://github.com/bearpaw/clothing-co-parsing CLONE
    python -m benchmarks.clothing CLONE SETS/clothing

Yang, Luo and Lin, "Clothing Co-Parsing by Joint Image Segmentation and Labeling", CVPR 2014;
Apache-2.0. 1004 photos of its 2098 have masks, in 59 classes with the ground. 200 of these are for
validation, chosen by a hash of their names.
"""

import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from pathlib import Path

import numpy as np
from PIL import Image
from scipy.io import loadmat

from vitbackbones.commands.ending import run
from vitbackbones.errors import InputError
from vitbackbones.utils.files import whole_folder

from .own_sets_data import shuffled

VALIDATION = 200  # images


def convert(clone: Path, out: Path) -> None:
    """Write images, masks and ``classes.txt``.

    Raises:
        InputError: there are no masks in the clone.
    """
    names = sorted(file.stem for file in (clone / 'annotations' / 'pixel-level').glob('*.mat'))
    if not names:
        raise InputError(f'{clone}: has no masks, annotations/pixel-level/*.mat')
    held_out = {*shuffled(names, seed=0)[:VALIDATION]}
    with whole_folder(out, 'OUT') as folder:
        for name in names:
            split = 'val' if name in held_out else 'train'
            for kind in ('images', 'masks'):
                (folder / kind / split).mkdir(parents=True, exist_ok=True)
            photo = (clone / 'photos' / f'{name}.jpg').read_bytes()
            (folder / 'images' / split / f'{name}.jpg').write_bytes(photo)
            mask = loadmat(clone / 'annotations' / 'pixel-level' / f'{name}.mat')['groundtruth']
            Image.fromarray(mask.astype(np.uint8)).save(folder / 'masks' / split / f'{name}.png')
        labels = loadmat(clone / 'label_list.mat', simplify_cells=True)['label_list']
        (folder / 'classes.txt').write_text('\n'.join(labels) + '\n')


def main() -> None:
    """Do what the command line says."""
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument('clone', type=Path, metavar='CLONE')
    parser.add_argument('out', type=Path, metavar='OUT')
    options = parser.parse_args()
    sys.exit(run(lambda: convert(options.clone, options.out)))


if __name__ == '__main__':
    main()
