"""``vitbackbones train``: its command line.

options:
  --pretrained   start from these backbone weights instead of those in the config: a file, its URL,
                 a name of published weights such as deit_s, or "auto" for published weights that
                 fit the config
  --scratch      start from random weights
  --resume       continue from FILE or, without FILE, from the latest checkpoint of the work dir
  --overwrite    remove the checkpoints in the work dir and start from the beginning
  --steps        train for N iterations, and scale the whole schedule
  --epochs       for configs that count epochs: train for N epochs, and scale the whole schedule
  --patience     stop early after N evaluations in a row without a gain in the main metric
  --batch-size   train on N images per iteration, in each process
  --lr           set the learning rate of the optimizer, and scale the learning rates of the
                 schedule in proportion
  --seed         seed of all random numbers (default: the seed in the config, or a random seed)
  --workers      load images in N processes per training process, 0 for none (default: the number in
                 the config; on a CPU, at most one for four cores)
  --freeze       train only neck and head, or freeze the stem and the first N stages of the backbone
                 (blocks, if it has no stages)
  --lora         in the backbone, train only low-rank adapters in attention and MLPs
  --cache-gb     with --freeze backbone or a teacher: compute the feature maps of each image once
                 and cache them; the cache holds at most G GB (10^9 bytes)
  --cache-views  with --freeze backbone or a teacher: train on K fixed augmented views of each
                 image, for pipelines with random steps; --cache-gb also caches their feature maps
  --amp          train in mixed precision
  --fsdp         split weights, gradients and optimizer state among all processes
  --compile      compile the blocks of backbone and transformer, for any image size: the start takes
                 minutes, but steps are faster
  --track        also log to tensorboard, wandb or mlflow, with visualizations of predictions at
                 each evaluation; every choice writes WORK_DIR/run.html, and "page" only this file
  --overfit      overfit N training images for about one minute, in WORK_DIR/overfit, and report the
                 likely cause if that fails
  --smoke        test some steps, evaluation and resuming, in WORK_DIR/smoke, without data or
                 weights; on a CPU this takes seconds for a small model, minutes for a large one

examples:
  %(prog)s detr_aug_vit_s_coco --smoke              try everything, in seconds or minutes
  %(prog)s detr_aug_vit_s_coco --amp
  %(prog)s quick_detector --data-root my_pictures   your own images and annotations
  %(prog)s quick_detector --data-root my_pictures --size 640 --steps 4000   small objects
  %(prog)s quick_detector --data-root my_pictures --overfit 8   find the cause if AP stays at 0
  %(prog)s my_config.py --resume                    continue an interrupted run
  %(prog)s my_config.py --track tensorboard         also log losses, metrics and visualizations
"""

import os
from argparse import ArgumentParser, ArgumentTypeError, Namespace

from ..configuration.doctor import import_needed
from ..trackers import NAMES
from ..utils.rules import number, whole
from ..utils.run_files import LATEST
from .cli import FILE_OPTIONS, add_local_rank, add_shared, count, fitting, size


def add_arguments(parser: ArgumentParser) -> None:
    """Describe the command line."""
    add_shared(parser.add_argument, 'config')
    start = parser.add_argument_group('start')
    add_shared(start.add_argument, '--data-root', *FILE_OPTIONS, '--backbone')
    weights = start.add_mutually_exclusive_group()
    weights.add_argument('--pretrained', metavar='FILE')
    weights.add_argument('--scratch', action='store_true')
    earlier = start.add_mutually_exclusive_group()
    earlier.add_argument('--resume', nargs='?', const=LATEST, metavar='FILE')
    earlier.add_argument('--overwrite', action='store_true')
    add_shared(start.add_argument, '--cfg-options')

    steps = parser.add_argument_group('length and size')
    length = steps.add_mutually_exclusive_group()
    length.add_argument('--steps', type=count, metavar='N')
    length.add_argument('--epochs', type=count, metavar='N')
    steps.add_argument('--patience', type=count, metavar='N')
    add_shared(steps.add_argument, '--size')
    steps.add_argument('--batch-size', type=fitting(whole(1, 2**16)), metavar='N')
    steps.add_argument('--lr', type=fitting(number(above=0, most=1000), float), metavar='RATE')
    steps.add_argument('--seed', type=fitting(whole(0, 2**32 - 1)), metavar='N')
    steps.add_argument('--freeze', type=frozen_part, metavar='backbone|N')
    steps.add_argument('--lora', type=count, metavar='RANK')

    speed = parser.add_argument_group('speed')
    add_shared(speed.add_argument, '--device')
    speed.add_argument('--workers', type=fitting(whole(0, os.cpu_count() or 1)), metavar='N')
    speed.add_argument('--amp', action='store_true')
    speed.add_argument('--compile', action='store_true')
    speed.add_argument('--cache-gb', type=size, metavar='G')
    speed.add_argument('--cache-views', type=count, metavar='K')
    add_shared(speed.add_argument, '--launcher')
    speed.add_argument('--fsdp', action='store_true')

    following = parser.add_argument_group('following')
    add_shared(following.add_argument, '--work-dir')
    following.add_argument(
        '--track', nargs='+', choices=('page', *NAMES), default=(), metavar='NAME'
    )
    short = following.add_mutually_exclusive_group()
    short.add_argument('--overfit', type=count, metavar='N')
    short.add_argument('--smoke', action='store_true')
    add_local_rank(parser.add_argument)


def frozen_part(text: str) -> str | int:
    """Read 'backbone' or a number of stages, as an argument's ``type``."""
    if text != 'backbone' and not text.isdecimal():
        raise ArgumentTypeError(f'{text} is neither "backbone" nor a number of stages')
    return int(text) if text.isdecimal() else text


def train(options: Namespace) -> None:
    """Do what ``vitbackbones train --help`` describes: :func:`..running.train.run_training`."""
    running = import_needed('running.train', 'train')  # here: the help needs no torch
    running.run_training(running.TrainRequest(**vars(options)))
