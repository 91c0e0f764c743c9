"""``vitbackbones check``: check every file of a dataset before a run.

The checks at the start of a training take seconds and stop at the first bad file. This command
decodes all files on all cores, and checks the size of every image and every value of index masks.
It lists all problems, and counts images and annotations of each class.

options:
  --statistics  print mean and std of the training images for each band, in the format of the config
  --workers     decode with N threads (default: all cores)

examples:
  %(prog)s detr_aug_vit_s_coco
  %(prog)s quick_detector --data-root my_pictures
  %(prog)s quick_detector --data-root fields --statistics --cfg-options model.backbone.in_channels=4
"""

from argparse import ArgumentParser

from ..cli import FILE_OPTIONS, add_shared, count


def add_arguments(parser: ArgumentParser) -> None:
    """Describe the command line."""
    add = parser.add_argument
    add_shared(add, 'config', '--data-root', *FILE_OPTIONS)
    add('--statistics', action='store_true')
    add('--workers', type=count, metavar='N')
    add_shared(add, '--size', '--cfg-options')
