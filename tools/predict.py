"""Run a model on images, folders and videos.

python tools/predict.py configs/shapes/detr_aug_vit_s.py work_dirs/.../epoch_18.pth photos --out out

writes out/predictions.json, out/pictures and, for segmentation, index masks in out/masks; the
segments of a panoptic model are in out/panoptic.json and out/panoptic. A file that fails is named,
the others are done, and the exit status is 2. What is answered is at once in out/predictions.jsonl,
a line for each image, and predictions.json is made of it at the end, also after Ctrl-C, SIGTERM or
SIGHUP. Whatever stopped it, the same command goes on with --resume.
"""

import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))  # an installed package comes first

from vitbackbones.commands.cli import ConfigOptions, add_fused, run
from vitbackbones.commands.predict import predict


def parse() -> Namespace:
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    add = parser.add_argument
    add('config', help='a file of configs/, for detection, segmentation or classification')
    add('checkpoint', help='a .pth file that tools/train.py wrote, or the work dir for the latest')
    add('inputs', nargs='+', metavar='INPUT', help='images, folders, videos')
    add('--out', required=True, metavar='DIR', help='where results go; must be empty or new')
    used = parser.add_mutually_exclusive_group()
    go_on = 'continue the prediction in DIR, with the same model, settings and inputs'
    used.add_argument('--resume', action='store_true', help=go_on)
    anew = 'start anew although DIR is not empty'
    used.add_argument('--overwrite', action='store_true', help=anew)
    add('--device', help='cpu, cuda, cuda:1, ... (default: a GPU if there is one)')
    faster = parser.add_mutually_exclusive_group()
    faster.add_argument('--amp', action='store_true', help='compute in half precision')
    add_fused(faster.add_argument)
    add('--batch-size', type=int, default=1, metavar='N', help='images at a time (default: 1)')
    add('--score-thr', type=float, default=0.3, metavar='S', help='least drawn (default: 0.3)')
    masks = 'form of the masks in predictions.json (default: rle)'
    add('--masks', choices=['rle', 'polygons'], default='rle', help=masks)
    add('--cfg-options', nargs='+', action=ConfigOptions, default={}, metavar='KEY=VALUE')
    options = parser.parse_args()
    if options.batch_size < 1:
        parser.error('--batch-size: at least 1')
    return options


def main() -> None:
    predict(parse())


if __name__ == '__main__':
    sys.exit(run(main))
