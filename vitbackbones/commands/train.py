"""``vitbackbones train``: its command line.

options:
  --pretrained   in place of the backbone checkpoint in the config: a file, its address, a name of
                 published weights such as deit_s, or "auto" for those nearest to what the config
                 names
  --scratch      start from random weights
  --resume       continue from FILE or, without it, from the latest checkpoint of the work dir
  --overwrite    start from the beginning where the work dir holds checkpoints, and remove them
  --steps        train for N iterations, with the whole schedule scaled to them
  --epochs       train for N epochs, likewise, if the config counts epochs
  --freeze       train neck and head alone, or freeze the stem and the first N stages of the
                 backbone (blocks, where it has no stages)
  --lora         train, of the backbone, low-rank adapters of attention and MLPs alone
  --cache-gb     with --freeze backbone: compute the maps of each picture once and keep them, in
                 at most G * 10^9 bytes of the cache of this package
  --cache-views  with --freeze backbone: train on K draws of each picture, for pipelines with
                 random steps; without --cache-gb the same ones, whose maps are not kept
  --amp          train in mixed precision
  --fsdp         with several processes, keep a part of weights, gradients and optimizer in each
  --compile      compile the blocks of backbone and transformer, each kind once for any image
                 size: minutes at the start, shorter steps
  --track        follow the run in tensorboard, wandb or mlflow, beside the local log, with
                 pictures of predictions at each evaluation; "page" makes only WORK_DIR/run.html,
                 as the others do
  --overfit      learn N training pictures by heart for a minute, in WORK_DIR/overfit, and name
                 what is broken where that fails
  --smoke        try some steps, evaluation and resuming, in WORK_DIR/smoke; needs no data and no
                 weights, and on a CPU seconds for a small model, minutes for a large one

examples:
  %(prog)s detr_aug_vit_s_coco --smoke              a look at all of it, in seconds or minutes
  %(prog)s detr_aug_vit_s_coco --amp
  %(prog)s quick_detector --data-root my_pictures   pictures and annotations of your own
  %(prog)s quick_detector --data-root my_pictures --overfit 8   what is broken, if AP stays at 0
  %(prog)s my_config.py --resume                    continue where a run was stopped
  %(prog)s my_config.py --track tensorboard         losses, metrics and pictures there as well
"""

from argparse import ArgumentParser, ArgumentTypeError, Namespace

from ..running.request import TrainRequest
from ..running.train import run_training
from ..trackers.backends import TRACKERS
from ..training.find_checkpoint import LATEST
from ..training.frozen import BACKBONE
from .cli import add_run_arguments, count, size


def add_arguments(parser: ArgumentParser) -> None:
    """Describe the command line."""
    add_run_arguments(parser.add_argument)
    weights = parser.add_mutually_exclusive_group()
    weights.add_argument('--pretrained', metavar='FILE')
    weights.add_argument('--scratch', action='store_true')
    earlier = parser.add_mutually_exclusive_group()
    earlier.add_argument('--resume', nargs='?', const=LATEST, metavar='FILE')
    earlier.add_argument('--overwrite', action='store_true')
    length = parser.add_mutually_exclusive_group()
    length.add_argument('--steps', type=count, metavar='N')
    length.add_argument('--epochs', type=count, metavar='N')
    parser.add_argument('--freeze', type=frozen_part, metavar='backbone|N')
    parser.add_argument('--lora', type=count, metavar='RANK')
    parser.add_argument('--cache-gb', type=size, metavar='G')
    parser.add_argument('--cache-views', type=count, metavar='K')
    parser.add_argument('--amp', action='store_true')
    parser.add_argument('--fsdp', action='store_true')
    parser.add_argument('--compile', action='store_true')
    parser.add_argument(
        '--track', nargs='+', choices=('page', *TRACKERS), default=(), metavar='NAME'
    )
    short = parser.add_mutually_exclusive_group()
    short.add_argument('--overfit', type=count, metavar='N')
    short.add_argument('--smoke', action='store_true')


def frozen_part(text: str) -> str | int:
    """Read 'backbone' or a number of stages, as an argument's ``type``."""
    if text != BACKBONE and not text.isdecimal():
        raise ArgumentTypeError(f'{text} is neither "{BACKBONE}" nor a number of stages')
    return text if text == BACKBONE else int(text)


def train(options: Namespace) -> None:
    """Do what ``vitbackbones train --help`` describes: :func:`..running.train.run_training`."""
    run_training(TrainRequest(**vars(options)))
