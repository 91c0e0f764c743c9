"""``vitbackbones publish``: write weights, model card and config of a trained run to a folder.

options:
  work_dir      work dir of a training
  --checkpoint  checkpoint to publish (default: the best, otherwise the latest)
  --backbone    publish only the backbone, in half precision, for train --pretrained
  --half        publish the weights in half precision, for models that start from them
  --without     omit weights whose keys match a pattern, such as 'bbox_head.cls_convs.*'
  --out         folder to write (default: WORK_DIR/published)
  --overwrite   replace DIR if an earlier call wrote it
  --license     license of the weights, as an identifier of the Hugging Face hub, such as apache-2.0
                (default: unknown)

examples:
  %(prog)s work_dirs/detr_aug_vit_s_shapes --out detr_shapes --license apache-2.0

The folder contains
  model.safetensors  the weights that validation evaluated, and the class names
  README.md          the model card: metrics from the log, classes, mean and std, hash
  config.py          the config, without paths of this machine
and the score threshold of the weights, if test --report has chosen one.

test and predict accept the folder as CHECKPOINT. "hf upload OWNER/NAME DIR" uploads it to the
Hugging Face hub.
"""

from argparse import ArgumentParser


def add_arguments(parser: ArgumentParser) -> None:
    """Describe the command line."""
    add = parser.add_argument
    add('work_dir', metavar='WORK_DIR')
    add('--checkpoint', metavar='FILE')
    add('--backbone', action='store_true')
    add('--half', action='store_true')
    add('--without', nargs='+', metavar='PATTERN', default=[])
    add('--out', metavar='DIR')
    add('--overwrite', action='store_true')
    add('--license', default='unknown')
