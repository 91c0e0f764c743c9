"""``vitbackbones browse``: show images as training and evaluation see them.

The sheet has one row for each image, and one for the first batch of a run. The augmented views are
those that a run with the same seed uses (``training/replay.py``), not other examples of them.

options:
  --split      show images of this split (default: train)
  --only       show only these images: file names, or ends of their paths
  --images     show N images, one per row, spread over the dataset (default: 4)
  --draws      show N augmented training views per image, in one row (default: 3)
  --seed       show the views of a run with this seed (default: randomness.seed of the config, or 0)
  --side       limit the longest side of an image to this many pixels (default: 400)
  --out        write the sheet to this file, .jpg or .png (default: browse_<config name>.jpg)
  --overwrite  replace the file of --out

examples:
  %(prog)s quick_detector --data-root my_pictures
  %(prog)s setr_mla_msf_vit_ti_camvid --split val --only 0016E5_07959.png --out frame.png
  %(prog)s mask_rcnn_pvt_s_coco --images 1 --side 1000               large images
"""

from argparse import ArgumentParser

from ...configuration import SPLITS
from ..cli import FILE_OPTIONS, add_shared, count


def add_arguments(parser: ArgumentParser) -> None:
    """Describe the command line."""
    add = parser.add_argument
    add_shared(add, 'config', '--data-root', *FILE_OPTIONS)
    add('--split', choices=SPLITS, default='train')
    add('--only', nargs='+', default=[], metavar='NAME')
    add('--images', type=count, default=4, metavar='N')
    add('--draws', type=count, default=3, metavar='N')
    add('--seed', type=int, metavar='N')
    add('--side', type=count, default=400, metavar='N')
    add('--out', metavar='FILE')
    add('--overwrite', action='store_true')
    add_shared(add, '--backbone', '--size', '--cfg-options')
