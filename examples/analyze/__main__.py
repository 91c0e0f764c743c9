"""Look into trained models: a table and a picture for each analysis.

    python -m examples.analyze cls_aug_vit_s_imagenet work_dirs/.../epoch_300.pth diversity \\
        --versus cls_deit_s_imagenet work_dirs/.../epoch_300.pth --images photos --out out
    python -m examples.analyze ours:deit_s deit_s.pth attention --images photos --out out

Run it in the root of a clone. Out come out/WHAT.png and out/WHAT.csv. A model is a config and a
checkpoint of it, or ours:NAME[,KEY=VALUE ...] and a checkpoint of any known layout; without a
checkpoint its weights are random. A config's model sees images as its test pipeline makes them, a
model by name their middle, 224 pixels wide. docs/lab/analysis.md shows every analysis.
WHAT is one of

    diversity   how far the tokens of an image are from all being alike, block by block
    norms       mean length of the tokens, block by block
    attention   where the attention of chosen blocks looks
"""

import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import torch
from mmengine.config import Config

from vitbackbones.commands.analyze import add_output, distinct, new_result, write_result
from vitbackbones.commands.cli import add_shared, count, image_size
from vitbackbones.commands.ending import run
from vitbackbones.data.sources import find_sources, read_frames
from vitbackbones.drawing.sheet import spread
from vitbackbones.errors import InputError
from vitbackbones.inference.configured import read_model_config
from vitbackbones.preparing.explain import explained
from vitbackbones.tasks.predictor import Predictor
from vitbackbones.training.cores import share_cores
from vitbackbones.training.distributed import choose_device
from vitbackbones.training.find_checkpoint import choose_checkpoint
from vitbackbones.utils.process_settings import keep_freed_memory
from vitbackbones.weights.filling import load_pretrained

from . import attention_maps, diversity
from .subjects import Subject, build_classifier, by_name, of_config

OURS = 'ours:'  # in front of the name of a model
DEFAULT_SIZE = (224, 224)  # of images for a model by name
# measure(subject, options) returns the rows of one model; draw(rows, photos) gets those of all
ANALYSES = {
    'diversity': (diversity.measure_diversity, diversity.draw_diversity),
    'norms': (diversity.measure_norms, diversity.draw_norms),
    'attention': (attention_maps.measure, attention_maps.draw),
}


def read_arguments(words: Sequence[str] | None = None) -> Namespace:
    """Read the command line."""
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    add = parser.add_argument
    add('models', nargs='+', metavar='CONFIG [CHECKPOINT]', help='the model')
    add('what', choices=ANALYSES, metavar='WHAT', help='see above')
    add(
        '--versus',
        nargs='+',
        action='append',
        default=[],
        metavar=('CONFIG', 'CHECKPOINT'),
        help='another model in the same picture; can be given several times',
    )
    add_output(add)
    images = 'images, or folders of them'
    add('--images', nargs='+', required=True, metavar='DIR', help=images)
    spread_over = 'number of images, spread over DIR (default: 16)'
    add('--count', type=count, default=16, metavar='N', help=spread_over)
    shown = 'number of images whose maps are shown (attention; default: 3)'
    add('--pictures', type=count, default=3, metavar='N', help=shown)
    asked = 'token whose attention is shown (default: the class token, where there is one)'
    add('--query', choices=('class_token', 'all'), help=asked)
    blocks = 'numbers of blocks, from 1 over all stages (default: first, middle and last)'
    add('--blocks', nargs='+', type=count, metavar='N', help=blocks)
    add('--size', type=image_size, metavar='H[xW]', help='show the middle of images in this size')
    add_shared(add, '--device', '--backbone', '--cfg-options')
    return parser.parse_args(words)


def main(options: Namespace) -> None:
    """Do what the head of this file describes.

    Raises:
        InputError: a config, a checkpoint, an image or ``--out`` is not usable, or a model lacks
            what is to be looked at.
    """
    measure, draw = ANALYSES[options.what]
    device = choose_device(options.device)
    with new_result(options) as out:
        share_cores(Config())  # nothing else wants them
        keep_freed_memory()
        torch.manual_seed(0)  # of random weights
        subjects = _subjects(options, device, out)
        tables = {subject.name: measure(subject, options) for subject in subjects}
        photos = {subject.name: subject.photos for subject in subjects}
        write_result(out / options.what, tables, partial(draw, photos=photos))


def _subjects(options: Namespace, device: torch.device, out: Path) -> list[Subject]:
    """Build all models; ``--count`` images, spread over ``--images``, are prepared for each."""
    targets = [options.models, *options.versus]
    if long := next((target for target in targets if len(target) > 2), None):
        raise InputError(
            f'{" ".join(long)}: at most CONFIG CHECKPOINT; --versus begins another model'
        )
    short = [
        name.removeprefix(OURS) if name.startswith(OURS) else Path(name).name.removesuffix('.py')
        for name, *_ in targets
    ]
    names, found = distinct([' '.join(target) for target in targets], short), []
    sources = find_sources(options.images, out, '--images')
    pictures = [source for source in sources if not source.is_video]
    if not pictures:
        raise InputError(f'--images {" ".join(options.images)}: no image there, only videos')
    chosen = spread(len(pictures), options.count)
    frames = [next(read_frames(pictures[i])) for i in chosen]
    for name, (model, *given) in zip(names, targets, strict=True):
        if not given:
            print(f'{name}: no CHECKPOINT is given, so its weights are random')
        if model.startswith(OURS):
            size = options.size or DEFAULT_SIZE
            classifier = build_classifier(model.removeprefix(OURS), size)
            for file in given:
                load_pretrained(classifier, file)
            found.append(by_name(name, classifier.to(device).eval(), size, frames))
            continue
        config = read_model_config(model, options.cfg_options)
        checkpoint = choose_checkpoint(given[0], 'CHECKPOINT') if given else None
        with explained(config):
            predictor = Predictor(config, checkpoint, device)
            found.append(of_config(name, predictor, options.size, frames))
    return found


if __name__ == '__main__':
    sys.exit(run(partial(main, read_arguments())))
