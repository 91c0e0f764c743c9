"""``vitbackbones audit``: find labels that are likely to be wrong, by training.

First, near duplicates are searched. Then the images are divided into folds, and for each fold a
quick model is trained on all other folds. Its predictions on the fold are compared with the labels.
All results are in one folder. If the command was interrupted, run it again to continue.

options:
  folder     folder of images with boxes, outlines or masks, as for --data-root
  --out      folder for the results (default: work_dirs/audit_FOLDER)
  --config   train this config of mmdet or mmseg instead of a quick config
  --folds    divide the images into K folds, and train one model for each (default: 3)
  --minutes  train for about M minutes in total (default: 20)
  --ray      train the folds on this Ray cluster at the same time: auto, local, HOST:PORT or
             ray://HOST:PORT; all nodes must see FOLDER and OUT (see docs/clusters.md)
  --curve    also train on 1/4 and 1/2 of the images, and report whether more images would help
  --pick     list the N images of FOLDER to label next

examples:
  %(prog)s my_pictures                      find labels that are likely to be wrong
  %(prog)s my_pictures --minutes 30         train longer, for a better list
  %(prog)s my_pictures --curve              find out whether more images would help
  %(prog)s my_pictures --pick 50 UNLABELED  find images to label next

Open OUT/audit.html in a browser, accept or reject each suggestion, save corrections.json, and run
  vitbackbones import corrections corrections.json my_pictures CORRECTED
"""

from argparse import ArgumentParser

from ..cli import FILE_OPTIONS, add_shared, count, size


def add_arguments(parser: ArgumentParser) -> None:
    """Describe the command line."""
    add = parser.add_argument
    add('folder', metavar='FOLDER')
    add_shared(add, *FILE_OPTIONS)
    add('--out', metavar='OUT')
    add('--config', metavar='CONFIG')
    add('--folds', type=count, default=3, metavar='K')
    add('--minutes', type=size, default=20, metavar='M')
    add('--ray', metavar='ADDRESS')
    after = parser.add_mutually_exclusive_group()
    after.add_argument('--curve', action='store_true')
    after.add_argument('--pick', nargs=2, metavar=('N', 'FOLDER'))
